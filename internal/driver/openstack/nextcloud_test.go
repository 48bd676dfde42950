package openstack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// nextCloud is a cloud of which one service is played, by what its documentation and its source say, and Keystone as far as
// that needs it: our user is an administrator in its own project "own", and has no role in "shop", which is ours.
type nextCloud struct {
	*httptest.Server
	mux *http.ServeMux

	mutex   sync.Mutex
	asked   []string // method and path, Keystone's left out
	member  bool     // our user has the role member in shop
	objects []*thing // of the service, in the order in which they came
	made    int
}

// thing is an object of the service.
type thing struct {
	id, project string
	raw         map[string]any
	header      http.Header // of a container
	looks       int         // how often it is still shown as being at work
	then        func()      // what comes after that
}

func newNextCloud(t *testing.T, services map[string]string) *nextCloud {
	t.Helper()
	c := &nextCloud{mux: http.NewServeMux()}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		if !strings.HasPrefix(r.URL.Path, "/v3/") {
			c.asked = append(c.asked, r.Method+" "+r.URL.Path)
			if projectOfToken(r) == "" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
		}
		c.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(c.Close)
	catalog := func(project string) []any {
		entries := []any{}
		services["identity"] = "/v3"
		for kind, path := range services {
			entries = append(entries, map[string]any{"type": kind, "endpoints": []any{
				map[string]any{"interface": "public", "region_id": "here", "region": "here", "url": c.URL + strings.ReplaceAll(path, "PROJECT", project)},
			}})
		}
		return entries
	}
	c.mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Auth struct {
				Scope struct {
					Project struct {
						ID string `json:"id"`
					} `json:"project"`
				} `json:"scope"`
			} `json:"auth"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		project, roles := body.Auth.Scope.Project.ID, []any{map[string]any{"id": "r1", "name": adminRole}}
		if project == "shop" {
			roles = []any{map[string]any{"id": "r2", "name": roleName}}
			if !c.member {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
		}
		if project == "closed" { // which is disabled
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("X-Subject-Token", "token-of-"+project)
		tell(w, http.StatusCreated, map[string]any{"token": map[string]any{
			"user": map[string]any{"id": "u1", "name": "ops", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": project},
			"roles": roles, "catalog": catalog(project),
		}})
	})
	c.mux.HandleFunc("GET /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		tell(w, http.StatusOK, map[string]any{"token": map[string]any{"roles": []any{map[string]any{"id": "r1", "name": adminRole}}}})
	})
	c.mux.HandleFunc("GET /v3/projects/shop", func(w http.ResponseWriter, _ *http.Request) {
		tell(w, http.StatusOK, map[string]any{"project": map[string]any{"id": "shop", "name": "shop", "enabled": true, "tags": []any{markPrefix + "shop"}}})
	})
	c.mux.HandleFunc("GET /v3/roles", func(w http.ResponseWriter, _ *http.Request) {
		tell(w, http.StatusOK, map[string]any{"roles": []any{map[string]any{"id": "r2", "name": roleName}}})
	})
	c.mux.HandleFunc("GET /v3/projects/shop/users/u1/roles", func(w http.ResponseWriter, _ *http.Request) {
		tell(w, http.StatusOK, map[string]any{"roles": []any{}})
	})
	c.mux.HandleFunc("PUT /v3/projects/shop/users/u1/roles/r2", func(w http.ResponseWriter, _ *http.Request) {
		c.member = true
		w.WriteHeader(http.StatusNoContent)
	})
	return c
}

// driver is one for the cloud, with a kind besides those that are listed, and nothing else that knows of it.
func (c *nextCloud) driver(t *testing.T, language *schema.Definition, k kind) *Driver {
	t.Helper()
	d := assemble(Options{Language: language, Page: 2, Settle: time.Millisecond, Connect: func(context.Context) (Credentials, error) {
		return FromVariables(map[string]string{
			"OS_AUTH_URL": c.URL, "OS_REGION_NAME": "here", "OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "own",
		}), nil
	}}, k)
	t.Cleanup(d.Close)
	return d
}

func tell(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// refuse answers as most services do.
func refuse(w http.ResponseWriter, status int, why string) {
	tell(w, status, map[string]any{"code": status, "title": http.StatusText(status), keyDescription: why})
}

// told is the body of a request.
func toldIn(r *http.Request) map[string]any {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	return body
}

func projectOfToken(r *http.Request) string {
	project, _ := strings.CutPrefix(r.Header.Get("X-Auth-Token"), "token-of-")
	return project
}

// add makes an object.
func (c *nextCloud) add(project string, raw map[string]any) *thing {
	c.made++
	o := &thing{id: fmt.Sprintf("00000000-0000-4000-8000-%012d", c.made), project: project, raw: raw}
	c.objects = append(c.objects, o)
	return o
}

// byID is what there is of an id in one of some projects, all being "".
func (c *nextCloud) byID(id string, projects ...string) *thing {
	for _, o := range c.objects {
		if o.id == id && (len(projects) == 0 || slices.Contains(projects, o.project)) {
			return o
		}
	}
	return nil
}

func (c *nextCloud) drop(o *thing) {
	c.objects = slices.DeleteFunc(c.objects, func(other *thing) bool { return other == o })
}

// within are the objects of a project, all being "".
func (c *nextCloud) within(project string) []*thing {
	return slices.DeleteFunc(slices.Clone(c.objects), func(o *thing) bool { return project != "" && o.project != project })
}

// passes lets what goes on with objects come to its end, once it was shown.
func (c *nextCloud) passes(some ...*thing) {
	for _, o := range some {
		if o.then == nil {
			continue
		}
		if o.looks--; o.looks < 0 {
			then := o.then
			o.then = nil
			then()
		}
	}
}

// works has something go on with an object until it was shown once.
func (o *thing) works(key, meanwhile string, then func()) {
	o.raw[key], o.looks, o.then = meanwhile, 1, then
}

// behind is a page behind a marker, with whether it is full.
func behind(some []*thing, query url.Values, most int) (page []*thing, full bool) {
	if marker := query.Get("marker"); marker != "" {
		some = some[slices.IndexFunc(some, func(o *thing) bool { return o.id == marker })+1:]
	}
	return cut(some, query, most)
}

// from is a page from a number on.
func from(some []*thing, query url.Values, most int) (page []*thing, full bool) {
	offset, _ := strconv.Atoi(query.Get("offset"))
	return cut(some[min(offset, len(some)):], query, most)
}

func cut(some []*thing, query url.Values, most int) (page []*thing, full bool) {
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || limit > most {
		limit = most
	}
	page = some[:min(limit, len(some))]
	return page, len(page) == limit
}

// link is the address of the page behind the last object of one, at an address that nobody can reach.
func link(r *http.Request, page []*thing) string {
	query := r.URL.Query()
	query.Set("marker", page[len(page)-1].id)
	return "http://inside.invalid:9999" + r.URL.Path + "?" + query.Encode()
}

// requests forgets what was asked, and returns it.
func (c *nextCloud) requests() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	asked := c.asked
	c.asked = nil
	return asked
}

// outside does something as somebody else would.
func (c *nextCloud) outside(do func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	do()
}
