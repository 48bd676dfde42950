package openstack_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

func TestBedKilledWhileCreatingMakesNoSecond(t *testing.T) {
	for _, kind := range []struct {
		name, path string
		written    values
	}{
		{"network", "/v2.0/networks", values{"description": text("x")}},
		{"security_group", "/v2.0/security-groups", values{}},
		{"project", "/v3/projects", values{}},
		{"flavor", "/v2.1/flavors", values{"vcpus": cty.NumberIntVal(1), "ram": cty.NumberIntVal(64)}},
		{"keypair", "/v2.1/os-keypairs", values{"public_key": text(publicKey)}},
		{"image", "/v2/images", values{"source": text("http://127.0.0.1:1/disk"), "disk_format": text("raw"), "container_format": text("bare")}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			b := newBench(t, from(t, "http://127.0.0.1:1"))
			tg := target(t, kind.name, unique("cut"), kind.written)
			lost := b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: kind.path}, Action: faultproxy.ResetAfter(), Limit: 1})
			if _, err := b.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent}); err == nil || lost.Fired() != 1 {
				t.Fatalf("the answer was lost %d times, the error is %v", lost.Fired(), err)
			}
			tg.Fresh = false
			// The state is from before, as after a restart that believes the world unchanged.
			st, err := b.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent})
			if err != nil || !st.Owned || st.ID == "" {
				t.Fatalf("the second attempt: %+v, %v", st, err)
			}
			tg.ID = st.ID
			b.remove(t, tg)
			if n := b.fleet.Counts().Of("POST", kind.path); n != 1 {
				t.Errorf("%d creating requests, want 1", n)
			}
			if st := b.see(t, tg); st.ID != tg.ID || len(st.Candidates) > 0 {
				t.Errorf("the state is %+v", st)
			}
		})
	}
}

func TestBedAdoption(t *testing.T) {
	b := newBench(t)
	name := unique("there")
	id := foreignNetwork(t, networks.CreateOpts{Name: name, Description: "theirs"})
	mine := target(t, "network", name, values{"description": text("ours")})
	st, diff := b.compare(t, mine)
	if diff.Action != unit.ActionAdopt || len(diff.Fields) != 1 || st.Owned || st.ID != id || len(st.Candidates) != 1 {
		t.Fatalf("the diff is %+v, the state %+v", diff, st)
	}
	unmarked := mine
	unmarked.ID = id
	if _, err := b.Delete(t.Context(), unmarked, st); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "our mark") {
		t.Errorf("an object without our mark was deleted: %v", err)
	}
	b.converge(t, &mine)
	if mine.ID != id {
		t.Errorf("%s was adopted in place of %s", mine.ID, id)
	}
	b.settled(t, mine, "/v2.0/networks")
	stranger := target(t, "network", name, values{})
	if st := b.see(t, stranger); !st.Gone() {
		t.Errorf("what is marked is no candidate any more: %+v", st)
	}
	stranger.ID = id
	if _, diff := b.compare(t, stranger); diff.Action != unit.ActionBlocked {
		t.Errorf("an object with another mark: %+v", diff)
	}
}

func TestBedTwoCandidatesBlock(t *testing.T) {
	b := newBench(t)
	name := unique("twice")
	foreignNetwork(t, networks.CreateOpts{Name: name})
	foreignNetwork(t, networks.CreateOpts{Name: name})
	mine := target(t, "network", name, values{})
	st, diff := b.compare(t, mine)
	if diff.Action != unit.ActionBlocked || len(st.Candidates) != 2 {
		t.Errorf("the diff is %+v", diff)
	}
	if _, err := b.Apply(t.Context(), mine, wantedOf(mine), st); !unit.IsBlocked(err) {
		t.Errorf("got %v", err)
	}
}

func TestBedDriftIsRepaired(t *testing.T) {
	b := newBench(t)
	network := target(t, "network", unique("drift"), values{"description": text("ours"), "admin_state_up": cty.True})
	b.converge(t, &network)
	other := with(t, network, values{"description": text("theirs"), "admin_state_up": cty.False})
	b.converge(t, &other)
	_, diff := b.compare(t, network)
	if diff.Action != unit.ActionUpdate || len(diff.Fields) != 2 {
		t.Errorf("the drift is %+v", diff)
	}
	b.converge(t, &network)
	b.settled(t, network, "/v2.0/networks")
}

