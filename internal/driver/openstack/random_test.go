package openstack_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"

	"github.com/zclconf/go-cty/cty"
)

const (
	runsVariable = faultproxy.RunsVariable
	fewRuns      = 5
	// atOnce is how many runs go on at once: nearly all of their time goes by in waits, of 30 seconds after what was cut off.
	atOnce = 20
	// randomRevisions follow each other in one run.
	randomRevisions = 3
	// Each kind of fault comes with a chance to the first few requests about each thing.
	faultChance, faultFirst = 0.01, 2
	// killChance is that of a request that changes something to be the one at which the process is killed; it is this
	// one at the latest.
	killChance, killLatest = 0.2, 8
)

// TestBedRandomFaults has small configurations of chance come one after another while requests fail by chance and the
// process is killed at requests of chance. In the end everything is as the last one wants it, once, and nothing besides.
func TestBedRandomFaults(t *testing.T) {
	t.Parallel()
	sharedCloud(t) // without one, it is skipped as a whole
	seed, count := faultproxy.Seed(t), fewRuns
	if given := os.Getenv(runsVariable); given != "" {
		var err error
		if count, err = strconv.Atoi(given); err != nil || count < 1 {
			t.Fatalf("%s is %q", runsVariable, given)
		}
	}
	var came atomic.Int64
	for first := 0; first < count; first += atOnce {
		t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) { // what it made goes before the next ones come
			var all sync.WaitGroup
			var runs []*randomRun
			for i := first; i < min(first+atOnce, count); i++ {
				r := newRandomRun(t, seed, strconv.Itoa(i))
				runs = append(runs, r)
				all.Go(func() { r.err = r.through(t.Context()) })
			}
			all.Wait()
			for i, r := range runs {
				came.Add(r.came.Load())
				t.Run(strconv.Itoa(first+i), func(t *testing.T) {
					if r.err != nil {
						t.Fatalf("seed %d: %v", seed, r.err)
					}
					last := r.revisions[randomRevisions-1]
					r.holdsUnits(t, last)
					r.holdsParts(t, last)
					r.rests(t, last)
				})
			}
		})
	}
	if came.Load() < int64(count) {
		t.Errorf("in %d runs %d things went wrong", count, came.Load())
	}
}

// randomRun is one installation on its way through revisions.
type randomRun struct {
	*installation
	chance    *rand.Rand
	kept      *drawer
	ranges    [2]int // how many each subnet has had
	revisions [][]unit.Unit
	came      atomic.Int64 // faults and kills
	err       error
}

func newRandomRun(t *testing.T, seed uint64, run string) *randomRun {
	t.Helper()
	chance := faultproxy.Rand(seed, "run", run)
	control := faultproxy.NewControl(chance.Uint64())
	r := &randomRun{installation: newInstallationUnder(t, "random", control), chance: chance}
	control.Alias(r.prefix, "") // chance goes by names
	// What was cut off goes on in a service, which took 22 seconds for it on a machine that was busy with other things: so
	// this has the times that the product gives it, and not the moments of other tests. What was given up after ten seconds
	// went on as well, and twenty runs that asked again and again had Neutron answer after half a minute for a quarter of an hour.
	r.options.Timeout, r.options.Settle = 0, 0
	r.kept = &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
	r.options.Keeper, r.deletes = r.kept, 20
	for range randomRevisions {
		r.revisions = append(r.revisions, r.revision(t))
	}
	t.Cleanup(func() { r.clear(t) })
	return r
}

