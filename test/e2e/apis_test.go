//go:build beds

package e2e_test

import (
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// releases returns the names of the Secrets with Helm's revisions.
func (s *story) releases(t *testing.T) []string {
	t.Helper()
	list, err := s.Cluster.Client().CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names
}

// server returns the server of a name, the newest if a deleted one is listed yet, an empty one
// where there is none.
func (s *story) server(t testing.TB, name string) servers.Server {
	t.Helper()
	var newest servers.Server
	for _, server := range s.Servers(t) {
		if server.Name == name && server.Created.After(newest.Created) {
			newest = server
		}
	}
	return newest
}

// servers returns the states of the servers by name; two of one name fail the test.
func (s *story) servers(t *testing.T) map[string]string {
	t.Helper()
	states := map[string]string{}
	for _, server := range s.Servers(t) {
		if _, twice := states[server.Name]; twice {
			t.Fatalf("there are two servers %s", server.Name)
		}
		states[server.Name] = server.Status
	}
	return states
}
