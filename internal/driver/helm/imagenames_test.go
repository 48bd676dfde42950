package helm

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestRedirectableImages has the images of charts that are at hand, in full, but for those that were written as they are.
func TestRedirectableImages(t *testing.T) {
	tree := fstest.MapFS{
		"charts/nova/Chart.yaml":  {Data: []byte("apiVersion: v2\nname: nova\nversion: 1.0.0\n")},
		"charts/nova/values.yaml": {Data: []byte("images: {tags: {api: quay.io/osh/nova:1, short: nova, own: ghcr.io/mine:1, none: null, odd: 'no image'}}\n")},
	}
	release := func(name string, registries map[string]string) unit.Unit {
		return unit.Unit{Spec: &unit.Release{
			Name: name, Chart: unit.Chart{Name: name, Repository: "charts", Tree: tree}, Registries: registries, OwnImages: []string{"own"},
			Values: map[string]any{"images": map[string]any{"tags": map[string]any{"further": "registry.k8s.io/pause@sha256:" + digits}}},
		}}
	}
	some := map[string]string{"quay.io": "mirror.example.org"}
	want := []string{"docker.io/library/nova:latest", "quay.io/osh/nova:1", "registry.k8s.io/pause@sha256:" + digits}
	got, all := RedirectableImages(t.Context(), Options{}, []unit.Unit{release("nova", some), release("nova", some), release("away", nil), {Spec: &unit.Node{}}})
	if !slices.Equal(got, want) || !all {
		t.Errorf("found %q, all %v", got, all)
	}
	if _, all := RedirectableImages(t.Context(), Options{}, []unit.Unit{release("nova", some), release("away", some)}); all {
		t.Error("a chart that is away has none")
	}
}

const digits = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
