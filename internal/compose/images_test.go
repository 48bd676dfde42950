package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// withImages is everything, with images from elsewhere.
func withImages(t *testing.T) map[string]unit.Unit {
	t.Helper()
	const images = "images {\n    registries  = { \"quay.io\" = \"mirror.example.org/quay\" }\n    pull_secret = \"login\"\n  }\n"
	text := strings.Replace(composed.Source("ovs", "ceph", images), "service \"placement\" { replicas = 2 }", "service \"placement\" { values = { images = { tags = { placement = \"quay.io/mine:1\", db_init = \"quay.io/mine:2\" } } } }", 1)
	m, ev := composed.Text(t, text)
	return composed.Compose(t, m, ev, compose.Facts{})
}

func TestImagesFromElsewhere(t *testing.T) {
	units, listed := withImages(t), paths(t)
	for _, name := range names(units) {
		r := composed.Release(t, units, name)
		if r.Registries["quay.io"] != "mirror.example.org/quay" {
			t.Errorf("%s: registries %v", name, r.Registries)
		}
		for _, path := range []string{"endpoints.oci_image_registry.auth.enabled", "secrets.oci_image_registry." + name, "manifests.secret_registry"} {
			// These charts have the key of another one in their values, and their templates read that of their own; a switch
			// is not in their values at all.
			misnamed := slices.Contains([]string{"ceph-adapter-rook", "mariadb-backup", "prometheus-mysql-exporter"}, name)
			if !misnamed && !known(listed[name], path) {
				t.Errorf("%s has no %s", name, path)
			}
		}
		if got := at(r.Values, []string{"secrets", "oci_image_registry", name}); got != "login" {
			t.Errorf("%s is pulled with %v", name, got)
		}
	}
	if own := composed.Release(t, units, "placement").OwnImages; !slices.Equal(own, []string{"db_init", "placement"}) {
		t.Errorf("images that are written: %v", own)
	}
	if plain := composed.Release(t, composed.Everything(t, "ovs", "", ""), "nova"); plain.Registries != nil || at(plain.Values, []string{"manifests", "secret_registry"}) != nil {
		t.Errorf("without an images block: %v", plain.Registries)
	}
}
