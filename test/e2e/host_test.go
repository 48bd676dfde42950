//go:build beds

package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// host lets a node of Kubernetes be the host that an instance runs on. Its compute service is disabled as the node is to leave,
// and enabled as it is to stay after all; daemons are killed before Nova hears of each, and after it has answered.
func (s *story) host(t *testing.T) {
	nodes := s.Cluster.Client().CoreV1().Nodes()
	servers := s.Servers(t)
	name := servers[0].Host
	if name == "" {
		t.Fatalf("Nova does not say where %s runs", servers[0].Name)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"}}}
	if _, err := nodes.Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	block := fmt.Sprintf("node %q {\n  roles = [\"compute\"]\n}\n", name)
	s.Files.Write("host.hcl", block)
	s.commit = s.Push(t, "Add a host")
	s.AwaitVerdict(t, converges, "converged", s.commit)
	if err := s.daemon.Stop(t.Context(), reacts); err != nil {
		t.Fatal(err)
	}

	s.Files.Write("host.hcl", fmt.Sprintf("node %q {\n  roles    = [\"compute\"]\n  disabled = true\n}\n", name))
	disabled := s.Push(t, "Disable it")
	s.killedAtServices(t, "closing", func() bool {
		status, _ := s.ReadStatus(t)
		u := status.Unit("node." + name)
		return status.Verdict == "blocked" && status.Head.Hash == disabled && u != nil && strings.Contains(u.Reason, "instances run there")
	})
	// Behind it is the mark of the installation.
	state, reason := s.ComputeService(t, name)
	if why, mark, _ := strings.Cut(reason, " ["); state != "disabled" || !strings.HasPrefix(mark, "kupenstack:") ||
		why != "KupenStack: node "+name+" leaves the cloud" && why != "KupenStack: node "+name+" loses a role" {
		t.Errorf("its compute service is %s: %s", state, reason)
	}
	kept, err := nodes.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || kept.Labels["openstack-compute-node"] != "enabled" {
		t.Errorf("the host has lost its label: %v, error %v", kept.Labels, err)
	}

	s.Files.Write("host.hcl", block)
	s.commit = s.Push(t, "Keep it")
	s.killedAtServices(t, "opening", func() bool {
		status, _ := s.ReadStatus(t)
		state, _ := s.ComputeService(t, name)
		return status.Verdict == "converged" && status.Applied.Hash == s.commit && state == "enabled"
	})
	s.startDaemon("daemon-after-host")
}

// killedAtServices runs daemons until one of them comes to an end, of which the first is killed before Nova hears that a
// compute service is to be another way, and the next one after Nova has answered.
func (s *story) killedAtServices(t *testing.T, chapter string, end func() bool) {
	t.Helper()
	at := func(after bool) crash.Trigger {
		return crash.AtRequest(s.proxies.Control, faultproxy.Match{Request: func(r *http.Request) bool {
			return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/os-services/")
		}}, crash.Point{Request: 1, After: after})
	}
	lives, err := crash.Run{
		Program: s.proxies.Daemon("--resync", resync.String(), "--heartbeat", "0"), Dir: filepath.Join(t.TempDir(), chapter), Control: s.proxies.Control,
		Kill: []crash.Trigger{at(false), at(true)}, Limit: converges, Killed: s.free,
		Until: func(context.Context, *crash.Process) (bool, error) { return end(), nil },
	}.Do(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", chapter, err)
	}
	if len(lives) != 3 {
		t.Errorf("%s: %d daemons were killed, want 2", chapter, len(lives)-1)
	}
	for _, life := range lives {
		s.NoSecrets(t, filepath.Base(life.Stderr), read(t, life.Stderr))
	}
}
