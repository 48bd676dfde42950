package kube

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// maxConfirms bounds the requests at a time for objects that no watch shows.
	maxConfirms = 8
	// fewConfirms is how many objects of a kind are asked for one by one at most; for more their names are listed.
	fewConfirms = maxConfirms
)

// confirm asks for each object. They may be there without our label. Where many of a kind are missing, as they are
// before they are made, a list of names tells which of them need not be asked for.
func (d *Driver) confirm(ctx context.Context, refs []unit.ObjectRef) ([]*unstructured.Unstructured, []error) {
	absent := d.cluster.absent(ctx, refs)
	found, errs := make([]*unstructured.Unstructured, len(refs)), make([]error, len(refs))
	group := contain.AtOnce(maxConfirms)
	for i, ref := range refs {
		if absent[ref] {
			continue
		}
		group.Go(func() { found[i], errs[i] = d.cluster.Confirm(ctx, ref) })
	}
	group.Wait()
	return found, errs
}

// absent returns those of many objects that are certainly not there. What it does not return may be there or not.
func (c *Cluster) absent(ctx context.Context, refs []unit.ObjectRef) map[unit.ObjectRef]bool {
	groups := map[watchKey][]unit.ObjectRef{}
	for _, ref := range refs {
		key := watchKey{apiVersion: ref.APIVersion, kind: ref.Kind, namespace: ref.Namespace}
		groups[key] = append(groups[key], ref)
	}
	absent := map[unit.ObjectRef]bool{}
	for key, of := range groups {
		if len(of) <= fewConfirms {
			continue
		}
		names, known := c.names(ctx, key)
		if !known {
			continue // the objects are asked for, and tell what is wrong
		}
		for _, ref := range of {
			if !names[ref.Name] {
				absent[ref] = true
			}
		}
	}
	return absent
}

// names lists what there is of a kind, whatever its labels, by metadata alone; false when that is not known.
func (c *Cluster) names(ctx context.Context, key watchKey) (map[string]bool, bool) {
	served, ok, err := c.kinds.lookup(ctx, key.apiVersion, key.kind)
	if err != nil || !ok || served.namespaced != (key.namespace != "") {
		return nil, false
	}
	names := map[string]bool{}
	pages := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
		list, err := c.metadata.page(ctx, served.resource, key.namespace, options)
		switch {
		case err != nil:
			return nil, err
		case list.Continue != "" && list.Continue == options.Continue:
			return nil, errEndless
		}
		return list, nil
	}))
	err = pages.EachListItem(ctx, metav1.ListOptions{}, func(item runtime.Object) error {
		object, err := meta.Accessor(item)
		if err == nil {
			names[object.GetName()] = true
		}
		return err
	})
	return names, err == nil
}
