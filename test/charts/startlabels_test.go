//go:build beds

package charts_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmLabelsThatPodsRead has charts of OpenStack-Helm with pods that read a label of their node when they
// start, as compose says of them: by the component that it says, on the nodes that it says, and no others.
func TestOpenStackHelmLabelsThatPodsRead(t *testing.T) {
	dir := checkoutOfCharts(t)
	m, ev := composed.Text(t, composed.Source("ovn", "")+"node \"n\" { roles = [\"network\"] }\n")
	units := composed.Compose(t, m, ev, compose.Facts{})
	labels := units["node.n"].Spec.(*unit.Node).StartLabels
	for _, r := range releases(units) {
		for _, object := range renderedBy(t, theirs(t, dir, r.Name), r) {
			if !strings.Contains(object, "\nkind: DaemonSet\n") {
				continue
			}
			var o struct {
				Metadata struct{ Name string }
				Spec     struct{ Template corev1.PodTemplateSpec }
			}
			if err := yaml.Unmarshal([]byte(object), &o); err != nil {
				t.Fatal(err)
			}
			component := o.Spec.Template.Labels["component"]
			wanted := r.LabelReaders != nil && r.LabelReaders.Component == component
			reads := strings.Contains(object, "{.metadata.labels.")
			if reads != wanted {
				t.Errorf("pods of %s, %s of %s, read labels: %t", o.Metadata.Name, component, r.Name, reads)
			}
			for _, label := range labels {
				if label.Release == r.Name && reads && (!strings.Contains(object, "{.metadata.labels."+label.Key+"}") || o.Spec.Template.Spec.NodeSelector[label.Chosen] != unit.LabelEnabled) {
					t.Errorf("pods of %s on nodes with %v do not read %s", o.Metadata.Name, o.Spec.Template.Spec.NodeSelector, label.Key)
				}
			}
		}
		if told := slices.ContainsFunc(labels, func(l unit.StartLabel) bool { return l.Release == r.Name }); told != (r.LabelReaders != nil) {
			t.Errorf("%s: nodes tell of pods that read labels: %t", r.Name, told)
		}
	}
}
