package openstack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// listsOf answers the lists of Neutron by pages, as it does: in the order of the ids, with a link to the next page. Of the
// filters it has those that texts are equal, and single objects by their ids.
func listsOf(lists map[string][]map[string]any) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Subject-Token", "token")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
			"user": map[string]any{"id": "u1", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": "p1"},
			"roles": []any{map[string]any{"name": "admin"}},
			"catalog": []any{map[string]any{"type": "network", "endpoints": []any{
				map[string]any{"interface": "public", "region_id": "RegionOne", "region": "RegionOne", "url": "http://" + r.Host},
			}}},
		}})
	})
	mux.HandleFunc("GET /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{"roles": []any{map[string]any{"name": "admin"}}}})
	})
	for many, all := range lists {
		mux.HandleFunc("GET /v2.0/"+many+"/{id}", func(w http.ResponseWriter, r *http.Request) {
			at := slices.IndexFunc(all, func(o map[string]any) bool { return o["id"] == r.PathValue("id") })
			if at < 0 {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{strings.TrimSuffix(many, "s"): all[at]})
		})
		mux.HandleFunc("GET /v2.0/"+many, func(w http.ResponseWriter, r *http.Request) {
			objects := all
			for _, key := range []string{"id", "name", "description"} {
				if texts := r.URL.Query()[key]; texts != nil {
					objects = slices.DeleteFunc(slices.Clone(objects), func(o map[string]any) bool { return !slices.Contains(texts, o[key].(string)) })
				}
			}
			limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
			if err != nil {
				limit = len(objects)
			}
			from := 0
			if marker := r.URL.Query().Get("marker"); marker != "" {
				from = 1 + slices.IndexFunc(objects, func(o map[string]any) bool { return o["id"] == marker })
			}
			to := min(from+limit, len(objects))
			body := map[string]any{many: objects[from:to]}
			if to < len(objects) {
				next := r.URL.Query()
				next.Set("marker", objects[to-1]["id"].(string))
				body[many+"_links"] = []any{map[string]any{"rel": "next", "href": fmt.Sprintf("http://%s%s?%s", r.Host, r.URL.Path, next.Encode())}}
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(body)
		})
	}
	return mux
}
