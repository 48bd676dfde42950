package openstack_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// TestBedServerGroupWhoseAnswerWasLost makes a group beside one of the same name, loses the answer, and finds what
// was made all the same.
func TestBedServerGroupWhoseAnswerWasLost(t *testing.T) {
	b := newBench(t)
	project := target(t, "project", unique("project"), values{})
	b.converge(t, &project)
	name := unique("group")
	first := target(t, "server_group", name, values{"policy": text("affinity"), "project": text(project.ID)})
	b.converge(t, &first)

	second := target(t, "server_group", name, values{"policy": text("soft-affinity"), "project": text(project.ID)})
	st, diff := b.compare(t, second)
	if diff.Action != unit.ActionCreate || st.Before == nil || !slices.Equal(st.Before.IDs, []string{first.ID}) {
		t.Fatalf("beside one with another policy: the diff is %+v, what was before %+v", diff, st.Before)
	}
	second.Before, second.Fresh = st.Before, false // as the intent has it
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: "/v2.1/os-server-groups"}, Action: faultproxy.ResetAfter(), Limit: 1})
	before := b.fleet.Counts()
	if _, err := b.Apply(t.Context(), second, wantedOf(second), st); err == nil {
		t.Error("the answer was lost, but there is no error")
	}
	if st := b.converge(t, &second); st.ID == first.ID || !st.Owned || st.Project != project.ID {
		t.Errorf("the group is %+v", st)
	}
	if n := b.fleet.Counts().Since(before).Of("POST", "/v2.1/os-server-groups"); n != 1 {
		t.Errorf("%d creating requests, want 1", n)
	}
}

// TestServerGroupsThatCame tells what an attempt that was cut off has made from what was there before it.
func TestServerGroupsThatCame(t *testing.T) {
	group := func(id, name, policy string) map[string]any {
		return map[string]any{"id": id, "name": name, "policy": policy, "project_id": "p1"}
	}
	for _, test := range []struct {
		name   string
		listed []any
		before *unit.Before
		action unit.Action
		id     string
		ours   bool
	}{
		{"nothing", nil, nil, unit.ActionCreate, "", false},
		{"one with another policy", []any{group("a", "web", "affinity")}, nil, unit.ActionCreate, "", false},
		{"one that is the same", []any{group("a", "web", "anti-affinity")}, nil, unit.ActionAdopt, "a", false},
		{"two that are the same", []any{group("a", "web", "anti-affinity"), group("b", "web", "anti-affinity")}, nil, unit.ActionBlocked, "", false},
		{"one that was there", []any{group("a", "web", "anti-affinity")}, &unit.Before{Of: "p1/web", IDs: []string{"a"}}, unit.ActionCreate, "", false},
		{"one that has come", []any{group("a", "web", "anti-affinity"), group("b", "web", "anti-affinity")}, &unit.Before{Of: "p1/web", IDs: []string{"a"}}, unit.ActionNone, "b", true},
		{"one that has come with another policy", []any{group("b", "web", "affinity")}, &unit.Before{Of: "p1/web"}, unit.ActionCreate, "", false},
		{"two that have come", []any{group("a", "web", "anti-affinity"), group("b", "web", "anti-affinity")}, &unit.Before{Of: "p1/web"}, unit.ActionBlocked, "", false},
		{"what another name tells nothing of", []any{group("a", "web", "anti-affinity")}, &unit.Before{Of: "p1/db"}, unit.ActionAdopt, "a", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := pretend(t, func(*http.Request) any { return map[string]any{"server_groups": append([]any{}, test.listed...)} })
			tg := target(t, "server_group", "web", values{"policy": text("anti-affinity"), "project": text("p1")})
			tg.Before = test.before
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			st := states[tg.Address]
			if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != test.action || st.ID != test.id || st.Owned != test.ours {
				t.Errorf("the diff is %+v, the state %+v", diff, st)
			}
		})
	}
}

// computeHosts are the hosts that instances run on. Nodes that other tests play report to the same Nova, and are none.
func computeHosts(t *testing.T, b *bench) []string {
	t.Helper()
	if ours := sharedCloud(t).Computes(); ours != nil {
		return ours
	}
	agents, err := b.ComputeAgents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for _, a := range agents {
		if a.Binary == "nova-compute" {
			hosts = append(hosts, a.Host)
		}
	}
	return hosts
}

