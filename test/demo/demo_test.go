//go:build beds

package demo_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

const (
	converges = 15 * time.Minute
	reacts    = 10 * time.Minute
	namespace = "openstack"
)

// say prints the story; the test's own log would put file and line before each sentence.
func say(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

// indented puts a text four columns to the right.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

// story is the world and who keeps it in order.
type story struct {
	*world.World
	daemon *world.Running
	commit string       // in force
	last   world.Status // the report that was read last
}

func TestDemo(t *testing.T) {
	began := time.Now()
	say("\nStarting a Kubernetes control plane with three nodes, an OpenStack and a Git server, and building the commands ...")
	s := &story{World: world.New(t)}
	say("Kubernetes %s at %s", s.Cluster.KubernetesVersion, s.Cluster.ServerURL)
	say("OpenStack at %s", s.Cloud.AuthURL)
	say("Git at %s, empty", s.Git.URL(s.Repository))

	s.first(t)
	s.second(t)
	s.drift(t)
	s.mistake(t)

	say("\n== README.md of the branch %s, as a forge shows it\n", world.StatusBranch)
	say("%s", withoutEdges(s.Status(t, "README.md")))
	say("\nThe demo took %s.", clock(time.Since(began)))
}

// first makes a cloud out of nothing.
func (s *story) first(t *testing.T) {
	say("\n== 1. Push a cloud")
	s.commit = s.Push(t, "Describe the cloud")
	services := strings.Count(s.Files.Content()["cloud.hcl"], "\n  service ")
	say("%.7s %s: %d services, 3 nodes, a project with networks and two instances.", s.commit, "Describe the cloud", services)
	say("$ kupenstackd --resync 10s --repo %s", s.Git.URL(s.Repository))
	began := time.Now()
	s.daemon = s.StartDaemon(t, "kupenstackd", "--resync", "10s")
	status := s.follow(t, began)
	if ready := ready(status, "service"); len(ready) != services {
		t.Fatalf("%d services are ready, want %d: %q", len(ready), services, ready)
	}
	s.wantServers(t, "web-a", "web-b")
	if replicas := s.replicas(t, "horizon"); replicas != 1 {
		t.Fatalf("horizon has %d replicas, want 1", replicas)
	}
}

// second changes a number and adds an instance.
func (s *story) second(t *testing.T) {
	say("\n== 2. Push a change: one more horizon, one more instance")
	say("%s", indented("-    replicas = 1                     # of horizon, in cloud.hcl\n+    replicas = 2\n"+
		"-  default     = [\"a\", \"b\"]           # web servers, in variables.hcl\n+  default     = [\"a\", \"b\", \"c\"]"))
	s.Files.Edit(t, "cloud.hcl", "service \"horizon\" {\n    replicas = 1", "service \"horizon\" {\n    replicas = 2")
	s.Files.Edit(t, "variables.hcl", `default     = ["a", "b"]`, `default     = ["a", "b", "c"]`)
	s.commit = s.Push(t, "Two horizons, three web servers")
	s.follow(t, time.Now())
	s.wantServers(t, "web-a", "web-b", "web-c")
	if replicas := s.replicas(t, "horizon"); replicas != 2 {
		t.Fatalf("horizon has %d replicas, want 2", replicas)
	}
}

// mistake pushes what cannot be, and takes it back.
func (s *story) mistake(t *testing.T) {
	say("\n== 4. Push a mistake")
	s.AwaitRest(t, reacts)
	since, err := s.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	s.Files.Write("other.hcl", "network \"other\" {\n  projekt = project.dev\n}\n")
	pushed := time.Now()
	bad := s.Push(t, "Another network")
	status := s.await(t, "invalid")
	if status.Head.Hash != bad {
		t.Fatalf("the newest commit is said to be %s, want %s", status.Head.Hash, bad)
	}
	readme := s.Status(t, "README.md")
	begin := strings.Index(readme, "```text\n")
	if begin < 0 || !strings.Contains(readme, "other.hcl:2") {
		t.Fatalf("the report does not show the mistake:\n%s", readme)
	}
	diagnostic, _, _ := strings.Cut(readme[begin+len("```text\n"):], "```")
	say("%s later the status branch says: %s, %.7s stays in force.", seconds(time.Since(pushed)), status.Verdict, s.commit)
	say("%s", indented(diagnostic))
	if writes := s.Writes(t, since); len(writes) > 0 {
		t.Fatalf("the broken commit led to writes: %q", writes)
	}
	say("Nothing was written to the cluster. The same report lists what was put right before:")
	s.tellHealed(t, status, repaired()...)

	s.Files.Remove("other.hcl")
	s.commit = s.Push(t, "Take it back")
	say("\n%.7s Take it back", s.commit)
	s.follow(t, time.Now())
}

// withoutEdges leaves out the lines of the graph that say who needs whom, as a terminal draws none.
func withoutEdges(readme string) string {
	lines := strings.SplitAfter(readme, "\n")
	kept := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return edge.MatchString(line) })
	return strings.Replace(strings.Join(kept, ""), "  classDef", fmt.Sprintf("  ... and %d arrows\n  classDef", len(lines)-len(kept)), 1)
}

var edge = regexp.MustCompile(`^  n\d+ (-->|-\.->) n\d+\n$`)
