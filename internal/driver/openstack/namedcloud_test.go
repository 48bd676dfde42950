package openstack_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// namedCloud has a network, a flavor and an instance of nobody's, to which names can be added and taken away.
type namedCloud struct {
	mux *http.ServeMux

	mutex                   sync.Mutex
	network, flavor, server pairs
	busy                    int // so many more lists show the instance as it reboots
	refused                 int // changes of the instance meanwhile
}

func newNamedCloud() *namedCloud {
	c := &namedCloud{
		mux:     http.NewServeMux(),
		network: pairs{"id": "n1", "name": "net", "project_id": "p1", "description": "", "tags": []any{}},
		flavor:  pairs{"id": "f1", "name": "small", "description": "", "extra_specs": pairs{}},
		server:  pairs{"id": "v1", "name": "vm", "tenant_id": "p1", "status": "ACTIVE", "metadata": pairs{}, "tags": []any{}},
	}
	c.serve("/v2.0/networks", "", "network", c.network, "", "tags")
	c.serve("/v2.1/flavors", "/detail", "flavor", c.flavor, "extra_specs", "")
	c.serve("/v2.1/servers", "/detail", "server", c.server, "metadata", "tags")
	c.handle("GET /v2.0/ports", func(*http.Request, pairs) any { return pairs{"ports": []any{}} })
	return c
}

func (c *namedCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.mux.ServeHTTP(w, r) }

// handle answers one kind of requests; nil is a conflict.
func (c *namedCloud) handle(pattern string, answer func(r *http.Request, body pairs) any) {
	c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		var body pairs
		_ = json.NewDecoder(r.Body).Decode(&body) // most have none
		shown := answer(r, body)
		w.Header().Set("Content-Type", "application/json")
		if shown == nil {
			w.WriteHeader(http.StatusConflict)
			shown = pairs{}
		}
		_ = json.NewEncoder(w).Encode(shown)
	})
}

// serve serves a collection of one object, with a map and a list of names.
func (c *namedCloud) serve(path, list, one string, object pairs, keys, tags string) {
	each := path + "/" + object["id"].(string)
	c.handle("GET "+path+list, func(*http.Request, pairs) any {
		if c.busy > 0 && one == "server" {
			c.busy--
			object["status"] = "REBOOT"
		} else if one == "server" {
			object["status"] = "ACTIVE"
		}
		return pairs{one + "s": []any{object}}
	})
	c.handle("GET "+each, func(*http.Request, pairs) any { return pairs{one: object} })
	c.handle("PUT "+each, func(_ *http.Request, body pairs) any {
		maps.Copy(object, body[one].(pairs))
		return pairs{one: object}
	})
	below := each + "/" + map[string]string{"metadata": "metadata", "extra_specs": "os-extra_specs"}[keys]
	if keys != "" {
		c.handle("POST "+below, func(_ *http.Request, body pairs) any {
			if object["status"] == "REBOOT" {
				c.refused++
				return nil
			}
			maps.Copy(object[keys].(pairs), body[keys].(pairs))
			return body
		})
		c.handle("DELETE "+below+"/{key}", func(r *http.Request, _ pairs) any {
			delete(object[keys].(pairs), r.PathValue("key"))
			return pairs{}
		})
	}
	if tags != "" {
		c.handle("PUT "+each+"/tags/{tag}", func(r *http.Request, _ pairs) any {
			object[tags] = append(object[tags].([]any), r.PathValue("tag"))
			return pairs{}
		})
		c.handle("DELETE "+each+"/tags/{tag}", func(r *http.Request, _ pairs) any {
			object[tags] = slices.DeleteFunc(object[tags].([]any), func(tag any) bool { return tag == r.PathValue("tag") })
			return pairs{}
		})
	}
}

// keyed is a map with these keys.
func keyed(keys ...string) cty.Value {
	all := map[string]cty.Value{}
	for _, key := range keys {
		all[key] = text("ours")
	}
	return cty.MapVal(all)
}

// TestWhatIsTakenOutGoes: names that an earlier revision set and the newest one has no more are taken away, with
// the record between the two as the only memory, and what somebody else added stays.
func TestWhatIsTakenOutGoes(t *testing.T) {
	cloud := newNamedCloud()
	keeper := newKeeper(t, driverOf(t, cloud))
	network := target(t, "network", "net", values{"tags": set("goes", "stays")})
	flavor := target(t, "flavor", "small", values{"extra_specs": keyed("goes", "stays")})
	server := target(t, "instance", "vm", values{"metadata": keyed("goes", "stays"), "tags": set("goes", "stays")})
	keeper.converge(t, network, flavor, server)

	cloud.mutex.Lock()
	cloud.network["tags"] = append(cloud.network["tags"].([]any), "theirs")
	cloud.server["tags"] = append(cloud.server["tags"].([]any), "theirs")
	cloud.server["metadata"].(pairs)["theirs"] = "1"
	cloud.flavor["extra_specs"].(pairs)["theirs"] = "1"
	cloud.mutex.Unlock()
	network = with(t, network, values{"tags": set("stays")})
	flavor = with(t, flavor, values{"extra_specs": keyed("stays")})
	server = with(t, server, values{"metadata": keyed("stays"), "tags": cty.NullVal(cty.Set(cty.String))})
	keeper.converge(t, network, flavor, server)

	for _, test := range []struct {
		of        unit.Target
		attribute string
		have      any
		want, set []string
	}{
		{network, "tags", cloud.network["tags"], []string{"stays", "theirs"}, []string{"stays"}},
		{flavor, "extra_specs", cloud.flavor["extra_specs"], []string{"stays", "theirs"}, []string{"stays"}},
		{server, "metadata", cloud.server["metadata"], []string{"kupenstack_mark", "stays", "theirs"}, []string{"stays"}},
		{server, "tags", cloud.server["tags"], []string{"theirs"}, nil},
	} {
		var got []string
		switch have := test.have.(type) {
		case pairs:
			got = slices.Sorted(maps.Keys(have))
		case []any:
			for _, name := range have {
				got = append(got, name.(string))
			}
			slices.Sort(got)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s has the %s %q, want %q", test.of.Address, test.attribute, got, test.want)
		}
		if set := keeper.recorded(t, test.of).Set[test.attribute]; !slices.Equal(set, test.set) {
			t.Errorf("of %s the %s %q are on record, want %q", test.of.Address, test.attribute, set, test.set)
		}
	}
}

// TestChangeOfABusyInstance: it is made once the instance takes it, and is nobody's interference then; and what it
// takes away is not forgotten meanwhile.
func TestChangeOfABusyInstance(t *testing.T) {
	t.Parallel()
	cloud := newNamedCloud()
	keeper := newKeeper(t, driverOf(t, cloud))
	server := target(t, "instance", "vm", values{"metadata": keyed("goes", "stays")})
	keeper.converge(t, server)
	cloud.mutex.Lock()
	cloud.busy = 3
	cloud.mutex.Unlock()
	for _, u := range keeper.converge(t, with(t, server, values{"metadata": keyed("new", "stays")})) {
		if len(u.Healed) > 0 || !slices.Equal(u.Did, []unit.Action{unit.ActionUpdate}) {
			t.Errorf("it did %v and healed %v", u.Did, u.Healed)
		}
	}
	if got := slices.Sorted(maps.Keys(cloud.server["metadata"].(pairs))); !slices.Equal(got, []string{"kupenstack_mark", "new", "stays"}) || cloud.refused > 0 {
		t.Errorf("it has the metadata %q, and %d requests were refused", got, cloud.refused)
	}
}
