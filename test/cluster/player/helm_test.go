//go:build beds

package player_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"

	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/charts/install"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// bed is a control plane of the test's own whose applications are played.
type bed struct {
	*cluster.Cluster
	ctx context.Context
}

func newBed(t *testing.T) bed {
	t.Helper()
	private := testbed.PlayedCluster(t, cluster.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	t.Cleanup(cancel)
	b := bed{Cluster: private, ctx: ctx}
	b.labelNodes(t)
	return b
}

func (b bed) labelNodes(t *testing.T) {
	t.Helper()
	var pairs []string
	for _, label := range []string{
		"openstack-control-plane", "openstack-compute-node", "openstack-network-node", "openvswitch", "l3-agent",
	} {
		pairs = append(pairs, fmt.Sprintf("%q:\"enabled\"", label))
	}
	patch := fmt.Sprintf(`{"metadata":{"labels":{%s}}}`, strings.Join(pairs, ","))
	nodes, err := b.Client().CoreV1().Nodes().List(b.ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes.Items {
		if _, err := b.Client().CoreV1().Nodes().Patch(b.ctx, node.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func (b bed) namespace(t *testing.T, name string) {
	t.Helper()
	_, err := b.Client().CoreV1().Namespaces().Create(b.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// install does what `helm install` does: without wait, with hooks.
func (b bed) install(namespace string, loaded *chart.Chart, values map[string]any, hooks time.Duration) error {
	return install.Chart(b.ctx, b.Kubeconfig, namespace, loaded, values, hooks)
}

// uninstall does what `helm uninstall` does, on demand without hooks and with the jobs that
// Helm leaves because they are hooks.
func (b bed) uninstall(t *testing.T, namespace, release string, quietly bool) {
	t.Helper()
	configuration, err := install.Configuration(b.Kubeconfig, namespace)
	if err != nil {
		t.Fatal(err)
	}
	uninstall := action.NewUninstall(configuration)
	uninstall.Timeout, uninstall.DisableHooks = 3*time.Minute, quietly
	if _, err := uninstall.Run(release); err != nil {
		t.Fatal(err)
	}
	if quietly {
		background := metav1.DeletePropagationBackground
		err := b.Client().BatchV1().Jobs(namespace).DeleteCollection(b.ctx,
			metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{LabelSelector: "release_group=" + release})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.eventually(t, release+" has no pods", func() (string, bool) {
		pods, err := b.Client().CoreV1().Pods(namespace).List(b.ctx, metav1.ListOptions{LabelSelector: "release_group=" + release})
		return fmt.Sprint(err), err == nil && len(pods.Items) == 0
	})
}

// eventually polls: a condition over many objects has no event of its own.
func (b bed) eventually(t *testing.T, what string, done func() (state string, ok bool)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 4*time.Minute)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		state, ok := done()
		if ok {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("never: %s: %s", what, state)
		case <-tick.C:
		}
	}
}

// running waits until every pod of the namespace is ready or has completed.
func (b bed) running(t *testing.T, namespace string) {
	t.Helper()
	b.eventually(t, "all pods of "+namespace+" run", func() (string, bool) {
		pods, err := b.Client().CoreV1().Pods(namespace).List(b.ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error(), false
		}
		var others []string
		for _, pod := range pods.Items {
			if pod.Status.Phase != corev1.PodSucceeded && !isReady(&pod) {
				others = append(others, fmt.Sprintf("%s %v", pod.Name, pod.Annotations))
			}
		}
		return strings.Join(others, "\n"), len(others) == 0 && len(pods.Items) > 0
	})
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// says waits until the log of the Job's pod, as the API server serves it, has the text.
func (b bed) says(t *testing.T, namespace, selector, container, text string) {
	t.Helper()
	b.eventually(t, selector+" says "+text, func() (string, bool) {
		pods, err := b.Client().CoreV1().Pods(namespace).List(b.ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil || len(pods.Items) == 0 {
			return fmt.Sprintf("no pods: %v", err), false
		}
		log, err := b.Client().CoreV1().Pods(namespace).GetLogs(pods.Items[0].Name, &corev1.PodLogOptions{Container: container}).DoRaw(b.ctx)
		return fmt.Sprintf("%s, %v", log, err), err == nil && strings.Contains(string(log), text)
	})
}

// passwords are values in which a user has the same password in every chart, and no two users
// of one server have the same.
func passwords(loaded *chart.Chart) map[string]any {
	endpoints := map[string]any{}
	all, _ := loaded.Values["endpoints"].(map[string]any)
	for endpoint, value := range all {
		settings, _ := value.(map[string]any)
		users, _ := settings["auth"].(map[string]any)
		auth := map[string]any{}
		for user, value := range users {
			if account, ok := value.(map[string]any); ok {
				auth[user] = map[string]any{"password": strings.SplitN(endpoint, "_cell", 2)[0] + "-" + fmt.Sprint(account["username"])}
			}
		}
		if endpoint == "oslo_cache" {
			auth["memcache_secret_key"] = "key"
		}
		if len(auth) > 0 {
			endpoints[endpoint] = map[string]any{"auth": auth}
		}
	}
	return map[string]any{"endpoints": endpoints}
}

func load(t *testing.T, name string) *chart.Chart {
	t.Helper()
	loaded, err := charts.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
