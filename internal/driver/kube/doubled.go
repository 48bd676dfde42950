package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// doubledError says that the server refuses what an apply would make, as elements of lists would be there
// twice: somebody changed what tells an element from others, such as the number of a port, so that ours
// would come beside theirs, with the same name.
type doubledError struct {
	lists [][]string // their paths
	error
}

func (e *doubledError) Unwrap() error { return e.error }

// doubled returns the lists that an error of that kind is about, and nil for every other error.
func doubled(err error) [][]string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) || status.Status().Details == nil {
		return nil
	}
	var lists [][]string
	for _, cause := range status.Status().Details.Causes {
		list, _, isElement := strings.Cut(cause.Field, "[")
		if cause.Type != metav1.CauseTypeFieldValueDuplicate || !isElement {
			return nil
		}
		lists = append(lists, strings.Split(list, "."))
	}
	return lists
}

// putLists puts the lists of desired in the place of those of the live object, and changes nothing else. It
// wraps [ErrConflict] when somebody else writes in between.
func (c *Cluster) putLists(ctx context.Context, manager string, desired *unstructured.Unstructured, lists [][]string) error {
	ref := unit.RefOf(desired.Object)
	live, err := c.read(ctx, ref)
	if err != nil {
		return err
	}
	if live == nil {
		return fmt.Errorf("write %s: %w", ref, ErrConflict)
	}
	for _, list := range lists {
		wanted, ok, err := unstructured.NestedSlice(desired.Object, list...)
		if err != nil || !ok {
			continue // it is not ours, and the next apply says so again
		}
		if err := unstructured.SetNestedSlice(live.Object, wanted, list...); err != nil {
			return fmt.Errorf("write %s of %s: %w", strings.Join(list, "."), ref, err)
		}
	}
	_, err = c.update(ctx, live, metav1.UpdateOptions{FieldManager: manager})
	return err
}

// belongsToHelm tells whether an object is what a Helm release has.
func belongsToHelm(object *unstructured.Unstructured) bool {
	return object.GetAnnotations()[annotationReleaseName] != ""
}

// wishesTwice tells whether the server can apply nothing of an object, as a list in it has two elements that apply takes for
// one: two names for a port of a container, or a variable of the environment that is set again. Otherwise Kubernetes takes
// both, and so charts have them. No reason of the error says it.
func wishesTwice(err error) bool {
	return err != nil && strings.Contains(err.Error(), "failed to create typed patch object") && strings.Contains(err.Error(), "duplicate entries for key")
}

// mergeOver writes what cannot be applied over what is there, and leaves what others have beside it, also in lists that several
// may add to. Where the server refuses both together the lists are as the object has them. What went from it stays as well, so
// it is for objects of releases, of which Helm takes that away.
func mergeOver(ctx context.Context, objects dynamic.ResourceInterface, object *unstructured.Unstructured, options metav1.ApplyOptions) (*unstructured.Unstructured, error) {
	live, err := objects.Get(ctx, object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) && !noSuchPath(err) {
		return objects.Create(ctx, object, metav1.CreateOptions{FieldManager: options.FieldManager, DryRun: options.DryRun})
	}
	if err != nil {
		return nil, err
	}
	merge := func(content any) (*unstructured.Unstructured, error) {
		text, err := json.Marshal(content)
		if err != nil {
			return nil, err
		}
		return objects.Patch(ctx, object.GetName(), types.MergePatchType, text, metav1.PatchOptions{FieldManager: options.FieldManager, DryRun: options.DryRun})
	}
	merged, err := merge(laidOver("", object.Object, live.Object, false))
	if apierrors.IsInvalid(err) {
		return merge(object.Object)
	}
	return merged, err
}

// laidOver is the value of a field as it is wanted, with what only have has beside it in lists that several may add to, which a
// merge takes as they are; inside tells that it is in such a one. Neither of them is changed.
func laidOver(field string, want, have any, inside bool) any {
	switch want := want.(type) {
	case map[string]any:
		fields, _ := have.(map[string]any)
		result := map[string]any{}
		if inside {
			maps.Copy(result, fields)
		}
		for key, value := range want {
			result[key] = laidOver(key, value, fields[key], inside)
		}
		return result
	case []any:
		items, _ := have.([]any)
		if field == "finalizers" { // a set: without others' it would go before they are done
			return append(slices.Clone(want), slices.DeleteFunc(slices.Clone(items), func(item any) bool {
				return !isScalar(item) || slices.ContainsFunc(want, func(ours any) bool { return isScalar(ours) && ours == item })
			})...)
		}
		keys := identity(field, want, items)
		if keys == nil || !shared(field) {
			return want
		}
		result, taken := make([]any, 0, len(want)), make([]bool, len(items))
		for _, item := range want { // of elements with one name the second belongs to the second
			for i := range items {
				if !taken[i] && idOf(items[i], keys) == idOf(item, keys) {
					taken[i], item = true, laidOver("", item, items[i], true)
					break
				}
			}
			result = append(result, item)
		}
		for i, item := range items {
			if !taken[i] {
				result = append(result, item)
			}
		}
		return result
	default:
		return want
	}
}
