//go:build beds

package helm_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// Keystone and what it needs, with their real forms of hooks, init containers and defaults: all of
// it becomes ready, and then nothing differs from what Helm applied.
func TestKeystoneAndWhatItNeeds(t *testing.T) {
	b := newBedOn(t, testbed.PlayedCluster(t, cluster.Options{}), nil)
	labels := map[string]any{"metadata": map[string]any{"labels": map[string]string{"openstack-control-plane": "enabled"}}}
	patch, err := json.Marshal(labels)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := b.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes.Items {
		if _, err := b.client.CoreV1().Nodes().Patch(t.Context(), node.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	release := func(name string) unit.Target {
		target := unit.Target{
			Address: addr.MustParseObject("service." + name), UID: name, Mark: "mark-" + name, Fresh: true,
			Spec: &unit.Release{
				Namespace: b.namespace, Name: name, Values: map[string]any{},
				Chart: unit.Chart{Name: name, Repository: ".", Tree: os.DirFS(charts.Dir())},
			},
		}
		target.Locator = target.Spec.Locator()
		return target
	}
	for _, name := range []string{"mariadb", "rabbitmq", "memcached"} {
		b.target = release(name)
		b.settle()
	}
	b.target = release("keystone")
	b.settle()
	offset, err := b.server.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	all := []unit.Target{release("mariadb"), release("rabbitmq"), release("memcached"), release("keystone")}
	states, err := b.driver.Observe(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range all {
		state := states[target.Address]
		if diff := b.driver.Compare(target, cty.NilVal, state); !state.Ready() || diff.Action != unit.ActionNone {
			t.Errorf("%s: %s %q, %+v", target.Address, state.Health, state.Message, diff)
		}
	}
	if requests := b.requests(offset); len(requests) != 1 {
		t.Errorf("four unchanged releases took %d requests", len(requests))
	}
	keys, err := b.client.CoreV1().Secrets(b.namespace).Get(t.Context(), "keystone-fernet-keys", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}

	jobs := b.created("jobs")
	b.change(func(spec *unit.Release) {
		spec.Values["conf"] = map[string]any{"keystone": map[string]any{"DEFAULT": map[string]any{"max_token_size": int64(1000000)}}}
	})
	b.settle()
	if again := b.created("jobs")[len(jobs):]; !slices.Contains(again, "keystone-db-sync") {
		t.Errorf("the upgrade ran %q", again)
	}
	after, err := b.client.CoreV1().Secrets(b.namespace).Get(t.Context(), "keystone-fernet-keys", metav1.GetOptions{})
	if err != nil || after.UID != keys.UID {
		t.Errorf("the keys were made anew, %v", err)
	}
	b.remove()
}

// Keystone without what it needs says what that is, in place of that something takes long.
func TestWhatKeystoneWaitsForIsNamed(t *testing.T) {
	b := newBedOn(t, testbed.PlayedCluster(t, cluster.Options{}), nil)
	patch := []byte(`{"metadata":{"labels":{"openstack-control-plane":"enabled"}}}`)
	nodes, err := b.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes.Items {
		if _, err := b.client.CoreV1().Nodes().Patch(t.Context(), node.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	b.target = unit.Target{
		Address: addr.MustParseObject("service.keystone"), UID: "keystone", Mark: "mark-keystone", Fresh: true,
		Spec: &unit.Release{
			Namespace: b.namespace, Name: "keystone", Values: map[string]any{},
			Chart: unit.Chart{Name: "keystone", Repository: ".", Tree: os.DirFS(charts.Dir())},
		},
	}
	b.target.Locator = b.target.Spec.Locator()
	b.until("explained", func(state unit.State, _ unit.Diff) bool {
		return strings.Contains(state.Message, "keystone-db-init: ") && strings.Contains(state.Message, "init container init waits for Service mariadb (it is not there)") &&
			strings.Contains(strings.Join(state.Details, "\n"), "Job keystone-db-sync (it is not there)")
	})
}
