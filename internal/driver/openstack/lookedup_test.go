package openstack_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// tally counts the requests for each path.
type tally struct {
	mutex sync.Mutex
	paths map[string]int
}

// counting has the answers counted.
func (a *tally) counting(answers map[string]func(*http.Request) any) map[string]func(*http.Request) any {
	a.paths = map[string]int{}
	counted := map[string]func(*http.Request) any{}
	for path, answer := range answers {
		counted[path] = func(r *http.Request) any {
			a.mutex.Lock()
			defer a.mutex.Unlock()
			a.paths[path]++
			return answer(r)
		}
	}
	return counted
}

// since returns how often each path was asked for since the last time.
func (a *tally) since() map[string]int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	paths := a.paths
	a.paths = map[string]int{}
	maps.DeleteFunc(paths, func(path string, _ int) bool { return strings.HasPrefix(path, "/v3/auth") })
	return paths
}

// apart are answers that tell of objects what no list of them has.
func apart() map[string]func(*http.Request) any {
	return map[string]func(*http.Request) any{
		"/v3/p1":       listed("none"),
		"/v3/projects": listed("projects", map[string]any{"id": "p7", "name": "shop", "domain_id": "default"}, map[string]any{"id": "p8", "name": "other", "domain_id": "default"}),
		"/v2.1/os-quota-sets/p7": func(*http.Request) any {
			return map[string]any{"quota_set": map[string]any{"instances": 5, "cores": 20}}
		},
		"/v2.0/quotas": listed("quotas", map[string]any{"project_id": "p7", "network": 3}),
		"/v3/p1/os-quota-sets/p7": func(*http.Request) any {
			return map[string]any{"quota_set": map[string]any{"volumes": 9, "gigabytes_fast": 100, "volumes_fast": -1, "snapshots_fast": -1}}
		},
		"/v3/p1/os-quota-sets/p8": func(*http.Request) any {
			return map[string]any{"quota_set": map[string]any{"gigabytes_fast": -1, "volumes_fast": -1, "snapshots_fast": -1}}
		},
		"/v3/domains":                           listed("domains"),
		"/v3/users":                             listed("users", map[string]any{"id": "u7", "name": "ann", "domain_id": "default"}),
		"/v3/users/u7/groups":                   listed("groups", map[string]any{"id": "g1"}, map[string]any{"id": "g2"}),
		"/v2.1/flavors/detail":                  listed("flavors", map[string]any{"id": "f1", "name": "big", "os-flavor-access:is_public": false}),
		"/v2.1/flavors/f1/os-flavor-access":     listed("flavor_access", map[string]any{"flavor_id": "f1", "tenant_id": "p7"}),
		"/v3/p1/types":                          listed("volume_types", map[string]any{"id": "t1", "name": "fast", "is_public": false}),
		"/v3/p1/types/t1/os-volume-type-access": listed("volume_type_access", map[string]any{"volume_type_id": "t1", "project_id": "p7"}),
		"/v2/images":                            listed("images", map[string]any{"id": "i1", "name": "base", "owner": "p1", "visibility": "shared", "status": "active"}),
		"/v2/images/i1/members":                 listed("members", map[string]any{"image_id": "i1", "member_id": "p7"}),
		"/v2.1/servers/detail": listed("servers", map[string]any{
			"id": "s1", "name": "db", "tenant_id": "p1", "status": "ACTIVE", "image": "", "os-extended-volumes:volumes_attached": []any{map[string]any{"id": "v1"}, map[string]any{"id": "v2"}},
		}),
		"/v2.0/ports": listed("ports"),
		"/v2.1/os-server-groups": func(*http.Request) any {
			return map[string]any{"server_groups": []any{map[string]any{"id": "a1", "name": "apart", "project_id": "p1", "members": []any{"s1"}}}}
		},
		"/v3/p1/volumes/detail": listed("volumes",
			map[string]any{"id": "v1", "name": "root", "attachments": []any{map[string]any{"server_id": "s1", "device": "/dev/vda"}}},
			map[string]any{"id": "v2", "name": "data", "attachments": []any{map[string]any{"server_id": "s1", "device": "/dev/vdb"}}}),
	}
}

// using is a look-up by a name of which others refer to some attributes.
func using(t testing.TB, kind, name string, uses ...string) unit.Target {
	t.Helper()
	target := lookUp(t, kind, name)
	target.Spec.(*unit.Resource).Uses = uses
	return target
}

