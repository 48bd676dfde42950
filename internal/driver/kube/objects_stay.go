package kube

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// What Helm writes on the objects of its releases.
const (
	annotationReleaseName = "meta.helm.sh/release-name"
	annotationPolicy      = "helm.sh/resource-policy"
	policyKeep            = "keep"
)

// releaseMarks are the annotations that tell that an object is a release's, or is to outlive it.
func releaseMarks() []string {
	return []string{unit.AnnotationRelease, annotationReleaseName, annotationPolicy}
}

// stays tells whether an object is never deleted by us: with it would go what others have put into it, or what
// Keystone has encrypted with it.
func stays(ref unit.ObjectRef) bool {
	id := ref.Identity()
	return isBase(ref) || ref.Kind == "PersistentVolumeClaim" && ref.APIVersion == "v1" || id.KeepsData() || id.KeystoneKeys()
}

// goes tells whether an object on record is deleted once it is not wanted any more: it bears our mark, no other unit
// wants it, and nobody else has written on it that it is a release's or is to be kept.
func (s *objectSet) goes(ref unit.ObjectRef, live *unstructured.Unstructured) bool {
	return s.recordedOurs(live) && !s.elsewhere(ref) && !claimed(live)
}

// claimed tells whether somebody else has claimed an object that bears the mark of one of our units.
func claimed(live *unstructured.Unstructured) bool {
	release, _ := releaseOf(live)
	return release != "" || live.GetAnnotations()[annotationPolicy] == policyKeep && othersMark(live, annotationPolicy)
}

// prunable returns the objects that are ours and not wanted any more, and not on their way out.
func (s *objectSet) prunable(there objects) []unit.ObjectRef {
	if s.keep {
		return nil
	}
	var refs []unit.ObjectRef
	for _, ref := range s.others {
		if s.goes(ref, there[ref]) && there[ref].GetDeletionTimestamp() == nil {
			refs = append(refs, ref)
		}
	}
	return refs
}

// taken says why an object is not for this unit to write, and what to do; "" for any other. Who wrote both would
// overwrite the other one's fields for ever, and delete what the other one needs. What bears the mark of the unit is its
// own, whatever else is on it.
func (s *objectSet) taken(live *unstructured.Unstructured) string {
	if live == nil || s.shared(live) || s.recordedOurs(live) {
		return ""
	}
	return ofRelease(live, s.target.Address)
}

// shared tells whether an object is used as it is, whoever made it: a namespace that we need ourselves. We set labels and
// annotations of it, and never delete it.
func (s *objectSet) shared(live *unstructured.Unstructured) bool {
	return live != nil && live.GetKind() == "Namespace" && live.GetAPIVersion() == "v1" && !isManifest(s.target.Address)
}

// over returns what is applied over what is there. The label by which Helm knows its own stays on a namespace of a
// release, or Helm and we would each put back theirs for ever.
func (s *objectSet) over(item wanted, live *unstructured.Unstructured) *unstructured.Unstructured {
	if !s.shared(live) {
		return item.object
	}
	if release, _ := releaseOf(live); release == "" {
		return item.object
	}
	object := apart(item.object)
	labels := object.GetLabels()
	labels[LabelManagedBy] = managedByHelm
	object.SetLabels(labels)
	return object
}

func isManifest(address addr.Object) bool { return address.Kind() == schema.ManifestKind }

// ofRelease says of an object that belongs to a release why a unit does not write it, and what to do; "" for any other.
func ofRelease(live *unstructured.Unstructured, address addr.Object) string {
	release, mark := releaseOf(live)
	if release == "" {
		return ""
	}
	remedy := "KupenStack makes one of that name itself, so take it out of the values of that release, or give it another name there"
	if isManifest(address) {
		remedy = "write what is wanted of it into the values of that release, or take it out of the manifest"
	}
	return fmt.Sprintf("%s belongs to the release %s: %s; where there is no such release any more, remove the annotation %s from it",
		unit.RefOf(live.Object), release, remedy, mark)
}

// releaseOf returns the release that an object belongs to, and the annotation that tells; "" for none. Somebody may
// have a manifest write such annotations, to hand its objects on to Helm later: what bears the mark of a unit of ours
// belongs to a release only once another one has written its name on it.
func releaseOf(live *unstructured.Unstructured) (release, mark string) {
	annotations := live.GetAnnotations()
	for _, key := range []string{unit.AnnotationRelease, annotationReleaseName} {
		name := annotations[key]
		belongs := key == unit.AnnotationRelease || live.GetLabels()[LabelManagedBy] == managedByHelm
		if annotations[AnnotationUnit] != "" { // then the label may be ours
			belongs = othersMark(live, key)
		}
		if name != "" && belongs {
			return name, key
		}
	}
	return "", ""
}

// othersMark tells whether somebody else than we has written one of [releaseMarks] on an object that bears the mark of
// a unit; see [markWriters].
func othersMark(live *unstructured.Unstructured, key string) bool {
	for _, entry := range managersIn(metadataOf(live)) {
		if writesOther(entry, key) {
			return true
		}
	}
	return false
}

// writesOther tells whether an entry of the managed fields is somebody else's, and has an annotation.
func writesOther(entry any, key string) bool {
	e, _ := entry.(map[string]any)
	manager, _ := e["manager"].(string)
	_, owns, _ := unstructured.NestedFieldNoCopy(e, "fieldsV1", "f:metadata", "f:annotations", "f:"+key)
	return owns && manager != Manager
}

// markWriters returns of the managed fields who else has written which of [releaseMarks], for an object that bears the
// mark of a unit: its annotations alone do not tell them from those that a manifest writes itself.
func markWriters(metadata map[string]any) []any {
	annotations, _ := metadata["annotations"].(map[string]any)
	if mark, _ := annotations[AnnotationUnit].(string); mark == "" {
		return nil
	}
	var kept []any
	for _, entry := range managersIn(metadata) {
		of := map[string]any{}
		for _, key := range releaseMarks() {
			if annotations[key] != nil && writesOther(entry, key) {
				of["f:"+key] = map[string]any{}
			}
		}
		if len(of) > 0 {
			e, _ := entry.(map[string]any)
			kept = append(kept, map[string]any{"manager": e["manager"], keyHolds: "", "fieldsV1": map[string]any{"f:metadata": map[string]any{"f:annotations": of}}})
		}
	}
	return kept
}
