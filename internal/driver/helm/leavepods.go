package helm

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// leavePods has no DaemonSet replace pods by itself, for a chart that was told so: that of OVN has one which does not
// read it, and the traffic of instances goes through its pods. Whatever else is rendered stays as it is. It returns what it
// changed; a DaemonSet without a spec is refused by the API server.
func leavePods(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var changed []*unstructured.Unstructured
	for _, object := range objects {
		if spec, ok := object.Object["spec"].(map[string]any); ok && object.GetKind() == kindDaemonSet && rolls(object) {
			spec["updateStrategy"] = map[string]any{"type": onDelete}
			changed = append(changed, object)
		}
	}
	return changed
}
