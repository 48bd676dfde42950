package kube

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

// metadataPatience is how long the beginning of a watch of metadata is waited for. Without one that works, what
// others change is told later or not at all: those who watch may not depend on it.
const metadataPatience = 10 * time.Second

// MetadataWatch tells of changes to objects by their metadata alone: for those that bear no label that the
// watches of a [Cluster] go by, and whose content would take much memory. Get it from [API.Watch].
type MetadataWatch struct {
	client   metadata.Interface
	resource schema.GroupVersionResource
	selector string
	changed  func(*metav1.PartialObjectMetadata)
	ctx      context.Context // the watches live until Close
	cancel   context.CancelFunc
	running  contain.Background

	mu      sync.Mutex
	watched map[string]bool // namespaces, "" for all
}

// Watch returns a watch that tells of the objects of a resource that a selector of labels takes. changed is
// called when one is made, changed or deleted, and must return at once.
func (a *API) Watch(of schema.GroupVersionResource, selector string, changed func(*metav1.PartialObjectMetadata)) *MetadataWatch {
	return newMetadataWatch(a.watcher, of, selector, changed)
}

func newMetadataWatch(client metadata.Interface, of schema.GroupVersionResource, selector string,
	changed func(*metav1.PartialObjectMetadata),
) *MetadataWatch {
	w := &MetadataWatch{client: client, resource: of, selector: selector, changed: changed, watched: map[string]bool{}}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// Begin has changes in a namespace told from now on, in all of them for "". It returns when what is there is
// known, but after some seconds in any case, and at once where the watch has begun already.
func (w *MetadataWatch) Begin(ctx context.Context, namespace string) {
	w.mu.Lock()
	known := w.watched[namespace] || w.ctx.Err() != nil
	w.watched[namespace] = true
	w.mu.Unlock()
	if known {
		return
	}
	informer := w.informer(namespace)
	_ = informer.SetTransform(func(item any) (any, error) { // none of these fails before the informer runs
		if object, ok := item.(*metav1.PartialObjectMetadata); ok {
			object.ManagedFields, object.Annotations = nil, nil
		}
		return item, nil
	})
	// What the server refuses, a look that lists is told, too; the default would write to the standard error.
	_ = informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(item any, initial bool) {
			if !initial {
				w.tell(item)
			}
		},
		UpdateFunc: func(before, item any) {
			if versionIn(before) != versionIn(item) {
				w.tell(item)
			}
		},
		DeleteFunc: w.tell,
	})
	w.running.Go(func() { informer.RunWithContext(w.ctx) })
	ctx, cancel := context.WithTimeout(ctx, metadataPatience)
	defer cancel()
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
}

// informer lists and watches in a namespace. Its streams end when they are silent, as those of a [Cluster] do.
func (w *MetadataWatch) informer(namespace string) cache.SharedIndexInformer {
	objects := w.client.Resource(w.resource).Namespace(namespace)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.LabelSelector = w.selector
			return objects.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
			options.LabelSelector = w.selector
			stream, err := objects.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return attend(stream, options.TimeoutSeconds), nil
		},
	}
	return cache.NewSharedIndexInformerWithOptions(cache.ToListWatcherWithWatchListSemantics(source, w.client),
		&metav1.PartialObjectMetadata{}, cache.SharedIndexInformerOptions{ObjectDescription: w.resource.String()})
}

func versionIn(item any) string {
	if object, ok := item.(*metav1.PartialObjectMetadata); ok {
		return object.ResourceVersion
	}
	return ""
}

func (w *MetadataWatch) tell(item any) {
	if lost, ok := item.(cache.DeletedFinalStateUnknown); ok {
		item = lost.Obj
	}
	if object, ok := item.(*metav1.PartialObjectMetadata); ok {
		contain.Unsaid(func() { w.changed(object) }) // client-go logs the value of a panic
	}
}

// Close ends the watches, and returns when they are over: nothing is told afterwards.
func (w *MetadataWatch) Close() {
	w.cancel()
	w.running.Wait()
}
