package compose_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
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

// imagesWith composes everything, with an images block and a block of placement.
func imagesWith(t *testing.T, images, placement string, facts compose.Facts) (map[string]unit.Unit, diag.Diagnostics) {
	t.Helper()
	text := strings.Replace(composed.Source("ovs", "ceph", images), "service \"placement\" { replicas = 2 }", placement, 1)
	m, ev := composed.Text(t, text)
	units, diags := compose.Compose(m, ev, facts)
	byAddress := map[string]unit.Unit{}
	for _, u := range units {
		byAddress[u.Address.String()] = u
	}
	return byAddress, diags
}

// TestOwnImages has the images of a service's block win over those of the release, and values over both.
func TestOwnImages(t *testing.T) {
	units, diags := imagesWith(t, "images {\n    registries = { \"quay.io\" = \"mirror.example.org/quay\" }\n  }\n", `service "placement" {
    images = { placement = "quay.io/mine/placement:1", db_init = "quay.io/mine/client:1", placement_db_syn = "quay.io/mine/placement:1" }
    values = { images = { tags = { db_init = "quay.io/values/client:2" } } }
  }`, compose.Facts{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	r := composed.Release(t, units, "placement")
	for name, want := range map[string]string{
		"placement": "quay.io/mine/placement:1", "db_init": "quay.io/values/client:2", "placement_db_sync": "quay.io/airshipit/placement:2026.1-ubuntu_noble",
	} {
		if got := at(r.Values, []string{"images", "tags", name}); got != want {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
	}
	if want := []string{"db_init", "placement", "placement_db_syn"}; !slices.Equal(r.OwnImages, want) {
		t.Errorf("left alone are %v", r.OwnImages)
	}
	told := map[string]string{}
	for _, key := range r.Written {
		if len(key.Path) == 3 {
			told[key.Path[2]] = key.Text
			if key.Range.Start.Line == 0 {
				t.Errorf("%s is nowhere", key.Text)
			}
		}
	}
	want := map[string]string{"placement": "images.placement", "placement_db_syn": "images.placement_db_syn", "db_init": "values.images.tags.db_init"}
	if !maps.Equal(told, want) {
		t.Errorf("the chart is asked about %v", told)
	}
}

// TestImagesThatAreNull has null be nothing that was written: neither over the image of the release nor over that of a
// layer below.
func TestImagesThatAreNull(t *testing.T) {
	const profile = "\nvariable \"fix\" {\n  type = string\n  default = null\n}\nprofile \"fixes\" {\n  service \"placement\" {\n    images = { placement = var.fix, db_init = null }\n  }\n}\n"
	source := strings.NewReplacer(
		`service "placement" { replicas = 2 }`, `service "placement" { images = { placement = "quay.io/mine:1", placement_db_sync = var.fix } }`,
		`release = "2026.1"`, "release = \"2026.1\"\nprofile = profile.fixes",
	).Replace(composed.Source("ovs", "", "images {\n    registries = { \"quay.io\" = \"mirror.example.org\" }\n  }\n"))
	m, ev := composed.Text(t, source+profile)
	r := composed.Release(t, composed.Compose(t, m, ev, compose.Facts{}), "placement")
	tags, _ := at(r.Values, []string{"images", "tags"}).(map[string]any)
	for name, want := range map[string]string{
		"placement": "quay.io/mine:1", "placement_db_sync": "quay.io/airshipit/placement:2026.1-ubuntu_noble", "db_init": "quay.io/airshipit/openstack-client:2026.1-ubuntu_noble",
	} {
		if tags[name] != want {
			t.Errorf("%s is %v, want %s", name, tags[name], want)
		}
	}
	if want := []string{"placement"}; !slices.Equal(r.OwnImages, want) {
		t.Errorf("left alone are %v", r.OwnImages)
	}
}

// TestFamilies has images of LOCI where there are any.
func TestFamilies(t *testing.T) {
	for _, c := range []struct{ release, family, want string }{
		{"2026.1", "", "quay.io/airshipit/placement:2026.1-ubuntu_noble"},
		{"2026.1", "openstack-helm", "quay.io/airshipit/placement:2026.1-ubuntu_noble"},
		{"2025.2", "loci", "quay.io/airshipit/placement:2025.2-ubuntu_noble_loci"},
		{"2026.1", "loci", ""},
	} {
		images := ""
		if c.family != "" {
			images = "images { family = \"" + c.family + "\" }\n"
		}
		m, ev := composed.Text(t, strings.Replace(composed.Source("ovs", "ceph", images), "\"2026.1\"", "\""+c.release+"\"", 1))
		list, diags := compose.Compose(m, ev, compose.Facts{})
		if c.want == "" {
			if !diags.HasErrors() || !strings.Contains(diags.Error(), "no images of this release") {
				t.Errorf("%s of %s: %v", c.family, c.release, diags)
			}
			continue
		}
		units := map[string]unit.Unit{}
		for _, u := range list {
			units[u.Address.String()] = u
		}
		if got := at(composed.Release(t, units, "placement").Values, []string{"images", "tags", "placement"}); got != c.want {
			t.Errorf("%s of %s: %v", c.family, c.release, got)
		}
		if got, want := at(composed.Release(t, units, "libvirt").Values, []string{"images", "tags", "libvirt"}), "quay.io/airshipit/libvirt:"+c.release+"-ubuntu_noble"; got != want {
			t.Errorf("%s of %s: %v", c.family, c.release, got)
		}
	}
}
