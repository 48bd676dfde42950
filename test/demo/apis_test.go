//go:build beds

package demo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (s *story) replicas(t *testing.T, deployment string) int32 {
	t.Helper()
	found, err := s.Cluster.Client().AppsV1().Deployments(namespace).Get(t.Context(), deployment, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return *found.Spec.Replicas
}

// server returns the server with a name; without one a server without an id.
func (s *story) server(t *testing.T, name string) servers.Server {
	t.Helper()
	for _, found := range s.Servers(t) {
		if found.Name == name && found.Status != "DELETED" {
			return found
		}
	}
	return servers.Server{}
}

// wantServers fails the test unless exactly these run.
func (s *story) wantServers(t *testing.T, want ...string) {
	t.Helper()
	var names []string
	for _, found := range s.Servers(t) {
		if found.Status != "ACTIVE" {
			t.Fatalf("the server %s is %s", found.Name, found.Status)
		}
		names = append(names, found.Name)
	}
	if !slices.Equal(names, want) {
		t.Fatalf("OpenStack has the servers %q, want %q", names, want)
	}
	say("OpenStack runs %s.", strings.Join(names, ", "))
}
