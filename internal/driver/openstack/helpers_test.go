package openstack_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	bed "github.com/kupenstack/kupenstack-sync/test/openstack"
)

var _ engine.Driver = (*openstack.Driver)(nil)

// bench is a driver on the shared cloud. Its requests go through a proxy that counts them.
type bench struct {
	*openstack.Driver
	fleet *faultproxy.Fleet

	served *http.ServeMux // what there is at images, which is where images may come from
	images string
}

func credentialsOf(t testing.TB, cloud *bed.Cloud) openstack.Credentials {
	t.Helper()
	content, err := os.ReadFile(cloud.CloudsYAML)
	if err != nil {
		t.Skipf("the credentials of a foreign cloud are not known here: %v", err)
	}
	credentials, err := openstack.FromClouds(content, cloud.Name)
	if err != nil {
		t.Fatal(err)
	}
	return credentials
}

func newBench(t testing.TB, change ...func(*openstack.Options)) *bench {
	t.Helper()
	return newBenchUnder(t, nil, change...)
}

// newBenchUnder has another control of the faults than one with a seed of its own.
func newBenchUnder(t testing.TB, control *faultproxy.Control, change ...func(*openstack.Options)) *bench {
	t.Helper()
	cloud := sharedCloud(t)
	fleet := faultproxy.StartFleet(t, cloud.Endpoints, faultproxy.Options{Transport: cloud.Transport(), Control: control, Ahead: faultproxy.Creates})
	credentials := credentialsOf(t, cloud)
	credentials.Place = credentials.Over(openstack.Place{AuthURL: fleet.URL("identity")})
	served := http.NewServeMux()
	images := httptest.NewServer(served)
	t.Cleanup(images.Close)
	options := openstack.Options{
		Language: language(), UserAgent: "kupenstack-test", Settle: time.Second, // as faults that are done at once come by the dozen
		Connect: func(context.Context) (openstack.Credentials, error) { return credentials, nil },
	}
	from(t, images.URL)(&options)
	for _, c := range change {
		c(&options)
	}
	d := openstack.New(options)
	t.Cleanup(d.Close)
	return &bench{Driver: d, fleet: fleet, served: served, images: images.URL}
}

// from has images come from there.
func from(t testing.TB, source string) func(*openstack.Options) {
	t.Helper()
	sources, err := openstack.ParseSources([]string{source})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *openstack.Options) { o.Sources = sources }
}

func language() *schema.Definition { return schema.New() }

func unique(prefix string) string { return prefix + "-" + strings.ToLower(rand.Text()[:8]) }

// values are written attributes.
type values map[string]cty.Value

func text(s string) cty.Value { return cty.StringVal(s) }

func list(texts ...string) cty.Value {
	var elements []cty.Value
	for _, s := range texts {
		elements = append(elements, cty.StringVal(s))
	}
	return cty.ListVal(elements)
}

func set(texts ...string) cty.Value { return cty.SetVal(list(texts...).AsValueSlice()) }

// desired makes the value of a kind, with null for what is not written.
func desired(t testing.TB, kind string, written values) cty.Value {
	t.Helper()
	all := map[string]cty.Value{}
	types := language().Resource(kind).DesiredType().AttributeTypes()
	for name := range written {
		if _, ok := types[name]; !ok {
			t.Fatalf("%s has no attribute %s", kind, name)
		}
	}
	for name, inner := range types {
		v, ok := written[name]
		switch {
		case ok:
			all[name] = fill(v, inner)
		case language().Resource(kind).Nested(name) != nil:
			all[name] = cty.ListValEmpty(inner.ElementType())
		default:
			all[name] = cty.NullVal(inner)
		}
	}
	return cty.ObjectVal(all)
}

// fill adds what an object, or each in a list, lacks of its type.
func fill(v cty.Value, t cty.Type) cty.Value {
	switch {
	case v.IsNull() || !v.IsKnown() || v.IsMarked():
		return v
	case t.IsObjectType():
		all := map[string]cty.Value{}
		for name, inner := range t.AttributeTypes() {
			if all[name] = cty.NullVal(inner); v.Type().HasAttribute(name) {
				all[name] = v.GetAttr(name)
			}
		}
		return cty.ObjectVal(all)
	case t.IsListType() && t.ElementType().IsObjectType() && v.LengthInt() > 0:
		var elements []cty.Value
		for _, e := range v.AsValueSlice() {
			elements = append(elements, fill(e, t.ElementType()))
		}
		return cty.ListVal(elements)
	}
	return v
}

