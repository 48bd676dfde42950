package world

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// reportEvery is how often a nova-compute reports, a few times in what Nova's patience is on the test bed.
const reportEvery = 5 * time.Second

// computes has Nova hear of the nova-compute on each node where a pod of it is ready: that acts out what its containers
// do where nobody else sees it, as the player does for all others. When the pod is gone, so are the reports.
type computes struct {
	world *World
	pods  listers.PodLister
	wake  chan struct{}

	mu     sync.Mutex
	silent map[string]bool // nodes whose nova-compute does not come through to Nova
}

// playComputes does it until the test ends.
func (w *World) playComputes(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	factory := informers.NewSharedInformerFactoryWithOptions(w.Cluster.Client(), 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.LabelSelector = "application=nova,component=compute"
	}))
	pods := factory.Core().V1().Pods()
	c := &computes{world: w, pods: pods.Lister(), wake: make(chan struct{}, 1), silent: map[string]bool{}}
	if _, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { c.look() }, UpdateFunc: func(_, _ any) { c.look() },
	}); err != nil {
		cancel()
		t.Fatal(err)
	}
	w.computes = c
	factory.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { c.report(ctx, t) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		factory.Shutdown()
	})
}

// look has pods looked at soon.
func (c *computes) look() {
	select {
	case c.wake <- struct{}{}:
	default: // they will be
	}
}

// report reports until ctx ends, at once where a pod is new. What fails is done again with the next reports.
func (c *computes) report(ctx context.Context, t testing.TB) {
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	heard := map[string]bool{} // in the last reports
	for {
		due := false
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		case <-ticker.C:
			due = true
		}
		working := c.working(t)
		if len(working) == 0 || !due && maps.Equal(working, heard) {
			continue
		}
		if err := c.world.Cloud.ReportComputes(ctx, slices.Sorted(maps.Keys(working))...); err != nil {
			if ctx.Err() == nil {
				t.Logf("the nodes that are played: %v", err)
			}
			continue
		}
		heard = working
	}
}

// working are the nodes whose nova-compute reports.
func (c *computes) working(t testing.TB) map[string]bool {
	nodes := map[string]bool{}
	pods, err := c.pods.List(labels.Everything())
	if err != nil {
		t.Errorf("pods of nova-compute: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pod := range pods {
		ready := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
		if ready && !c.silent[pod.Spec.NodeName] {
			nodes[pod.Spec.NodeName] = true
		}
	}
	return nodes
}

// Silence keeps Nova from hearing of the nova-compute on a node until heard is called. On a cloud that is shared the node
// needs a name that no other test has.
func (w *World) Silence(node string) (heard func()) {
	c := w.computes
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silent[node] = true
	return func() {
		c.mu.Lock()
		delete(c.silent, node)
		c.mu.Unlock()
		c.look()
	}
}
