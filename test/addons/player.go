package addons

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// rule is what a controller does for the objects of a kind: it fills in the status of a copy, which is written
// where it differs then.
type rule struct {
	resource schema.GroupVersionResource
	act      func(*player, context.Context, *unstructured.Unstructured) error
}

func resource(group, plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: "v1", Resource: plural}
}

// callLimit bounds what is done for one object, and syncLimit the first lists.
const (
	callLimit = 30 * time.Second
	syncLimit = time.Minute
)

// player is all controllers.
type player struct {
	client    kubernetes.Interface
	objects   dynamic.Interface
	authority *authority
	rules     map[schema.GroupVersionResource]rule
	informers dynamicinformer.DynamicSharedInformerFactory
	queue     workqueue.TypedRateLimitingInterface[key]
}

type key struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

// start plays until stop is called, which waits for the end.
func start(config *rest.Config, rules []rule) (stop func() error, err error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	signer, err := newAuthority()
	if err != nil {
		return nil, err
	}
	p := &player{
		client: client, objects: objects, authority: signer, rules: map[schema.GroupVersionResource]rule{},
		informers: dynamicinformer.NewDynamicSharedInformerFactory(objects, 0),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[key](100*time.Millisecond, 5*time.Second)),
	}
	for _, r := range rules {
		p.rules[r.resource] = r
		enqueue := func(object any) {
			if m, err := meta.Accessor(object); err == nil {
				p.queue.Add(key{r.resource, m.GetNamespace(), m.GetName()})
			}
		}
		if _, err := p.informers.ForResource(r.resource).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: enqueue, UpdateFunc: func(_, object any) { enqueue(object) },
		}); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.informers.Start(ctx.Done())
	syncing, done := context.WithTimeout(ctx, syncLimit)
	defer done()
	for kind, synced := range p.informers.WaitForCacheSync(syncing.Done()) {
		if !synced {
			cancel()
			return nil, fmt.Errorf("cannot list %v", kind)
		}
	}
	var group sync.WaitGroup
	group.Go(func() {
		for p.next(ctx) {
		}
	})
	return func() error {
		cancel()
		p.queue.ShutDown()
		group.Wait()
		p.informers.Shutdown()
		return nil
	}, nil
}

// next plays for one object, again later where that fails. It returns false at the end.
func (p *player) next(ctx context.Context) bool {
	k, end := p.queue.Get()
	if end {
		return false
	}
	defer p.queue.Done(k)
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if err := p.play(ctx, k); err != nil {
		p.queue.AddRateLimited(k)
		return true
	}
	p.queue.Forget(k)
	return true
}

func (p *player) play(ctx context.Context, k key) error {
	cached, err := p.informers.ForResource(k.resource).Lister().Get(cacheKey(k))
	if apierrors.IsNotFound(err) {
		return nil // it is gone
	}
	if err != nil {
		return err
	}
	object, ok := cached.(*unstructured.Unstructured)
	if !ok {
		return errors.New("no unstructured object")
	}
	object = object.DeepCopy()
	before := runtime.DeepCopyJSON(map[string]any{"status": object.Object["status"]})
	if err := p.rules[k.resource].act(p, ctx, object); err != nil {
		return err
	}
	if equal(before["status"], object.Object["status"]) {
		return nil
	}
	_, err = p.objects.Resource(k.resource).Namespace(k.namespace).UpdateStatus(ctx, object, metav1.UpdateOptions{})
	return err
}

func cacheKey(k key) string {
	if k.namespace == "" {
		return k.name
	}
	return k.namespace + "/" + k.name
}
