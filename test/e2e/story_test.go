//go:build beds

package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

const (
	// Limits for what goes wrong: a machine that runs other tests beside this one may take its time.
	converges = 15 * time.Minute
	reacts    = 10 * time.Minute
	namespace = "openstack"
	resync    = 10 * time.Second // of the daemons
)

// TestStory follows a cloud from nothing over changes, drift and mistakes to the end of its
// resources.
func TestStory(t *testing.T) {
	t.Parallel() // in a world of its own
	w := world.New(t)
	s := &story{World: w, all: t}
	first := w.Push(t, "Describe the cloud")
	for _, chapter := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"plan before anything exists", s.planFirst},
		{"converge", func(t *testing.T) { s.converge(t, first) }},
		{"three passes over an unchanged world", s.unchanged},
		{"idle", s.idle},
		{"change", s.change},
		{"drift", s.drift},
		{"lost", s.lost},
		{"taken", s.taken},
		{"mistake", s.mistake},
		{"refusals", s.refusals},
		{"another OpenStack", s.elsewhere},
		{"host with instances", s.host},
		{"uninstall", s.uninstall},
		{"remove", s.remove},
	} {
		if !t.Run(chapter.name, chapter.run) {
			return // what follows builds on it
		}
	}
}

type story struct {
	*world.World
	all    testing.TB // outlives the chapters, and so does what it starts
	daemon *world.Running
	commit string // in force
	// proxies see all requests of the commands that are run behind them. They are nil while nothing is.
	proxies *world.Proxies
}

// startDaemon starts the daemon that the chapters are about, behind the proxies once there are some.
// Without a heartbeat it pushes nothing but reports.
func (s *story) startDaemon(name string) {
	start := s.StartDaemon
	if s.proxies != nil {
		start = s.proxies.StartDaemon
	}
	s.daemon = start(s.all, name, "--resync", resync.String(), "--heartbeat", "0")
}

