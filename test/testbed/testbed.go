package testbed

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/filelock"
	"github.com/kupenstack/kupenstack-sync/test/openstack"
	"github.com/kupenstack/kupenstack-sync/test/process"
	"github.com/kupenstack/kupenstack-sync/test/program"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// DirVariable names the environment variable with the directory of the running beds.
const DirVariable = slow.BedVariable

// The layout of that directory, written by the supervisor and read by tests.
const (
	ClusterDir   = "cluster"
	OpenStackDir = "openstack"
	PrivateDir   = "private"
	LocksDir     = "locks"
	// BinDir is a link to the cached control-plane binaries.
	BinDir = "bin"
	// SkippedSuffix ends the name of a file that says, in one line, why a bed was not started.
	SkippedSuffix = ".skipped"
)

// Dir returns the directory of the running beds, and skips the test when there are none.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv(DirVariable)
	if dir == "" {
		t.Skipf("needs a test bed: run `make test`, or `make testbed` and set %s as it says", DirVariable)
	}
	return dir
}

// Cluster returns the shared control plane.
func Cluster(t testing.TB) *cluster.Cluster {
	t.Helper()
	dir := filepath.Join(Dir(t), ClusterDir)
	requireBed(t, dir)
	shared, err := cluster.Open(dir)
	if err != nil {
		t.Fatalf("the shared control plane: %v", err)
	}
	return shared
}

// PrivateCluster starts a control plane for this test alone and stops it when the test ends.
// The binaries and the directory are set here; everything else of options is the caller's.
func PrivateCluster(t testing.TB, options cluster.Options) *cluster.Cluster {
	t.Helper()
	bed := Dir(t)
	requireBed(t, filepath.Join(bed, ClusterDir))
	// Below the bed's directory, not the test's, so that the supervisor can stop by id what a killed test leaves.
	parent := filepath.Join(bed, PrivateDir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(parent, "cluster-")
	if err != nil {
		t.Fatal(err)
	}
	options.Bin, options.Dir = filepath.Join(bed, BinDir), dir
	private, err := cluster.Start(context.WithoutCancel(t.Context()), options) // which has a limit of its own
	if err != nil {
		t.Fatalf("a private control plane: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := private.Stop(ctx); err != nil {
			t.Errorf("stop the private control plane: %v", err)
		}
		if !t.Failed() {
			_ = os.RemoveAll(dir)
		}
	})
	return private
}

// PlayedCluster is PrivateCluster with a player, which acts out the containers of
// OpenStack-Helm's pods as on the shared control plane. The player is a process of its own: see test/cmd/player.
func PlayedCluster(t testing.TB, options cluster.Options) *cluster.Cluster {
	t.Helper()
	options.Player = true
	program := program.Build(t, "test/cmd/player")
	private := PrivateCluster(t, options)
	plays, err := process.Start(filepath.Join(private.Dir, "player"), process.Spec{
		Name: "player", Args: []string{program, "--kubeconfig", private.Kubeconfig, "--logs", private.PodLogDir()}, Bound: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !plays.Alive() {
			t.Errorf("the player has died: %s", plays.LogTail(2000))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := plays.Stop(ctx, 10*time.Second); err != nil {
			t.Errorf("stop the player: %v", err)
		}
	})
	return private
}

// OpenStack returns the shared cloud: the bed, or the cloud that OS_CLOUD names.
func OpenStack(t testing.TB) *openstack.Cloud {
	t.Helper()
	if os.Getenv("OS_CLOUD") != "" {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cloud, err := openstack.FromEnvironment(ctx)
		if err != nil {
			t.Fatalf("the cloud %q of OS_CLOUD: %v", os.Getenv("OS_CLOUD"), err)
		}
		return cloud
	}
	dir := filepath.Join(Dir(t), OpenStackDir)
	requireBed(t, dir)
	cloud, err := openstack.Open(dir)
	if err != nil {
		t.Fatalf("the shared OpenStack: %v", err)
	}
	return cloud
}

// Lock takes a lock that all test binaries of the run share, until the test ends. Tests hold
// it while they change something global on a shared bed, such as stopping a compute host.
func Lock(t testing.TB, name string) {
	t.Helper()
	dir := filepath.Join(Dir(t), LocksDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := filelock.Lock(t.Context(), filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
}

// requireBed skips when the supervisor wrote down why it did not start the bed.
func requireBed(t testing.TB, dir string) {
	t.Helper()
	reason, err := os.ReadFile(dir + SkippedSuffix)
	if err == nil {
		t.Skip(string(reason))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}