// TestBedHostsOfAnAggregate leaves hosts in it that others have added, and keeps it as long as there are some.
func TestBedHostsOfAnAggregate(t *testing.T) {
	b := newBench(t)
	computes := computeHosts(t, b)
	if len(computes) < 2 {
		t.Skip("there are not two hosts")
	}
	aggregate := target(t, "host_aggregate", unique("hosts"), values{"hosts": set(computes[0])})
	aggregate.Set = map[string][]string{"hosts": {computes[0]}}
	b.converge(t, &aggregate)
	request(t, "compute", http.MethodPost, "os-aggregates/"+aggregate.ID+"/action", map[string]any{"add_host": map[string]any{"host": computes[1]}})
	b.settled(t, aggregate, "/v2.1/os-aggregates")
	if _, err := b.Delete(t.Context(), aggregate, unit.State{Existence: unit.Present}); !unit.IsBlocked(err) || !strings.Contains(err.Error(), computes[1]) {
		t.Errorf("deleting it says %v", err)
	}
	aggregate = with(t, aggregate, values{"hosts": cty.SetValEmpty(cty.String)})
	if st := b.converge(t, &aggregate); !st.Outputs.GetAttr("hosts").RawEquals(set(computes[1])) {
		t.Errorf("the hosts are %#v", st.Outputs.GetAttr("hosts"))
	}
	request(t, "compute", http.MethodPost, "os-aggregates/"+aggregate.ID+"/action", map[string]any{"remove_host": map[string]any{"host": computes[1]}})
	aggregate = with(t, aggregate, values{"hosts": set(computes[0])})
	b.converge(t, &aggregate)
	if err := b.destroy(t.Context(), t, aggregate); err != nil {
		t.Error(err)
	}
}

// TestBedAccess lets projects use what is not public, and leaves alone those that others have let in.
func TestBedAccess(t *testing.T) {
	for kind, first := range map[string]values{
		"flavor":      {"vcpus": number(1), "ram": number(64)},
		"volume_type": {},
	} {
		t.Run(kind, func(t *testing.T) {
			b := newBench(t)
			one, two := target(t, "project", unique("one"), values{}), target(t, "project", unique("two"), values{})
			b.converge(t, &one)
			b.converge(t, &two)
			first["public"], first["access"] = cty.False, set(one.ID)
			tg := target(t, kind, unique("access"), first)
			b.converge(t, &tg)
			service, path, action := "compute", "flavors/"+tg.ID, map[string]any{"addTenantAccess": map[string]any{"tenant": two.ID}}
			if kind == "volume_type" {
				service, path, action = "volumev3", "types/"+tg.ID, map[string]any{"addProjectAccess": map[string]any{"project": two.ID}}
			}
			if _, err := ask(t.Context(), t, service, http.MethodPost, path+"/action", action); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err) // Cinder's answer is empty
			}
			if st, diff := b.compare(t, tg); diff.Action != unit.ActionNone || st.Outputs.GetAttr("access").LengthInt() != 2 {
				t.Errorf("beside one of others: the diff is %+v, the state %+v", diff, st)
			}
			tg.Set = map[string][]string{"access": {one.ID}}
			tg = with(t, tg, values{"access": cty.SetValEmpty(cty.String)})
			if st := b.converge(t, &tg); !st.Outputs.GetAttr("access").RawEquals(set(two.ID)) {
				t.Errorf("the projects are %#v", st.Outputs.GetAttr("access"))
			}
		})
	}
}

// TestBedInstanceInAServerGroup has an instance join its group, and finds it there.
func TestBedInstanceInAServerGroup(t *testing.T) {
	b := newBench(t)
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	url, checksum := b.disk(t, 1<<10)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	b.converge(t, &image)
	group := target(t, "server_group", unique("group"), values{"policy": text("anti-affinity")})
	b.converge(t, &group)
	server := target(t, "instance", unique("vm"), values{
		"image": text(image.ID), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String), "server_group": text(group.ID),
		"different_host": set("d32019d3-bc6e-4319-9c1d-6722fc136a22"), "scheduler_hints": texted("query", `["=", "$host", "none"]`),
	})
	if st := b.converge(t, &server); st.Outputs.GetAttr("server_group").AsString() != group.ID {
		t.Errorf("the instance is %#v", st.Outputs)
	}
	b.settled(t, server, "/v2.1/servers/detail", "/v2.0/ports", "/v2.1/os-server-groups")
	if st := b.see(t, group); !st.Outputs.GetAttr("members").RawEquals(set(server.ID)) {
		t.Errorf("the group is %#v", st.Outputs)
	}
	if _, diff := b.compare(t, with(t, server, values{"server_group": text("other")})); diff.Action != unit.ActionReplace {
		t.Errorf("another group: %+v", diff)
	}
	if _, diff := b.compare(t, with(t, server, values{"same_host": set(server.ID), "scheduler_hints": texted("query", "[]")})); diff.Action != unit.ActionNone {
		t.Errorf("other hints count for the next one: %+v", diff)
	}
}
