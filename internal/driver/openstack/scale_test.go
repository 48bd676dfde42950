//go:build beds

package openstack_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/memory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
	bed "github.com/kupenstack/kupenstack-sync/test/openstack"
)

// The limits of [BenchmarkScale].
const (
	manyObjects  = 10000
	mostMiB      = 200
	mostGrowth   = 2.2 // of the time with twice as many
	passesTimed  = 5
	roundsTimed  = 2
	passPatience = 5 * time.Minute
)

// The variables that the measured process is told by what to do.
const (
	scaleObjects = "KUPENSTACK_BENCH_OBJECTS"
	scaleRecords = "KUPENSTACK_BENCH_RECORDS"
)

// BenchmarkScale has a process of its own look again and again at a cloud that is as it is wanted, of half as many
// objects and of all. Neutron does not make as many in any time to wait for: one network with its subnet is made, and
// its database gets the others as copies of it. What it answers of them, and the time that takes, is its own.
func BenchmarkScale(b *testing.B) {
	if n, err := strconv.Atoi(os.Getenv(scaleObjects)); err == nil {
		measurePasses(b, n)
		return
	}
	x := newInstallation(b, "scale")
	l := newBare(b, x)
	made, _, err := l.create(b.Context(), 0, 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	original, err := networks.Get(b.Context(), l.client, made[0].network).Extract()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var half, all measured
		for range roundsTimed { // by turns: the machine is slower at times for all that run on it
			half, all = half.and(scale(b, original, manyObjects/2)), all.and(scale(b, original, manyObjects))
		}
		growth := all.Seconds / half.Seconds
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(half.Seconds, "half-s/pass")
		b.ReportMetric(all.Seconds, "s/pass")
		b.ReportMetric(growth, "growth")
		b.ReportMetric(all.MiB, "MiB")
		if growth > mostGrowth {
			b.Errorf("with twice as many objects a pass takes %.2f times as long, want at most %v", growth, mostGrowth)
		}
		if all.MiB > mostMiB {
			b.Errorf("a pass takes %.1f MiB, want at most %d", all.MiB, mostMiB)
		}
	}
}

// measured is what a process tells of its passes.
type measured struct {
	Seconds float64 // of the quickest, as others use the machine meanwhile
	MiB     float64 // of the largest
}

// and is what two processes tell of as many objects; the zero value tells of none.
func (m measured) and(other measured) measured {
	if m.Seconds == 0 || other.Seconds < m.Seconds {
		m.Seconds = other.Seconds
	}
	m.MiB = max(m.MiB, other.MiB)
	return m
}

// scale runs passes over n objects in a process of its own.
func scale(b *testing.B, original *networks.Network, n int) measured {
	b.Helper()
	cloud := sharedCloud(b)
	dir := b.TempDir()
	copies := recordBulk(b, dir, original.ProjectID, bulkUnits(b, "scale", n/2))
	err := cloud.CopyNetwork(b.Context(), original.ID, copies)
	if errors.Is(err, bed.ErrNotOurs) {
		b.Skip(err)
	}
	defer func() { // also of what was not all copied
		if err := cloud.RemoveCopies(context.WithoutCancel(b.Context()), copies); err != nil {
			b.Error(err)
		}
	}()
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 2*passPatience)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0], "-test.run", "^$", "-test.bench", "^BenchmarkScale$", "-test.benchtime", "1x")
	command.Env = append(os.Environ(), scaleObjects+"="+strconv.Itoa(n), scaleRecords+"="+dir, "GOGC=") // as the commands have it
	out, err := command.CombinedOutput()
	if err != nil {
		b.Fatalf("%v:\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		var m measured
		if _, found, ok := strings.Cut(line, "measured "); ok && json.Unmarshal([]byte(found), &m) == nil {
			b.Log(line)
			return m
		}
	}
	b.Fatalf("no measure in\n%s", out)
	return measured{}
}

