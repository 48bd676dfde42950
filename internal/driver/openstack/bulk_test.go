//go:build beds

package openstack_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// The limits of [BenchmarkBulk].
const (
	bulkPairs    = 300  // networks, each with a subnet
	leastCreates = 0.9  // of the rate of a bare loop
	leastPlan    = 10.0 // times as fast as one request for each object
	getsAtOnce   = 10
	probePairs   = 15 // that the best number of workers is found out with
)

// bare is a loop of a client that does nothing but create, ask for and delete: what others are measured by.
type bare struct {
	client *gophercloud.ServiceClient
	prefix string
}

// pair is a network with its subnet.
type pair struct{ network, subnet string }

// each calls something for n numbers, so many at once.
func each(n, atOnce int, do func(i int) error) error {
	var all sync.WaitGroup
	next, failed := make(chan int), make(chan error, atOnce)
	for range atOnce {
		all.Go(func() {
			var err error
			for i := range next {
				if err == nil {
					err = do(i)
				}
			}
			failed <- err
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// create makes networks with the numbers from first on, each with a subnet, and returns how many objects that are in
// a second.
func (l *bare) create(ctx context.Context, first, n, atOnce int) (pairs []pair, rate float64, err error) {
	pairs = make([]pair, n)
	began := time.Now()
	err = each(n, atOnce, func(i int) error {
		name := fmt.Sprintf("%s-%d", l.prefix, first+i)
		network, err := networks.Create(ctx, l.client, networks.CreateOpts{Name: name, Description: "one of many"}).Extract()
		if err != nil {
			return err
		}
		pairs[i].network = network.ID
		no := false
		subnet, err := subnets.Create(ctx, l.client, subnets.CreateOpts{
			NetworkID: network.ID, Name: name, IPVersion: gophercloud.IPv4, CIDR: fmt.Sprintf("10.%d.%d.0/24", (first+i)/256, (first+i)%256), EnableDHCP: &no,
		}).Extract()
		if err == nil {
			pairs[i].subnet = subnet.ID
		}
		return err
	})
	return pairs, float64(2*n) / time.Since(began).Seconds(), err
}

// get asks for each object by itself.
func (l *bare) get(ctx context.Context, pairs []pair) (time.Duration, error) {
	began := time.Now()
	err := each(2*len(pairs), getsAtOnce, func(i int) error {
		if at := pairs[i/2]; i%2 == 1 {
			return subnets.Get(ctx, l.client, at.subnet).Err
		}
		return networks.Get(ctx, l.client, pairs[i/2].network).Err
	})
	return time.Since(began), err
}

// remove deletes the networks of that prefix, and their subnets with them.
func (l *bare) remove(ctx context.Context) error {
	pages, err := networks.List(l.client, networks.ListOpts{}).AllPages(ctx)
	if err != nil {
		return err
	}
	all, err := networks.ExtractNetworks(pages)
	if err != nil {
		return err
	}
	return each(len(all), getsAtOnce, func(i int) error {
		if !strings.HasPrefix(all[i].Name, l.prefix) {
			return nil
		}
		err := networks.Delete(ctx, l.client, all[i].ID).ExtractErr()
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return nil
		}
		return err
	})
}

// newBare logs in through the proxies that the driver's requests go through as well.
func newBare(b *testing.B, x *installation) *bare {
	b.Helper()
	cloud := sharedCloud(b)
	provider, err := cloud.ProviderAt(b.Context(), x.fleet.URL("identity"))
	if err != nil {
		b.Fatal(err)
	}
	client, err := gopher.NewNetworkV2(provider, gophercloud.EndpointOpts{Region: cloud.Region})
	if err != nil {
		b.Fatal(err)
	}
	l := &bare{client: client, prefix: x.prefix}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		if err := l.remove(ctx); err != nil {
			b.Error(err)
		}
	})
	return l
}

// BenchmarkBulk has an empty inventory get very many objects at once, and then plans them again and again, beside a
// client that does the same without anything around it.
func BenchmarkBulk(b *testing.B) {
	x := newInstallation(b, "bulk")
	l := newBare(b, x)
	units := bulkUnits(b, x.prefix+"-ours", bulkPairs)
	first := applyBulk(b, x, l, units) // once, however often a benchmark is repeated
	b.Run("FirstApply", first.report)
	b.Run("Plan", func(b *testing.B) { benchmarkPlan(b, x, l, units) })
}

// creation is how many objects were created in a second.
type creation struct {
	ours, bare float64
	workers    int // of the bare loop
}

// applyBulk makes the objects by one pass of ours, and as many by the bare loop: half before and half after, as both
// use one machine with others.
func applyBulk(b *testing.B, x *installation, l *bare, units []unit.Unit) creation {
	b.Helper()
	var c creation
	best, next := 0.0, 0
	bare := func(n, workers int) float64 {
		_, rate, err := l.create(b.Context(), next, n, workers)
		if err != nil {
			b.Fatal(err)
		}
		next += n
		return rate
	}
	bare(probePairs, getsAtOnce) // connections, and whatever services do when they are asked for the first time
	for _, workers := range []int{2, 4, 6, 8, 12, 16} {
		rate := bare(probePairs, workers)
		b.Logf("a bare loop of %d workers creates %.1f objects in a second", workers, rate)
		if rate > best {
			best, c.workers = rate, workers
		}
	}
	before := bare(bulkPairs/2, c.workers)
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	requests, began := x.fleet.Counts(), time.Now()
	if err := x.pass(ctx, x.store, units); err != nil {
		b.Fatal(err)
	}
	c.ours = float64(len(units)) / time.Since(began).Seconds()
	b.Log(x.fleet.Counts().Since(requests))
	after := bare(bulkPairs/2, c.workers)
	c.bare = 2 / (1/before + 1/after)
	b.Logf("bare %.1f, ours %.1f, bare %.1f in a second", before, c.ours, after)
	return c
}

func (c creation) report(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(c.ours, "objects/s")
	b.ReportMetric(c.bare, "bare-objects/s")
	b.ReportMetric(float64(c.workers), "bare-workers")
	b.ReportMetric(c.ours/c.bare, "ratio")
	if ratio := c.ours / c.bare; ratio < leastCreates {
		b.Errorf("a first apply creates %.2f times as fast as a bare loop, want at least %v", ratio, leastCreates)
	}
}

// benchmarkPlan plans what is in sync, and then asks for each object by itself.
func benchmarkPlan(b *testing.B, x *installation, l *bare, units []unit.Unit) {
	kept, err := inventory.Open(b.Context(), x.store)
	if err != nil {
		b.Fatal(err)
	}
	ids := map[addr.Object]string{}
	for _, entry := range kept.Entries() {
		ids[entry.Address] = entry.ID
	}
	var pairs []pair
	for a, id := range ids {
		if a.Kind() == "network" {
			pairs = append(pairs, pair{id, ids[addr.MustParseObject(strings.Replace(a.String(), "network", "subnet", 1))]})
		}
	}
	few, fewKept := someOf(b, kept, units, "0", "1", "2")
	var planned, asked time.Duration
	n := 0
	for b.Loop() {
		some := x.plan(b, fewKept, few)
		began := time.Now()
		all := x.plan(b, x.store, units)
		planned += time.Since(began)
		if some.Total() != all.Total() || all.Of(http.MethodGet, "/v2.0/networks") != 1 || all.Of(http.MethodGet, "/v2.0/subnets") != 1 {
			b.Errorf("to plan few objects took the requests\n%v\nand to plan %d\n%v", some, len(units), all)
		}
		took, err := l.get(b.Context(), pairs)
		if err != nil {
			b.Fatal(err)
		}
		asked += took
		n++
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(planned.Seconds()/float64(n), "s/plan")
	b.ReportMetric(asked.Seconds()/float64(n), "s/gets")
	b.ReportMetric(asked.Seconds()/planned.Seconds(), "ratio")
	if ratio := asked.Seconds() / planned.Seconds(); ratio < leastPlan {
		b.Errorf("a plan is %.1f times as fast as one request for each object, want at least %v", ratio, leastPlan)
	}
}

// someOf are the units of some numbers, and an inventory that has only these.
func someOf(b *testing.B, all *inventory.Inventory, units []unit.Unit, numbers ...string) ([]unit.Unit, *records) {
	b.Helper()
	store := &records{shards: map[string]inventory.Shard{}}
	kept, err := inventory.Open(b.Context(), store)
	if err != nil {
		b.Fatal(err)
	}
	var some []unit.Unit
	for _, u := range units {
		key, _ := u.Address.Key().Value()
		if !slices.Contains(numbers, key[strings.LastIndex(key, "-")+1:]) {
			continue
		}
		some = append(some, u)
		entry, _ := all.Entry(u.Address)
		if err := kept.Put(b.Context(), entry); err != nil {
			b.Fatal(err)
		}
	}
	return some, store
}

// plan is a plan of a new process, which finds nothing to be done. It returns the requests that took.
func (x *installation) plan(b *testing.B, store inventory.Store, units []unit.Unit) faultproxy.Counts {
	b.Helper()
	before := x.fleet.Counts()
	kept, err := inventory.Open(b.Context(), store)
	if err != nil {
		b.Fatal(err)
	}
	d := openstack.New(x.options)
	defer d.Close()
	e := engine.New(engine.Options{Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: x.marker})
	p, err := e.Plan(b.Context(), &engine.Revision{ID: "again", Units: units, Deployment: inventory.Deployment{Cloud: "demo"}})
	if err != nil || !p.Empty() || len(p.Changes) != len(units) {
		b.Fatalf("the plan of %d units in sync: %+v, %v", len(units), p, err)
	}
	return x.fleet.Counts().Since(before)
}
