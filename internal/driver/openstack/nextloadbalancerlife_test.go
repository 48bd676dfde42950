package openstack

import (
	"net/http"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

func loadBalancerLife() nextLife {
	return nextLife{
		block: nextBlock("load_balancer", "octavia",
			schema.Attribute{Name: "subnet", Type: cty.String, Presence: schema.Required, Change: schema.Replace, Doc: "The subnet of its address."},
			schema.Attribute{Name: "address", Type: cty.String, Presence: schema.Computed, Doc: "Its address."},
			schema.Attribute{Name: "enabled", Type: cty.Bool, Doc: "Whether it works."},
			schema.Attribute{Name: "description", Type: cty.String, Format: schema.FormatText, Doc: "A text for people."},
		),
		kind:     func(b *schema.Block) kind { return loadBalancerKind{b} },
		services: map[string]string{serviceBalancer: "/octavia"},
		play:     playOctavia,
		first:    map[string]cty.Value{"name": cty.StringVal("web"), "subnet": cty.StringVal("s1"), "description": cty.StringVal("For the shop")},
		changed:  map[string]cty.Value{"enabled": cty.False, "description": cty.StringVal("Closed")},
		replaced: justText("subnet", "s2"),
		idle:     paged("GET /octavia/v2/lbaas/loadbalancers", 3),
		meddle:   func(_ *nextCloud, o *thing) { o.raw["admin_state_up"] = true },
		meddled:  []string{"enabled"},
	}
}

// playOctavia: octavia/api/v2/controllers/load_balancer.py and octavia/api/common/pagination.py.
func playOctavia(c *nextCloud) {
	for i := range 4 {
		c.add("own", map[string]any{"name": somebodys(i), keyDescription: "", statusOfBalancer: "ACTIVE"})
	}
	show := func(o *thing) map[string]any {
		o.raw["id"], o.raw["project_id"] = o.id, o.project
		return o.raw
	}
	const path = "/octavia/v2/lbaas/loadbalancers"
	c.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		page, full := behind(c.within(r.URL.Query().Get("project_id")), r.URL.Query(), 1000)
		list, links := []any{}, []any{}
		for _, o := range page {
			list = append(list, show(o))
		}
		if full { // it may be the last one all the same
			links = append(links, map[string]any{"rel": "next", "href": link(r, page)})
		}
		tell(w, http.StatusOK, map[string]any{"loadbalancers": list, "loadbalancers_links": links})
		c.passes(page...)
	})
	c.mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := toldIn(r)[keyBalancer].(map[string]any)
		project, _ := raw["project_id"].(string)
		raw["vip_address"], raw["admin_state_up"] = "10.0.0.7", true
		o := c.add(project, raw)
		o.works(statusOfBalancer, "PENDING_CREATE", func() { o.raw[statusOfBalancer] = "ACTIVE" })
		tell(w, http.StatusCreated, map[string]any{keyBalancer: show(o)})
	})
	c.mux.HandleFunc(path+"/{id}", func(w http.ResponseWriter, r *http.Request) {
		o := c.byID(r.PathValue("id"))
		switch {
		case o == nil:
			tell(w, http.StatusNotFound, map[string]any{"faultcode": "Client", "faultstring": "Load Balancer not found.", "debuginfo": nil})
		case r.Method == http.MethodGet:
			tell(w, http.StatusOK, map[string]any{keyBalancer: show(o)})
			c.passes(o)
		case o.raw[statusOfBalancer] != "ACTIVE":
			tell(w, http.StatusConflict, map[string]any{"faultcode": "Client", "faultstring": "Invalid state of loadbalancer resource", "debuginfo": nil})
			c.passes(o)
		case r.Method == http.MethodPut:
			changes, _ := toldIn(r)[keyBalancer].(map[string]any)
			for key, v := range changes {
				o.raw[key] = v
			}
			o.works(statusOfBalancer, "PENDING_UPDATE", func() { o.raw[statusOfBalancer] = "ACTIVE" })
			tell(w, http.StatusOK, map[string]any{keyBalancer: show(o)})
		case r.Method == http.MethodDelete:
			o.works(statusOfBalancer, "PENDING_DELETE", func() { c.drop(o) })
			w.WriteHeader(http.StatusNoContent)
		}
	})
}
