//go:build beds

package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// hostsCloud has Nova, and no more than that needs.
const hostsCloud = `cloud "hosts" {
  release   = "2026.1"
  region    = "RegionOne"
  namespace = "openstack"

  charts {
    repository = "charts"
  }
  openstack {
    cloud = "hosts"
  }

  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {}
  service "glance" {}
  service "placement" {}
  service "openvswitch" {}
  service "libvirt" {}
  service "neutron" {}
  service "nova" {}
}

node "node-1" {
  roles = ["control-plane", "network"]
}
`

// hostBlock is a node that runs instances.
const hostBlock = `
node %q {
  roles = ["compute"]
}
`

// TestDaemonKilledAtNodesThatLeave kills daemons before and after the requests by which Nova is to place nothing on a node that
// leaves, and something once more when it comes back. The service is disabled before the labels go, and enabled
// only once it reports from there again.
func TestDaemonKilledAtNodesThatLeave(t *testing.T) {
	switch p := onePoint(t); {
	case p == nil && os.Getenv(runsVariable) == "":
		t.Skip("a cloud with Nova takes minutes to come about: TestStory kills daemons at these requests each time")
	case p != nil && !strings.HasPrefix(p.chapter, "nodes "):
		t.Skipf("%s is of another test", p)
	}
	t.Parallel() // in a world of its own
	w := world.New(t)
	hosts := w.Cloud.Computes()
	if len(hosts) == 0 {
		t.Skip("needs the OpenStack of the test bed: which hosts run instances is not known of another one")
	}
	s := sweeps(t, w, choice{sweep: "nodes", whole: true, sides: both, only: setsHost})
	leaves := w.Files.Prefix + "leaves" // Nova is shared
	text := hostsCloud
	for _, name := range append(slices.Clone(hosts), leaves) { // a host with instances that is none of the nodes could be any of them
		s.addNode(t, name)
		text += fmt.Sprintf(hostBlock, name)
	}
	w.Describe(t, "hosts.hcl", text)
	s.commit = s.Push(t, "Describe the cloud")
	if r := s.proxies.Run(t, converges); r.Code != 0 {
		t.Fatalf("the first pass ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	s.through(t, []chapter{
		{"nodes leave", func(t *testing.T) { s.leaveHost(t, leaves) }},
		{"nodes return", func(t *testing.T) { s.returnHost(t, leaves) }},
	})
	for _, host := range hosts {
		if state, reason := s.ComputeService(t, host); state != "enabled" {
			t.Errorf("%s: the compute service of %s is %s: %s", s.where(), host, state, reason)
		}
	}
}

// leaveHost takes the block of a node away.
func (s *kinds) leaveHost(t *testing.T, name string) {
	s.Files.Edit(t, "hosts.hcl", fmt.Sprintf(hostBlock, name), "")
	s.commit = s.Push(t, "Take a node away")
	s.converge(t, "nodes leave", always)
	s.hostIs(t, name, "disabled", "KupenStack: node "+name+" leaves the cloud", "")
}

// returnHost writes it again. Nova hears of the node once its pods run, which is after the commit is in force.
func (s *kinds) returnHost(t *testing.T, name string) {
	s.Files.Write("host.hcl", fmt.Sprintf(hostBlock, name))
	s.commit = s.Push(t, "Have it back")
	s.converge(t, "nodes return", func() bool {
		state, _ := s.ComputeService(t, name)
		return state == "enabled"
	})
	s.hostIs(t, name, "enabled", "", "enabled")
}

// hostIs wants a node's compute service to be so, and the label by which it runs there.
func (s *kinds) hostIs(t *testing.T, name, state, why, label string) {
	t.Helper()
	got, reason := s.ComputeService(t, name)
	if text, _, _ := strings.Cut(reason, " ["); got != state || text != why { // behind it is the mark of the installation
		t.Errorf("%s: the compute service of %s is %s: %q, want %s: %q", s.where(), name, got, reason, state, why)
	}
	node, err := s.Cluster.Client().CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || node.Labels["openstack-compute-node"] != label {
		t.Errorf("%s: %s has the labels %v, error %v", s.where(), name, node.Labels, err)
	}
}

// addNode has a node that the player takes for its own.
func (s *story) addNode(t *testing.T, name string) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"}, Labels: map[string]string{corev1.LabelHostname: name}, // as a kubelet does
	}}
	if _, err := s.Cluster.Client().CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
