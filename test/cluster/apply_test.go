//go:build beds

package cluster_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/process"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func configMapManifest(colour string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n  colour: %s\n", colour)
}

func TestServerSideApply(t *testing.T) {
	t.Parallel()
	shared := testbed.Cluster(t)
	namespace := newNamespace(t, shared.Client())
	client, err := dynamic.NewForConfig(shared.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	maps := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace)
	apply := func(colour, manager string, force bool) (*unstructured.Unstructured, error) {
		var object unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(configMapManifest(colour)), &object.Object); err != nil {
			t.Fatal(err)
		}
		return maps.Apply(t.Context(), "applied", &object, metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	const first, second = "first-manager", "second-manager"
	object, err := apply("red", first, false)
	if err != nil {
		t.Fatal(err)
	}
	if !managesColour(object, first) {
		t.Errorf("%s does not manage the value: %+v", first, object.GetManagedFields())
	}
	if _, err := apply("blue", second, false); !apierrors.IsConflict(err) {
		t.Errorf("another manager's apply gives %v, want a conflict", err)
	}
	if object, err = apply("blue", second, true); err != nil {
		t.Fatal(err)
	}
	if managesColour(object, first) || !managesColour(object, second) {
		t.Errorf("the forced apply did not take the value over: %+v", object.GetManagedFields())
	}
}

func managesColour(object *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && strings.Contains(entry.FieldsV1.GetRawString(), `"f:colour"`)
	})
}

func TestKubectl(t *testing.T) {
	t.Parallel()
	shared := testbed.Cluster(t)
	namespace := newNamespace(t, shared.Client())
	kubectl(t, shared, configMapManifest("green"), "apply", "--namespace", namespace, "--server-side", "-f", "-")
	if got := kubectl(t, shared, "", "get", "--namespace", namespace, "configmap", "applied", "-o", "jsonpath={.data.colour}"); got != "green" {
		t.Errorf("kubectl get prints %q", got)
	}
}

// kubectl runs the bed's own and returns what it prints.
func kubectl(t *testing.T, c *cluster.Cluster, input string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	program := filepath.Join(testbed.Dir(t), testbed.BinDir, "kubectl")
	command := exec.CommandContext(ctx, program, append([]string{"--kubeconfig", c.Kubeconfig, "--cache-dir", t.TempDir()}, args...)...)
	command.Stdin = strings.NewReader(input)
	var errorText strings.Builder
	command.Stderr = &errorText
	output, err := command.Output()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, errorText.String())
	}
	return string(output)
}

func TestServersListenOnlyOnLoopback(t *testing.T) {
	t.Parallel()
	servers, err := process.LoadAll(testbed.Cluster(t).LogDir)
	if err != nil {
		t.Fatal(err)
	}
	const want = 5 // etcd, the API server, the controller-manager, the scheduler, kwok
	if len(servers) != want {
		t.Errorf("there are %d servers, want %d", len(servers), want)
	}
	for _, server := range servers {
		listeners, err := process.Listeners(server.PID)
		if err != nil {
			t.Fatal(err)
		}
		if len(listeners) == 0 {
			t.Errorf("%s does not listen at all", server.Name)
		}
		for _, listener := range listeners {
			if !listener.Address.Addr().IsLoopback() {
				t.Errorf("%s listens on %s (%s)", server.Name, listener.Address, listener.Network)
			}
		}
	}
}
