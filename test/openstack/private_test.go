//go:build beds

package openstack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/aggregates"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"

	bed "github.com/kupenstack/kupenstack-sync/test/openstack"
	"github.com/kupenstack/kupenstack-sync/test/process"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// privateDir makes a directory for a bed of this test's own, where the supervisor finds it.
func privateDir(t testing.TB) string {
	t.Helper()
	parent := filepath.Join(testbed.Dir(t), testbed.PrivateDir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(parent, "openstack-")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// startPrivate starts a bed of this test's own, from the snapshot of the shared one. Its
// progress goes to out.
func startPrivate(t testing.TB, dir string, out io.Writer) *bed.Cloud {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	options, err := ownBed(t).Options(dir)
	if err != nil {
		t.Fatal(err)
	}
	options.Out = io.MultiWriter(t.Output(), out)
	cloud, err := bed.Start(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopPrivate(t, cloud) })
	return cloud
}

func stopPrivate(t testing.TB, cloud *bed.Cloud) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := cloud.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// A private bed through its whole life, in one test because each start costs a minute of a
// processor: hosts that go and come, a stop that leaves nothing, a start that remembers nothing.
func TestLifeOfABed(t *testing.T) {
	t.Parallel()
	dir := privateDir(t)
	others := must(os.CreateTemp("", "#sql-temptable-"))(t) // a table that another database is working with
	defer func() { _ = others.Close(); _ = os.Remove(others.Name()) }()
	cloud := startPrivate(t, dir, io.Discard)
	if _, err := os.Stat(others.Name()); err != nil {
		t.Errorf("the database took a temporary table of another one away: %v", err)
	}
	c := connect(t, cloud)
	scratch := scratchOf(t, dir)

	t.Run("listens only on loopback", func(t *testing.T) { checkListeners(t, dir) })
	t.Run("compute hosts", func(t *testing.T) { stopAndStartComputes(t, dir, c) })
	t.Run("zone with hosts", func(t *testing.T) { fillZone(t, cloud, c) })
	t.Run("Neutron's agents", func(t *testing.T) { neutronAgents(t, cloud, c) })
	t.Run("computes that only report", func(t *testing.T) { reportedComputes(t, cloud, c) })
	t.Run("missed agents", func(t *testing.T) { missedAgents(t, cloud) })

	const name = "made-before-the-stop"
	must(networks.Create(t.Context(), c.network, networks.CreateOpts{Name: name}).Extract())(t)
	stopPrivate(t, cloud)
	if left := processes(t, dir); len(left) > 0 {
		t.Errorf("still running after Stop: %v", left)
	}
	if _, err := os.Stat(scratch); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there after Stop: %v", scratch, err)
	}
	if _, err := bed.Open(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open after Stop gives %v", err)
	}

	var progress strings.Builder
	again := startPrivate(t, dir, &progress)
	if text := progress.String(); !strings.Contains(text, "databases restored") || strings.Contains(text, "migrating") {
		t.Errorf("the second start did not use the snapshot:\n%s", text)
	}
	pages := must(networks.List(connect(t, again).network, nil).AllPages(t.Context()))(t)
	if left := must(networks.ExtractNetworks(pages))(t); len(left) > 0 {
		t.Errorf("the new cloud has %d networks, the first is %q", len(left), left[0].Name)
	}
	if aggregates := must(aggregates.ExtractAggregates(must(aggregates.List(connect(t, again).compute).AllPages(t.Context()))(t)))(t); len(aggregates) > 0 {
		t.Errorf("the new cloud has the aggregate %q", aggregates[0].Name)
	}
}

