//go:build beds

package daemon_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// nova is as much of Keystone and Nova as flavors need.
type nova struct {
	t   *testing.T
	url string

	mutex   sync.Mutex
	flavors []map[string]any
	made    int
	valid   string        // the password
	known   redact.Secret // what our user has for one
	logins  int
}

func startNova(t *testing.T) *nova {
	t.Helper()
	n := &nova{t: t, flavors: []map[string]any{}, valid: "a-password", known: redact.NewSecret("a-password")}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v3/auth/tokens", n.login)
	mux.HandleFunc("GET /v3/auth/tokens", n.authorized(func(*http.Request) (int, any) {
		return http.StatusOK, map[string]any{"token": map[string]any{"roles": []any{map[string]any{"name": "admin"}}}}
	}))
	mux.HandleFunc("GET /v2.1/flavors/detail", n.authorized(func(*http.Request) (int, any) {
		return http.StatusOK, map[string]any{"flavors": n.flavors}
	}))
	mux.HandleFunc("POST /v2.1/flavors", n.authorized(n.create))
	mux.HandleFunc("GET /v2.1/flavors/{id}", n.authorized(func(r *http.Request) (int, any) {
		if i := n.index(r); i >= 0 {
			return http.StatusOK, map[string]any{"flavor": n.flavors[i]}
		}
		return http.StatusNotFound, map[string]any{}
	}))
	mux.HandleFunc("DELETE /v2.1/flavors/{id}", n.authorized(func(r *http.Request) (int, any) {
		if i := n.index(r); i >= 0 {
			n.flavors = slices.Delete(n.flavors, i, i+1)
			return http.StatusAccepted, nil
		}
		return http.StatusNotFound, map[string]any{}
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	n.url = server.URL
	return n
}

func (n *nova) login(w http.ResponseWriter, r *http.Request) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.logins++
	var body struct {
		Auth struct {
			Identity struct {
				Password struct{ User struct{ Password string } }
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Auth.Identity.Password.User.Password != n.valid {
		n.answer(w, http.StatusUnauthorized, map[string]any{"error": map[string]any{"code": 401, "message": "The request you have made requires authentication."}})
		return
	}
	w.Header().Set("X-Subject-Token", "token-for-"+n.valid)
	n.answer(w, http.StatusCreated, map[string]any{"token": map[string]any{
		"user":    map[string]any{"id": "u1", "name": "ops", "domain": map[string]any{"id": "default"}},
		"project": map[string]any{"id": "p1"},
		"roles":   []any{map[string]any{"name": "admin"}},
		"catalog": []any{map[string]any{"type": "compute", "endpoints": []any{
			map[string]any{"interface": "public", "region_id": "RegionOne", "region": "RegionOne", "url": n.url + "/v2.1"},
		}}},
	}})
}

// authorized lets requests in that have a token of the password that is valid now.
func (n *nova) authorized(handle func(*http.Request) (int, any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n.mutex.Lock()
		defer n.mutex.Unlock()
		if r.Header.Get("X-Auth-Token") != "token-for-"+n.valid {
			n.answer(w, http.StatusUnauthorized, map[string]any{})
			return
		}
		status, body := handle(r)
		n.answer(w, status, body)
	}
}

func (n *nova) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body) // a client that went away is its own fault
	}
}

func (n *nova) create(r *http.Request) (int, any) {
	var body struct{ Flavor map[string]any }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return http.StatusBadRequest, map[string]any{}
	}
	n.made++
	body.Flavor["id"] = fmt.Sprintf("f%d", n.made)
	n.flavors = append(n.flavors, body.Flavor)
	return http.StatusOK, map[string]any{"flavor": body.Flavor}
}

func (n *nova) index(r *http.Request) int {
	return slices.IndexFunc(n.flavors, func(f map[string]any) bool { return f["id"] == r.PathValue("id") })
}

// names are those of the flavors, sorted.
func (n *nova) names() []string {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	var names []string
	for _, f := range n.flavors {
		name, _ := f["name"].(string)
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// change makes another password the valid one; all tokens end with the old one.
func (n *nova) change(valid string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.valid = valid
}

// give tells our user a password.
func (n *nova) give(known string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.known = redact.NewSecret(known)
}

func (n *nova) given() redact.Secret {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.known
}

// tried is how often somebody asked for a token.
func (n *nova) tried() int {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.logins
}