func TestBedErrorIsNeverAbsence(t *testing.T) {
	b := newBench(t)
	network := target(t, "network", unique("net"), values{})
	b.converge(t, &network)
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	for name, action := range map[string]faultproxy.Action{
		"maintenance": faultproxy.AnswerOpenStack(500, "the database is away", 0),
		"cut short":   faultproxy.Answer(200, http.Header{"Content-Type": {"application/json"}}, []byte(`{"networks": [`)),
		"other JSON":  faultproxy.Answer(200, http.Header{"Content-Type": {"application/json"}}, []byte(`{}`)),
		"forbidden":   faultproxy.AnswerOpenStack(403, "no", 0),
	} {
		fault := b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "GET", Path: "/v2.0/networks"}, Action: action})
		states, err := b.Observe(t.Context(), []unit.Target{network, flavor})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if st := states[network.Address]; st.Existence != unit.Unknown {
			t.Errorf("%s: the network is %+v", name, st)
		}
		if st := states[flavor.Address]; !st.Ready() {
			t.Errorf("%s: the flavor is %+v", name, st)
		}
		if diff := b.Compare(network, wantedOf(network), states[network.Address]); diff.Action != unit.ActionUnknown {
			t.Errorf("%s: the diff is %+v", name, diff)
		}
		fault.Remove()
	}
	// A list that has lost an object is not believed at once.
	empty := faultproxy.Answer(200, http.Header{"Content-Type": {"application/json"}}, []byte(`{"networks": []}`))
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "GET", Path: "/v2.0/networks"}, Action: empty, Limit: 1})
	if st := b.see(t, network); !st.Ready() || st.ID != network.ID {
		t.Errorf("the network is %+v", st)
	}
}

func TestBedRefusedCredentials(t *testing.T) {
	credentials := credentialsOf(t, sharedCloud(t))
	credentials.Password = redact.NewSecret("wrong-password")
	b := newBench(t, func(o *openstack.Options) {
		o.Connect = func(context.Context) (openstack.Credentials, error) { return credentials, nil }
	})
	network := target(t, "network", unique("net"), values{})
	states, err := b.Observe(t.Context(), []unit.Target{network})
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), "refused the credentials of the user admin") || states[network.Address].Message != err.Error() {
		t.Errorf("got %v, %v", states, err)
	}
}

func TestBedTokensRunOut(t *testing.T) {
	b := newBench(t)
	network := target(t, "network", unique("net"), values{})
	b.see(t, network)
	lists := faultproxy.Match{Verb: "GET", Path: "/v2.0/networks"}
	b.fleet.Add(faultproxy.Rule{Match: lists, Action: faultproxy.AnswerOpenStack(401, "expired", 0), Limit: 1})
	b.see(t, network) // with a new token
	before := b.fleet.Counts()
	always := b.fleet.Add(faultproxy.Rule{Match: lists, Action: faultproxy.AnswerOpenStack(401, "no", 0)})
	if _, err := b.Observe(t.Context(), []unit.Target{network}); !unit.IsBlocked(err) {
		t.Errorf("got %v", err)
	}
	counts := b.fleet.Counts().Since(before)
	if counts.Of("GET", "/v2.0/networks") > 2 || counts.Of("POST", "/v3/auth/tokens") > 1 {
		t.Errorf("it goes on trying:\n%v", counts)
	}
	always.Remove()
	b.see(t, network)
}

func TestBedTooManyRequestsAndGateways(t *testing.T) {
	b := newBench(t)
	network := target(t, "network", unique("busy"), values{})
	on := func(verb string) faultproxy.Match { return faultproxy.Match{Verb: verb, Path: "/v2.0/networks"} }
	slow := b.fleet.Add(faultproxy.Rule{Match: on("POST"), Action: faultproxy.AnswerOpenStack(429, "slow down", time.Second), Limit: 1})
	gateway := b.fleet.Add(faultproxy.Rule{Match: on("GET"), Action: faultproxy.AnswerOpenStack(503, "later", 0), Limit: 2})
	b.converge(t, &network)
	if slow.Fired() != 1 || gateway.Fired() != 2 {
		t.Errorf("the faults fired %d and %d times", slow.Fired(), gateway.Fired())
	}
	away := target(t, "network", unique("busy"), values{})
	down := b.fleet.Add(faultproxy.Rule{Match: on("POST"), Action: faultproxy.AnswerOpenStack(503, "later", 0)})
	if _, err := b.Apply(t.Context(), away, wantedOf(away), unit.State{Existence: unit.Absent}); err == nil || down.Fired() != 1 {
		t.Errorf("a creating request was sent %d times: %v", down.Fired(), err)
	}
}

