package openstack_test

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// worker is a user that the driver works as, with a project of its own.
type worker struct {
	id, name, project string
}

// newWorker makes a user that has a role in its project.
func newWorker(t *testing.T, role string) worker {
	t.Helper()
	w := worker{name: unique("worker"), project: foreign(t, identity, "projects", "project", map[string]any{"name": unique("home"), "domain_id": "default"})}
	w.id = foreign(t, identity, "users", "user", map[string]any{"name": w.name, "domain_id": "default", "password": canary})
	w.may(t, w.project, role, http.MethodPut)
	return w
}

// may gives the user a role in a project, or takes it away.
func (w worker) may(t *testing.T, project, role, method string) {
	t.Helper()
	roles := request(t, identity, http.MethodGet, "roles?name="+role, nil)["roles"].([]any)
	id := roles[0].(map[string]any)["id"].(string)
	request(t, identity, method, "projects/"+project+"/users/"+w.id+"/roles/"+id, nil)
}

// bench is a driver that works as the user, with a login of its own.
func (w worker) bench(t *testing.T) *bench {
	t.Helper()
	return newBench(t, func(o *openstack.Options) {
		connect := o.Connect
		o.Connect = func(ctx context.Context) (openstack.Credentials, error) {
			c, err := connect(ctx)
			c.UserID, c.Username, c.Password, c.ProjectID, c.ProjectName = w.id, "", redact.NewSecret(canary), w.project, ""
			c.UserDomainID, c.UserDomainName, c.ProjectDomainID, c.ProjectDomainName = "", "", "", ""
			return c, err
		}
	})
}

