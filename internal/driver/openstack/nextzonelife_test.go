package openstack

import (
	"net/http"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

func zoneLife() nextLife {
	return nextLife{
		block: nextBlock("dns_zone", "designate",
			schema.Attribute{Name: "email", Type: cty.String, Doc: "Who answers for it."},
			schema.Attribute{Name: "ttl", Type: cty.Number, Bounds: &schema.Bounds{Min: 1, Max: 1<<31 - 1}, Unit: "s", Doc: "How long others keep what is in it."},
			schema.Attribute{Name: "type", Type: cty.String, Change: schema.Replace, Allowed: []string{"PRIMARY", "SECONDARY"}, Doc: "Who keeps it."},
			schema.Attribute{Name: "description", Type: cty.String, Doc: "A text for people."},
		),
		kind:     func(b *schema.Block) kind { return zoneKind{b} },
		services: map[string]string{serviceNames: "/designate"},
		play:     playDesignate,
		first:    map[string]cty.Value{"name": cty.StringVal("shop.example."), "email": cty.StringVal("dns@shop.example"), "ttl": cty.NumberIntVal(300)},
		changed:  map[string]cty.Value{"ttl": cty.NumberIntVal(600)},
		replaced: justText("type", "SECONDARY"),
		idle:     paged("GET /designate/v2/zones", 3),
		meddle:   func(_ *nextCloud, o *thing) { o.raw["email"] = "somebody@else.example" },
		meddled:  []string{"email"},
	}
}

// playDesignate: designate/api/v2/controllers/zones, designate/api/middleware.py and designate/objects/adapters/api_v2/base.py.
func playDesignate(c *nextCloud) {
	for i := range 4 {
		c.add("own", map[string]any{"name": somebodys(i) + ".example.", keyDescription: nil, "status": "ACTIVE", "action": "NONE"})
	}
	show := func(o *thing) map[string]any {
		o.raw["id"], o.raw["project_id"], o.raw["links"] = o.id, o.project, map[string]any{"self": "http://inside.invalid/v2/zones/" + o.id}
		return o.raw
	}
	seen := func(r *http.Request) string {
		if r.Header.Get("X-Auth-All-Projects") == "true" {
			return ""
		}
		return projectOfToken(r)
	}
	done := func(o *thing) func() { return func() { o.raw["status"], o.raw["action"] = "ACTIVE", "NONE" } }
	c.mux.HandleFunc("GET /designate/v2/zones", func(w http.ResponseWriter, r *http.Request) {
		page, full := behind(c.within(seen(r)), r.URL.Query(), 1000)
		list, links := []any{}, map[string]any{"self": "http://inside.invalid/v2/zones"}
		for _, o := range page {
			list = append(list, show(o))
		}
		if full {
			links["next"] = link(r, page)
		}
		tell(w, http.StatusOK, map[string]any{"zones": list, "links": links, "metadata": map[string]any{"total_count": len(c.objects)}})
		c.passes(page...)
	})
	c.mux.HandleFunc("POST /designate/v2/zones", func(w http.ResponseWriter, r *http.Request) {
		project := r.Header.Get("X-Auth-Sudo-Project-ID")
		if project == "" {
			project = projectOfToken(r)
		}
		o := c.add(project, toldIn(r))
		if o.raw["type"] == nil {
			o.raw["type"] = "PRIMARY"
		}
		o.raw["action"] = "CREATE"
		o.works("status", "PENDING", done(o))
		tell(w, http.StatusAccepted, show(o))
	})
	c.mux.HandleFunc("/designate/v2/zones/{id}", func(w http.ResponseWriter, r *http.Request) {
		o := c.byID(r.PathValue("id"))
		switch {
		case o == nil || seen(r) != "" && o.project != seen(r):
			tell(w, http.StatusNotFound, map[string]any{"code": 404, "type": "zone_not_found", "message": "Could not find Zone", "request_id": "req-1"})
		case r.Method == http.MethodGet:
			tell(w, http.StatusOK, show(o))
			c.passes(o)
		case r.Method == http.MethodPatch:
			for key, v := range toldIn(r) {
				o.raw[key] = v
			}
			o.raw["action"] = "UPDATE"
			o.works("status", "PENDING", done(o))
			tell(w, http.StatusAccepted, show(o))
		case r.Method == http.MethodDelete:
			o.raw["action"] = "DELETE"
			o.works("status", "PENDING", func() { c.drop(o) })
			tell(w, http.StatusAccepted, show(o))
		}
	})
}
