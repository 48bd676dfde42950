package player

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Options of Run.
type Options struct {
	// LogDir is a directory that the cluster's kubelets read: what containers say goes there.
	// Nothing is said without it.
	LogDir string
	// FirstPause is the pause before a failed container is started again; it doubles up to
	// LastPause. 0 means one second, and ten seconds.
	FirstPause, LastPause time.Duration
}

const (
	// settle is how long a burst of events is collected before waiting pods look again.
	settle = 50 * time.Millisecond
	// workers evaluate pods at the same time.
	workers = 4
	// callLimit bounds the evaluation of one pod, requests included.
	callLimit = 30 * time.Second
)

// Run plays until ctx ends and then returns nil. It fails when it cannot read the cluster. One
// player may run on a cluster; a new one carries on where the last one stopped.
func Run(ctx context.Context, config *rest.Config, options Options) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("player: %w", err)
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("player: %w", err)
	}
	return run(ctx, client, objects, options)
}

// player is one run. Its maps are guarded by mu.
type player struct {
	world
	client  kubernetes.Interface
	objects dynamic.Interface
	options Options
	factory informers.SharedInformerFactory
	queue   workqueue.TypedRateLimitingInterface[podKey]

	// acting is held while a container acts: no two act on a database at the same time.
	acting sync.Mutex

	mu      sync.Mutex
	waiting map[podKey]*attempt
}

// podKey names one pod; a pod of the same name that comes later is another one.
type podKey struct{ namespace, name string }

// attempt is what the player remembers of a pod that waits or fails.
type attempt struct {
	uid      string
	failures int
	retry    time.Time
	said     []string
}

func run(ctx context.Context, client kubernetes.Interface, objects dynamic.Interface, options Options) error {
	return newPlayer(ctx, client, objects, options).work(ctx)
}

func newPlayer(ctx context.Context, client kubernetes.Interface, objects dynamic.Interface, options Options) *player {
	if options.FirstPause == 0 {
		options.FirstPause = time.Second
	}
	if options.LastPause == 0 {
		options.LastPause = 10 * time.Second
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	custom := dynamicinformer.NewDynamicSharedInformerFactory(objects, 0)
	p := &player{
		world:   newWorld(factory),
		client:  client,
		objects: objects,
		options: options,
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[podKey](100*time.Millisecond, 5*time.Second)),
		waiting: map[podKey]*attempt{},
	}
	p.factory = factory
	p.custom = newCustomResources(custom, p.wakeAll, ctx.Done())
	return p
}

// work plays until ctx ends, which has to be the one that the player was made with.
func (p *player) work(ctx context.Context) error {
	factory := p.factory
	if err := p.watch(factory); err != nil {
		return fmt.Errorf("player: %w", err)
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced && ctx.Err() == nil {
			return fmt.Errorf("player: cannot list %v", kind)
		}
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for p.next(ctx) {
			}
		})
	}
	<-ctx.Done()
	p.queue.ShutDown()
	group.Wait()
	factory.Shutdown()
	p.custom.factory.Shutdown()
	return nil
}

// watch looks at a pod when it changes, and at all that wait when something changed that they
// may wait for.
func (p *player) watch(factory informers.SharedInformerFactory) error {
	wake := func(any) { p.wakeAll() }
	always := cache.ResourceEventHandlerFuncs{AddFunc: wake, UpdateFunc: func(_, _ any) { p.wakeAll() }, DeleteFunc: wake}
	_, pods := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { p.queue.Add(keyOf(object.(*corev1.Pod))) },
		UpdateFunc: func(before, after any) {
			p.queue.Add(keyOf(after.(*corev1.Pod)))
			if ready(before.(*corev1.Pod)) != ready(after.(*corev1.Pod)) {
				p.wakeAll()
			}
		},
		DeleteFunc: func(object any) {
			if pod, ok := object.(*corev1.Pod); ok {
				p.forget(keyOf(pod))
			} else if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				p.forget(keyOf(gone.Obj.(*corev1.Pod)))
			}
		},
	})
	_, jobs := factory.Batch().V1().Jobs().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			if before.(*batchv1.Job).Status.Succeeded != after.(*batchv1.Job).Status.Succeeded {
				p.wakeAll()
			}
		},
	})
	_, slices := factory.Discovery().V1().EndpointSlices().Informer().AddEventHandler(always)
	_, services := factory.Core().V1().Services().Informer().AddEventHandler(always)
	_, secrets := factory.Core().V1().Secrets().Informer().AddEventHandler(always)
	_, claims := factory.Core().V1().PersistentVolumeClaims().Informer().AddEventHandler(always)
	return errors.Join(pods, jobs, slices, services, secrets, claims)
}

func (p *player) wakeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.waiting {
		p.queue.AddAfter(key, settle)
	}
}

// next plays the next pod that has something to do, and returns false at the end.
func (p *player) next(ctx context.Context) bool {
	key, shutdown := p.queue.Get()
	if shutdown {
		return false
	}
	defer p.queue.Done(key)
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	pod, err := p.pods.Pods(key.namespace).Get(key.name)
	if err != nil {
		// Gone, perhaps while it was looked at the last time.
		p.forget(key)
		p.queue.Forget(key)
		return true
	}
	if err := p.play(ctx, pod); err != nil {
		// A conflict or a request that failed; the cache catches up meanwhile.
		p.queue.AddRateLimited(key)
		return true
	}
	p.queue.Forget(key)
	return true
}

func keyOf(pod metav1.Object) podKey {
	return podKey{pod.GetNamespace(), pod.GetName()}
}
