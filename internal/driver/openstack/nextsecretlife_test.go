package openstack

import (
	"io"
	"net/http"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

func secretLife() nextLife {
	return nextLife{
		block: nextBlock("secret", "barbican",
			schema.Attribute{Name: "type", Type: cty.String, Change: schema.Replace, Doc: "What it is."},
			schema.Attribute{Name: "algorithm", Type: cty.String, Change: schema.Replace, Doc: "What it is for."},
			schema.Attribute{Name: "payload", Type: cty.String, Change: schema.Replace, Sensitive: true, Doc: "The secret."},
			schema.Attribute{Name: "ref", Type: cty.String, Presence: schema.Computed, Doc: "What others know it by."},
		),
		kind:     func(b *schema.Block) kind { return secretKind{b} },
		services: map[string]string{serviceSecrets: "/barbican"},
		play:     playBarbican,
		first:    map[string]cty.Value{"name": cty.StringVal("tls"), "type": cty.StringVal("opaque"), "payload": cty.StringVal("s3cret"), "algorithm": cty.StringVal("aes")},
		replaced: justText("algorithm", "des"),
		idle:     paged("GET /barbican/v1/secrets", 5), // each page begins with the last of the one before, and the one behind a full one brings nothing
		secret:   []string{"payload"},
	}
}

// playBarbican: barbican/api/controllers/secrets.py, barbican/common/hrefs.py and clean_paging_values.
func playBarbican(c *nextCloud) {
	for i := range 4 {
		c.add("shop", map[string]any{"name": somebodys(i), "secret_type": "opaque", "content_types": map[string]any{"default": "text/plain"}})
	}
	show := func(o *thing) map[string]any {
		shown := map[string]any{keySecretRef: "http://inside.invalid/v1/secrets/" + o.id, "status": "ACTIVE"}
		for key, v := range o.raw {
			if key != "payload" {
				shown[key] = v
			}
		}
		return shown
	}
	c.mux.HandleFunc("GET /barbican/v1/secrets", func(w http.ResponseWriter, r *http.Request) {
		all := c.within(projectOfToken(r))
		page, _ := from(all, r.URL.Query(), 100)
		list := []any{}
		for _, o := range page {
			list = append(list, show(o))
		}
		body := map[string]any{"secrets": list, "total": len(all)}
		if len(page) > 0 && page[len(page)-1] != all[len(all)-1] {
			body["next"] = "http://inside.invalid/v1/secrets?limit=2&offset=9" // the one behind a page that does not overlap
		}
		tell(w, http.StatusOK, body)
	})
	c.mux.HandleFunc("POST /barbican/v1/secrets", func(w http.ResponseWriter, r *http.Request) {
		o := c.add(projectOfToken(r), toldIn(r))
		w.Header().Set("Location", "http://inside.invalid/v1/secrets/"+o.id)
		tell(w, http.StatusCreated, map[string]any{keySecretRef: "http://inside.invalid/v1/secrets/" + o.id})
	})
	c.mux.HandleFunc("/barbican/v1/secrets/{id}", func(w http.ResponseWriter, r *http.Request) {
		o := c.byID(r.PathValue("id"), projectOfToken(r))
		switch {
		case o == nil:
			refuse(w, http.StatusNotFound, "Not Found. Sorry but your secret is in another castle.")
		case r.Method == http.MethodGet:
			tell(w, http.StatusOK, show(o))
		case r.Method == http.MethodDelete:
			c.drop(o)
			w.WriteHeader(http.StatusNoContent)
		case r.Header.Get("Content-Type") != "text/plain":
			refuse(w, http.StatusUnsupportedMediaType, "Content-Type is not supported for PUT.")
		case o.raw["content_types"] != nil:
			refuse(w, http.StatusConflict, "Secret already has data, cannot modify it.")
		default:
			payload, _ := io.ReadAll(r.Body)
			o.raw["payload"], o.raw["content_types"] = string(payload), map[string]any{"default": "text/plain"}
			w.WriteHeader(http.StatusNoContent)
		}
	})
}