// What a user that is no administrator any more is not shown is neither created again nor taken for deleted: lists
// leave it out without a word, and its ids are not found.
func TestBedLostRole(t *testing.T) {
	t.Parallel()
	w := newWorker(t, "admin")
	b := w.bench(t)
	project := target(t, "project", unique("project"), values{})
	b.converge(t, &project)
	in := func(kind string, written values) unit.Target {
		t.Helper()
		written["project"] = text(project.ID)
		tg := target(t, kind, unique(kind), written)
		b.converge(t, &tg)
		tg.Locator.Project = project.ID
		return tg
	}
	network := in("network", values{})
	subnet := in("subnet", values{"network": text(network.ID), "cidr": text("10.9.0.0/24")})
	router := in("router", values{"subnets": list(subnet.ID)})
	port := in("port", values{"network": text(network.ID)})
	volume := in("volume", values{"size": cty.NumberIntVal(1)})
	group := in("server_group", values{"policy": text("affinity")})
	url, checksum := b.disk(t, 1<<10)
	image := in("image", values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare"), "visibility": text("private")})
	flavor := with(t, smallFlavor(t), values{"public": cty.False, "access": set(project.ID)})
	b.converge(t, &flavor)
	instance := in("instance", values{"image": text(image.ID), "flavor": text(flavor.ID), "ports": list(port.ID)})
	attachment := target(t, "volume_attachment", "disk", values{"instance": text(instance.ID), "volume": text(volume.ID)})
	if st := b.converge(t, &attachment); st.Project != project.ID {
		t.Errorf("the attachment is in the project %q, want %s", st.Project, project.ID)
	}
	attachment.Locator.Project = project.ID
	hidden := []unit.Target{project, network, subnet, router, port, volume, group, image, flavor, instance, attachment}
	mine := target(t, "network", unique("mine"), values{}) // in the user's own project, where it can be seen that it is not there
	pair := target(t, "keypair", unique("pair"), values{"public_key": text(publicKey)})

	before := w.bench(t)
	if st := before.see(t, project); !st.Owned { // which logs in, and shows the token to no service but Keystone
		t.Fatalf("the project is %+v", st)
	}
	w.may(t, w.project, "member", http.MethodPut)
	w.may(t, w.project, adminOf, http.MethodDelete)
	w.may(t, project.ID, "member", http.MethodDelete) // which it has given itself
	for name, as := range map[string]*bench{"a login from before": before, "a login from after": w.bench(t)} {
		states, err := as.Observe(t.Context(), append([]unit.Target{mine, pair}, hidden...))
		if err == nil {
			t.Errorf("%s: nothing is told of what is not seen", name)
		}
		for _, tg := range hidden {
			st := states[tg.Address]
			if diff := as.Compare(tg, wantedOf(tg), st); st.Existence != unit.Unknown || diff.Action != unit.ActionUnknown {
				t.Errorf("%s: %s is %+v, and the diff %+v", name, tg.Address, st, diff)
			}
			gone := tg
			gone.Spec = nil
			if st, err := as.Delete(t.Context(), gone, unit.State{Existence: unit.Present, ID: tg.ID, Owned: true}); err == nil || st.Gone() {
				t.Errorf("%s: %s counts as deleted: %+v, %v", name, tg.Address, st, err)
			}
		}
	}
	for _, tg := range []unit.Target{mine, pair} {
		if st, diff := w.bench(t).compare(t, tg); !st.Gone() || diff.Action != unit.ActionCreate {
			t.Errorf("%s is %+v, and the diff %+v", tg.Address, st, diff)
		}
	}

	w.may(t, w.project, adminOf, http.MethodPut)
	again := w.bench(t)
	states, err := again.Observe(t.Context(), hidden)
	for _, tg := range hidden {
		if st := states[tg.Address]; err != nil || !st.Ready() || !st.Owned {
			t.Errorf("with the role again %s is %+v, %v", tg.Address, st, err)
		}
	}
}

const adminOf = "admin"

// A user that is no administrator keeps objects in all projects that it is a member of, and in no other.
func TestBedMemberOfProjects(t *testing.T) {
	t.Parallel()
	w := newWorker(t, "member")
	second := foreign(t, identity, "projects", "project", map[string]any{"name": unique("second"), "domain_id": "default"})
	third := foreign(t, identity, "projects", "project", map[string]any{"name": unique("third"), "domain_id": "default"})
	w.may(t, second, "member", http.MethodPut)
	b := w.bench(t)

	name := request(t, identity, http.MethodGet, "projects/"+second, nil)["project"].(map[string]any)["name"].(string)
	found := target(t, "project", "second", values{"name": text(name)})
	lookup := *found.Spec.(*unit.Resource)
	lookup.Lookup = true
	found.Spec = &lookup
	if st := b.see(t, found); st.ID != second {
		t.Errorf("the project is looked up as %+v", st)
	}

	all := []unit.Target{}
	for _, project := range []string{"", second} {
		in := func(kind string, written values) unit.Target {
			t.Helper()
			if project != "" {
				written["project"] = text(project)
			}
			tg := target(t, kind, unique(kind), written)
			st := b.converge(t, &tg)
			if want := map[bool]string{true: w.project, false: project}[project == ""]; st.Project != want {
				t.Errorf("%s is in the project %s, want %s", tg.Address, st.Project, want)
			}
			tg.Locator.Project = st.Project
			b.remove(t, tg)
			all = append(all, tg)
			return tg
		}
		network := in("network", values{"description": text("Web")})
		subnet := in("subnet", values{"network": text(network.ID), "cidr": text("10.9.0.0/24")})
		in("router", values{"subnets": list(subnet.ID)})
		in("security_group", values{"rule": cty.ListVal([]cty.Value{ruleValue(22, "")})})
		in("server_group", values{"policy": text("affinity")})
		volume := in("volume", values{"size": cty.NumberIntVal(1)})
		in("snapshot", values{"volume": text(volume.ID)})

		changed := with(t, network, values{"description": text("Shop")})
		b.converge(t, &changed)
		lost := changed
		lost.ID = ""
		if st := b.see(t, lost); !st.Owned || st.ID != network.ID {
			t.Errorf("by its mark %s is found as %+v", lost.Address, st)
		}
		all[len(all)-7] = changed

		refused := target(t, "instance", unique("refused"), values{}) // an intent whose block was taken out
		detached := target(t, "volume_attachment", "detached", values{"instance": text(network.ID), "volume": text(network.ID)})
		detached.ID = network.ID + "/" + network.ID // as of a volume and an instance that somebody has deleted
		for _, gone := range []unit.Target{refused, detached} {
			gone.Spec, gone.Fresh, gone.Locator.Project = nil, false, cmp.Or(project, w.project)
			if st := b.see(t, gone); !st.Gone() {
				t.Errorf("%s is %+v, and is gone", gone.Address, st)
			}
			if st, err := b.Delete(t.Context(), gone, b.see(t, gone)); err != nil || !st.Gone() {
				t.Errorf("deleted %s is %+v, %v", gone.Address, st, err)
			}
		}
	}
	states, err := b.Observe(t.Context(), all)
	for _, tg := range all {
		if st := states[tg.Address]; err != nil || !st.Ready() || b.Compare(tg, wantedOf(tg), st).Action != unit.ActionNone {
			t.Errorf("%s is %+v, %v", tg.Address, st, err)
		}
	}

	foreignNetwork := target(t, "network", unique("foreign"), values{"project": text(third)})
	st, err := b.Observe(t.Context(), []unit.Target{foreignNetwork})
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), third) || st[foreignNetwork.Address].Existence != unit.Unknown {
		t.Errorf("in a project of others: %+v, %v", st, err)
	}
	private := target(t, "flavor", unique("flavor"), values{"vcpus": cty.NumberIntVal(1), "ram": cty.NumberIntVal(64)})
	if st, err := b.Observe(t.Context(), []unit.Target{private}); err == nil || st[private.Address].Existence != unit.Unknown {
		t.Errorf("a flavor that may be there and not shown: %+v, %v", st, err)
	}
}