// stopAndStartComputes uses a second handle, as another process would.
func stopAndStartComputes(t *testing.T, dir string, c clients) {
	cloud := must(bed.Open(dir))(t)
	hosts := cloud.Computes()
	server := makeServer(t, c, servers.CreateOpts{
		Name: unique(t, "server"), FlavorRef: makeFlavor(t, c).ID, ImageRef: makeImage(t, c, "raw", []byte("x")).ID,
		Networks: []servers.Network{{UUID: first(makePrivateNetwork(t, c)).ID}}, AvailabilityZone: "nova:" + hosts[0],
	})
	if server.Host != hosts[0] {
		t.Errorf("the server is on %q, not %q", server.Host, hosts[0])
	}
	for n, host := range hosts {
		if err := cloud.StopCompute(t.Context(), n+1); err != nil {
			t.Fatal(err)
		}
		states := computeServices(t, c)
		for _, other := range hosts {
			want := "up"
			if other == host {
				want = "down"
			}
			if got := states["nova-compute@"+other]; got != want {
				t.Errorf("while %s is stopped, %s is %s", host, other, got)
			}
		}
		if err := cloud.StopCompute(t.Context(), n+1); err != nil {
			t.Errorf("stop a stopped host: %v", err)
		}
		if err := cloud.StartCompute(t.Context(), n+1); err != nil {
			t.Fatal(err)
		}
		if got := computeServices(t, c)["nova-compute@"+host]; got != "up" {
			t.Errorf("started again, %s is %s", host, got)
		}
	}
	if err := cloud.StartCompute(t.Context(), 1); err != nil {
		t.Errorf("start a running host: %v", err)
	}
	if err := cloud.StopCompute(t.Context(), len(hosts)+1); err == nil {
		t.Error("want an error for a host that does not exist")
	}
	// The fake hypervisor knows only what it was told, so this fails when it forgot the server.
	if err := servers.Reboot(t.Context(), c.compute, server.ID, servers.RebootOpts{Type: servers.SoftReboot}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	eventually(t.Context(), t, "the server to be ACTIVE after a reboot", func(ctx context.Context) (bool, error) {
		server, err := servers.Get(ctx, c.compute, server.ID).Extract()
		return err == nil && server.Status == "ACTIVE" && server.TaskState == "" && server.PowerState == servers.RUNNING, err
	})
}

func first[A, B any](a A, _ B) A { return a }

func fillZone(t *testing.T, cloud *bed.Cloud, c clients) {
	zone := unique(t, "zone")
	aggregate := must(aggregates.Create(t.Context(), c.compute, aggregates.CreateOpts{Name: unique(t, "aggregate"), AvailabilityZone: zone}).Extract())(t)
	host := cloud.Computes()[1]
	must(aggregates.AddHost(t.Context(), c.compute, aggregate.ID, aggregates.AddHostOpts{Host: host}).Extract())(t)
	server := makeServer(t, c, servers.CreateOpts{
		Name: unique(t, "server"), FlavorRef: makeFlavor(t, c).ID, ImageRef: makeImage(t, c, "raw", []byte("x")).ID,
		Networks: []servers.Network{{UUID: first(makePrivateNetwork(t, c)).ID}}, AvailabilityZone: zone,
	})
	if server.Host != host {
		t.Errorf("a server of zone %s is on %q, want %q", zone, server.Host, host)
	}
}

func scratchOf(t *testing.T, dir string) string {
	t.Helper()
	config := must(os.ReadFile(filepath.Join(dir, "etc", "my.cnf")))(t)
	match := regexp.MustCompile(`(?m)^datadir = (.*)/mysql$`).FindSubmatch(config)
	if match == nil {
		t.Fatal("my.cnf names no data directory")
	}
	return string(match[1])
}

// processes lists the living processes of the bed in dir: all have their HOME in it.
func processes(t *testing.T, dir string) []int {
	t.Helper()
	return must(process.Marked("HOME=" + filepath.Join(dir, "home")))(t)
}

func checkListeners(t *testing.T, dir string) {
	listeners := must(process.Listeners(processes(t, dir)...))(t)
	for _, listener := range listeners {
		if !listener.Address.Addr().IsLoopback() {
			command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", listener.PID))
			t.Errorf("%s listens on %s (%s)", bytes.ReplaceAll(command, []byte{0}, []byte{' '}), listener.Address, listener.Network)
		}
	}
	const servers = 10 // ports of a bed
	if len(listeners) < servers {
		t.Errorf("found only %d listening sockets; the check looks at the wrong processes", len(listeners))
	}
}

// A start that is cut off leaves nothing, and says why.
func TestStartCancelled(t *testing.T) {
	t.Parallel()
	options, err := ownBed(t).Options(privateDir(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// Cut off at the first line of progress: the database runs by then.
	options.Out = writerFunc(func(data []byte) (int, error) { cancel(); return len(data), nil })
	if _, err := bed.Start(ctx, options); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := processes(t, options.Dir); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
	if _, err := bed.Open(options.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open gives %v", err)
	}
	if _, err := os.Stat(scratchOf(t, options.Dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the scratch directory is still there: %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(data []byte) (int, error) { return w(data) }
