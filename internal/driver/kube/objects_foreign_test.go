package kube

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// whyTaken is what is said of an object of the release web where KupenStack makes one of its name.
const whyTaken = " belongs to the release web: KupenStack makes one of that name itself, so take it out of the values of that release, or give it another name there; " +
	"where there is no such release any more, remove the annotation meta.helm.sh/release-name from it"

// ofWeb makes an object in the cluster that the release web has.
func ofWeb(ref unit.ObjectRef) *unstructured.Unstructured {
	live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": ref.APIVersion, "kind": ref.Kind, "data": map[string]any{"k": "theirs"}}}
	live.SetNamespace(ref.Namespace)
	live.SetName(ref.Name)
	live.SetUID("1")
	live.SetLabels(map[string]string{LabelManagedBy: managedByHelm})
	live.SetAnnotations(map[string]string{annotationReleaseName: "web"})
	live.SetManagedFields([]metav1.ManagedFieldsEntry{writtenBy("helm", annotationReleaseName)})
	return live
}

// What a release has is not for what we make beside our releases, and holds back nothing else of it. What waits for ours
// does not take it for that.
func TestWhatWeMakeLeavesReleasesAlone(t *testing.T) {
	b := newTable(t)
	b.want(t, mapOf("a", "one"), mapOf("b", "one"))
	ref := b.set.items[0].ref
	b.there[ref] = ofWeb(ref)
	if diff := b.compare(t); diff.Action != unit.ActionUpdate || paths(diff.Fields) != "ConfigMap ns/b" || diff.Reason != "ConfigMap ns/a"+whyTaken {
		t.Errorf("before: %+v", diff)
	}
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"b"}) {
		t.Errorf("asked %q, %v", asked, err)
	}
	if diff := b.compare(t); diff.Action != unit.ActionBlocked || diff.Reason != "ConfigMap ns/a"+whyTaken {
		t.Errorf("after: %+v", diff)
	}
	if state, err := b.set.state(t.Context(), b.there); err != nil || state.Installed || state.Applied != "" {
		t.Errorf("after: %+v, %v", state, err)
	}

	// The release is gone, or gives it up.
	b.there[ref].SetAnnotations(nil)
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"a"}) {
		t.Errorf("given up, asked %q, %v", asked, err)
	}
	if state, err := b.set.state(t.Context(), b.there); err != nil || !state.Installed {
		t.Errorf("given up: %+v, %v", state, err)
	}
}

// A namespace that a release has made is used, keeps the label that says so, and is never deleted.
func TestNamespacesOfReleasesAreUsed(t *testing.T) {
	b := newTable(t)
	b.want(t, "{apiVersion: v1, kind: Namespace, metadata: {name: ns, labels: {pod-security.kubernetes.io/enforce: privileged}}}")
	ref := b.set.items[0].ref
	b.there[ref] = strip(ofWeb(ref))
	const field = "metadata.labels[pod-security.kubernetes.io/enforce]"
	diff := b.compare(t)
	if diff.Action != unit.ActionAdopt || !strings.Contains(paths(diff.Fields), field) || strings.Contains(paths(diff.Fields), LabelManagedBy) {
		t.Errorf("before: %+v", diff)
	}
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"ns"}) {
		t.Errorf("asked %q, %v", asked, err)
	}

	// As the server has it then: with what both have written.
	live := ofWeb(ref)
	live.SetAnnotations(map[string]string{annotationReleaseName: "web", AnnotationUnit: "objects.a", AnnotationApplied: b.set.items[0].digest})
	live.SetLabels(map[string]string{LabelManagedBy: managedByHelm, "pod-security.kubernetes.io/enforce": "privileged"})
	b.there[ref] = strip(live)
	if diff := b.compare(t); diff.Action != unit.ActionNone {
		t.Errorf("after: %+v", diff)
	}
	b.set = newObjectSet(b.c, b.troubles, unit.Target{Address: b.set.target.Address, Locator: unit.Locator{Objects: []unit.ObjectRef{ref}}}, nil)
	if refs := b.set.prunable(b.there); len(refs) > 0 {
		t.Errorf("it would delete %v", refs)
	}
	if err := b.set.remove(t.Context(), b.there); err != nil || len(b.asked) > 1 {
		t.Errorf("asked %v, %v", b.asked, err)
	}

	// In a manifest it is what its author has written, and a release's as all else.
	b.want(t, "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}")
	b.set.target.Address = addr.MustParseObject("manifest.a")
	b.there[ref] = ofWeb(ref)
	if diff := b.compare(t); diff.Action != unit.ActionBlocked {
		t.Errorf("in a manifest: %+v", diff)
	}
}

