package helm

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// storagePatience is how long a look waits for the watch that it has started. Without one that works, what
// others do to the records of releases is seen later: nothing else depends on it.
const storagePatience = 10 * time.Second

// storage watches the Secrets in which Helm keeps the revisions of releases, by their metadata alone: they
// bear no label that the watches of objects go by, and their content would take much memory.
type storage struct {
	client  metadata.Interface
	changed func(namespace, name string) // must return at once
	ctx     context.Context              // the watches live until close
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	mu      sync.Mutex
	watched map[string]bool // namespaces, "" for all
}

func newStorage(client metadata.Interface, changed func(namespace, name string)) *storage {
	s := &storage{client: client, changed: changed, watched: map[string]bool{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// watch has changes in a namespace told from now on, in all of them for "".
func (s *storage) watch(ctx context.Context, namespace string) {
	s.mu.Lock()
	known := s.watched[namespace] || s.ctx.Err() != nil
	s.watched[namespace] = true
	s.mu.Unlock()
	if known {
		return
	}
	informer := metadatainformer.NewFilteredMetadataInformer(s.client, schema.GroupVersionResource{Version: "v1", Resource: "secrets"},
		namespace, 0, nil, func(options *metav1.ListOptions) { options.LabelSelector = ownedByHelm }).Informer()
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
				s.tell(item)
			}
		},
		UpdateFunc: func(before, item any) {
			if versionIn(before) != versionIn(item) {
				s.tell(item)
			}
		},
		DeleteFunc: s.tell,
	})
	s.wg.Go(func() { informer.RunWithContext(s.ctx) })
	ctx, cancel := context.WithTimeout(ctx, storagePatience)
	defer cancel()
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
}

func versionIn(item any) string {
	if object, ok := item.(*metav1.PartialObjectMetadata); ok {
		return object.ResourceVersion
	}
	return ""
}

func (s *storage) tell(item any) {
	if lost, ok := item.(cache.DeletedFinalStateUnknown); ok {
		item = lost.Obj
	}
	if object, ok := item.(*metav1.PartialObjectMetadata); ok && object.Labels["name"] != "" {
		s.changed(object.Namespace, object.Labels["name"])
	}
}

func (s *storage) close() {
	s.cancel()
	s.wg.Wait()
}
