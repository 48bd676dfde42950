package helm

import (
	"context"
	"fmt"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// annotationDefinedBy names the release whose chart brought the definition of a kind.
const annotationDefinedBy = "kupenstack.io/defined-by"

// A kind is served a moment after it was defined.
const (
	definitionPoll     = 100 * time.Millisecond
	definitionPatience = 30 * time.Second
)

// definitionsOf returns what a chart has in its directory crds, and the charts in it in theirs. These are no
// templates, and no part of the release: they are there before it, and stay when it goes.
func (d *Driver) definitionsOf(loaded *chart.Chart, release string) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, file := range loaded.CRDObjects() {
		found, err := d.parse(split(string(file.File.Data)), "", nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Filename, err)
		}
		for _, object := range found {
			if object.GetKind() != kindDefinition {
				return nil, fmt.Errorf("%s has a %s, and the directory crds is for definitions of kinds", file.Filename, object.GetKind())
			}
			annotate(object, annotationDefinedBy, release)
			all = append(all, object)
		}
	}
	return all, nil
}

// scopesOf tells of the kinds that are defined whether their objects live in namespaces.
func scopesOf(definitions []*unstructured.Unstructured) map[schema.GroupKind]bool {
	scopes := map[schema.GroupKind]bool{}
	for _, object := range definitions {
		group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(object.Object, "spec", "names", "kind")
		scope, _, _ := unstructured.NestedString(object.Object, "spec", "scope")
		scopes[schema.GroupKind{Group: group, Kind: kind}] = scope == "Namespaced"
	}
	return scopes
}

// define makes the definitions that a chart brings, and brings those up to date that this release has made.
// One that is somebody else's is left alone, as Helm does. It returns once the server serves all of the kinds,
// which takes it a moment; an error says which it does not, and another try helps.
func (d *Driver) define(ctx context.Context, v *view, definitions []*unstructured.Unstructured) error {
	var unready []unit.ObjectRef
	for _, definition := range definitions {
		ref := refOf(definition)
		there, err := d.cluster.Confirm(ctx, ref)
		if err != nil {
			return err
		}
		ours := there == nil || there.GetAnnotations()[annotationDefinedBy] == definition.GetAnnotations()[annotationDefinedBy]
		if there != nil {
			if definition, err = d.controlled(ctx, v, definition, there); err != nil {
				return err
			}
		}
		if ours && (there == nil || len(d.cluster.Compare(definition, there)) > 0) {
			if there, err = d.cluster.Apply(ctx, Manager, definition); err != nil {
				return err
			}
		}
		if health, _ := d.cluster.Health(there); health != unit.HealthReady {
			unready = append(unready, ref)
		}
	}
	err := wait.PollUntilContextTimeout(ctx, definitionPoll, definitionPatience, true, func(ctx context.Context) (bool, error) {
		for len(unready) > 0 {
			there, err := d.cluster.Confirm(ctx, unready[0])
			if err != nil || there == nil {
				return false, err
			}
			if health, _ := d.cluster.Health(there); health != unit.HealthReady {
				return false, nil
			}
			unready = unready[1:]
		}
		return true, nil
	})
	if wait.Interrupted(err) && len(unready) > 0 {
		return fmt.Errorf("chart %s: %s is not served yet", v.want.spec.Chart.Name, unready[0])
	}
	return err
}
