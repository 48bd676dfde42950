package openstack

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

func stackLife() nextLife {
	return nextLife{
		block: nextBlock("stack", "heat",
			schema.Attribute{Name: "template", Type: cty.String, Presence: schema.Required, Doc: "What it is made of."},
			schema.Attribute{Name: "parameters", Type: cty.Map(cty.String), Doc: "What the template asks for."},
			schema.Attribute{Name: "tags", Type: cty.Set(cty.String), Doc: "Words for people and programs."},
		),
		kind:     func(b *schema.Block) kind { return stackKind{b} },
		services: map[string]string{serviceStacks: "/heat/v1/PROJECT"},
		play:     playHeat,
		first: map[string]cty.Value{
			"name": cty.StringVal("web"), "template": cty.StringVal(`{"heat_template_version": "2021-04-16", "resources": {}}`),
			"parameters": cty.MapVal(map[string]cty.Value{"size": cty.StringVal("1")}),
		},
		changed:  map[string]cty.Value{"parameters": cty.MapVal(map[string]cty.Value{"size": cty.StringVal("2")})},
		replaced: justText("name", "www"),
		idle:     paged("GET /heat/v1/shop/stacks", 3),
		meddle: func(_ *nextCloud, o *thing) {
			o.raw[keyParameters], o.raw["updated_time"] = map[string]any{"size": "9"}, "later"
		},
		meddled: []string{"parameters"},
	}
}

// playHeat: heat/api/openstack/v1/stacks.py and heat/api/openstack/v1/views.
func playHeat(c *nextCloud) {
	for i := range 4 {
		c.add("shop", map[string]any{"stack_name": somebodys(i), "stack_status": "CREATE_COMPLETE", "tags": nil})
	}
	show := func(o *thing, whole bool) map[string]any {
		shown := map[string]any{"id": o.id}
		for key, v := range o.raw {
			if whole && key == keyParameters || key != keyParameters && key != keyTemplate {
				shown[key] = v
			}
		}
		return shown
	}
	tags := func(raw map[string]any) {
		if text, ok := raw["tags"].(string); ok {
			list := []any{}
			for _, tag := range strings.Split(text, ",") {
				list = append(list, tag)
			}
			raw["tags"] = list
		}
	}
	c.mux.HandleFunc("GET /heat/v1/{project}/stacks", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if projectOfToken(r) != r.PathValue("project") {
			refuse(w, http.StatusForbidden, "You are not authorized to access this stack.")
			return
		}
		all := slices.DeleteFunc(c.within(projectOfToken(r)), func(o *thing) bool { return query.Has("id") && query.Get("id") != o.id })
		page, full := behind(all, query, 1000)
		list := []any{}
		for _, o := range page {
			list = append(list, show(o, false))
		}
		body := map[string]any{"stacks": list}
		if full && query.Has("limit") {
			body["links"] = []any{map[string]any{"rel": "next", "href": link(r, page)}}
		}
		tell(w, http.StatusOK, body)
		c.passes(page...)
	})
	c.mux.HandleFunc("POST /heat/v1/{project}/stacks", func(w http.ResponseWriter, r *http.Request) {
		raw := toldIn(r)
		tags(raw)
		o := c.add(projectOfToken(r), raw)
		o.works("stack_status", "CREATE_IN_PROGRESS", func() { o.raw["stack_status"] = "CREATE_COMPLETE" })
		tell(w, http.StatusCreated, map[string]any{"stack": map[string]any{"id": o.id, "links": []any{}}})
	})
	c.mux.HandleFunc("/heat/v1/{project}/stacks/{name}/{id}", func(w http.ResponseWriter, r *http.Request) {
		o := c.byID(r.PathValue("id"), projectOfToken(r))
		switch {
		case o == nil || projectOfToken(r) != r.PathValue("project") || o.raw["stack_name"] != r.PathValue("name"):
			tell(w, http.StatusNotFound, map[string]any{"code": 404, "error": map[string]any{"message": "The Stack could not be found.", "type": "EntityNotFound"}, "title": "Not Found"})
		case r.Method == http.MethodGet:
			tell(w, http.StatusOK, map[string]any{"stack": show(o, true)})
		case r.Method == http.MethodDelete:
			o.works("stack_status", "DELETE_IN_PROGRESS", func() { c.drop(o) })
			w.WriteHeader(http.StatusNoContent)
		case strings.HasSuffix(o.raw["stack_status"].(string), "_IN_PROGRESS"):
			tell(w, http.StatusConflict, map[string]any{"code": 409, "error": map[string]any{"message": "Stack already has an action in progress.", "type": "ActionInProgress"}})
		case r.Method == http.MethodPatch:
			raw := toldIn(r)
			tags(raw)
			for key, v := range raw {
				o.raw[key] = v
			}
			o.raw["updated_time"] = o.raw["updated_time"] == nil
			o.works("stack_status", "UPDATE_IN_PROGRESS", func() { o.raw["stack_status"] = "UPDATE_COMPLETE" })
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, "202 Accepted\n\nThe request is accepted for processing.\n")
		}
	})
	c.mux.HandleFunc("GET /heat/v1/{project}/stacks/{name}/{id}/template", func(w http.ResponseWriter, r *http.Request) {
		tell(w, http.StatusOK, c.byID(r.PathValue("id"), projectOfToken(r)).raw[keyTemplate])
	})
}
