package compose_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
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

// TestPins gives each release what its own images were locked to, only where that is wanted.
func TestPins(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0f", 32)
	lock := chartlock.New(nil, chartlock.Image{Name: "quay.io/a:1", Digest: digest, Services: []string{"placement"}}, chartlock.Image{Name: "quay.io/b:1", Digest: digest, Services: []string{"nova"}})
	none := chartlock.New(nil, []chartlock.Image{}...)
	for _, c := range []struct {
		images string
		facts  compose.Facts
		locked bool
		pins   map[string]string
		fails  bool
	}{
		{"", compose.Facts{Lock: lock}, false, nil, false},
		{"images { lock = false }\n", compose.Facts{Lock: lock}, false, nil, false},
		{"images { lock = true }\n", compose.Facts{Lock: lock}, true, map[string]string{"quay.io/a:1": digest}, false},
		{"images { lock = true }\n", compose.Facts{Lock: none}, true, nil, false}, // all of them may have digests by themselves
		{"images { lock = true }\n", compose.Facts{Lock: chartlock.New(nil)}, true, nil, true},
		{"images { lock = true }\n", compose.Facts{}, true, nil, true},
		{"images { lock = true }\n", compose.Facts{Unlocked: true}, true, nil, false},
	} {
		units, diags := imagesWith(t, c.images, "service \"placement\" { replicas = 2 }", c.facts)
		if c.fails {
			if !diags.HasErrors() || !strings.Contains(diags.Error(), "images are not locked") {
				t.Errorf("%q: %v", c.images, diags)
			}
			continue
		}
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		r := composed.Release(t, units, "placement")
		if r.Locked != c.locked || !maps.Equal(r.Pins, c.pins) {
			t.Errorf("%q: %t, %v", c.images, r.Locked, r.Pins)
		}
	}
	// What other services run is no change of this one.
	digestOf := func(of *chartlock.Lock, images string) string {
		units, _ := imagesWith(t, images, "service \"placement\" { replicas = 2 }", compose.Facts{Lock: of})
		return composed.Release(t, units, "placement").Digest()
	}
	const on = "images { lock = true }\n"
	same := chartlock.New(nil, lock.Images[0], chartlock.Image{Name: "quay.io/b:1", Digest: "sha256:" + strings.Repeat("1e", 32), Services: []string{"nova"}})
	another := chartlock.New(nil, chartlock.Image{Name: "quay.io/a:1", Digest: "sha256:" + strings.Repeat("1e", 32), Services: []string{"placement"}})
	if now := digestOf(lock, on); now != digestOf(same, on) || now == digestOf(another, on) || now == digestOf(lock, "") || now == digestOf(none, on) || digestOf(none, on) == digestOf(none, "") {
		t.Error("the digest of the release is about other images")
	}
}

// TestPinsOfConnectors locks the image that our own pods put devices into bridges with.
func TestPinsOfConnectors(t *testing.T) {
	const blocks = "images { lock = true }\n  physical_network \"external\" {\n    bridge = \"br-ex\"\n    device = \"eth1\"\n  }\n"
	units, diags := imagesWith(t, blocks, "service \"placement\" {}", compose.Facts{Unlocked: true})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	beside := composed.Release(t, units, "neutron").Beside
	if len(beside) != 1 || composed.Release(t, units, "nova").Beside != nil {
		t.Fatalf("locked with neutron: %q", beside)
	}
	digest := "sha256:" + strings.Repeat("0f", 32)
	units, diags = imagesWith(t, blocks, "service \"placement\" {}", compose.Facts{
		Lock: chartlock.New(nil, chartlock.Image{Name: beside[0], Digest: digest, Services: []string{"neutron"}}),
	})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	pods := units["system.physical-network[\"external\"]"].Spec.(*unit.Objects).Items[0]
	containers, _ := at(pods, []string{"spec", "template", "spec", "containers"}).([]any)
	if len(containers) != 1 || at(containers[0].(map[string]any), []string{"image"}) != beside[0]+"@"+digest {
		t.Errorf("the pods have %v", containers)
	}
	_, diags = imagesWith(t, blocks, "service \"placement\" {}", compose.Facts{
		Lock: chartlock.New(nil, chartlock.Image{Name: "quay.io/a:1", Digest: digest, Services: []string{"placement"}}),
	})
	if !diags.HasErrors() || !strings.Contains(diags.Error(), "an image is not locked") {
		t.Errorf("without its digest: %v", diags)
	}
}
