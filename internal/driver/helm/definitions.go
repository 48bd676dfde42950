package helm

import (
	"context"
	"fmt"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// annotationDefinedBy names the release whose chart brought the definition of a kind.
const annotationDefinedBy = "kupenstack.io/defined-by"

// definitionPoll is when to look again for a kind that is about to be served.
const definitionPoll = time.Second

// definitionsOf returns what a chart has in its directory crds, and the charts in it in theirs. These are no
// templates, and no part of the release: they are there before it, and stay when it goes.
func (d *Driver) definitionsOf(loaded *chart.Chart, release string) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, file := range loaded.CRDObjects() {
		found, err := d.parse(string(file.File.Data), "", nil)
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
// One that is somebody else's is left alone, as Helm does. It returns false while the server does not serve
// all of the kinds; the watch tells when it does.
func (d *Driver) define(ctx context.Context, v *view, definitions []*unstructured.Unstructured) (bool, error) {
	if len(definitions) == 0 {
		return true, nil
	}
	live, err := d.cluster.Get(ctx, refsOf(definitions)...)
	if err != nil {
		return false, fmt.Errorf("look at the kinds that chart %s defines: %w", v.want.spec.Chart.Name, err)
	}
	ready := true
	for _, definition := range definitions {
		there := live[refOf(definition)]
		if there == nil { // or not watched, as it is nobody's of ours
			if there, err = d.cluster.Confirm(ctx, refOf(definition)); err != nil {
				return false, err
			}
		}
		ours := there == nil || there.GetAnnotations()[annotationDefinedBy] == definition.GetAnnotations()[annotationDefinedBy]
		if ours && (there == nil || len(d.cluster.Compare(definition, there)) > 0) {
			if there, err = d.cluster.Apply(ctx, Manager, definition); err != nil {
				return false, err
			}
		}
		if health, _ := d.cluster.Health(there); health != unit.HealthReady {
			ready = false
		}
	}
	return ready, nil
}

// awaitDefinitions has the view looked at again while a kind is not served yet that the next revision needs.
func (d *Driver) awaitDefinitions(ctx context.Context, v *view, definitions []*unstructured.Unstructured) error {
	v.defined = refsOf(definitions)
	if len(v.defined) == 0 {
		return nil
	}
	live, err := d.cluster.Get(ctx, v.defined...)
	if err != nil {
		return fmt.Errorf("look at the kinds that chart %s defines: %w", v.want.spec.Chart.Name, err)
	}
	for _, object := range live {
		if health, _ := d.cluster.Health(object); health != unit.HealthReady && v.after == 0 {
			v.after = definitionPoll
		}
	}
	return nil
}