func TestBedGuardHoldsEveryChange(t *testing.T) {
	var lost atomic.Bool
	b := newBench(t, func(o *openstack.Options) {
		o.Guard = func() error {
			if lost.Load() {
				return unit.ErrNotWriter
			}
			return nil
		}
	})
	network := target(t, "network", unique("net"), values{})
	b.converge(t, &network)
	lost.Store(true)
	before := b.fleet.Counts()
	changed := with(t, network, values{"mtu": cty.NumberIntVal(1300)})
	st, _ := b.compare(t, changed)
	if _, err := b.Apply(t.Context(), changed, wantedOf(changed), st); !errors.Is(err, unit.ErrNotWriter) {
		t.Errorf("update: %v", err)
	}
	if _, err := b.Delete(t.Context(), network, st); !errors.Is(err, unit.ErrNotWriter) {
		t.Errorf("delete: %v", err)
	}
	if n := b.fleet.Counts().Since(before).Total("PUT", "POST", "DELETE", "PATCH"); n != 0 {
		t.Errorf("%d changing requests were sent", n)
	}
	lost.Store(false)
}

func TestNothingListens(t *testing.T) {
	d := openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) {
		return openstack.FromVariables(map[string]string{
			"OS_AUTH_URL": "http://127.0.0.1:1/v3", "OS_USERNAME": "u", "OS_PASSWORD": "hidden-password", "OS_USER_DOMAIN_NAME": "Default",
			"OS_PROJECT_NAME": "p", "OS_PROJECT_DOMAIN_NAME": "Default",
		}), nil
	}})
	defer d.Close()
	network := target(t, "network", "x", values{})
	states, err := d.Observe(t.Context(), []unit.Target{network})
	if err == nil || states[network.Address].Existence != unit.Unknown || states[network.Address].Message == "" || unit.IsBlocked(err) || !strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v, %v", states, err)
	}
}

func TestBedLookups(t *testing.T) {
	b := newBench(t)
	name := unique("public")
	id := foreignNetwork(t, networks.CreateOpts{Name: name, Description: "theirs"})
	foreignNetwork(t, networks.CreateOpts{Name: name + "-2"})
	search := func(name string, written values) unit.Target {
		tg := target(t, "network", name, written)
		spec := *tg.Spec.(*unit.Resource)
		spec.Lookup = true
		tg.Spec, tg.Mark = &spec, ""
		return tg
	}
	tg := search(name, values{})
	st, diff := b.compare(t, tg)
	if diff.Action != unit.ActionNone || st.ID != id || st.Owned || st.Outputs.GetAttr("description").AsString() != "theirs" {
		t.Errorf("the diff is %+v, the state %+v", diff, st)
	}
	if _, err := b.Delete(t.Context(), tg, st); !unit.IsBlocked(err) {
		t.Errorf("delete: %v", err)
	}
	if _, diff := b.compare(t, search(name, values{"external": cty.True})); diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "external = true") {
		t.Errorf("nothing matches: %+v", diff)
	}
	second := foreignNetwork(t, networks.CreateOpts{Name: name})
	if st, diff := b.compare(t, tg); diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, second) || len(st.Candidates) != 2 {
		t.Errorf("two match: %+v", diff)
	}
}

func TestBedReferencesAreFollowedWithinOneLook(t *testing.T) {
	b := newBench(t)
	network := target(t, "network", unique("net"), values{})
	b.converge(t, &network)
	subnet := target(t, "subnet", unique("sub"), values{"network": text(network.ID), "cidr": text("10.7.0.0/24")})
	b.converge(t, &subnet)
	open := target(t, "subnet", unique("found"), values{"name": cty.UnknownVal(cty.String), "network": text(network.ID), "cidr": text("10.7.0.0/24")})
	spec := *open.Spec.(*unit.Resource)
	spec.Lookup = true
	spec.Resolve = func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
		all := spec.Desired.AsValueMap()
		if seen, ok := outputs[subnet.Address]; ok {
			all["name"] = seen.GetAttr("name")
		}
		return cty.ObjectVal(all), nil
	}
	open.Spec = &spec
	states, err := b.Observe(t.Context(), []unit.Target{open, subnet})
	if err != nil || states[open.Address].ID != subnet.ID {
		t.Errorf("got %+v, %v", states[open.Address], err)
	}
}