// revision is a configuration of chance. Its first volume type is always there: one that asks for nothing at all is
// refused.
func (r *randomRun) revision(t *testing.T) []unit.Unit {
	t.Helper()
	var units []unit.Unit
	has := map[addr.Object]bool{}
	maybe := func(kind string, i int, written values) *unit.Unit {
		name := fmt.Sprintf("%s-%s%d", r.prefix, kind, i)
		if r.chance.IntN(3) > 0 && language().Resource(kind).Attribute("description") != nil {
			written["description"] = text(strconv.Itoa(r.chance.IntN(3)))
		}
		tg := target(t, kind, name, written)
		if r.chance.IntN(4) == 0 && (kind != "volume_type" || i > 0) {
			return nil
		}
		units, has[tg.Address] = append(units, unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource, MayLose: true}), true
		return &units[len(units)-1]
	}
	address := func(kind string, i int) addr.Object {
		return addr.MustParseObject(fmt.Sprintf("%s.%s-%s%d", kind, r.prefix, kind, i))
	}
	for i := range 2 {
		maybe("volume_type", i, values{"extra_specs": cty.MapVal(map[string]cty.Value{"a": text(strconv.Itoa(r.chance.IntN(3)))})})
		maybe("security_group", i, values{"rule": cty.ListVal([]cty.Value{ruleValue(80+r.chance.Int64N(2), "web")})})
	}
	for i := range 3 {
		maybe("network", i, values{"mtu": number(1300 + 10*r.chance.Int64N(4))})
	}
	for i := range 2 { // not in the network with the port: one that has addresses of a subnet holds it
		if has[address("network", i)] {
			r.ranges[i] += r.chance.IntN(2) // with another one it is replaced
			cidr := fmt.Sprintf("10.%d.0.0/24", 1+10*i+r.ranges[i])
			refer(maybe("subnet", i, values{"cidr": text(cidr), "enable_dhcp": cty.False}), "network", address("network", i))
		}
	}
	var joined []addr.Object
	for i := range units {
		if kindOfUnit(units[i]) == "subnet" && r.chance.IntN(3) > 0 {
			joined = append(joined, units[i].Address)
		}
	}
	if router := maybe("router", 0, values{"admin_state_up": cty.BoolVal(r.chance.IntN(2) == 0)}); router != nil && len(joined) > 0 {
		refer(router, "subnets", joined...)
		for i := range units { // else Neutron does not let them go
			units[i].CreateFirst = slices.Contains(joined, units[i].Address)
		}
	}
	maybe("keypair", 0, values{"public_key": text(strings.Replace(publicKey, "hqf2", fmt.Sprint("hqf", 2+r.chance.IntN(2)), 1))})
	if pair := maybe("keypair", 1, values{"secret": text("lab/" + r.prefix)}); pair != nil {
		pair.Spec.(*unit.Resource).Keeps = unit.ObjectRef{APIVersion: "v1", Kind: "Secret", Namespace: "lab", Name: r.prefix}
	}
	if has[address("network", 2)] {
		port := maybe("port", 0, values{"security_groups": cty.ListValEmpty(cty.String)})
		refer(port, "network", address("network", 2))
		for i := range 2 {
			if has[address("security_group", i)] && r.chance.IntN(2) == 0 {
				refer(port, "security_groups", address("security_group", i))
				break
			}
		}
	}
	return units
}

// through takes each revision under faults, some with a process that is killed and then one that is not, and at last
// settles the newest without any.
func (r *randomRun) through(ctx context.Context) error {
	for _, wanted := range r.revisions {
		var rules []*faultproxy.Fault
		for _, f := range faults() {
			if !f.late && f.settling == 0 { // what comes late takes longer than a run has time to wait for
				rules = append(rules, r.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Request: pastLogin}, Action: f.action, Probability: faultChance, First: faultFirst}))
			}
		}
		if r.chance.IntN(2) == 0 {
			r.killed(ctx, wanted)
		}
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		_ = r.pass(limited, r.store, wanted) // it may give up under so many faults
		cancel()
		for _, rule := range rules {
			rule.Remove()
			r.came.Add(int64(rule.Fired()))
		}
	}
	return r.settleUnits(ctx, r.revisions[randomRevisions-1])
}

// pastLogin leaves out logins: what a Keystone that turns them down means is another matter.
func pastLogin(q *http.Request) bool { return q.Header.Get("X-Auth-Token") != "" }

// mortal is the store as a process has it: once that is killed, nothing comes from it any more.
type mortal struct {
	*records
	dead atomic.Bool
}

func (m *mortal) Put(ctx context.Context, name string, data []byte, version string) (string, error) {
	if m.dead.Load() {
		return "", errors.New("the process is killed")
	}
	return m.records.Put(ctx, name, data, version)
}

// killed is a pass of a process that is killed at a request of chance, before it arrives or after.
func (r *randomRun) killed(whole context.Context, wanted []unit.Unit) {
	ctx, end := context.WithTimeout(whole, time.Minute)
	defer end()
	store, gone := &mortal{records: r.store}, make(chan struct{})
	kill := func() {
		store.dead.Store(true)
		end()
		<-gone
	}
	at := faultproxy.KillBefore(kill)
	if r.chance.IntN(2) == 0 {
		at = faultproxy.KillAfter(kill)
	}
	changing := func(q *http.Request) bool { return changes(q) && pastLogin(q) }
	death := r.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Request: changing}, Probability: killChance, Latest: killLatest, Limit: 1, Action: at})
	_ = r.pass(ctx, store, wanted) // it has no time to tell
	death.Remove()
	close(gone)
	_ = r.fleet.Settle(whole)
	r.came.Add(int64(death.Fired()))
}
