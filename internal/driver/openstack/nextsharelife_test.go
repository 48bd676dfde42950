package openstack

import (
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

func shareLife() nextLife {
	return nextLife{
		block: nextBlock("share", "manila",
			schema.Attribute{Name: "size", Type: cty.Number, Presence: schema.Required, Bounds: &schema.Bounds{Min: 1, Max: 1 << 31}, Unit: "GiB", Doc: "The size."},
			schema.Attribute{Name: "protocol", Type: cty.String, Presence: schema.Required, Change: schema.Replace, Doc: "How it is read."},
			schema.Attribute{Name: "public", Type: cty.Bool, Doc: "Whether all projects see it."},
			schema.Attribute{Name: "description", Type: cty.String, Doc: "A text for people."},
			schema.Attribute{Name: "metadata", Type: cty.Map(cty.String), Doc: "Keys and values."},
		),
		kind:     func(b *schema.Block) kind { return shareKind{b} },
		services: map[string]string{"shared-file-system": "/manila/v2"},
		play:     playManila,
		first:    map[string]cty.Value{"name": cty.StringVal("web"), "size": cty.NumberIntVal(1), "protocol": cty.StringVal("NFS")},
		changed:  map[string]cty.Value{"size": cty.NumberIntVal(2), "description": cty.StringVal("Of the shop")},
		refused:  map[string]cty.Value{"size": cty.NumberIntVal(1)},
		replaced: justText("protocol", "CIFS"),
		idle:     paged("GET /manila/v2/shares/detail", 5), // as above
		meddle:   func(_ *nextCloud, o *thing) { o.raw[keyDescription] = "" },
		meddled:  []string{"description"},
	}
}

// playManila: manila/api/v2/shares.py, manila/api/views/shares.py and manila/api/common.py.
func playManila(c *nextCloud) {
	for i := range 4 {
		c.add("own", map[string]any{"name": somebodys(i), "status": "available", "metadata": map[string]any{}})
	}
	show := func(o *thing) map[string]any {
		o.raw["id"], o.raw["project_id"] = o.id, o.project
		return o.raw
	}
	old := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("X-OpenStack-Manila-API-Version") == sharesKnown {
			return false
		}
		tell(w, http.StatusNotAcceptable, map[string]any{"computeFault": map[string]any{"code": 406, "message": "Version is not supported by the API."}})
		return true
	}
	c.mux.HandleFunc("GET /manila/v2/shares/detail", func(w http.ResponseWriter, r *http.Request) {
		if old(w, r) {
			return
		}
		query := r.URL.Query()
		all := c.within("")
		if query.Get("all_tenants") != "1" {
			all = c.within(projectOfToken(r))
		}
		if query.Get("sort_dir") != "asc" {
			slices.Reverse(all)
		}
		page, full := from(all, query, 1000)
		list := []any{}
		for _, o := range page {
			list = append(list, show(o))
		}
		body := map[string]any{"shares": list}
		if full { // of which Manila takes no marker itself
			body["shares_links"] = []any{map[string]any{"rel": "next", "href": link(r, page)}}
		}
		tell(w, http.StatusOK, body)
		c.passes(page...)
	})
	c.mux.HandleFunc("POST /manila/v2/shares", func(w http.ResponseWriter, r *http.Request) {
		if old(w, r) {
			return
		}
		raw, _ := toldIn(r)["share"].(map[string]any)
		o := c.add(projectOfToken(r), raw)
		o.works("status", "creating", func() { o.raw["status"] = "available" })
		tell(w, http.StatusAccepted, map[string]any{"share": show(o)})
	})
	c.mux.HandleFunc("/manila/v2/shares/{id}", func(w http.ResponseWriter, r *http.Request) {
		o := c.byID(r.PathValue("id"))
		switch {
		case old(w, r):
		case o == nil:
			tell(w, http.StatusNotFound, map[string]any{"itemNotFound": map[string]any{"code": 404, "message": "Share could not be found."}})
		case r.Method == http.MethodGet:
			tell(w, http.StatusOK, map[string]any{"share": show(o)})
			c.passes(o)
		case r.Method == http.MethodPut:
			changes, _ := toldIn(r)["share"].(map[string]any)
			for from, to := range map[string]string{"display_name": "name", "display_description": keyDescription, "is_public": "is_public"} {
				if v, ok := changes[from]; ok {
					o.raw[to] = v
				}
			}
			tell(w, http.StatusOK, map[string]any{"share": show(o)})
		case r.Method == http.MethodDelete:
			o.works("status", "deleting", func() { c.drop(o) })
			w.WriteHeader(http.StatusAccepted)
		}
	})
	c.mux.HandleFunc("POST /manila/v2/shares/{id}/action", func(w http.ResponseWriter, r *http.Request) {
		o := c.byID(r.PathValue("id"))
		extend, _ := toldIn(r)["extend"].(map[string]any)
		o.raw["size"] = extend["new_size"]
		o.works("status", "extending", func() { o.raw["status"] = "available" })
		w.WriteHeader(http.StatusAccepted)
	})
	c.mux.HandleFunc("POST /manila/v2/shares/{id}/metadata", func(w http.ResponseWriter, r *http.Request) {
		metadata, _ := toldIn(r)["metadata"].(map[string]any)
		have, _ := c.byID(r.PathValue("id")).raw["metadata"].(map[string]any)
		for key, v := range metadata {
			have[key] = v
		}
		tell(w, http.StatusOK, map[string]any{"metadata": have})
	})
}
