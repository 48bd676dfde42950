package openstack_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// company counts requests, and keeps those that it is told to until others are there at the same time.
type company struct {
	mutex     sync.Mutex
	counts    map[string]int
	now, most int
	enough    chan struct{}
}

// meet returns an answer that is given once so many are asked for at the same time as the driver asks.
func (c *company) meet(path string, body any) func(*http.Request) any {
	meeting := func(r *http.Request) any {
		c.mutex.Lock()
		c.counts[path]++
		if c.counts[path] == 1 { // one may go ahead
			c.mutex.Unlock()
			return body
		}
		if c.enough == nil {
			c.enough = make(chan struct{})
		}
		c.now++
		c.most = max(c.most, c.now)
		enough := c.enough
		if c.now == 4 {
			close(enough)
			c.enough = nil
			c.now = 0
		}
		c.mutex.Unlock()
		select {
		case <-enough:
		case <-r.Context().Done():
		case <-time.After(time.Minute): // it is asked alone
		}
		return body
	}
	return func(r *http.Request) any { return outOfTurn(func() any { return meeting(r) }) }
}

func (c *company) count(path string, body any) func(*http.Request) any {
	return func(*http.Request) any {
		c.mutex.Lock()
		c.counts[path]++
		c.mutex.Unlock()
		return body
	}
}

// inSync looks at targets and returns those that are not as wanted.
func inSync(t *testing.T, d *openstack.Driver, targets []unit.Target) (differ []string) {
	t.Helper()
	states, err := d.Observe(t.Context(), slices.Clone(targets))
	if err != nil {
		t.Fatal(err)
	}
	for _, tg := range targets {
		if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != unit.ActionNone {
			differ = append(differ, fmt.Sprintf("%s: %s %+v", tg.Address, diff.Action, diff.Fields))
		}
	}
	return differ
}

// TestWhatNoListSaysIsAskedForAbreast: where an API answers for single objects alone, several are asked for at a time.
func TestWhatNoListSaysIsAskedForAbreast(t *testing.T) {
	t.Parallel()
	const n = 9
	type object = map[string]any
	c := &company{counts: map[string]int{}}
	answers := map[string]func(*http.Request) any{"/v3/p1": listed("nothing")}
	var projects, flavors, types, images []map[string]any
	var targets []unit.Target
	quota := cty.ObjectVal(map[string]cty.Value{"instances": cty.NumberIntVal(5), "volumes": cty.NumberIntVal(5)})
	for i := range n {
		id := func(kind string) string { return fmt.Sprintf("%s%d", kind, i) }
		projects = append(projects, object{"id": id("q"), "name": id("q"), "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:" + id("q")}})
		answers["/v2.1/os-quota-sets/"+id("q")] = c.meet("nova", object{"quota_set": object{"instances": 5}})
		answers["/v3/p1/os-quota-sets/"+id("q")] = c.meet("cinder", object{"quota_set": object{"volumes": 5}})
		flavors = append(flavors, object{"id": id("f"), "name": id("f"), "vcpus": 1, "ram": 64, "disk": 0, "os-flavor-access:is_public": false, "description": "[kupenstack:" + id("f") + "]"})
		answers["/v2.1/flavors/"+id("f")+"/os-flavor-access"] = c.meet("flavor", object{"flavor_access": []any{object{"tenant_id": "q1"}}})
		types = append(types, object{"id": id("t"), "name": id("t"), "is_public": false, "description": "[kupenstack:" + id("t") + "]", "extra_specs": object{}})
		answers["/v3/p1/types/"+id("t")+"/os-volume-type-access"] = c.meet("type", object{"volume_type_access": []any{object{"project_id": "q1"}}})
		images = append(images, object{"id": id("i"), "name": id("i"), "status": "active", "visibility": "shared", "owner": "p1", "kupenstack_mark": "kupenstack:" + id("i"), "disk_format": "raw", "container_format": "bare"})
		answers["/v2/images/"+id("i")+"/members"] = c.meet("image", object{"members": []any{object{"member_id": "q1"}}})
		targets = append(targets,
			known(t, "project", id("q"), values{"quota": quota}),
			known(t, "flavor", id("f"), values{"vcpus": cty.NumberIntVal(1), "ram": cty.NumberIntVal(64), "public": cty.False, "access": set("q1")}),
			known(t, "volume_type", id("t"), values{"public": cty.False, "access": set("q1")}),
			known(t, "image", id("i"), values{"visibility": text("shared"), "members": set("q1")}),
		)
	}
	answers["/v3/projects"] = listed("projects", projects...)
	answers["/v2.1/flavors/detail"] = listed("flavors", flavors...)
	answers["/v3/p1/types"] = listed("volume_types", types...)
	answers["/v2/images"] = func(r *http.Request) any {
		if r.FormValue("os_hidden") == "true" {
			return object{"images": []any{}}
		}
		return listed("images", images...)(r)
	}
	if differ := inSync(t, answering(t, answers), targets); len(differ) > 0 {
		t.Errorf("not in sync:\n%s", strings.Join(differ, "\n"))
	}
	if want := map[string]int{"nova": n, "cinder": n, "flavor": n, "type": n, "image": n}; !maps.Equal(c.counts, want) {
		t.Errorf("asked for %v, want %v", c.counts, want)
	}
	if c.most != 4 {
		t.Errorf("%d at once, want 4", c.most)
	}
}

