package peers

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/freeport"
	"github.com/kupenstack/kupenstack-sync/test/process"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// fluxSystem is where Flux keeps what it is told to do.
const fluxSystem = "flux-system"

// startLimit is what the controllers may take to be ready on a busy machine.
const startLimit = 5 * time.Minute

// flux are the three controllers, started as Flux's own manifests start them, but without an election of a leader,
// which only costs.
type flux struct {
	kubectl    string
	kubeconfig string
	pids       []int
}

// startFlux builds the controllers, defines their kinds and starts them; they end with the test.
func startFlux(t testing.TB, c *cluster.Cluster) *flux {
	t.Helper()
	programs := build(t)
	f := &flux{kubectl: filepath.Join(testbed.Dir(t), testbed.BinDir, "kubectl"), kubeconfig: c.Kubeconfig}
	for _, dir := range definitions(t) {
		f.run(t, "", "apply", "--server-side", "-f", dir)
	}
	f.run(t, "", "create", "namespace", fluxSystem)
	var ports freeport.Allocator
	defer ports.Release() // by then the controllers listen
	free, err := ports.Take(2*len(controllers()) + 1)
	if err != nil {
		t.Fatal(err)
	}
	address := func(i int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(free[i])) }
	dir := t.TempDir()
	for i, name := range controllers() {
		args := []string{
			filepath.Join(programs, name), "--watch-all-namespaces=true", "--enable-leader-election=false", "--log-level=info",
			"--metrics-addr=" + address(2*i), "--health-addr=" + address(2*i+1),
		}
		if name == "source-controller" {
			storage := address(len(free) - 1)
			args = append(args, "--storage-path="+filepath.Join(dir, "storage"), "--storage-addr="+storage, "--storage-adv-addr="+storage)
			if err := os.Mkdir(filepath.Join(dir, "storage"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		f.start(t, dir, name, args)
		world.Await(t, startLimit, func() (bool, string) { return ready(t, "http://"+address(2*i+1)+"/readyz") })
	}
	return f
}

func (f *flux) start(t testing.TB, dir, name string, args []string) {
	t.Helper()
	env := append(os.Environ(), "KUBECONFIG="+f.kubeconfig, "RUNTIME_NAMESPACE="+fluxSystem)
	started, err := process.Start(dir, process.Spec{Name: name, Args: args, Env: env, Dir: dir, Bound: true})
	if err != nil {
		t.Fatal(err)
	}
	f.pids = append(f.pids, started.PID)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), startLimit) // that of the test has ended
		defer cancel()
		if err := started.Stop(ctx, time.Second); err != nil {
			t.Errorf("stop %s: %v", name, err)
		}
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", name, started.LogTail(4<<10))
		}
	})
}

func ready(t testing.TB, url string) (bool, string) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err.Error()
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK, answer.Status
}

// follow has Flux look at a repository, and at the objects that it applies, at an interval.
func (f *flux) follow(t testing.TB, url, namespace string, interval time.Duration) {
	t.Helper()
	f.run(t, "", "create", "namespace", namespace)
	f.run(t, fmt.Sprintf(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: objects, namespace: %[1]s}
spec: {interval: %[2]s, url: %[3]q, ref: {branch: main}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: objects, namespace: %[1]s}
spec:
  interval: %[2]s
  path: ./%[4]s
  prune: true
  targetNamespace: %[5]s
  sourceRef: {kind: GitRepository, name: objects}
`, fluxSystem, interval, url, directory, namespace), "apply", "--server-side", "-f", "-")
}

// nudge has Flux look at the repository now.
func (f *flux) nudge(t testing.TB) {
	t.Helper()
	f.run(t, "", "--namespace", fluxSystem, "annotate", "--overwrite", "gitrepository/objects", "reconcile.fluxcd.io/requestedAt="+time.Now().Format(time.RFC3339Nano))
}

// applied tells whether Flux says that a commit has been applied.
func (f *flux) applied(t testing.TB, commit string) (bool, string) {
	t.Helper()
	says := f.run(t, "", "--namespace", fluxSystem, "get", "kustomization/objects", "--output",
		`jsonpath={.status.lastAppliedRevision} {.status.conditions[?(@.type=="Ready")].status} {.status.conditions[?(@.type=="Ready")].message}`)
	revision, rest, _ := strings.Cut(says, " ")
	return strings.HasSuffix(revision, commit) && strings.HasPrefix(rest, "True"), says
}

func (f *flux) run(t testing.TB, input string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), f.kubectl, append([]string{"--kubeconfig", f.kubeconfig}, args...)...)
	command.Stdin = strings.NewReader(input)
	var output, failure bytes.Buffer
	command.Stdout, command.Stderr = &output, &failure
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command.Args, " "), err, failure.String())
	}
	return output.String()
}