// Nova leaves instances out of a list whose cells do not answer, unless it is asked for them. Where a page is full it does
// not tell of them either, but of their hosts.
func TestCellsThatDoNotAnswer(t *testing.T) {
	forbidden := func(*http.Request) any { return http.StatusForbidden }
	for _, test := range []struct {
		name, status string
		full, fresh  bool
		hosts        func(*http.Request) any // nil: nobody has reason to ask
		want         unit.Existence
	}{
		{name: "all answer", status: "ACTIVE", want: unit.Absent},
		{name: "one does not", status: "UNKNOWN", want: unit.Unknown},
		{name: "one does not, but nothing was tried yet", status: "UNKNOWN", fresh: true, want: unit.Absent},
		{name: "one does not, which a full page tells", full: true, status: "UNKNOWN", want: unit.Unknown},
		{name: "all answer, and a page is full", full: true, status: "ACTIVE", hosts: listed("services", map[string]any{"host": "w1", "status": "disabled"}), want: unit.Absent},
		{name: "one does not, which a full page does not tell", full: true, status: "ACTIVE", hosts: listed("services", map[string]any{"host": "w1", "status": "UNKNOWN"}), want: unit.Unknown},
		{name: "a full page, and hosts are not told", full: true, status: "ACTIVE", hosts: forbidden, want: unit.Unknown},
	} {
		d := answering(t, map[string]func(*http.Request) any{
			"/v2.1/servers/detail": listed("servers"), "/v2.1/os-services": test.hosts,
			"/v2.1/servers": func(r *http.Request) any {
				if r.URL.RawQuery != "all_tenants=1" {
					t.Errorf("%s: Nova is asked for %s, for which it leaves out what is in such cells", test.name, r.URL.RawQuery)
				}
				answer := map[string]any{"servers": []any{map[string]any{"id": "other", "status": test.status}}}
				if test.full {
					answer["servers_links"] = []any{map[string]any{"rel": "next", "href": "http://nova/v2.1/servers?marker=other"}}
				}
				return answer
			},
		})
		tg := target(t, "instance", "web", values{})
		tg.Fresh = test.fresh
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if st := states[tg.Address]; st.Existence != test.want || (err == nil) != (test.want == unit.Absent) {
			t.Errorf("%s: %+v, %v", test.name, st, err)
		}
		if _, err := d.Hosts(t.Context()); (err == nil) != (test.want == unit.Absent && !test.fresh) {
			t.Errorf("%s: the instances on hosts are told with %v", test.name, err)
		}
	}
}

// A service may go by what it was told of a token for a while. So one is not believed that was without the role, or is
// without it now, and ports of an instance in a project of others are not taken for gone.
func TestRolesThatChangeWhileATokenLives(t *testing.T) {
	roles := func(names ...string) func(*http.Request) any {
		var all []map[string]any
		for _, name := range names {
			all = append(all, map[string]any{"name": name})
		}
		return func(r *http.Request) any {
			if r.Header.Get("X-Subject-Token") != "token" {
				return http.StatusNotFound
			}
			return map[string]any{"token": map[string]any{"roles": all}}
		}
	}
	away := target(t, "network", "away", values{"project": text("p2")})
	owner := target(t, "instance", "web", values{"project": text("p2"), "networks": list("n1")})
	owner.ID = "i1"
	for _, test := range []struct {
		name  string
		roles func(*http.Request) any
		known bool
	}{
		{"still an administrator", roles("member", "Admin"), true},
		{"not any more", roles("member"), false},
		{"Keystone does not say", func(*http.Request) any { return http.StatusServiceUnavailable }, false},
	} {
		d := answering(t, map[string]func(*http.Request) any{
			"/v3/auth/tokens": test.roles, "/v2.0/networks": listed("networks"), "/v2.0/ports": listed("ports"),
			"/v2.1/servers/detail": listed("servers", map[string]any{"id": "i1", "name": "web", "tenant_id": "p2", "status": "ACTIVE"}),
		})
		states, err := d.Observe(t.Context(), []unit.Target{away, owner})
		if (err == nil) != test.known {
			t.Errorf("%s: the error is %v", test.name, err)
		}
		if st := states[away.Address]; st.Gone() != test.known || (st.Existence == unit.Unknown) == test.known {
			t.Errorf("%s: the network is %+v", test.name, st)
		}
		if st := states[owner.Address]; (st.Existence == unit.Present) != test.known {
			t.Errorf("%s: the instance is %+v", test.name, st)
		}
	}
}
