//go:build beds

package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// refusals asks for what must not happen on a running cloud.
func (s *story) refusals(t *testing.T) {
	s.AwaitRest(t, reacts)
	since, err := s.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range []struct{ old, with, says string }{
		{`release         = "2026.1"`, `release         = "2025.2"`, "release cannot change"},
		{`namespace       = "openstack"`, `namespace       = "elsewhere"`, "namespace cannot change"},
	} {
		s.Files.Edit(t, "cloud.hcl", edit.old, edit.with)
		commit := s.Push(t, "Ask for too much")
		world.Await(t, reacts, func() (bool, string) {
			status, _ := s.ReadStatus(t)
			readme := s.Status(t, "README.md")
			return status.Head.Hash == commit && strings.Contains(readme, edit.says), readme
		})
		if r := s.Run(t, reacts, "plan"); r.Code != 4 || !strings.Contains(r.Stdout+r.Stderr, edit.says) {
			t.Errorf("plan ended with %d, want 4 and %q:\n%s%s", r.Code, edit.says, r.Stdout, r.Stderr)
		}
		status, _ := s.ReadStatus(t)
		if status.Verdict != "invalid" || status.Applied.Hash != s.commit {
			t.Errorf("the verdict is %s, and %s is in force, want %s", status.Verdict, status.Applied.Hash, s.commit)
		}
		s.Files.Edit(t, "cloud.hcl", edit.with, edit.old)
	}
	told := 0
	if writes := slices.DeleteFunc(s.Writes(t, since), func(write string) bool {
		tells := write == "create /api/v1/namespaces/default/events"
		if tells {
			told++
		}
		return tells
	}); len(writes) > 0 || told > 2 { // an event for each
		t.Errorf("refused commits led to %d events and these writes: %q", told, writes)
	}
	s.refusedFromTheStart(t)
	s.commit = s.Push(t, "Ask for no more than there is")
	s.AwaitVerdict(t, converges, "converged", s.commit)
}

// refusedFromTheStart has a daemon begin with a commit that is refused: what was in force before
// stays so, and is kept up.
func (s *story) refusedFromTheStart(t *testing.T) {
	if err := s.daemon.Stop(t.Context(), reacts); err != nil {
		t.Fatal(err)
	}
	config := s.Cluster.Client().CoreV1().ConfigMaps(namespace)
	list, err := config.List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=Helm"})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("no ConfigMaps of releases: %v", err)
	}
	name := list.Items[0].Name
	if err := config.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.startDaemon("daemon-2")
	world.Await(t, converges, func() (bool, string) {
		_, err := config.Get(t.Context(), name, metav1.GetOptions{})
		return err == nil, fmt.Sprint(err)
	})
	status := s.AwaitVerdict(t, reacts, "invalid", s.commit)
	if readme := s.Status(t, "README.md"); status.Head.Hash == s.commit || !strings.Contains(readme, "namespace cannot change") {
		t.Errorf("the newest commit is said to be %s:\n%s", status.Head.Hash, readme)
	}
}

// elsewhere points a pass at another OpenStack than the one that everything lies in.
func (s *story) elsewhere(t *testing.T) {
	before := s.servers(t)
	project, variable := s.Elsewhere(t)
	r := s.RunWith(t, []string{variable}, reacts, "plan")
	if text := r.Stdout + r.Stderr; r.Code == 0 || r.Code == 2 || !strings.Contains(text, "--accept-openstack="+project) {
		t.Errorf("plan in another OpenStack ended with %d:\n%s", r.Code, text)
	}
	if strings.Contains(r.Stdout, "will be created") {
		t.Errorf("plan in another OpenStack:\n%s", r.Stdout)
	}
	r = s.RunWith(t, []string{variable}, reacts, "plan", "--accept-openstack="+project)
	if r.Code != 0 { // all is found, as the administrator sees every project
		t.Errorf("plan in another OpenStack that is meant ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	if now := s.servers(t); fmt.Sprint(now) != fmt.Sprint(before) {
		t.Errorf("the servers are %v, were %v", now, before)
	}
}

// uninstall takes a service away, first as it does not work, then as it does.
func (s *story) uninstall(t *testing.T) {
	deployments := s.Cluster.Client().AppsV1().Deployments(namespace)
	s.Files.Cut(t, "cloud.hcl", "  service \"horizon\"")
	s.commit = s.Push(t, "Forget the dashboard")
	s.AwaitVerdict(t, converges, "converged", s.commit)
	if _, err := deployments.Get(t.Context(), "horizon", metav1.GetOptions{}); err != nil {
		t.Errorf("a block that vanished uninstalled the service: %v", err)
	}
	s.Files.Edit(t, "cloud.hcl", "  service \"memcached\"", "  service \"horizon\" {\n    enabled = false\n  }\n  service \"memcached\"")
	s.commit = s.Push(t, "Take the dashboard away")
	s.AwaitVerdict(t, converges, "converged", s.commit)
	for _, release := range s.releases(t) {
		if strings.Contains(release, ".horizon.") {
			t.Errorf("the release is still there: %s", release)
		}
	}
}
