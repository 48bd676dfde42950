//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestKill kills the command with SIGKILL where a loss of memory would hurt most, each time in the
// next life of one and the same convergence, and then looks for what was done twice. In the end the
// world that came about must be at rest.
func TestKill(t *testing.T) {
	t.Parallel() // in a world of its own
	w := world.New(t)
	w.Shrink(t)
	s := &killed{story{World: w, all: t, proxies: w.Proxies(t)}}
	s.commit = w.Push(t, "Describe the cloud")
	for _, chapter := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"kill", s.kill},
		{"releases", s.deployedOnce},
		{"hooks", s.hooksOnce},
		{"resources", s.resourcesOnce},
		{"reports", s.reportsOnce},
		{"three passes over an unchanged world", func(t *testing.T) { s.threePasses(t, smallLists()) }},
		{"take everything away", s.takeAway},
	} {
		if !t.Run(chapter.name, chapter.run) && chapter.name == "kill" {
			return // there is nothing to look at
		}
	}
}

type killed struct{ story }

// point is where lives end: the first request that matches, before and after it was answered, unless it
// says otherwise.
type point struct {
	name  string
	match faultproxy.Match
	at    []crash.Point
}

// points are in the order in which a convergence gets there. At one of them the seed chooses whether the
// request was answered.
func (s *killed) points() []point {
	install := func(r *http.Request) bool {
		// The body, which has the name, must not be read. What we create ourselves names its field
		// manager, and what Helm keeps does not.
		return strings.Contains(r.URL.Path, "/namespaces/"+namespace+"/") && !r.URL.Query().Has("fieldManager")
	}
	chance := faultproxy.Rand(s.proxies.Seed(), "point")
	kubernetes := s.proxies.Kubernetes
	return []point{
		{"install", faultproxy.Match{Proxy: kubernetes, Verb: "create", Path: "/api/v1/namespaces/{namespace}/secrets", Request: install}, nil},
		{"hook", faultproxy.Match{Proxy: kubernetes, Verb: "create", Path: "/apis/batch/v1/namespaces/{namespace}/jobs"}, nil},
		// Flavors and images are made in the first life: this cloud has no services that they wait for.
		{"project", faultproxy.Match{Proxy: s.proxies.OpenStack.Proxy("identity"), Verb: http.MethodPost, Path: "/v3/projects"}, []crash.Point{{Request: 1, After: chance.IntN(2) == 1}}},
		{"network", faultproxy.Match{Proxy: s.proxies.OpenStack.Proxy("network"), Verb: http.MethodPost, Path: "/v2.0/networks"}, nil},
		{"server", faultproxy.Match{Proxy: s.proxies.OpenStack.Proxy("compute"), Verb: http.MethodPost, Path: "/**/servers"}, nil},
		{"report", faultproxy.Match{Proxy: s.proxies.Git, Verb: http.MethodPost, Path: "/**/git-receive-pack"}, nil},
	}
}

func (s *killed) kill(t *testing.T) {
	var kills []crash.Trigger
	var names []string
	for _, point := range s.points() {
		if point.at == nil {
			point.at = []crash.Point{{Request: 1}, {Request: 1, After: true}}
		}
		for _, at := range point.at {
			kills = append(kills, crash.AtRequest(s.proxies.Control, point.match, at))
			names = append(names, point.name+" "+at.String())
		}
	}
	dir := t.TempDir()
	began := time.Now()
	lives, err := crash.Run{Program: s.proxies.Program(), Dir: dir, Control: s.proxies.Control, Kill: kills, Limit: converges}.Do(t.Context())
	t.Logf("%d lives in %v", len(lives), time.Since(began).Round(time.Second))
	for i, life := range lives {
		if i < len(names) && !life.Killed {
			t.Errorf("life %d was not killed at %s", i+1, names[i])
		}
		for _, path := range []string{life.Stdout, life.Stderr} {
			s.NoSecrets(t, filepath.Base(path), read(t, path))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(lives) != len(kills)+1 {
		t.Fatalf("there were %d lives, want %d", len(lives), len(kills)+1)
	}
	if status, _ := s.ReadStatus(t); status.Verdict != "converged" || status.Applied.Hash != s.commit {
		t.Errorf("the status branch says %s of %s", status.Verdict, status.Applied.Hash)
	}
}

// deployedOnce looks at Helm's revisions. A revision that was cut off stays in the history as
// failed, and the one that took over has the next number; nothing else may have a second one.
func (s *killed) deployedOnce(t *testing.T) {
	list, err := s.Cluster.Client().CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm"})
	if err != nil {
		t.Fatal(err)
	}
	deployed, others := map[string]int{}, map[string][]string{}
	for i := range list.Items {
		labels := list.Items[i].Labels
		if labels["status"] == "deployed" {
			deployed[labels["name"]]++
		} else {
			others[labels["name"]] = append(others[labels["name"]], labels["version"]+" "+labels["status"])
		}
	}
	left := 0
	for _, service := range []string{"mariadb", "rabbitmq", "memcached", "keystone"} {
		if deployed[service] != 1 {
			t.Errorf("%s has %d deployed revisions, want 1", service, deployed[service])
		}
		for _, other := range others[service] {
			if left++; !strings.HasSuffix(other, " failed") {
				t.Errorf("%s has the revision %s", service, other)
			}
		}
	}
	// The infrastructure is installed side by side, so three kills may have cut off all of it: that
	// of the installation and those of hooks. Keystone begins when those are over.
	t.Logf("revisions that were cut off: %v", others)
	if len(deployed) != 4 || left < 1 || left > 3*3 || len(others["keystone"]) > 0 {
		t.Errorf("deployed are %v; further revisions are %v", deployed, others)
	}
}

// hooksOnce counts the creations of Jobs in the audit log.
func (s *killed) hooksOnce(t *testing.T) {
	events, _, err := s.Cluster.Events(0)
	if err != nil {
		t.Fatal(err)
	}
	created := map[string]int{}
	for _, e := range events {
		if e.Verb == "create" && e.Object.Resource == "jobs" && e.Object.Namespace == namespace && e.Code == http.StatusCreated {
			created[e.Object.Name]++
		}
	}
	if len(created) < 5 {
		t.Errorf("only the Jobs %v were created", created)
	}
	for name, times := range created {
		if times != 1 {
			t.Errorf("the Job %q was created %d times", name, times)
		}
	}
}

func (s *killed) resourcesOnce(t *testing.T) {
	for _, one := range [][2]string{{"project", "dev"}, {"network", "web"}, {"subnet", "web"}, {"flavor", "small"}, {"keypair", "ops"}, {"image", "cirros"}} {
		if s.raw(one[0], one[1]) == nil { // two fail the test
			t.Errorf("OpenStack has no %s %s", one[0], one[1])
		}
	}
	if states := s.servers(t); len(states) != 1 || states[s.Files.Prefix+"web"] != "ACTIVE" {
		t.Errorf("OpenStack has the servers %v", states)
	}
}

// reportsOnce looks at the history of the status branch.
func (s *killed) reportsOnce(t *testing.T) {
	history := s.Repository.Log(t, world.StatusBranch)
	var younger map[string]string
	for i, commit := range history {
		if wanted := min(1, len(history)-1-i); len(commit.Parents) != wanted {
			t.Errorf("commit %s has %d parents, want %d", commit.Hash, len(commit.Parents), wanted)
		}
		tree := s.Repository.Tree(t, commit.Hash)
		if fmt.Sprint(tree) == fmt.Sprint(younger) {
			t.Errorf("commit %s says what the one before it said", history[i-1].Hash)
		}
		younger = tree
	}
}
