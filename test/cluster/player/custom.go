package player

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// customDependency is an object that an init container waits for, with the values that its
// fields must have.
type customDependency struct {
	APIVersion, Kind, Namespace, Name string
	Fields                            []struct{ Key, Value string }
}

// customResources watches the kinds that init containers ask for, from the first question on.
type customResources struct {
	factory dynamicinformer.DynamicSharedInformerFactory
	changed func()
	stop    <-chan struct{}

	mu      sync.Mutex
	watched map[schema.GroupVersionResource]cache.GenericLister
}

func newCustomResources(factory dynamicinformer.DynamicSharedInformerFactory, changed func(), stop <-chan struct{}) *customResources {
	return &customResources{factory: factory, changed: changed, stop: stop, watched: map[schema.GroupVersionResource]cache.GenericLister{}}
}

// check fails when the object is not there or has another value. The first question about a
// kind always fails; changed is called when its objects are known.
func (c *customResources) check(wanted customDependency) error {
	found, err := c.lister(wanted).ByNamespace(wanted.Namespace).Get(wanted.Name)
	if err != nil {
		return errors.New("it does not exist")
	}
	object, ok := found.(*unstructured.Unstructured)
	if !ok {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(found)
		if err != nil {
			return err
		}
		object = &unstructured.Unstructured{Object: content}
	}
	for _, field := range wanted.Fields {
		value, _, err := unstructured.NestedFieldNoCopy(object.Object, strings.Split(field.Key, ".")...)
		if err != nil || fmt.Sprint(value) != field.Value {
			return fmt.Errorf("field %s is %v, expected %s", field.Key, value, field.Value)
		}
	}
	return nil
}

func (c *customResources) lister(wanted customDependency) cache.GenericLister {
	kind := schema.FromAPIVersionAndKind(wanted.APIVersion, wanted.Kind)
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	c.mu.Lock()
	defer c.mu.Unlock()
	if lister, ok := c.watched[resource]; ok {
		return lister
	}
	informer := c.factory.ForResource(resource)
	changed := func(any) { c.changed() }
	// It cannot fail before the informer was stopped, and then nobody asks any more.
	_, _ = informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, _ any) { c.changed() }, DeleteFunc: changed,
	})
	c.factory.Start(c.stop)
	c.watched[resource] = informer.Lister()
	return informer.Lister()
}
