package openstack

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

func containerLife() nextLife {
	return nextLife{
		block: nextBlock("container", "swift",
			schema.Attribute{Name: "metadata", Type: cty.Map(cty.String), Doc: "Keys and values."},
			schema.Attribute{Name: "read", Type: cty.String, Doc: "Who may read what is in it."},
		),
		kind:     func(b *schema.Block) kind { return containerKind{b} },
		services: map[string]string{serviceObjects: "/swift/v1/AUTH_PROJECT"},
		play:     playSwift,
		first: map[string]cty.Value{
			"name": cty.StringVal("web"), "read": cty.StringVal(".r:*"), "metadata": cty.MapVal(map[string]cty.Value{"tier": cty.StringVal("a")}),
		},
		changed:  map[string]cty.Value{"metadata": cty.MapVal(map[string]cty.Value{"tier": cty.StringVal("b")})},
		replaced: justText("name", "www"),
		idle:     paged("GET /swift/v1/AUTH_shop/", 3),
		meddle:   func(_ *nextCloud, o *thing) { o.header.Set(headerRead, ".r:-evil.example") },
		meddled:  []string{"read"},
	}
}

// playSwift: api-ref of swift, and swift/proxy/controllers.
func playSwift(c *nextCloud) {
	add := func(project, name string) *thing {
		o := c.add(project, map[string]any{})
		o.id, o.header = name, http.Header{headerContained: {"0"}}
		slices.SortFunc(c.objects, func(a, b *thing) int { return strings.Compare(a.id, b.id) })
		return o
	}
	for i := range 4 {
		add("shop", somebodys(i))
	}
	change := func(o *thing, header http.Header) {
		for name, v := range header {
			if key, ok := strings.CutPrefix(name, headerRemoves); ok {
				o.header.Del(headerMetadata + key)
			}
			if strings.HasPrefix(name, headerMetadata) || name == headerRead {
				o.header[name] = v
			}
		}
	}
	page := func(w http.ResponseWriter, status int) { // the body that its servers have for most statuses
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html><h1>"+http.StatusText(status)+"</h1><p>There was a conflict when trying to complete your request.</p></html>")
	}
	c.mux.HandleFunc("/swift/v1/{account}/{$}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("account") != "AUTH_"+projectOfToken(r) {
			page(w, http.StatusForbidden)
			return
		}
		some, _ := behind(c.within(projectOfToken(r)), r.URL.Query(), 10000)
		list := []any{}
		for _, o := range some {
			list = append(list, map[string]any{"name": o.id, "count": 0, "bytes": 0, "last_modified": "2026-11-29T00:00:00.000000"})
		}
		tell(w, http.StatusOK, list)
	})
	c.mux.HandleFunc("/swift/v1/{account}/{name}", func(w http.ResponseWriter, r *http.Request) {
		project := projectOfToken(r)
		o := c.byID(r.PathValue("name"), project)
		switch {
		case r.PathValue("account") != "AUTH_"+project:
			page(w, http.StatusForbidden)
		case r.Method == http.MethodPut && o == nil:
			change(add(project, r.PathValue("name")), r.Header)
			w.WriteHeader(http.StatusCreated)
		case r.Method == http.MethodPut:
			change(o, r.Header)
			page(w, http.StatusAccepted)
		case o == nil:
			page(w, http.StatusNotFound)
		case r.Method == http.MethodHead:
			for name, v := range o.header {
				w.Header()[name] = v
			}
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodPost:
			change(o, r.Header)
			w.WriteHeader(http.StatusNoContent)
		case o.header.Get(headerContained) != "0":
			page(w, http.StatusConflict)
		default:
			c.drop(o)
			w.WriteHeader(http.StatusNoContent)
		}
	})
}
