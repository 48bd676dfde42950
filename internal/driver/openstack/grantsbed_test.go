package openstack_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

var _ engine.Granter = (*openstack.Driver)(nil)

var _ engine.Foreteller = (*openstack.Driver)(nil)

// grantRecord is a record of the roles that our user gives itself.
type grantRecord struct{ held []unit.Grant }

func (r *grantRecord) AddGrant(_ context.Context, g unit.Grant) error {
	r.held = append(r.held, g)
	return nil
}

func (r *grantRecord) DropGrant(_ context.Context, g unit.Grant) error {
	r.held = slices.DeleteFunc(r.held, g.Same)
	return nil
}

func (r *grantRecord) Grants() []unit.Grant { return slices.Clone(r.held) }

// assignmentsIn are all that Keystone has in a project.
func assignmentsIn(t *testing.T, project string) []any {
	t.Helper()
	list, _ := request(t, "identity", http.MethodGet, "role_assignments?scope.project.id="+project, nil)["role_assignments"].([]any)
	return list
}

// TestBedRolesOfOurOwn: what is made in a project has our user give itself a role there, on record first. It is
// taken back, and given anew for what comes later. A role that somebody else gave is left as it is.
func TestBedRolesOfOurOwn(t *testing.T) {
	record := &grantRecord{}
	b := newBench(t, func(o *openstack.Options) { o.Grants = record })
	project := made(t, b, "project", values{})
	group := func() unit.Target {
		return target(t, "server_group", unique("group"), values{"project": text(project), "policy": text("anti-affinity")})
	}
	assignments := func() []any {
		t.Helper()
		return assignmentsIn(t, project)
	}
	yes := func() bool { return true }
	var last unit.Grant
	for _, round := range []string{"first", "again"} {
		tg := group()
		b.converge(t, &tg)
		if len(record.held) != 1 || record.held[0].Project != project || len(assignments()) != 1 {
			t.Fatalf("%s: on record are %+v, and in Keystone %v", round, record.held, assignments())
		}
		g := record.held[0]
		if err := b.TakeBack(t.Context(), g, func() bool { return false }); err != nil || len(assignments()) != 1 {
			t.Fatalf("%s: it is needed: %v, %v", round, err, assignments())
		}
		if err := b.destroy(t.Context(), t, tg); err != nil {
			t.Fatal(err)
		}
		if err := b.TakeBack(t.Context(), g, yes); err != nil || len(record.held) != 0 || len(assignments()) != 0 {
			t.Fatalf("%s: %v, on record are %+v, and in Keystone %v", round, err, record.held, assignments())
		}
		if err := b.TakeBack(t.Context(), g, yes); err != nil {
			t.Fatalf("%s: a second time: %v", round, err)
		}
		last = g
	}
	request(t, "identity", http.MethodPut, "projects/"+project+"/users/"+last.User+"/roles/"+last.Role, nil)
	tg := group()
	b.converge(t, &tg)
	if len(record.held) != 0 || len(assignments()) != 1 {
		t.Errorf("a role of somebody else: on record are %+v, and in Keystone %v", record.held, assignments())
	}
}

// TestBedRolesOfOurOwnOnRecord: passes of whole processes give the role with the first volume in a project of ours and
// take it back with the last, wherever they are killed. What Keystone has is on record at any time, and a role that
// somebody else gave is not touched.
func TestBedRolesOfOurOwnOnRecord(t *testing.T) {
	t.Parallel()
	x := newInstallation(t, "grant")
	rest := target(t, "keypair", x.prefix+"-rest", values{"public_key": text(publicKey)})
	t.Cleanup(func() {
		_, _ = ask(context.Background(), t, "compute", http.MethodDelete, "os-keypairs/"+x.prefix+"-rest", nil)
	})
	volumeIn := func(project string) []unit.Unit {
		return unitsOf([]unit.Target{rest, target(t, "volume", unique(x.prefix+"-disk"), values{"project": text(project), "size": number(1)})})
	}
	settle := func(what string, units []unit.Unit) {
		t.Helper()
		if err := x.settleUnits(t.Context(), units); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	onRecord := func() []unit.Grant {
		t.Helper()
		kept, err := inventory.Open(t.Context(), x.store)
		if err != nil {
			t.Fatal(err)
		}
		return kept.Grants()
	}
	both := func(what, project string, want int) {
		t.Helper()
		if held, there := onRecord(), assignmentsIn(t, project); len(held) != want || len(there) != want || want == 1 && held[0].Project != project {
			t.Fatalf("%s: on record are %+v, and in Keystone %v", what, held, there)
		}
	}
	var ours unit.Grant
	for _, when := range []string{"request before", "request after"} {
		at := func(method string) faultproxy.Match {
			return faultproxy.Match{Request: func(r *http.Request) bool {
				return r.Method == method && strings.Contains(r.URL.Path, "/projects/") && strings.Contains(r.URL.Path, "/roles/")
			}}
		}
		project := made(t, x.bench, "project", values{})
		units := volumeIn(project)
		settle(when+": at first", units[:1])
		both(when+": at first", project, 0)
		x.killed(t, &drawer{}, units, when, at(http.MethodPut))
		if held := onRecord(); len(held) != 1 || held[0].Project != project {
			t.Fatalf("killed %s the role was given: on record are %+v", when, held)
		}
		if when == "request after" {
			settle("killed as the role was given, and nothing is wanted any more", units[:1])
			both("killed as the role was given, and nothing is wanted any more", project, 0)
		}
		settle(when+": the volume", units)
		both(when+": the volume", project, 1)
		ours = onRecord()[0]
		x.killed(t, &drawer{}, units[:1], when, at(http.MethodDelete))
		settle(when+": no volume", units[:1])
		both(when+": no volume", project, 0)
	}

	project := made(t, x.bench, "project", values{})
	request(t, "identity", http.MethodPut, "projects/"+project+"/users/"+ours.User+"/roles/"+ours.Role, nil)
	units := volumeIn(project)
	for _, wanted := range [][]unit.Unit{units, units[:1]} {
		settle("the role of somebody else", wanted)
		if held, there := onRecord(), assignmentsIn(t, project); len(held) != 0 || len(there) != 1 {
			t.Errorf("%d are wanted: on record are %+v, and in Keystone the role of somebody else: %v", len(wanted), held, there)
		}
	}
}
