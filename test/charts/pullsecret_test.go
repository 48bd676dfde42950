//go:build beds

package charts_test

import (
	"encoding/json"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmPullSecret renders OpenStack-Helm's charts with a Secret for pulling images: it is what all their
// pods are pulled with, those of hooks and CronJobs too, and no chart makes one of its own.
func TestOpenStackHelmPullSecret(t *testing.T) {
	dir := checkoutOfCharts(t)
	want := []corev1.LocalObjectReference{{Name: "login"}}
	const images = "  images {\n    pull_secret = \"login\"\n  }"
	for name, source := range map[string]string{
		"ovs": composed.Source("ovs", "lvm", images), "ovn": composed.Source("ovn", "ceph", images),
		"tls": composed.Secured("ovn", "ceph", `issuer = { name = "authority" }`, images),
	} {
		m, ev := composed.Text(t, source)
		for _, r := range releases(composed.Compose(t, m, ev, compose.Facts{})) {
			t.Run(name+" "+r.Name, func(t *testing.T) {
				values, err := json.Marshal(withSecrets(r))
				if err != nil {
					t.Fatal(err)
				}
				objects := loosely(t, theirs(t, dir, r.Name), string(values))
				accounts := map[string][]corev1.LocalObjectReference{}
				for _, o := range objects {
					switch typed := o.typed.(type) {
					case *corev1.ServiceAccount:
						accounts[typed.Name] = typed.ImagePullSecrets
					case *corev1.Secret:
						if typed.Type == corev1.SecretTypeDockerConfigJson {
							t.Errorf("the chart makes the Secret %s", typed.Name)
						}
					}
				}
				pods := 0
				for _, o := range objects {
					template, _ := o.pods()
					if template == nil {
						continue
					}
					pods++
					with := append(slices.Clone(template.Spec.ImagePullSecrets), accounts[template.Spec.ServiceAccountName]...)
					// The chart of this one has no place for the Secret.
					if unable := r.Name == "prometheus-blackbox-exporter"; slices.Equal(with, want) == unable {
						t.Errorf("%s is pulled with %v", o, with)
					}
				}
				if pods == 0 && r.Name != "ceph-adapter-rook" {
					t.Error("it has no pods")
				}
			})
		}
	}
}