// target makes a unit that nothing is known of yet.
func target(t testing.TB, kind, label string, written values) unit.Target {
	t.Helper()
	address, err := addr.NewObject(addr.Module{}, addr.Managed, kind, label, addr.Key{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := written["name"]; !ok && language().Resource(kind).Attribute("name") != nil {
		written["name"] = text(label)
	}
	spec := &unit.Resource{Kind: kind, Block: language().Resource(kind), Desired: desired(t, kind, written)}
	return unit.Target{
		Address: address, Spec: spec, Locator: spec.Locator(), UID: rand.Text(), Mark: "kupenstack:" + strings.ToLower(rand.Text()[:16]), Fresh: true,
	}
}

// with returns the target with other attributes, as after a change of the configuration.
func with(t *testing.T, target unit.Target, written values) unit.Target {
	t.Helper()
	old := target.Spec.(*unit.Resource)
	all := old.Desired.AsValueMap()
	types := old.Block.DesiredType().AttributeTypes()
	for name, v := range written {
		all[name] = fill(v, types[name])
	}
	spec := *old
	spec.Desired = cty.ObjectVal(all)
	target.Spec = &spec
	return target
}

func wantedOf(target unit.Target) cty.Value { return target.Spec.(*unit.Resource).Desired }

// see observes a target as a look at everything does, which finds all that others did.
func (b *bench) see(t *testing.T, target unit.Target) unit.State {
	t.Helper()
	target.Anew = true
	return b.look(t, target)
}

// look observes a target, and need not ask anew for what no list says.
func (b *bench) look(t *testing.T, target unit.Target) unit.State {
	t.Helper()
	states, err := b.Observe(t.Context(), []unit.Target{target})
	if err != nil {
		t.Fatalf("observe %s: %v", target.Address, err)
	}
	return states[target.Address]
}

// compare observes a target and compares it.
func (b *bench) compare(t *testing.T, target unit.Target) (unit.State, unit.Diff) {
	t.Helper()
	st := b.see(t, target)
	return st, b.Compare(target, wantedOf(target), st)
}

// converge takes steps until nothing is left to do, and fills in the id.
func (b *bench) converge(t *testing.T, target *unit.Target) unit.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	wait := shortPause
	for {
		st, diff := b.compare(t, *target)
		if st.Owned && target.ID == "" {
			target.ID, target.Fresh = st.ID, false
			b.remove(t, *target)
		}
		switch {
		case diff.Action == unit.ActionNone && st.Ready():
			return st
		case st.Health == unit.HealthFailed:
			t.Fatalf("%s failed: %s", target.Address, st.Message)
		case diff.Action != unit.ActionNone:
			after, err := b.Apply(ctx, *target, wantedOf(*target), st)
			if unit.RetryAfter(err) > 0 {
				pause(ctx, t) // an attempt before it may still come to something
				continue
			}
			if err != nil {
				t.Fatalf("%s %s: %v", diff.Action, target.Address, err)
			}
			if after.Owned && target.ID == "" {
				target.ID, target.Fresh = after.ID, false
				b.remove(t, *target)
			}
		default:
			pauseFor(ctx, t, wait)
			wait = min(wait*3/2, time.Second) // to look takes the services a good part of what they have, and they are at work
		}
	}
}

const shortPause = 200 * time.Millisecond

// pause waits a little, as these APIs have nothing to watch.
func pause(ctx context.Context, t *testing.T) {
	t.Helper()
	pauseFor(ctx, t, shortPause)
}

func pauseFor(ctx context.Context, t *testing.T, long time.Duration) {
	t.Helper()
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	case <-timer.C:
	}
}

// destroy deletes a target until it is gone.
func (b *bench) destroy(ctx context.Context, t *testing.T, target unit.Target) error {
	t.Helper()
	st := unit.State{Existence: unit.Present}
	for wait := shortPause; ; wait = min(wait*3/2, time.Second) {
		var err error
		if st, err = b.Delete(ctx, target, st); err != nil || st.Gone() {
			return err
		}
		pauseFor(ctx, t, wait)
	}
}

// remove cleans up when the test ends, once more after an error, as the engine does: on a busy machine a
// service may answer too late.
func (b *bench) remove(t *testing.T, target unit.Target) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		err := b.destroy(ctx, t, target)
		if err != nil {
			t.Logf("clean up %s, first attempt: %v", target.Address, err)
			err = b.destroy(ctx, t, target)
		}
		if err != nil {
			t.Errorf("clean up %s: %v", target.Address, err)
		}
	})
}

const imagesPath = "/v2/images"

// settled asserts that a unit is as wanted and that seeing so once more costs only these lists.
func (b *bench) settled(t *testing.T, target unit.Target, paths ...string) {
	t.Helper()
	b.see(t, target)
	before := b.fleet.Counts()
	st := b.look(t, target)
	diff := b.Compare(target, wantedOf(target), st)
	if diff.Action != unit.ActionNone || len(diff.Fields) > 0 || !st.Ready() {
		t.Errorf("%s is as wanted, but the diff is %+v, the state %+v", target.Address, diff, st)
	}
	counts := b.fleet.Counts().Since(before)
	total := len(paths)
	asked := map[string]int{}
	for _, path := range paths {
		asked[path]++
	}
	for path, want := range asked {
		n := counts.Of("GET", path)
		if n > 1 && (path == "/v3/users" || path == "/v3/groups") { // one for each domain that seems to have none
			total, n = total+n-1, 1
		}
		if path == imagesPath { // and those that are hidden
			total, want = total+1, 2
		}
		if n != want {
			t.Errorf("%d lists of %s, want %d", n, path, want)
		}
	}
	if n := counts.Total(); n != total {
		t.Errorf("%d requests, want %d:\n%v", n, total, counts)
	}
}