// TestGroupsTellWhoIsInThem: with fewer groups than users these are not asked for one by one, unless a group does not tell.
func TestGroupsTellWhoIsInThem(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	for name, c := range map[string]struct {
		group any // the answer for the members of the first group
		want  map[string]int
	}{
		"it tells":      {object{"users": []any{object{"id": "u0"}, object{"id": "u1"}, object{"id": "u2"}, object{"id": "u3"}}}, map[string]int{"g1": 1, "g2": 1}},
		"cut short":     {object{"users": []any{object{"id": "u0"}}, "truncated": true}, map[string]int{"g1": 1, "g2": 1, "u0": 1, "u1": 1, "u2": 1, "u3": 1}},
		"not to us":     {http.StatusForbidden, map[string]int{"g1": 1, "g2": 1, "u0": 1, "u1": 1, "u2": 1, "u3": 1}},
		"it is no more": {http.StatusNotFound, map[string]int{"g1": 1, "g2": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := &company{counts: map[string]int{}}
			answers := map[string]func(*http.Request) any{
				"/v3/domains":         listed("domains"),
				"/v3/groups/g1/users": asked.count("g1", c.group),
				"/v3/groups/g2/users": asked.count("g2", object{"users": []any{object{"id": "u4"}, object{"id": "u9"}}}),
			}
			var users []map[string]any
			var targets []unit.Target
			for i := range 5 {
				id, group := fmt.Sprintf("u%d", i), "g1"
				if i == 4 {
					group = "g2"
				}
				users = append(users, object{"id": id, "name": id, "domain_id": "default", "enabled": true, "description": "[kupenstack:" + id + "]"})
				answers["/v3/users/"+id+"/groups"] = asked.count(id, object{"groups": []any{object{"id": group}, object{"id": "theirs"}}})
				targets = append(targets, known(t, "user", id, values{"groups": set(group)}))
			}
			answers["/v3/users"] = listed("users", users...)
			differ := inSync(t, answering(t, answers), targets)
			if want := map[bool]int{true: 4}[c.group == http.StatusNotFound]; len(differ) != want {
				t.Errorf("not in sync:\n%s", strings.Join(differ, "\n"))
			}
			if !maps.Equal(asked.counts, c.want) {
				t.Errorf("asked for %v, want %v", asked.counts, c.want)
			}
		})
	}
}

// TestOneAnswerTellsWhatIsCommonToProjects: what Neutron's list of quotas lacks has the limits of all.
func TestOneAnswerTellsWhatIsCommonToProjects(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	asked := &company{counts: map[string]int{}}
	answers := map[string]func(*http.Request) any{
		"/v2.0/quotas":            listed("quotas", object{"project_id": "q0", "network": 4}),
		"/v2.0/quotas/q1/default": asked.count("default", object{"quota": object{"network": 4}}),
	}
	var projects []map[string]any
	var targets []unit.Target
	for _, id := range []string{"q0", "q1", "q2", "q3"} {
		projects = append(projects, object{"id": id, "name": id, "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:" + id}})
		answers["/v2.0/quotas/"+id] = asked.count(id, object{"quota": object{"network": 4}})
		targets = append(targets, known(t, "project", id, values{"quota": cty.ObjectVal(map[string]cty.Value{"networks": cty.NumberIntVal(4)})}))
	}
	answers["/v3/projects"] = listed("projects", projects...)
	if differ := inSync(t, answering(t, answers), targets); len(differ) > 0 {
		t.Errorf("not in sync:\n%s", strings.Join(differ, "\n"))
	}
	if want := map[string]int{"default": 1}; !maps.Equal(asked.counts, want) {
		t.Errorf("asked for %v, want %v", asked.counts, want)
	}
}
