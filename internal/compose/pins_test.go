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

// TestPins gives each release what its own images were locked to, only where that is wanted.
func TestPins(t *testing.T) {
	const blocks, placement = "images { lock = true }\n", "service \"placement\" { replicas = 2 }"
	lock := lockOf(t, blocks, placement)
	pins := lock.Pins("placement")
	if len(pins) < 2 {
		t.Fatalf("placement runs %v", pins)
	}
	for _, c := range []struct {
		images string
		facts  compose.Facts
		locked bool
		pins   map[string]string
		fails  bool
	}{
		{"", compose.Facts{Lock: lock}, false, nil, false},
		{"images { lock = false }\n", compose.Facts{Lock: lock}, false, nil, false},
		{"images { lock = true }\n", compose.Facts{Lock: lock}, true, pins, false},
		{"images { lock = true }\n", compose.Facts{Lock: chartlock.New(nil, []chartlock.Image{}...)}, true, nil, true},
		{"images { lock = true }\n", compose.Facts{Lock: chartlock.New(nil)}, true, nil, true},
		{"images { lock = true }\n", compose.Facts{}, true, nil, true},
		{"images { lock = true }\n", compose.Facts{Unlocked: true}, true, nil, false},
	} {
		units, diags := imagesWith(t, c.images, placement, c.facts)
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
		units, _ := imagesWith(t, images, placement, compose.Facts{Lock: of})
		return composed.Release(t, units, "placement").Digest()
	}
	changed := func(service string) *chartlock.Lock {
		images := slices.Clone(lock.Images)
		for i := range images {
			if slices.Equal(images[i].Services, []string{service}) {
				images[i].Digest = "sha256:" + strings.Repeat("1e", 32)
			}
		}
		return chartlock.New(nil, images...)
	}
	if now := digestOf(lock, blocks); now != digestOf(changed("nova"), blocks) || now == digestOf(changed("placement"), blocks) || now == digestOf(lock, "") {
		t.Error("the digest of the release is about other images")
	}
}

// lockOf locks all images that the services of everything have by name.
func lockOf(t *testing.T, blocks, placement string) *chartlock.Lock {
	t.Helper()
	units, diags := imagesWith(t, blocks, placement, compose.Facts{Unlocked: true})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	services := map[string][]string{}
	for _, name := range names(units) {
		tags, _ := at(composed.Release(t, units, name).Values, []string{"images", "tags"}).(map[string]any)
		for _, v := range tags {
			if image, _ := v.(string); image != "" && !chartlock.Pinned(image) && !slices.Contains(services[image], name) {
				services[image] = append(services[image], name)
			}
		}
	}
	images := []chartlock.Image{}
	for image, of := range services {
		images = append(images, chartlock.Image{Name: image, Digest: "sha256:" + strings.Repeat("0f", 32), Services: of})
	}
	return chartlock.New(nil, images...)
}

// TestServicesWithoutALock refuses a service of which the lock has nothing before its chart is looked at.
func TestServicesWithoutALock(t *testing.T) {
	const on, plain = "images { lock = true }\n", "service \"placement\" { replicas = 2 }"
	lock := lockOf(t, on, plain)
	without := func(images ...string) *chartlock.Lock {
		return chartlock.New(nil, slices.DeleteFunc(slices.Clone(lock.Images), func(i chartlock.Image) bool { return slices.Contains(images, i.Name) })...)
	}
	const release, client, other = "quay.io/airshipit/placement:2026.1-ubuntu_noble", "quay.io/airshipit/openstack-client:2026.1-ubuntu_noble", "quay.io/airshipit/glance:2026.1-ubuntu_noble"
	digest := "@sha256:" + strings.Repeat("0f", 32)
	for _, c := range []struct {
		name, blocks, placement string
		lock                    *chartlock.Lock
		fails, warns            string
	}{
		{"all of them", on, plain, lock, "", ""},
		{"one service", on, plain, without(release), "charts.lock.json has no digest of what runs in placement", ""},
		{"two services", on, plain, without(release, other), "charts.lock.json has no digest of what runs in glance, placement", ""},
		{"of jobs only the chart knows", on, plain, without(client), "", ""},
		{"another registry", "images {\n    lock = true\n    registries = { \"quay.io/airshipit/placement\" = \"mirror.example.org/placement\" }\n  }\n", plain, lock, "no digest of what runs in placement", ""},
		{"another image", on, `service "placement" { images = { placement = "quay.io/mine:1" } }`, lock, "", "charts.lock.json has no digest of quay.io/mine:1 (placement) for placement: what runs it is refused"},
		{"with digests", on, `service "placement" { images = { placement = "quay.io/mine:1` + digest + `", placement_db_sync = "quay.io/mine:1` + digest + `" } }`, without(release), "", ""},
		{"not locked at all", "", plain, without(release), "", ""},
	} {
		_, diags := imagesWith(t, c.blocks, c.placement, compose.Facts{Lock: c.lock})
		var failures, warnings []string
		for _, d := range diags {
			if d.Code != "compose.unlocked-chart" {
				continue
			}
			if d.Severity == diag.Error {
				failures = append(failures, d.Detail)
			} else {
				warnings = append(warnings, d.Detail)
			}
		}
		for _, told := range []struct {
			got  []string
			want string
		}{{failures, c.fails}, {warnings, c.warns}} {
			if (told.want == "") != (len(told.got) == 0) || told.want != "" && (len(told.got) != 1 || !strings.Contains(told.got[0], told.want)) {
				t.Errorf("%s: told %q, want %q", c.name, told.got, told.want)
			}
		}
		if diags.HasErrors() != (c.fails != "") {
			t.Errorf("%s: %v", c.name, diags)
		}
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
	lock := lockOf(t, blocks, "service \"placement\" {}")
	units, diags = imagesWith(t, blocks, "service \"placement\" {}", compose.Facts{Lock: lock})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	pods := units["system.physical-network[\"external\"]"].Spec.(*unit.Objects).Items[0]
	containers, _ := at(pods, []string{"spec", "template", "spec", "containers"}).([]any)
	if len(containers) != 1 || at(containers[0].(map[string]any), []string{"image"}) != beside[0]+"@"+digest {
		t.Errorf("the pods have %v", containers)
	}
	_, diags = imagesWith(t, blocks, "service \"placement\" {}", compose.Facts{
		Lock: chartlock.New(nil, slices.DeleteFunc(slices.Clone(lock.Images), func(i chartlock.Image) bool { return i.Name == beside[0] })...),
	})
	if !diags.HasErrors() || !strings.Contains(diags.Error(), "an image is not locked") {
		t.Errorf("without its digest: %v", diags)
	}
}
