package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// keepsOf are the objects of hooks that stay for good and that pods of the release mount, such as the Secrets with Keystone's
// keys. They are made once, and part of no revision: when somebody deletes them nothing makes them again.
// It is an error when it is not known which they are: a revision is read once.
func (d *Driver) keepsOf(of *release.Release, objects []*unstructured.Unstructured, namespace string) ([]unit.ObjectRef, error) {
	var found []unit.ObjectRef
	for _, h := range of.Hooks {
		if h.Kind != kindSecret && h.Kind != "ConfigMap" {
			continue
		}
		parsed, err := d.parse(split(h.Manifest), namespace, nil)
		if untold := new(untoldError); errors.As(err, &untold) {
			return nil, err
		}
		if err != nil {
			continue // whoever runs it tells
		}
		for _, object := range parsed {
			ref := refOf(object)
			if stays(object) && slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool { return mounts(o, ref) }) {
				found = append(found, ref)
			}
		}
	}
	return found, nil
}

// mounts tells whether the pods of an object cannot start without a Secret or ConfigMap, as they mount it.
func mounts(object *unstructured.Unstructured, ref unit.ObjectRef) bool {
	if object.GetNamespace() != ref.Namespace {
		return false
	}
	volumes, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "volumes")
	return slices.ContainsFunc(volumes, func(item any) bool {
		volume, _ := item.(map[string]any)
		field, name := "secret", "secretName"
		if ref.Kind == "ConfigMap" {
			field, name = "configMap", "name"
		}
		source, _ := volume[field].(map[string]any)
		return source[name] == ref.Name && source["optional"] != true
	})
}

// findMislaid finds those that somebody deleted. Pods that run keep what they have mounted, so that nothing else tells until
// one starts. What is missing is asked for at the API server, as what was restored may lack the label that watches look for.
func (d *Driver) findMislaid(ctx context.Context, v *view) error {
	if v.target.Spec == nil || !v.hooks.done || len(v.newest.keeps) == 0 {
		return nil
	}
	live, err := d.cluster.Get(ctx, v.newest.keeps...)
	if err != nil {
		return fmt.Errorf("look at what hooks have made: %w", err)
	}
	for _, ref := range v.newest.keeps {
		object := live[ref]
		if object == nil {
			if object, err = d.cluster.Confirm(ctx, ref); err != nil {
				return fmt.Errorf("look at what hooks have made: %w", err)
			}
		}
		if object == nil {
			v.mislaid = append(v.mislaid, ref)
		}
	}
	return nil
}

// judgeMislaid reports them: the pods that are there work, and none starts any more.
func (v *view) judgeMislaid(state *unit.State) {
	for _, ref := range v.mislaid {
		state.Health = unit.HealthFailed
		line := ref.String() + " is gone, which a hook has made once and nothing makes again; pods that start wait for it: restore it from a backup"
		if state.Message == "" {
			state.Message = line
		}
		state.Details = append(state.Details, line)
	}
}
