package kube

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestSought: of objects that nobody says more of than that they are on record it is told whether they are there, are
// ours and work, those included that are never deleted.
func TestSought(t *testing.T) {
	const unitName = "manifest.a"
	made := func(version, kind, owner string, more map[string]any) *unstructured.Unstructured {
		object := map[string]any{
			"apiVersion": version, "kind": kind,
			"metadata": map[string]any{"name": "x", "namespace": "n", "annotations": map[string]any{AnnotationUnit: owner}},
		}
		for key, value := range more {
			object[key] = value
		}
		return &unstructured.Unstructured{Object: object}
	}
	config, claim := made("v1", "ConfigMap", unitName, nil), made("v1", "Namespace", unitName, map[string]any{"status": map[string]any{"phase": "Active"}})
	theirs := made("v1", "ConfigMap", "manifest.b", nil)
	broken := made("batch/v1", "Job", unitName, map[string]any{"status": map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True", "message": "it went wrong"}}}})
	job := unit.ObjectRef{APIVersion: "batch/v1", Kind: "Job", Namespace: "n", Name: "x"}
	for _, test := range []struct {
		name    string
		refs    []unit.ObjectRef
		there   []*unstructured.Unstructured
		is      unit.Existence
		health  unit.Health
		message string
	}{
		{"all there", []unit.ObjectRef{refOf(config), refOf(claim)}, []*unstructured.Unstructured{config, claim}, unit.Present, unit.HealthReady, ""},
		{"one gone", []unit.ObjectRef{refOf(config), refOf(claim)}, []*unstructured.Unstructured{claim}, unit.Present, unit.HealthFailed, "ConfigMap n/x is not there, or not ours any more"},
		{"all gone", []unit.ObjectRef{refOf(config), refOf(claim)}, nil, unit.Absent, unit.HealthUnknown, ""},
		{"somebody else's", []unit.ObjectRef{refOf(config)}, []*unstructured.Unstructured{theirs}, unit.Absent, unit.HealthUnknown, ""},
		{"a Job that is done", []unit.ObjectRef{job}, nil, unit.Present, unit.HealthReady, ""},
		{"a Job that failed", []unit.ObjectRef{job}, []*unstructured.Unstructured{broken}, unit.Present, unit.HealthFailed, "Job n/x: the job failed: it went wrong"},
		{"nothing on record", nil, nil, unit.Present, unit.HealthReady, ""},
	} {
		target := unit.Target{Address: addr.MustParseObject(unitName), Sought: true, Locator: unit.Locator{Driver: unit.Kubernetes, Kind: unit.KindObjects, Objects: test.refs}}
		s := newObjectSet(&Cluster{}, newTroubles(), target, nil)
		there := objects{}
		for _, object := range test.there {
			there[refOf(object)] = object
		}
		state, err := s.state(t.Context(), there)
		if err != nil || state.Existence != test.is || state.Health != test.health || state.Message != test.message {
			t.Errorf("%s: %q %q %q, %v", test.name, state.Existence, state.Health, state.Message, err)
		}
	}
}

func refOf(object *unstructured.Unstructured) unit.ObjectRef { return unit.RefOf(object.Object) }
