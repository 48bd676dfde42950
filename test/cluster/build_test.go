//go:build beds

package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/process"
)

// Variables that tell the fake go what to do.
const (
	fakeLog  = "FAKE_GO_LOG"  // file to which every install is appended
	fakeFail = "FAKE_GO_FAIL" // install ends with exit code 1, after it made some programs
	fakeHang = "FAKE_GO_HANG" // install hangs after it made some programs
)

// fakeGo stands in for the go command: it answers what Build asks, and installs programs
// whose content is the flags they were built with.
func fakeGo(args []string) int {
	switch args[0] {
	case "env":
		fmt.Println("go1.99")
	case "list":
		fmt.Println("v1.34.4")
	case "install":
		log, err := os.OpenFile(os.Getenv(fakeLog), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Fprintln(log, "install")
		for i, name := range []string{"server", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok"} {
			if i == 3 && os.Getenv(fakeFail) != "" {
				fmt.Fprintln(os.Stderr, "cannot compile")
				return 1
			}
			if i == 3 && os.Getenv(fakeHang) != "" {
				fmt.Fprintln(log, "hanging")
				time.Sleep(time.Hour) // until it is killed
			}
			if err := os.WriteFile(filepath.Join(os.Getenv("GOBIN"), name), []byte(strings.Join(args, " ")), 0o700); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	return 0
}

// useFakeGo puts the fake in front of PATH and returns a function that counts installs.
func useFakeGo(t *testing.T) (log string, installs func() int) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "go")); err != nil {
		t.Fatal(err)
	}
	log = filepath.Join(dir, "log")
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(fakeLog, log)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // a race-enabled fake would sleep a second whenever it exits
	return log, func() int {
		data, err := os.ReadFile(log)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return strings.Count(string(data), "install\n")
	}
}

func TestBuild(t *testing.T) {
	_, installs := useFakeGo(t)
	bin := filepath.Join(t.TempDir(), "new", "bin")
	for range 2 {
		if err := cluster.Build(t.Context(), bin, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	if got := installs(); got != 1 {
		t.Errorf("two calls installed %d times", got)
	}
	flags, err := os.ReadFile(filepath.Join(bin, "etcd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-trimpath", "version.gitVersion=v1.34.4 ", "version.gitMajor=1 ", "version.gitMinor=34 "} {
		if !strings.Contains(string(flags), want) {
			t.Errorf("built without %q: %s", want, flags)
		}
	}
	entries, err := os.ReadDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	var visible []string
	for _, entry := range entries {
		if entry.IsDir() {
			t.Errorf("%s was left", entry.Name())
		}
		if !strings.HasPrefix(entry.Name(), ".") {
			visible = append(visible, entry.Name())
		}
	}
	want := []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok"}
	if !slices.Equal(visible, want) {
		t.Errorf("built %v, want %v", visible, want)
	}

	t.Run("a missing program is built again", func(t *testing.T) {
		if err := os.Remove(filepath.Join(bin, "kwok")); err != nil {
			t.Fatal(err)
		}
		if err := cluster.Build(t.Context(), bin, io.Discard); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(bin, "kwok")); err != nil || installs() != 2 {
			t.Errorf("%d installs, %v", installs(), err)
		}
	})
}

func TestBuildsDoNotRunAtOnce(t *testing.T) {
	_, installs := useFakeGo(t)
	bin := t.TempDir()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := cluster.Build(t.Context(), bin, io.Discard); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := installs(); got != 1 {
		t.Errorf("four callers installed %d times", got)
	}
}

func TestFailedBuildIsRepeated(t *testing.T) {
	_, installs := useFakeGo(t)
	bin := t.TempDir()
	t.Setenv(fakeFail, "yes")
	var out bytes.Buffer
	if err := cluster.Build(t.Context(), bin, &out); err == nil {
		t.Fatal("no error")
	}
	if !strings.Contains(out.String(), "cannot compile") {
		t.Errorf("the output is %q", out.String())
	}
	t.Setenv(fakeFail, "")
	if err := cluster.Build(t.Context(), bin, io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := installs(); got != 2 {
		t.Errorf("%d installs, want 2", got)
	}
}

func TestKilledBuildIsRepeated(t *testing.T) {
	log, installs := useFakeGo(t)
	bin := t.TempDir()
	t.Setenv(fakeHang, "yes")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		// Nothing but its log tells how far the other process is.
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if data, _ := os.ReadFile(log); bytes.Contains(data, []byte("hanging")) {
				cancel()
			}
			<-tick.C
		}
	}()
	if err := cluster.Build(ctx, bin, io.Discard); err == nil {
		t.Fatal("no error")
	}
	t.Setenv(fakeHang, "")
	if err := cluster.Build(t.Context(), bin, io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := installs(); got != 2 {
		t.Errorf("%d installs, want 2", got)
	}
}

func TestBuildOutsideTheModule(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := cluster.Build(t.Context(), t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "not inside the module") {
		t.Fatalf("got %v", err)
	}
}

// A server that dies during the start says why. The API server lives on, so that it is clear
// which of the two is to blame.
func TestStartShowsTheLogOfAServerThatDies(t *testing.T) {
	t.Parallel()
	bin, dir := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = cluster.Start(t.Context(), cluster.Options{Bin: bin, Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "etcd has died") || !strings.Contains(err.Error(), "fake server: cannot start") {
		t.Fatalf("got %v", err)
	}
	nothingRuns(t, dir)
}

func TestStartNeedsItsDirectories(t *testing.T) {
	t.Parallel()
	for _, options := range []cluster.Options{{Dir: t.TempDir()}, {Bin: t.TempDir()}} {
		if _, err := cluster.Start(t.Context(), options); err == nil {
			t.Errorf("no error for %+v", options)
		}
	}
}

func TestOpenWhereNothingRuns(t *testing.T) {
	t.Parallel()
	if _, err := cluster.Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

func nothingRuns(t *testing.T, dir string) {
	t.Helper()
	all, err := process.LoadAll(filepath.Join(dir, "processes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		t.Errorf("%s has still a record; alive: %t", p.Name, p.Alive())
	}
	if _, err := os.Stat(filepath.Join(dir, "etcd")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("etcd's data is still there: %v", err)
	}
}