// The Secrets that we make of others, and those of generated values, are none that a release has.
func TestSecretsThatWeMakeLeaveReleasesAlone(t *testing.T) {
	b := newTable(t)
	driver := &Driver{cluster: b.c, troubles: b.troubles, index: newIndex()}
	source := func(kind string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "type": kind, "data": map[string]any{"k": "dg=="}}}
	}
	filled := &unit.Filled{Namespace: "ns", Name: "made", Key: "clouds.yaml", Source: "source", SourceKey: "k"}
	copied := &unit.Copied{Namespace: "ns", Name: "made", Key: "key", Source: unit.CopySource{Namespace: "ns", Name: "source", Type: "x", Key: "k"}}
	target := unit.Target{Address: addr.MustParseObject("system.clouds")}
	for name, h := range map[string]handler{
		"filled": &late{&filledSecret{driver: driver, target: target, spec: filled}, target},
		"copied": &late{&copiedSecret{driver: driver, target: target, spec: copied}, target},
		"generated": &credentialSet{cluster: b.c, agreed: newAgreements(), target: target, spec: &unit.Credentials{
			Namespace: "ns", Name: "made", Keys: []unit.Credential{{Key: "k"}, {Key: "l"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			ref := secretRef("ns", "made")
			there := objects{ref: ofWeb(ref), secretRef("ns", "source"): source("x")}
			state, err := h.state(t.Context(), there)
			if err != nil || state.Installed {
				t.Fatalf("%+v, %v", state, err)
			}
			if diff := h.compare(state); diff.Action != unit.ActionBlocked || diff.Reason != "Secret ns/made"+whyTaken {
				t.Errorf("%+v", diff)
			}

			there[ref].SetAnnotations(map[string]string{AnnotationUnit: target.Address.String(), annotationReleaseName: "web"})
			if state, err = h.state(t.Context(), there); err != nil || !state.Owned {
				t.Errorf("of before that was refused: %+v, %v", state, err)
			}
			if diff := h.compare(state); diff.Action != unit.ActionUpdate {
				t.Errorf("of before that was refused: %+v", diff)
			}
		})
	}
}

// What is to go with a set does not hide that one of its objects is a release's: nothing goes as long as that is open.
func TestAReleasesObjectBesideOneThatGoes(t *testing.T) {
	for _, address := range []string{"objects.a", "manifest.a"} {
		b := newTable(t)
		b.want(t, mapOf("a", "one"), mapOf("b", "one"), mapOf("c", "one"))
		gone, live := b.set.items[2].ref, b.set.items[2].object.DeepCopy()
		live.SetAnnotations(map[string]string{AnnotationUnit: address})
		b.want(t, mapOf("a", "one"), mapOf("b", "one"))
		b.set.target.Address, b.set.others = addr.MustParseObject(address), []unit.ObjectRef{gone}
		b.there[gone] = live
		b.there[b.set.items[0].ref] = ofWeb(b.set.items[0].ref)
		var diff unit.Diff
		for range 3 { // the other object is made first
			if diff = b.compare(t); diff.Action != unit.ActionUpdate {
				break
			}
			if _, err := b.apply(t, false); err != nil {
				t.Fatal(err)
			}
		}
		if diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "belongs to the release") || diff.Prunes > 0 {
			t.Errorf("%s: %+v", address, diff)
		}
	}
}