func (s *story) planFirst(t *testing.T) {
	since, err := s.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	r := s.Run(t, reacts, "plan")
	if r.Code != 2 {
		t.Fatalf("plan ended with %d, want 2:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	for _, address := range []string{"service.keystone", `instance.web["a"]`, "node.node-2", "system.credentials"} {
		if !strings.Contains(r.Stdout, address) {
			t.Errorf("the plan does not name %s:\n%s", address, r.Stdout)
		}
	}
	if writes := s.Writes(t, since); len(writes) > 0 {
		t.Errorf("plan wrote: %q", writes)
	}
}

func (s *story) converge(t *testing.T, commit string) {
	s.startDaemon("daemon")
	s.commit = commit
	s.killDaemon(t, "daemon-0", func() (bool, string) {
		jobs, err := s.Cluster.Client().BatchV1().Jobs(namespace).List(t.Context(), metav1.ListOptions{})
		return err == nil && len(jobs.Items) > 0, fmt.Sprintf("the Jobs %v, error %v", jobs.Items, err)
	})
	status := s.AwaitVerdict(t, converges, "converged", commit)
	if u := status.Unit(`instance.web["a"]`); u == nil || u.ID == "" {
		t.Errorf("the report has no id of the instance: %+v", u)
	}
	servers := s.servers(t)
	if len(servers) != 2 || servers["web-a"] != "ACTIVE" || servers["web-b"] != "ACTIVE" {
		t.Errorf("OpenStack has the servers %v", servers)
	}
	node, err := s.Cluster.Client().CoreV1().Nodes().Get(t.Context(), "node-2", metav1.GetOptions{})
	if err != nil || node.Labels["openstack-compute-node"] != "enabled" {
		t.Errorf("node-2 has the labels %v, error %v", node.Labels, err)
	}
	if answer := s.get(t, "/readyz"); answer != "200 ok" {
		t.Errorf("/readyz says %q", answer)
	}
	if metrics := s.get(t, "/metrics"); !strings.Contains(metrics, `kupenstack_units{class="service",phase="ready"}`) {
		t.Error("/metrics does not count services")
	}
	if readme := s.Status(t, "README.md"); !strings.Contains(readme, "converged") || !strings.Contains(readme, "mermaid") {
		t.Errorf("README.md of the status branch:\n%s", readme)
	}
}

// idle lets some polls and observations pass.
func (s *story) idle(t *testing.T) {
	s.AwaitRest(t, reacts)
	since, err := s.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	reports := len(s.Repository.Log(t, world.StatusBranch))
	polled := s.Git.Requests()["cloud"]
	s.idleResyncs(t)
	world.Await(t, reacts, func() (bool, string) {
		now := s.Git.Requests()["cloud"]
		return now.ListRefs >= polled.ListRefs+25, fmt.Sprintf("%+v", now) // more than two observations of OpenStack
	})
	if now := s.Git.Requests()["cloud"]; now.Fetch != polled.Fetch {
		t.Errorf("%d fetches without a new commit", now.Fetch-polled.Fetch)
	}
	if writes := s.Writes(t, since); len(writes) > 0 {
		t.Errorf("an unchanged world was written to: %q", writes)
	}
	if n := len(s.Repository.Log(t, world.StatusBranch)); n != reports {
		t.Errorf("%d commits on the status branch of an unchanged world:\n%s", n-reports, s.ReportsAfter(t, reports))
	}
}

func (s *story) change(t *testing.T) {
	s.Files.Edit(t, "variables.hcl", `default     = ["a", "b"]`, `default     = ["a", "b", "c"]`)
	s.Files.Edit(t, "variables.hcl", "default     = 1", "default     = 2")
	s.addSpares(t)
	s.commit = s.Push(t, "More of everything")
	s.killDaemon(t, "daemon-3", func() (bool, string) {
		servers := s.servers(t)
		_, begun := servers["web-c"]
		return begun, fmt.Sprint(servers)
	})
	s.AwaitVerdict(t, converges, "converged", s.commit)
	if servers := s.servers(t); len(servers) != 3 || servers["web-c"] != "ACTIVE" {
		t.Errorf("OpenStack has the servers %v", servers)
	}
	api, err := s.Cluster.Client().AppsV1().Deployments(namespace).Get(t.Context(), "keystone-api", metav1.GetOptions{})
	if err != nil || *api.Spec.Replicas != 2 {
		t.Errorf("keystone-api has not two replicas: %v", err)
	}
}

// killDaemon ends the daemon with SIGKILL once the world is as asked for, and has another go on.
func (s *story) killDaemon(t *testing.T, next string, when func() (bool, string)) {
	world.Await(t, reacts, when)
	if err := s.daemon.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := s.daemon.Stop(t.Context(), reacts); err != nil {
		t.Fatal(err)
	}
	s.startDaemon(next)
}

// mistake pushes a commit that cannot be read, and that lacks what is to be deleted. Nothing may happen
// before it can.
func (s *story) mistake(t *testing.T) {
	s.AwaitRest(t, reacts)
	before := s.Objects(t, nil)
	since, err := s.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	s.Files.Write("broken.hcl", "network \"other\" {\n  projekt = project.dev\n}\n")
	s.Files.Remove(spareFile)
	bad := s.Push(t, "Break it")
	status := s.AwaitVerdict(t, reacts, "invalid", s.commit)
	if status.Head.Hash != bad {
		t.Errorf("the newest commit is said to be %s, want %s", status.Head.Hash, bad)
	}
	readme := s.Status(t, "README.md")
	for _, want := range []string{bad[:7], "broken.hcl:2", "project"} {
		if !strings.Contains(readme, want) {
			t.Errorf("the report of the broken commit lacks %q:\n%s", want, readme)
		}
	}
	if writes := s.Writes(t, since); len(writes) > 0 {
		t.Errorf("a broken commit led to writes: %q", writes)
	}
	if r := s.Run(t, reacts, "plan"); r.Code != 3 || !strings.Contains(r.Stderr, "broken.hcl:2") {
		t.Errorf("plan of the broken commit ended with %d, want 3:\n%s", r.Code, r.Stderr)
	}
	if now := s.Objects(t, before); !slices.Equal(now.Names(), before.Names()) {
		t.Errorf("a broken commit led from\n%q\nto\n%q", before.Names(), now.Names())
	}
	s.Files.Remove("broken.hcl")
	s.commit = s.Push(t, "Mend it")
	s.AwaitVerdict(t, converges, "converged", s.commit)
	left := s.Objects(t, before).Names()
	if want := withoutSpares(before.Names(), s.Files.Prefix); !slices.Equal(left, want) {
		t.Errorf("of\n%q\nthese are left:\n%q\nwant\n%q", before.Names(), left, want)
	}
}

func (s *story) get(t *testing.T, path string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.daemon.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, strings.TrimSpace(string(body)))
}
