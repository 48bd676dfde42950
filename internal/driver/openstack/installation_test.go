package openstack_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// installation is what outlives a process of ours: its inventory and the key of its marks. Every pass is one of a
// new process, with a connection and an inventory read anew.
type installation struct {
	*bench
	prefix  string // begins the names of all that is its own
	options openstack.Options
	store   *records
	marker  inventory.Marker
	deletes int             // how many objects may go at once, 0 for as many as usual
	kinds   map[string]bool // that there ever was an object wanted of
}

func newInstallation(t testing.TB, prefix string) *installation {
	t.Helper()
	return newInstallationUnder(t, prefix, nil)
}

// newInstallationUnder has another control of the faults than one with a seed of its own.
func newInstallationUnder(t testing.TB, prefix string, control *faultproxy.Control) *installation {
	t.Helper()
	x := &installation{
		prefix: unique(prefix), kinds: map[string]bool{}, store: &records{shards: map[string]inventory.Shard{}},
		marker: inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough")),
	}
	x.bench = newBenchUnder(t, control, func(o *openstack.Options) { x.options = *o })
	return x
}

// passes is how many passes in a row may leave something undone: a pass ends with what a service has turned down, and
// the next one tries it again.
const passes = 4

// settle makes passes until one leaves everything as it is wanted, and nothing else on record.
func (x *installation) settle(ctx context.Context, targets []unit.Target) error {
	return x.settleUnits(ctx, unitsOf(targets))
}

func (x *installation) settleUnits(ctx context.Context, units []unit.Unit) error {
	var err error
	for range passes {
		limited, cancel := context.WithTimeout(ctx, 5*time.Minute)
		err = x.pass(limited, x.store, units)
		cancel()
		if err == nil {
			return nil
		}
	}
	return fmt.Errorf("after %d passes %w", passes, err)
}

// unitsOf makes units of targets that need nothing of each other.
func unitsOf(targets []unit.Target) []unit.Unit {
	var units []unit.Unit
	for _, tg := range targets {
		units = append(units, unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource, MayLose: true})
	}
	return units
}

// pass is one pass of a new process with a store, which ends when nothing more moves, or with the context. The error
// tells what is not as it is wanted.
func (x *installation) pass(ctx context.Context, store inventory.Store, units []unit.Unit) error {
	for _, u := range units {
		x.kinds[u.Spec.(*unit.Resource).Kind] = true
	}
	kept, err := inventory.Open(ctx, store)
	if err != nil {
		return err
	}
	options := x.options
	options.Grants = kept
	d := openstack.New(options)
	defer d.Close()
	r := &engine.Revision{ID: rand.Text(), Units: units, Deployment: inventory.Deployment{Cloud: "demo"}}
	e := engine.New(engine.Options{Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: x.marker, MaxDeletes: plan.AtMost(x.deletes)})
	if err := e.Converge(ctx, r, time.Second); err != nil {
		return err
	}
	if refused := e.Snapshot().Refused; refused.HasErrors() {
		return fmt.Errorf("the plan was refused: %s", refused[0].Summary)
	}
	for _, u := range e.Snapshot().Units {
		if u.Phase != engine.PhaseReady && u.Phase != engine.PhaseGone {
			return fmt.Errorf("%s is %s: %s", u.Address, u.Phase, u.Reason)
		}
	}
	if n := len(kept.Entries()); n != len(units) {
		return fmt.Errorf("%d units are on record, %d are wanted", n, len(units))
	}
	return nil
}

// holds asserts what there is of its own in the cloud, asked for past the proxies: one of each that is wanted, and
// nothing else of the kinds that ever were.
func (x *installation) holds(t *testing.T, targets []unit.Target) {
	t.Helper()
	x.holdsUnits(t, unitsOf(targets))
}

func (x *installation) holdsUnits(t *testing.T, units []unit.Unit) {
	t.Helper()
	lists := map[string]struct{ service, path, many string }{
		"network":        {"network", "v2.0/networks?fields=name", "networks"},
		"subnet":         {"network", "v2.0/subnets?fields=name", "subnets"},
		"port":           {"network", "v2.0/ports?fields=name", "ports"},
		"security_group": {"network", "v2.0/security-groups?fields=name", "security_groups"},
		"router":         {"network", "v2.0/routers?fields=name", "routers"},
		"keypair":        {"compute", "os-keypairs", "keypairs"},
		"volume":         {"volumev3", "volumes?all_tenants=1", "volumes"},
		"volume_type":    {"volumev3", "types?is_public=None", "volume_types"},
	}
	want, have := map[string]int{}, map[string]int{}
	for _, u := range units {
		spec := u.Spec.(*unit.Resource)
		if _, counts := lists[spec.Kind]; counts {
			want[spec.Kind+" "+spec.Desired.GetAttr("name").AsString()]++
		}
	}
	for kind, at := range lists {
		if !x.kinds[kind] {
			continue
		}
		all, _ := request(t, at.service, http.MethodGet, at.path, nil)[at.many].([]any)
		for _, one := range all {
			raw, _ := one.(map[string]any)
			if inner, wrapped := raw[kind].(map[string]any); wrapped {
				raw = inner
			}
			if name, _ := raw["name"].(string); strings.HasPrefix(name, x.prefix) {
				have[kind+" "+name]++
			}
		}
	}
	if !maps.Equal(have, want) {
		t.Errorf("in the cloud are %v, want %v", have, want)
	}
}

func kindOfTarget(tg unit.Target) string { return tg.Spec.(*unit.Resource).Kind }