// TestLookupOfWhatNoListHas: who refers to what a service tells of one object at a time gets that, for one request as long as
// nothing changes; who does not costs nothing.
func TestLookupOfWhatNoListHas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, name, attribute string
		want                  func(cty.Value) bool
		costs, again          map[string]int
	}{
		{
			"project", "shop", "quota", func(v cty.Value) bool {
				return v.GetAttr("cores").RawEquals(number(20)) && v.GetAttr("networks").RawEquals(number(3)) && v.GetAttr("volumes").RawEquals(number(9)) && v.GetAttr("ram").IsNull()
			},
			map[string]int{"/v2.1/os-quota-sets/p7": 1, "/v2.0/quotas": 1, "/v3/p1/os-quota-sets/p7": 1},
			map[string]int{"/v2.0/quotas": 1},
		},
		{"user", "ann", "groups", set("g1", "g2").RawEquals, map[string]int{"/v3/users/u7/groups": 1}, nil},
		{"flavor", "big", "access", set("p7").RawEquals, map[string]int{"/v2.1/flavors/f1/os-flavor-access": 1}, nil},
		{"volume_type", "fast", "access", set("p7").RawEquals, map[string]int{"/v3/p1/types/t1/os-volume-type-access": 1}, nil},
		{
			"volume_type", "fast", "quota", func(v cty.Value) bool {
				return v.LengthInt() == 1 && v.AsValueSlice()[0].GetAttr("project").RawEquals(text("p7")) && v.AsValueSlice()[0].GetAttr("gigabytes").RawEquals(number(100))
			},
			map[string]int{"/v3/projects": 1, "/v3/p1/os-quota-sets/p7": 1, "/v3/p1/os-quota-sets/p8": 1},
			nil,
		},
		{"image", "base", "members", set("p7").RawEquals, map[string]int{"/v2/images/i1/members": 1}, nil},
		{"instance", "db", "server_group", text("a1").RawEquals, map[string]int{"/v2.1/os-server-groups": 1}, map[string]int{"/v2.1/os-server-groups": 1}},
		{"instance", "db", "volumes", set("v2").RawEquals, map[string]int{"/v3/p1/volumes/detail": 1}, map[string]int{"/v3/p1/volumes/detail": 1}},
		{"instance", "db", "boot_volume", text("v1").RawEquals, map[string]int{"/v3/p1/volumes/detail": 1}, map[string]int{"/v3/p1/volumes/detail": 1}},
	} {
		t.Run(c.kind+"."+c.attribute, func(t *testing.T) {
			t.Parallel()
			var a tally
			d := answering(t, a.counting(apart()))
			look := func(uses ...string) cty.Value {
				t.Helper()
				return seenAs(t, d, using(t, c.kind, c.name, uses...)).GetAttr(c.attribute)
			}
			if got := look("id"); !got.IsNull() {
				t.Errorf("nobody refers to it, and it is %#v", got)
			}
			plain := a.since()
			for _, now := range []struct {
				uses  string
				costs map[string]int
			}{{c.attribute, c.costs}, {c.attribute, c.again}} {
				if got := look(now.uses); !c.want(got) {
					t.Errorf("it is %#v", got)
				}
				want := maps.Clone(plain)
				for path, n := range now.costs {
					want[path] += n
				}
				if got := a.since(); !maps.Equal(got, want) {
					t.Errorf("a look asks for %v, not %v", got, want)
				}
			}
			if got := look(model.Everything); !c.want(got) {
				t.Errorf("where all may be meant it is %#v", got)
			}
		})
	}
}

// TestLookupOfWhatCannotBeRead: what a service does not tell now is not known, for which nobody waits but who refers to it.
func TestLookupOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, name, attribute, path string }{
		{"project", "shop", "quota", "/v2.1/os-quota-sets/p7"},
		{"user", "ann", "groups", "/v3/users/u7/groups"},
		{"flavor", "big", "access", "/v2.1/flavors/f1/os-flavor-access"},
		{"volume_type", "fast", "access", "/v3/p1/types/t1/os-volume-type-access"},
		{"volume_type", "fast", "quota", "/v3/p1/os-quota-sets/p8"},
		{"image", "base", "members", "/v2/images/i1/members"},
		{"instance", "db", "server_group", "/v2.1/os-server-groups"},
		{"instance", "db", "volumes", "/v3/p1/volumes/detail"},
	} {
		t.Run(c.kind+"."+c.attribute, func(t *testing.T) {
			t.Parallel()
			answers := apart()
			answers[c.path] = func(*http.Request) any { return http.StatusForbidden }
			d := answering(t, answers)
			target := using(t, c.kind, c.name, c.attribute)
			states, err := d.Observe(t.Context(), []unit.Target{target})
			seen := states[target.Address]
			if err != nil || seen.Existence != unit.Present || seen.Outputs.GetAttr(c.attribute).IsWhollyKnown() || seen.Outputs.GetAttr("name").IsNull() {
				t.Errorf("%#v, %v", seen.Outputs, err)
			}
			if seen.After == 0 || !strings.Contains(seen.Notice, "403") {
				t.Errorf("it is looked at again after %v, and says: %s", seen.After, seen.Notice)
			}
			if diff := d.Compare(target, target.Spec.(*unit.Resource).Desired, seen); diff.Action != unit.ActionNone {
				t.Errorf("%+v", diff)
			}
		})
	}
}