// bulkUnits are so many networks, each with a subnet.
func bulkUnits(t testing.TB, prefix string, n int) []unit.Unit {
	t.Helper()
	var ranges strings.Builder
	for i := range n {
		fmt.Fprintf(&ranges, "    \"%s-%d\" = \"10.%d.%d.0/24\"\n", prefix, i, i/256, i%256)
	}
	m, ev := composed.Text(t, fmt.Sprintf(`cloud "lab" {
  openstack {
    cloud = "lab"
  }
}
locals {
  networks = {
%s  }
}
network "bulk" {
  for_each    = local.networks
  name        = each.key
  description = "one of many"
}
subnet "bulk" {
  for_each    = local.networks
  name        = each.key
  network     = network.bulk[each.key]
  cidr        = each.value
  enable_dhcp = false
}
`, ranges.String()))
	units, diags := compose.Compose(m, ev, compose.Facts{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return units
}

func bulkMarker() inventory.Marker {
	return inventory.NewMarker("bulk", redact.NewSecret("a key that is long enough"))
}

// recordBulk puts the inventory of a project that has all units into a directory, and returns the networks of that
// project, each with its subnet.
func recordBulk(b *testing.B, dir, project string, units []unit.Unit) []bed.NetworkCopy {
	b.Helper()
	kept, err := inventory.Open(b.Context(), files(dir))
	if err != nil {
		b.Fatal(err)
	}
	who := plan.Identity{Marker: bulkMarker()}
	outputs, at := map[addr.Object]cty.Value{}, map[string]int{}
	var copies []bed.NetworkCopy
	var writes sync.WaitGroup
	for i := range units {
		u := &units[i]
		desired, diags := plan.Desired(u, func(a addr.Object) cty.Value { return outputs[a] })
		if diags.HasErrors() {
			b.Fatal(diags)
		}
		entry := who.First(u, unit.State{Existence: unit.Absent})
		entry.ID = uuid.NewString()
		name, mark := desired.GetAttr("name").AsString(), "["+bulkMarker().Mark(entry.UID)+"]"
		switch kind := u.Address.Kind(); kind {
		case "network":
			seen := map[string]cty.Value{}
			for attribute, t := range u.Spec.(*unit.Resource).Block.ObjectType().AttributeTypes() {
				seen[attribute] = cty.NullVal(t)
			}
			seen["id"] = cty.StringVal(entry.ID)
			outputs[u.Address] = cty.ObjectVal(seen)
			at[entry.ID] = len(copies)
			copies = append(copies, bed.NetworkCopy{ID: entry.ID, Name: name, Description: desired.GetAttr("description").AsString() + " " + mark})
		case "subnet":
			below := &copies[at[desired.GetAttr("network").AsString()]]
			below.SubnetID, below.SubnetName, below.SubnetAbout = entry.ID, name, mark
			below.CIDR = netip.MustParsePrefix(desired.GetAttr("cidr").AsString())
		default:
			b.Fatalf("what is %s?", u.Address)
		}
		entry.Phase, entry.Applied, entry.Edges, entry.Set = inventory.Owned, plan.Applied(u, desired), inventory.EdgesOf(u), plan.Set(u, desired, inventory.Entry{})
		entry.Locator.Project = project
		writes.Go(func() {
			if err := kept.Put(b.Context(), entry); err != nil {
				b.Error(err)
			}
		})
	}
	writes.Wait()
	return copies
}

// measurePasses is what the measured process does.
func measurePasses(b *testing.B, n int) {
	memory.Spare() // as the commands do
	var rest memory.Rest
	units := bulkUnits(b, "scale", n/2)
	store := &counted{files: files(os.Getenv(scaleRecords))}
	kept, err := inventory.Open(b.Context(), store)
	if err != nil {
		b.Fatal(err)
	}
	credentials := credentialsOf(b, sharedCloud(b))
	d := openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) { return credentials, nil }})
	defer d.Close()
	e := engine.New(engine.Options{Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept, Marker: bulkMarker()})
	wanted := &engine.Revision{ID: "one", Units: units, Deployment: inventory.Deployment{Cloud: "lab"}}
	ctx, cancel := context.WithTimeout(b.Context(), passPatience)
	defer cancel()
	var m measured
	largest := watchMemory(ctx)
	for i := range passesTimed {
		began := processorTime(b)
		if err := e.Converge(ctx, wanted, time.Second); err != nil {
			b.Fatal(err)
		}
		s := e.Snapshot()
		rest.GiveBack()
		took := (processorTime(b) - began).Seconds()
		if i == 0 || took < m.Seconds {
			m.Seconds = took
		}
		if len(s.Units) != n {
			b.Fatalf("%d units", len(s.Units))
		}
		for _, u := range s.Units {
			if u.Phase != engine.PhaseReady || len(u.Did) > 0 {
				b.Fatalf("%s is %s: %s, %v", u.Address, u.Phase, u.Reason, u.Did)
			}
		}
	}
	if store.puts > 0 {
		b.Fatalf("%d writes of the inventory", store.puts)
	}
	m.MiB = largest()
	text, _ := json.Marshal(m)
	fmt.Printf("measured %s\n", text)
}

// processorTime is what this process has used of the processors. A pass waits for nothing but the answers of a server
// beside it, and the time by the clock is that of everything else on the machine.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// watchMemory watches the memory that only this process has, and tells how much it was at most.
func watchMemory(ctx context.Context) func() float64 {
	var mutex sync.Mutex
	largest := 0.0
	look := func() {
		now := anonymousMiB()
		mutex.Lock()
		defer mutex.Unlock()
		largest = max(largest, now)
	}
	ticker := time.NewTicker(10 * time.Millisecond)
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				look()
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() float64 {
		look()
		mutex.Lock()
		defer mutex.Unlock()
		return largest
	}
}

// anonymousMiB is the memory that is neither code nor files.
func anonymousMiB() float64 {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer status.Close()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		var kib float64
		if _, err := fmt.Sscanf(lines.Text(), "RssAnon: %f kB", &kib); err == nil {
			return kib / 1024
		}
	}
	return 0
}

// files keeps the shards of an inventory in a directory, so that they take no memory of who uses it.
type files string

func (f files) Load(context.Context) (map[string]inventory.Shard, error) {
	names, err := os.ReadDir(string(f))
	if err != nil {
		return nil, err
	}
	shards := map[string]inventory.Shard{}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(string(f), name.Name()))
		if err != nil {
			return nil, err
		}
		shards[name.Name()] = inventory.Shard{Data: data, Version: "1"}
	}
	return shards, nil
}

func (f files) Put(_ context.Context, name string, data []byte, _ string) (string, error) {
	return "1", os.WriteFile(filepath.Join(string(f), name), data, 0o600)
}

// counted counts writes.
type counted struct {
	files
	puts int
}

func (c *counted) Put(context.Context, string, []byte, string) (string, error) {
	c.puts++
	return "", errors.New("nothing is to be written")
}
