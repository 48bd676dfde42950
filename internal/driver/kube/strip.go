package kube

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	fieldManagers         = "managedFields"
	annotationLastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	// annotationOwned never reaches a server: it keeps, in the cached Node, which labels are ours.
	annotationOwned = "internal.kupenstack.io/owned-labels"
)

// strip removes from an object what nobody here needs, as thousands of them stay in memory. Of who wrote what, it keeps
// who else did in short, see [othersIn], and who else wrote what only a release has, see [markWriters]. Of
// nodes, whose kubelets write often, it keeps only their labels, their taints, and whether they are ready. It
// changes the object and returns it. What was stripped already stays as it is: informers may pass
// an object through here twice.
func strip(object *unstructured.Unstructured) *unstructured.Unstructured {
	node := object.GetKind() == "Node" && object.GetAPIVersion() == "v1"
	var owned []string
	relabelled := ""
	metadata, _ := object.Object["metadata"].(map[string]any)
	entries := managersIn(metadata)
	_, fresh := metadata[fieldManagers]
	fresh = fresh && !stripped(entries)
	if node {
		if fresh {
			owned = ownedLabels(object.GetManagedFields())
			relabelled = relabelledAt(object)
		} else if keys := object.GetAnnotations()[annotationOwned]; keys != "" {
			owned, relabelled = strings.Split(keys, ","), object.GetAnnotations()[unit.RelabelledAnnotation]
		}
	}
	if fresh {
		var others []any
		if node {
			others = othersIn(entries, object.Object, "f:metadata", "f:labels")
		} else {
			others = append(othersIn(entries, object.Object), markWriters(metadata)...)
		}
		delete(metadata, fieldManagers)
		if len(others) > 0 {
			metadata[fieldManagers] = others
		}
	}
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		delete(annotations, annotationLastApplied)
		if node {
			clear(annotations) // attach-detach and others write here all the time
		}
		if len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
	if node {
		if taints, found, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "taints"); found {
			object.Object["spec"] = map[string]any{"taints": taints}
		} else {
			delete(object.Object, "spec")
		}
		if status, ready := readiness(object); ready == "" {
			delete(object.Object, "status")
		} else {
			object.Object["status"] = status
		}
		if len(owned) > 0 {
			annotations := map[string]string{annotationOwned: strings.Join(owned, ",")}
			if relabelled != "" {
				annotations[unit.RelabelledAnnotation] = relabelled
			}
			object.SetAnnotations(annotations)
		}
	}
	return object
}

// readiness returns what of a Node's status tells whether Kubernetes calls it ready, without what its
// kubelet writes again and again, and how it does: "True", "False", "Unknown", or "" where nobody
// has said anything yet.
func readiness(node *unstructured.Unstructured) (status map[string]any, ready string) {
	conditions, _, err := unstructured.NestedSlice(node.Object, "status", "conditions")
	if err != nil {
		return nil, ""
	}
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		if condition["type"] != "Ready" {
			continue
		}
		ready, _ = condition["status"].(string)
		return map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": ready}}}, ready
	}
	return nil, ""
}

// ownedLabels returns the keys of the labels that our field manager for nodes has set, sorted.
func ownedLabels(entries []metav1.ManagedFieldsEntry) []string {
	var owned []string
	for _, entry := range entries {
		if entry.Manager != managerNodes || entry.Operation != metav1.ManagedFieldsOperationApply || entry.FieldsV1 == nil {
			continue
		}
		var fields struct {
			Metadata struct {
				Labels map[string]json.RawMessage `json:"f:labels"`
			} `json:"f:metadata"`
		}
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			continue // not written by an API server
		}
		for key := range fields.Metadata.Labels {
			if key, ok := strings.CutPrefix(key, "f:"); ok {
				owned = append(owned, key)
			}
		}
	}
	slices.Sort(owned)
	return slices.Compact(owned)
}

// relabelledAt returns when labels of a Node changed that pods had read, "" for never. It was written by our clock,
// and pods are made by that of the API server, which notes when we wrote last: the change was not after that.
func relabelledAt(node *unstructured.Unstructured) string {
	at, err := time.Parse(time.RFC3339, node.GetAnnotations()[unit.RelabelledAnnotation])
	if err != nil {
		return "" // nobody wrote it, or somebody else did
	}
	for _, entry := range node.GetManagedFields() {
		if entry.Manager == managerNodes && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Time != nil && entry.Time.Time.Before(at) {
			at = entry.Time.Time
		}
	}
	return at.UTC().Format(time.RFC3339)
}

// sameContent tells whether two stripped objects differ in nothing but their versions.
func sameContent(a, b *unstructured.Unstructured) bool {
	return sameMap(a.Object, b.Object, "metadata") && sameMap(metadataOf(a), metadataOf(b), "resourceVersion", "generation", fieldManagers)
}

func metadataOf(object *unstructured.Unstructured) map[string]any {
	metadata, _ := object.Object["metadata"].(map[string]any)
	return metadata
}

// sameMap compares two maps, without some keys.
func sameMap(a, b map[string]any, except ...string) bool {
	size := func(m map[string]any) int {
		n := len(m)
		for _, key := range except {
			if _, ok := m[key]; ok {
				n--
			}
		}
		return n
	}
	if size(a) != size(b) {
		return false
	}
	for key, value := range a {
		if slices.Contains(except, key) {
			continue
		}
		other, ok := b[key]
		if !ok || !reflect.DeepEqual(value, other) {
			return false
		}
	}
	return true
}
