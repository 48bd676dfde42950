package helm

import (
	"bytes"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// leavePods has no DaemonSet replace pods by itself, for a chart that was told so: that of OVN has one which does not
// read it, and the traffic of instances goes through its pods. Whatever else is rendered stays as it is.
func leavePods(objects []*unstructured.Unstructured) {
	for _, object := range objects {
		if object.GetKind() == kindDaemonSet && rolls(object) {
			leavePodsOf(object)
		}
	}
}

// leavePodsOf changes one DaemonSet. One without a spec is refused by the API server.
func leavePodsOf(object *unstructured.Unstructured) {
	if spec, ok := object.Object["spec"].(map[string]any); ok {
		spec["updateStrategy"] = map[string]any{"type": onDelete}
	}
}

// podsLeft does the same with what Helm renders, sends and stores; it is a postrender.PostRenderer.
type podsLeft struct{}

// Run changes documents as Helm joins them.
func (podsLeft) Run(rendered *bytes.Buffer) (*bytes.Buffer, error) {
	const between = "---\n"
	documents := strings.Split("\n"+rendered.String(), "\n"+between)
	for i, document := range documents {
		if !strings.Contains(document, kindDaemonSet) {
			continue
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			return nil, fmt.Errorf("read what was rendered: %w", err)
		}
		if object.GetKind() != kindDaemonSet || !rolls(object) {
			continue
		}
		leavePodsOf(object)
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			return nil, fmt.Errorf("write what was rendered: %w", err)
		}
		source := ""
		if line, _, _ := strings.Cut(document, "\n"); strings.HasPrefix(line, "# Source: ") {
			source = line + "\n"
		}
		documents[i] = source + string(text)
		if !strings.HasSuffix(document, "\n") {
			documents[i] = strings.TrimSuffix(documents[i], "\n")
		}
	}
	return bytes.NewBufferString(strings.TrimPrefix(strings.Join(documents, "\n"+between), "\n")), nil
}
