package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// emptyProject pretends to be a cloud in which a project has nothing but its default security group.
type emptyProject struct {
	t       *testing.T
	options map[string]any
	keeps   int // what Keystone answers in place of deleting it
	locks   int // what Neutron answers in place of deleting the group
	gone    bool
	swept   bool
	killed  bool // no request gets through after the project has gone
	asked   []string
}

func (p *emptyProject) driver() *openstack.Driver {
	answers := map[string]func(*http.Request) any{
		"/v3/projects": func(r *http.Request) any {
			if p.gone || r.URL.Query().Has("parent_id") {
				return map[string]any{"projects": []any{}}
			}
			return map[string]any{"projects": []any{p.project()}}
		},
		"/v3/projects/q1": func(*http.Request) any {
			if p.gone {
				return http.StatusNotFound
			}
			return map[string]any{"project": p.project()}
		},
		"DELETE /v3/projects/q1": func(*http.Request) any {
			p.asked = append(p.asked, "project")
			if p.keeps != 0 {
				return p.keeps
			}
			p.gone = true
			return map[string]any{}
		},
		"POST /v3/projects": func(*http.Request) any {
			p.asked = append(p.asked, "new project")
			return map[string]any{"project": map[string]any{"id": "q2", "name": "q1", "domain_id": "other", "enabled": true, "tags": []any{"kupenstack:q1"}}}
		},
		"/v2.0/security-groups": p.groups,
		"DELETE /v2.0/security-groups/g1": func(*http.Request) any {
			p.asked = append(p.asked, "group")
			if p.locks != 0 {
				return p.locks
			}
			p.swept = true
			return map[string]any{}
		},
		"/v2.1/os-server-groups": listed("server_groups"), "/v2.1/servers/detail": listed("servers"), "/v2.1/servers": listed("servers"), "/v2/images": listed("images"),
	}
	for path, key := range map[string]string{
		"routers": "routers", "ports": "ports", "networks": "networks", "subnets": "subnets", "floatingips": "floatingips", "subnetpools": "subnetpools",
	} {
		answers["/v2.0/"+path] = listed(key)
	}
	return answering(p.t, answers)
}

func (p *emptyProject) project() map[string]any {
	return map[string]any{"id": "q1", "name": "q1", "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:q1"}, "options": p.options}
}

// groups makes the group of a project that is asked for, as Neutron does.
func (p *emptyProject) groups(r *http.Request) any {
	if p.gone && p.killed {
		return http.StatusServiceUnavailable
	}
	asked := r.URL.Query()["project_id"]
	if len(asked) > 0 {
		p.swept = false
	}
	all := []any{map[string]any{"id": "ours", "name": "default", "project_id": "p1"}}
	if len(asked) > 0 {
		all = nil
	}
	if !p.swept {
		all = append(all, map[string]any{"id": "g1", "name": "default", "project_id": "q1"})
	}
	return map[string]any{"security_groups": all}
}

// TestAProjectKeepsItsDefaultGroup has the security group that Neutron gives a project go after the project, and not before:
// Keystone may refuse, and nobody could make the group's rules again.
func TestAProjectKeepsItsDefaultGroup(t *testing.T) {
	for _, test := range []struct {
		name    string
		cloud   emptyProject
		asked   []string
		says    string
		blocked bool
	}{
		{name: "nothing is in the way", asked: []string{"project", "group"}},
		{name: "Keystone refuses", cloud: emptyProject{keeps: http.StatusForbidden}, asked: []string{"project"}, says: "403", blocked: true},
		{name: "Keystone is not itself", cloud: emptyProject{keeps: http.StatusBadGateway}, asked: []string{"project"}, says: "502"},
		{name: "it is immutable", cloud: emptyProject{options: map[string]any{"immutable": true}}, says: "immutable", blocked: true},
		{name: "it may be changed", cloud: emptyProject{options: map[string]any{"immutable": false}}, asked: []string{"project", "group"}},
		{name: "it has gone already", cloud: emptyProject{gone: true}, asked: []string{"group"}},
		{name: "something has come into the group", cloud: emptyProject{locks: http.StatusConflict}, asked: []string{"project", "group"}},
		{name: "the group is not ours to delete", cloud: emptyProject{locks: http.StatusForbidden}, asked: []string{"project", "group"}, says: "403", blocked: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &test.cloud
			p.t = t
			_, err := p.driver().Delete(t.Context(), known(t, "project", "q1", values{}), unit.State{Existence: unit.Present})
			if (err != nil) != (test.says != "") || err != nil && !strings.Contains(err.Error(), test.says) || unit.IsBlocked(err) != test.blocked {
				t.Errorf("deleting it says %v", err)
			}
			if !slices.Equal(p.asked, test.asked) {
				t.Errorf("asked to delete %q, want %q", p.asked, test.asked)
			}
		})
	}
}

