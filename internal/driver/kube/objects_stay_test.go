package kube

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// writtenBy says that a field manager has written annotations.
func writtenBy(manager string, annotations ...string) metav1.ManagedFieldsEntry {
	var fields []string
	for _, key := range annotations {
		fields = append(fields, `"f:`+key+`":{}`)
	}
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:k":{}},"f:metadata":{"f:annotations":{` + strings.Join(fields, ",") + `}}}`),
	}
}

// TestWhoseAnObjectIs: what a release is told by counts on an object without our mark, and on one with it only where
// somebody else than the manifest has written it.
func TestWhoseAnObjectIs(t *testing.T) {
	const ours = "manifest.a"
	for name, test := range map[string]struct {
		label       string
		annotations map[string]string
		managers    []metav1.ManagedFieldsEntry
		release     string // that it belongs to
		claimed     bool
	}{
		"nobody's": {},
		"of a release": {
			label: "Helm", annotations: map[string]string{annotationReleaseName: "keystone"}, release: "keystone", claimed: true,
		},
		"that once was of one":    {annotations: map[string]string{annotationReleaseName: "keystone"}},
		"that Helm has a word of": {label: "Helm"},
		"a hook's":                {annotations: map[string]string{unit.AnnotationRelease: "keystone"}, release: "keystone", claimed: true},
		"ours": {
			label: ManagedBy, annotations: map[string]string{AnnotationUnit: ours}, managers: []metav1.ManagedFieldsEntry{writtenBy(Manager, AnnotationUnit)},
		},
		"ours, with all that the manifest wrote": {
			label: "Helm", annotations: map[string]string{AnnotationUnit: ours, annotationReleaseName: "keystone", unit.AnnotationRelease: "keystone", annotationPolicy: policyKeep},
			managers: []metav1.ManagedFieldsEntry{writtenBy(Manager, AnnotationUnit, annotationReleaseName, unit.AnnotationRelease, annotationPolicy), writtenBy("kubectl-edit", "other")},
		},
		"ours, that a release has taken over": {
			label: "Helm", annotations: map[string]string{AnnotationUnit: ours, annotationReleaseName: "keystone"},
			managers: []metav1.ManagedFieldsEntry{writtenBy(Manager, AnnotationUnit, annotationReleaseName), writtenBy("helm", annotationReleaseName)},
			release:  "keystone", claimed: true,
		},
		"a release's, that was taken over from it": {
			label: ManagedBy, annotations: map[string]string{AnnotationUnit: ours, unit.AnnotationRelease: "keystone", annotationPolicy: policyKeep},
			managers: []metav1.ManagedFieldsEntry{writtenBy("kupenstack-helm", unit.AnnotationRelease, annotationPolicy), writtenBy(Manager, AnnotationUnit)},
			release:  "keystone", claimed: true,
		},
		"ours, and to be kept": {
			label: ManagedBy, annotations: map[string]string{AnnotationUnit: ours, annotationPolicy: policyKeep},
			managers: []metav1.ManagedFieldsEntry{writtenBy(Manager, AnnotationUnit), writtenBy("kubectl-annotate", annotationPolicy)}, claimed: true,
		},
		"ours, with another policy": {
			label: ManagedBy, annotations: map[string]string{AnnotationUnit: ours, annotationPolicy: "delete"},
			managers: []metav1.ManagedFieldsEntry{writtenBy(Manager, AnnotationUnit), writtenBy("kubectl-annotate", annotationPolicy)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := func() *unstructured.Unstructured {
				object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
				object.SetName("a")
				object.SetAnnotations(test.annotations)
				object.SetManagedFields(test.managers)
				if test.label != "" {
					object.SetLabels(map[string]string{LabelManagedBy: test.label})
				}
				return strip(object)
			}
			live := seen()
			if release, mark := releaseOf(live); release != test.release || (mark == "") != (release == "") || claimed(live) != test.claimed {
				t.Errorf("it is of the release %q by %q, and claimed: %v", release, mark, claimed(live))
			}
			if twice := strip(seen()); !reflect.DeepEqual(live.Object, twice.Object) {
				t.Errorf("once it is %v, twice %v", live.Object, twice.Object)
			}
		})
	}
}

// What is a release's is not for a manifest, and holds back nothing else in it.
func TestAManifestLeavesReleasesAlone(t *testing.T) {
	b := newTable(t)
	want := func(values ...string) {
		var texts []string
		for i, value := range values {
			texts = append(texts, mapOf(string(rune('a'+i)), value))
		}
		b.want(t, texts...)
		b.set.target.Address = addr.MustParseObject("module.m.manifest.a")
	}
	want("one", "one")
	ref := b.set.items[0].ref
	theirs := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"k": "theirs"}}}
	theirs.SetNamespace(ref.Namespace)
	theirs.SetName(ref.Name)
	theirs.SetUID("1")
	theirs.SetLabels(map[string]string{LabelManagedBy: "Helm"})
	theirs.SetAnnotations(map[string]string{annotationReleaseName: "web"})
	b.there[ref] = theirs

	const why = "ConfigMap ns/a belongs to the release web: write what is wanted of it into the values of that release, or take it out of the manifest; " +
		"where there is no such release any more, remove the annotation meta.helm.sh/release-name from it"
	if diff := b.compare(t); diff.Action != unit.ActionUpdate || paths(diff.Fields) != "ConfigMap ns/b" || diff.Reason != why {
		t.Errorf("before: %+v", diff)
	}
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"b"}) {
		t.Errorf("asked %q, %v", asked, err)
	}
	if diff := b.compare(t); diff.Action != unit.ActionBlocked || diff.Reason != why {
		t.Errorf("after: %+v", diff)
	}
	if asked, err := b.apply(t, true); err != nil || len(asked) > 0 {
		t.Errorf("for putting something back asked %q, %v", asked, err)
	}

	// Somebody says that there is no such release.
	theirs.SetAnnotations(nil)
	if diff := b.compare(t); diff.Action != unit.ActionAdopt || diff.Reason != "ConfigMap ns/a is there already" {
		t.Errorf("without the annotation: %+v", diff)
	}
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"a"}) {
		t.Errorf("without the annotation asked %q, %v", asked, err)
	}

	// What is the manifest's stays its own, also under an address that it has from now on.
	b.there[ref].SetAnnotations(map[string]string{AnnotationUnit: "manifest.before", annotationReleaseName: "web"})
	b.there[ref].SetManagedFields([]metav1.ManagedFieldsEntry{writtenBy("helm", annotationReleaseName)})
	want("two", "one")
	b.set.target.Origins = []addr.Object{addr.MustParseObject("manifest.before")}
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"a"}) {
		t.Errorf("moved, asked %q, %v", asked, err)
	}
}

func TestKeysOfKeystoneStay(t *testing.T) {
	for _, test := range []struct {
		version, kind, name string
		want                bool
	}{
		{"v1", "Secret", "keystone-fernet-keys", true},
		{"v1", "Secret", "keystone-credential-keys", true},
		{"v1", "Secret", "keystone-admin", false},
		{"v1", "ConfigMap", "keystone-fernet-keys", false},
		{"example.org/v1", "Secret", "keystone-fernet-keys", false},
	} {
		if got := stays(unit.ObjectRef{APIVersion: test.version, Kind: test.kind, Namespace: "openstack", Name: test.name}); got != test.want {
			t.Errorf("%s %s %s stays: %v", test.version, test.kind, test.name, got)
		}
	}
}
