package helm

import (
	"bytes"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestLeavePods: a DaemonSet that a chart has replace its pods itself is told not to; other objects stay as they are.
func TestLeavePods(t *testing.T) {
	rolling, silent, other := daemonSet("rolling", "RollingUpdate", "1", ""), daemonSet("silent", "", "1", ""), daemonSet("other", "RollingUpdate", "1", "")
	unstructured.RemoveNestedField(silent.Object, "spec", "updateStrategy")
	other.SetKind("Deployment")
	leavePods([]*unstructured.Unstructured{rolling, silent, other})
	if rolls(rolling) || rolls(silent) || !rolls(other) {
		t.Errorf("%v, %v, %v", rolling, silent, other)
	}
}

// TestPodsLeft: what Helm stores is the same but for the DaemonSets that would replace their pods themselves.
func TestPodsLeft(t *testing.T) {
	const (
		settings = "---\n# Source: ovn/templates/settings.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: DaemonSet}\ndata:\n  text: |\n    ---\n    kind: DaemonSet\n"
		kept     = "---\n# Source: ovn/templates/db.yaml\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: db}\nspec: {updateStrategy: {type: OnDelete}}\n"
		rolling  = "---\n# Source: ovn/templates/controller.yaml\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: controller}\nspec:\n  template: {a: \"1\"}\n"
		without  = "---\n# Source: ovn/templates/odd.yaml\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: odd}\n"
		changed  = "---\n# Source: ovn/templates/controller.yaml\napiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: controller\nspec:\n  template:\n    a: \"1\"\n  updateStrategy:\n    type: OnDelete\n"
	)
	for from, want := range map[string]string{
		"": "", settings: settings, kept: kept, rolling: changed, settings + rolling + kept: settings + changed + kept, rolling + rolling: changed + changed,
	} {
		got, err := amendment{leave: true}.Run(bytes.NewBufferString(from))
		if err != nil || got.String() != want {
			t.Errorf("of\n%s\ncomes\n%s\nwant\n%s (%v)", from, got, want, err)
		}
	}
	if got, err := (amendment{leave: true}).Run(bytes.NewBufferString(without)); err != nil || got.Len() == 0 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := (amendment{leave: true}).Run(bytes.NewBufferString("---\nkind: [DaemonSet\n")); err == nil {
		t.Error("what cannot be read was taken")
	}
}