// TestADefaultGroupIsFoundAgain kills the process once a project has gone. What is left of it is seen by the next one.
func TestADefaultGroupIsFoundAgain(t *testing.T) {
	p := &emptyProject{t: t, killed: true}
	tg := known(t, "project", "q1", values{})
	if _, err := p.driver().Delete(t.Context(), tg, unit.State{Existence: unit.Present}); err == nil || !p.gone || p.swept {
		t.Fatalf("it was not killed in between: %v, %+v", err, p)
	}
	tg.Spec, tg.Deleted, tg.Complete = nil, true, true
	see := func(tg unit.Target, want unit.Existence) unit.State {
		t.Helper()
		states, err := p.driver().Observe(t.Context(), []unit.Target{tg})
		if st := states[tg.Address]; st.Existence != want || (err != nil) != (want == unit.Unknown) {
			t.Errorf("it is %+v, want %s: %v", st, want, err)
		}
		return states[tg.Address]
	}
	see(tg, unit.Unknown)
	p.killed, p.asked = false, nil
	theirs := tg
	theirs.Deleted = false
	see(theirs, unit.Absent) // that was not ours to delete
	st := see(tg, unit.Present)
	if !st.Owned || st.Message != "it is gone, but for its default security group" {
		t.Errorf("what is left is %+v", st)
	}
	if next, err := p.driver().Delete(t.Context(), tg, st); err != nil || !next.Gone() || !slices.Equal(p.asked, []string{"group"}) {
		t.Errorf("deleting what is left: %+v, %v after %q", next, err, p.asked)
	}
	see(tg, unit.Absent)
}

// TestADefaultGroupGoesBeforeTheNextProject kills the process as a project is replaced.
func TestADefaultGroupGoesBeforeTheNextProject(t *testing.T) {
	for deleted, want := range map[bool][]string{true: {"group", "new project"}, false: {"new project"}} {
		p := &emptyProject{t: t, gone: true}
		tg := known(t, "project", "q1", values{"domain": text("other"), "enabled": cty.True})
		tg.Deleted = deleted
		d := p.driver()
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil || !slices.Equal(p.asked, want) {
			t.Errorf("deleted by us: %t: asked for %q, want %q: %v", deleted, p.asked, want, err)
		}
	}
}

// defaultGroupOf is the default security group of a project, and how many rules it has.
func defaultGroupOf(t *testing.T, project string) (id string, rules int) {
	t.Helper()
	groups, _ := request(t, "network", http.MethodGet, "v2.0/security-groups?name=default&project_id="+project, nil)["security_groups"].([]any)
	if len(groups) != 1 {
		t.Fatalf("the project has the default groups %v", groups)
	}
	group, _ := groups[0].(map[string]any)
	id, _ = group["id"].(string)
	list, _ := group["security_group_rules"].([]any)
	return id, len(list)
}

// groupsLeft are the default security groups of a project. Neutron would make one if it were asked for those of the project.
func groupsLeft(t *testing.T, project string) (ids []string) {
	t.Helper()
	groups, _ := request(t, "network", http.MethodGet, "v2.0/security-groups?name=default", nil)["security_groups"].([]any)
	for _, g := range groups {
		group, _ := g.(map[string]any)
		if id, _ := group["id"].(string); group["project_id"] == project {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestBedDefaultGroupOfAProject has Keystone refuse to delete a project, whose default group stays with what its users have
// allowed. It goes after the project, also where nobody saw to that at once.
func TestBedDefaultGroupOfAProject(t *testing.T) {
	b := newBench(t)
	project := target(t, "project", unique("project"), values{})
	b.converge(t, &project)
	group, rules := defaultGroupOf(t, project.ID)
	request(t, "network", http.MethodPost, "v2.0/security-group-rules", map[string]any{"security_group_rule": map[string]any{
		"security_group_id": group, "direction": "ingress", "protocol": "tcp", "port_range_min": 22, "port_range_max": 22, "project_id": project.ID,
	}})
	immutable := func(is bool) {
		request(t, identity, http.MethodPatch, "projects/"+project.ID, map[string]any{"project": map[string]any{"options": map[string]any{"immutable": is}}})
	}
	immutable(true)
	if _, err := b.Delete(t.Context(), project, unit.State{Existence: unit.Present}); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "immutable") {
		t.Errorf("deleting what is immutable says %v", err)
	}
	if left, rest := defaultGroupOf(t, project.ID); left != group || rest != rules+1 {
		t.Errorf("it has the default group %s with %d rules, and had %s with %d", left, rest, group, rules+1)
	}
	immutable(false)

	request(t, identity, http.MethodDelete, "projects/"+project.ID, nil) // and the process is killed
	killed := project
	killed.Spec, killed.Deleted = nil, true
	if st := b.see(t, killed); st.Existence != unit.Present || !strings.Contains(st.Message, "default security group") {
		t.Errorf("what is left of it is %+v", st)
	}
	if err := b.destroy(t.Context(), t, killed); err != nil {
		t.Fatal(err)
	}
	if left := groupsLeft(t, project.ID); left != nil {
		t.Errorf("the groups %q are left", left)
	}
	if st := b.see(t, killed); st.Existence != unit.Absent {
		t.Errorf("in the end: %+v", st)
	}

	next := target(t, "project", unique("project"), values{})
	b.converge(t, &next)
	defaultGroupOf(t, next.ID)
	if err := b.destroy(t.Context(), t, next); err != nil {
		t.Fatal(err)
	}
	if left := groupsLeft(t, next.ID); left != nil {
		t.Errorf("the groups %q are left", left)
	}
}
