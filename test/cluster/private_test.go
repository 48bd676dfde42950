//go:build beds

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/process"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// TestPrivate has what must not happen on a shared cluster: nodes are labelled, a namespace is
// waited for, and in the end the cluster is stopped.
func TestPrivate(t *testing.T) {
	t.Parallel()
	private := testbed.PrivateCluster(t, cluster.Options{Nodes: -1})
	client := private.Client()
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) != 0 {
		t.Errorf("there are %d nodes, none was asked for", len(nodes.Items))
	}
	for name, role := range map[string]string{"edge-1": "edge", "edge-2": "edge", "core-1": "core"} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"role": role}}}
		if _, err := client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	namespace := newPrivateNamespace(t, client)
	t.Run("DaemonSet on labelled nodes", func(t *testing.T) { testDaemonSet(t, client, namespace) })
	t.Run("applications need no player", func(t *testing.T) {
		createPod(t, client, namespace, newPlayedPod("keystone", nil, "first"))
		waitPod(t, client, namespace, "keystone", running, inits(map[string]string{"first": "completed"}))
	})
	t.Run("namespace deletion", func(t *testing.T) {
		if err := client.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the namespace is gone with all that was in it", func(ctx context.Context) error {
			namespace, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("still there (%w): %+v", err, namespace.Status.Conditions)
		})
	})
	t.Run("Open and Stop", func(t *testing.T) { testOpenAndStop(t, private) })
}

// newPrivateNamespace makes a namespace that nobody needs to delete.
func newPrivateNamespace(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	const name = "own"
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the namespace's default ServiceAccount exists", func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return name
}

func testDaemonSet(t *testing.T, client kubernetes.Interface, namespace string) {
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent"}, Spec: appsv1.DaemonSetSpec{Selector: selector("agent"), Template: template("agent", nil)}}
	set.Spec.Template.Spec.NodeSelector = map[string]string{"role": "edge"}
	if _, err := client.AppsV1().DaemonSets(namespace).Create(t.Context(), set, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	readyOn := func(want ...string) {
		t.Helper()
		eventually(t, fmt.Sprintf("the DaemonSet is ready on %v", want), func(ctx context.Context) error {
			set, err := client.AppsV1().DaemonSets(namespace).Get(ctx, "agent", metav1.GetOptions{})
			if err != nil {
				return err
			}
			pods, err := podNames(ctx, client, namespace, "agent")
			if err != nil {
				return err
			}
			on := map[string]bool{}
			for _, pod := range pods {
				on[pod.Spec.NodeName] = true
			}
			if int(set.Status.NumberReady) != len(want) || len(on) != len(want) {
				return fmt.Errorf("%d ready, on %v", set.Status.NumberReady, on)
			}
			for _, name := range want {
				if !on[name] {
					return fmt.Errorf("on %v", on)
				}
			}
			return nil
		})
	}
	readyOn("edge-1", "edge-2")
	// A patch, as its kubelet writes to the node too.
	patch := []byte(`{"metadata":{"labels":{"role":"edge"}}}`)
	if _, err := client.CoreV1().Nodes().Patch(t.Context(), "core-1", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	readyOn("core-1", "edge-1", "edge-2")
}

func testOpenAndStop(t *testing.T, private *cluster.Cluster) {
	opened, err := cluster.Open(private.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if opened.ServerURL != private.ServerURL || opened.KubernetesVersion != private.KubernetesVersion || opened.KubernetesVersion == "" {
		t.Errorf("Open found %+v, Start returned %+v", opened, private)
	}
	if _, err := opened.Client().CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Start(t.Context(), cluster.Options{Bin: binaries(t), Dir: private.Dir}); err == nil {
		t.Error("a second start in the same directory succeeded")
	}
	if _, err := cluster.Open(private.Dir); err != nil {
		t.Errorf("the refused start did harm: %v", err)
	}
	if err := opened.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	nothingRuns(t, private.Dir)
	if _, err := cluster.Open(private.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a stopped cluster: %v", err)
	}
	if err := private.Stop(t.Context()); err != nil {
		t.Errorf("a second Stop: %v", err)
	}
}

func TestStartThatIsCancelledLeavesNothing(t *testing.T) {
	t.Parallel()
	bin, dir := binaries(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		// Nothing but the record tells that the API server is on its way.
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if _, err := process.Load(filepath.Join(dir, "processes"), "kube-apiserver"); err == nil {
				cancel()
			}
			<-tick.C
		}
	}()
	if _, err := cluster.Start(ctx, cluster.Options{Bin: bin, Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	nothingRuns(t, dir)
}

func binaries(t testing.TB) string { return filepath.Join(testbed.Dir(t), testbed.BinDir) }

// BenchmarkStart measures a start to three nodes that are ready, in wall time and in seconds
// of CPU; on a busy machine only the latter mean something.
func BenchmarkStart(b *testing.B) {
	var cpu time.Duration
	for b.Loop() {
		private, err := cluster.Start(b.Context(), cluster.Options{Bin: binaries(b), Dir: filepath.Join(b.TempDir(), "cluster")})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		cpu += cpuTime(b, private)
		if err := private.Stop(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/op")
}