// TestLookupInACloudWithoutVolumes: what cannot be there is nothing to wait for.
func TestLookupInACloudWithoutVolumes(t *testing.T) {
	t.Parallel()
	answers := apart()
	for path := range answers {
		if strings.HasPrefix(path, "/v3/p1") {
			delete(answers, path)
		}
	}
	answers["/v2.1/servers/detail"] = listed("servers", map[string]any{"id": "s1", "name": "db", "tenant_id": "p1", "status": "ACTIVE", "image": map[string]any{"id": "i1"}})
	d := answering(t, answers)
	if seen := seenAs(t, d, using(t, "instance", "db", "volumes")); !seen.GetAttr("volumes").RawEquals(cty.SetValEmpty(cty.String)) || !seen.GetAttr("boot_volume").IsNull() {
		t.Errorf("%#v", seen)
	}
	if quota := seenAs(t, d, using(t, "project", "shop", "quota")).GetAttr("quota"); !quota.IsWhollyKnown() || !quota.GetAttr("volumes").IsNull() || quota.GetAttr("cores").IsNull() {
		t.Errorf("%#v", quota)
	}
}

// seenAs is what references see of what a target looks up.
func seenAs(t *testing.T, d *openstack.Driver, target unit.Target) cty.Value {
	t.Helper()
	states, err := d.Observe(t.Context(), []unit.Target{target})
	seen := states[target.Address]
	if err != nil || seen.Outputs == cty.NilVal {
		t.Fatalf("%+v, %v", seen, err)
	}
	return seen.Outputs
}

// TestLookupByWhatIsLookedUp: what is searched by something that no list has is found in the same look.
func TestLookupByWhatIsLookedUp(t *testing.T) {
	t.Parallel()
	d := answering(t, apart())
	server, volume := using(t, "instance", "db", "boot_volume"), using(t, "volume", "root")
	searchedBy(volume, "id", server, "boot_volume")
	for _, targets := range [][]unit.Target{{server, volume}, {volume, server}} {
		states, err := d.Observe(t.Context(), slices.Clone(targets))
		if err != nil || states[volume.Address].ID != "v1" {
			t.Errorf("%+v, %v", states[volume.Address], err)
		}
	}
}

// searchedBy has a target searched by an output of another one, and by nothing else.
func searchedBy(target unit.Target, attribute string, of unit.Target, output string) {
	spec := target.Spec.(*unit.Resource)
	want := spec.Desired.AsValueMap()
	want["name"], want[attribute] = cty.NullVal(cty.String), cty.UnknownVal(cty.String)
	spec.Desired = cty.ObjectVal(want)
	spec.Resolve = func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
		late := maps.Clone(want)
		if seen := outputs[of.Address]; seen != cty.NilVal {
			late[attribute] = seen.GetAttr(output)
		}
		return cty.ObjectVal(late), nil
	}
}

// TestLookupsOneByTheOther: what was found by something that no list has may have such a thing itself that others are searched by.
func TestLookupsOneByTheOther(t *testing.T) {
	t.Parallel()
	answers := apart()
	server := func(id, name string) map[string]any {
		return map[string]any{"id": id, "name": name, "tenant_id": "p1", "status": "ACTIVE", "image": ""}
	}
	answers["/v2.1/servers/detail"] = listed("servers", server("s1", "root"), server("s2", "db"))
	answers["/v3/p1/volumes/detail"] = listed("volumes", map[string]any{"id": "v1", "name": "root", "attachments": []any{map[string]any{"server_id": "s2", "device": "/dev/vda"}}})
	d := answering(t, answers)
	first, volume, second, group := using(t, "instance", "db", "boot_volume"), using(t, "volume", "root", "name"), using(t, "instance", "root", "server_group"), using(t, "server_group", "apart")
	searchedBy(volume, "id", first, "boot_volume")
	searchedBy(second, "name", volume, "name")
	searchedBy(group, "id", second, "server_group")
	for _, targets := range [][]unit.Target{{first, volume, second, group}, {group, second, volume, first}} {
		states, err := d.Observe(t.Context(), slices.Clone(targets))
		if err != nil || states[second.Address].ID != "s1" || states[group.Address].ID != "a1" {
			t.Errorf("%+v, %+v, %v", states[second.Address], states[group.Address], err)
		}
	}
	answers["/v2.1/os-server-groups"] = func(*http.Request) any { return http.StatusForbidden }
	d = answering(t, answers)
	states, err := d.Observe(t.Context(), []unit.Target{first, volume, second})
	if err != nil || states[second.Address].ID != "s1" || states[second.Address].Outputs.GetAttr("server_group").IsKnown() {
		t.Errorf("where that cannot be read: %+v, %v", states[second.Address], err)
	}
	answers["/v3/p1/volumes/detail"] = func(*http.Request) any { return http.StatusForbidden }
	d = answering(t, answers)
	if states, _ := d.Observe(t.Context(), []unit.Target{first, second}); states[first.Address].ID != "s2" || states[second.Address].ID != "" {
		t.Errorf("where the first one cannot be read: %+v, %+v", states[first.Address], states[second.Address])
	}
}
