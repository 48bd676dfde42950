//go:build beds

package openstack_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedFewOfMany has lists of two objects a page, so that those of these services are long: what is on record is found
// by filters alone, in so many requests for lists, and so is what else bears its mark.
func TestBedFewOfMany(t *testing.T) {
	b := newBench(t)
	few := newBench(t, func(o *openstack.Options) { o.Page = 2 })
	network := made(t, b, "network", values{})
	subnet := target(t, "subnet", unique("sub"), values{"network": text(network), "cidr": text("10.41.0.0/24"), "enable_dhcp": cty.False})
	b.converge(t, &subnet)
	volume := made(t, b, "volume", values{"size": number(1)})
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	url, checksum := b.disk(t, 1<<10)
	image := values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare"), "visibility": text("private")}
	disk := made(t, b, "image", maps.Clone(image))
	neutron := func(path, key string) func(unit.Target) {
		return func(tg unit.Target) {
			request(t, "network", http.MethodPut, "v2.0/"+path+"/"+tg.ID, map[string]any{key: map[string]any{"name": "renamed by hand"}})
		}
	}
	for _, test := range []struct {
		kind, path string
		written    values
		lists      int // by filters, the first page of all among them
		named      int // of a look-up by name
		rename     func(unit.Target)
	}{
		{"network", "/v2.0/networks", values{}, 3, 2, neutron("networks", "network")},
		{"subnet", "/v2.0/subnets", values{"network": text(network), "enable_dhcp": cty.False}, 3, 2, neutron("subnets", "subnet")},
		{"port", "/v2.0/ports", values{"network": text(network), "description": text("a port")}, 3, 2, neutron("ports", "port")},
		{"security_group", "/v2.0/security-groups", values{}, 3, 2, neutron("security-groups", "security_group")},
		{"router", "/v2.0/routers", values{}, 3, 2, neutron("routers", "router")},
		{"subnet_pool", "/v2.0/subnetpools", values{"prefixes": set("10.42.0.0/16")}, 3, 2, neutron("subnetpools", "subnetpool")},
		{"qos_policy", "/v2.0/qos/policies", values{}, 3, 2, neutron("qos/policies", "policy")},
		{"image", imagesPath, image, 5, 3, nil},
		{"volume", "/v3/{id}/volumes/detail", values{"size": number(1)}, 2, 2, func(tg unit.Target) {
			request(t, "volumev3", http.MethodPut, "volumes/"+tg.ID, map[string]any{"volume": map[string]any{"name": "renamed by hand"}})
		}},
		{"snapshot", "/v3/{id}/snapshots/detail", values{"volume": text(volume)}, 2, 2, func(tg unit.Target) {
			request(t, "volumev3", http.MethodPut, "snapshots/"+tg.ID, map[string]any{"snapshot": map[string]any{"name": "renamed by hand"}})
		}},
		{"instance", "/v2.1/servers/detail", values{"image": text(disk), "flavor": text(flavor.ID), "networks": list(network)}, 2, 2, func(tg unit.Target) {
			request(t, "compute", http.MethodPut, "servers/"+tg.ID, map[string]any{"server": map[string]any{"name": "renamed by hand"}})
		}},
		{"project", "/v3/projects", values{}, 1, 1, nil},
	} {
		t.Run(test.kind, func(t *testing.T) {
			var last unit.Target
			for i := range 3 {
				written := maps.Clone(test.written)
				if test.kind == "subnet" {
					written["cidr"] = text([]string{"10.41.1.0/24", "10.41.2.0/24", "10.41.3.0/24"}[i])
				}
				written["name"] = text(unique("one, o.f (few)+"))
				last = target(t, test.kind, unique("few"), written)
				b.converge(t, &last)
			}
			lists := func(tg unit.Target) (unit.State, int) {
				before := few.fleet.Counts()
				st := few.see(t, tg)
				return st, few.fleet.Counts().Since(before).Of(http.MethodGet, test.path)
			}
			few.see(t, last) // with a login
			if st, n := lists(last); st.ID != last.ID || !st.Owned || n != test.lists || st.Notice != "" {
				t.Errorf("got the id %q of %q, owned %v, by %d lists, want %d; the notice is %q", st.ID, last.ID, st.Owned, n, test.lists, st.Notice)
			}
			data := lookedUp(t, test.kind, values{"name": wantedOf(last).GetAttr("name")})
			if st, n := lists(data); st.ID != last.ID || n != test.named {
				t.Errorf("a look-up by name finds %q by %d lists, want %d: %s", st.ID, n, test.named, st.Message)
			}
			if test.rename == nil {
				return
			}
			test.rename(last)
			if st, n := lists(last); st.ID != last.ID || !st.Owned || n != test.lists {
				t.Errorf("with another name it is found as %q, owned %v, by %d lists, want %d", st.ID, st.Owned, n, test.lists)
			}
		})
	}
}

// TestBedTwinsOfFew finds by filters what else bears the mark of something on record.
func TestBedTwinsOfFew(t *testing.T) {
	few := newBench(t, func(o *openstack.Options) { o.Page = 2 })
	for kind, written := range map[string]values{"network": {"description": text("Front")}, "volume": {"size": number(1)}, "project": {}} {
		t.Run(kind, func(t *testing.T) {
			one := target(t, kind, unique("one"), maps.Clone(written))
			few.converge(t, &one)
			for range 2 { // another one of that mark, which only a record that is lost lets us make
				other := target(t, kind, unique("other"), maps.Clone(written))
				few.converge(t, &other)
			}
			twin := target(t, kind, unique("twin"), maps.Clone(written))
			twin.Mark = one.Mark
			st, err := few.Apply(t.Context(), twin, wantedOf(twin), unit.State{Existence: unit.Absent})
			if err != nil {
				t.Fatal(err)
			}
			twin.ID, twin.Fresh = st.ID, false
			few.remove(t, twin)
			if st := few.see(t, one); st.ID != one.ID || st.Notice == "" {
				t.Errorf("got %q of %q, and the notice %q", st.ID, one.ID, st.Notice)
			}
			few.converge(t, &twin) // a volume that is being made cannot be deleted
		})
	}
}
