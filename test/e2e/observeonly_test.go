//go:build beds

package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestObserveOnly has a daemon start without Git and without a cache. It observes what is on record, in the cluster as
// in OpenStack, to which the way is on record as well: it tells what is gone, and makes nothing of it again until Git is
// back.
func TestObserveOnly(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	text := strings.Replace(suspendable, `cloud "edge" {}`, fmt.Sprintf("cloud \"edge\" {\n  openstack {\n    cloud = %q\n  }\n}", w.Cloud.Name), 1)
	name := w.Files.Prefix + "observed"
	w.Describe(t, "edge.hcl", text+fmt.Sprintf("\nnode \"node-1\" {\n  roles = [\"compute\"]\n}\n\nnetwork \"net\" {\n  name = %q\n}\n", name))
	commit := w.Push(t, "Describe what the cluster has, and a network")
	first := w.StartDaemon(t, "first", "--os-cloud=")
	w.AwaitVerdict(t, converges, "converged", commit)
	if err := first.Stop(t.Context(), reacts); err != nil {
		t.Fatal(err)
	}

	w.Git.Stop(t)
	second := w.StartDaemon(t, "second", "--os-cloud=", "--cache-dir", t.TempDir(), "--resync", "5s")
	says := func(path, part string) {
		t.Helper()
		world.Await(t, reacts, func() (bool, string) {
			answer := askDaemon(t, second.URL+path)
			return strings.Contains(answer, part), answer
		})
	}
	says("/metrics", `kupenstack_on_record{class="workload",standing="working"} 3`)
	says("/metrics", `kupenstack_on_record{class="resource",standing="working"} 1`)
	says("/metrics", `kupenstack_on_record{class="node",standing="working"} 1`)
	since, err := w.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	configs := w.Cluster.Client().CoreV1().ConfigMaps("notes")
	if err := configs.Delete(t.Context(), "left", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	says("/readyz", "on record: manifest.left: it is gone")
	net := w.Network(t, name)
	w.Meddle(t, "network", http.MethodDelete, "networks/"+net.ID, nil)
	says("/readyz", "on record: network.net: it is gone")
	says("/metrics", `kupenstack_on_record{class="workload",standing="gone"} 1`)
	wrote := slices.DeleteFunc(w.Writes(t, since), func(write string) bool { return strings.Contains(write, "/kupenstack.io/v1alpha1/") }) // what is shown
	if len(wrote) > 0 {
		t.Errorf("a daemon without a revision wrote %q", wrote)
	}
	for _, n := range w.Networks(t) {
		if n.Name == name {
			t.Errorf("the network is there again: %+v", n)
		}
	}

	w.Git.Start(t)
	says("/metrics", `kupenstack_units{class="workload",phase="ready"} 3`)
	says("/metrics", `kupenstack_units{class="resource",phase="ready"} 1`)
	if _, err := configs.Get(t.Context(), "left", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if made := w.Network(t, name); made.ID == net.ID || made.ID == "" {
		t.Errorf("the network is %+v", made)
	}
	if answer := askDaemon(t, second.URL+"/metrics"); strings.Contains(answer, "kupenstack_on_record{") {
		t.Errorf("with a revision it says\n%s", answer)
	}
}

// askDaemon returns what a daemon answers, "" where it does not.
func askDaemon(t *testing.T, url string) string {
	t.Helper()
	client := http.Client{Timeout: 10 * time.Second}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	return string(text)
}
