package openstack_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// zonesOfHosts is a lock for what moves hosts of the shared cloud to other zones, and for what compares these.
const zonesOfHosts = "zones of hosts"

// TestBedWhatPassesBetweenBlocks has what one object of a kind alone can have pass to another one by one change, whichever
// of them comes first: within one pass, and with no object made anew.
func TestBedWhatPassesBetweenBlocks(t *testing.T) {
	t.Parallel()
	x := newInstallation(t, "passes")
	stays := target(t, "security_group", x.prefix, values{}) // a configuration that asks for nothing is refused
	defer func() {
		for _, raw := range objectsOf(request(t, "network", http.MethodGet, "v2.0/security-groups?name="+x.prefix, nil)["security_groups"]) {
			erased("security-groups")(t, fmt.Sprint(raw["id"]))
		}
	}()
	network, subnet := segment(t, x.bench, "10.23.0.0/24", values{})
	_, other := segment(t, x.bench, "10.24.0.0/24", values{})
	port := func() string { return made(t, x.bench, "port", values{"network": text(network)}) }
	sub, second := port(), port()
	parents := map[string]string{"a": port(), "z": port()}
	project := made(t, x.bench, "project", values{})
	hosts := computeHosts(t, x.bench)
	if len(hosts) < 2 {
		t.Fatalf("there are the hosts %v, want two", hosts)
	}
	subPorts := func(ports string) cty.Value {
		var all []values
		for i, p := range []string{sub, second} {
			if strings.Contains(ports, string(rune('1'+i))) {
				all = append(all, values{"port": text(p), "segmentation_type": text("vlan"), "segmentation_id": number(int64(101 + i))})
			}
		}
		if all == nil {
			return emptyBlocks("trunk", "sub_port")
		}
		return objects(all...)
	}
	some := func(has string, of ...string) []string {
		var chosen []string
		for i, s := range of {
			if strings.Contains(has, string(rune('1'+i))) {
				chosen = append(chosen, s)
			}
		}
		return chosen
	}
	for _, kind := range []struct {
		name, path, many, service string
		written                   func(label, has string) values
	}{
		{"trunk", "v2.0/trunks", "trunks", "network", func(label, has string) values {
			return values{"port": text(parents[label]), "sub_port": subPorts(has)}
		}},
		{"qos_policy", "v2.0/qos/policies", "policies", "network", func(_, has string) values {
			return values{"project": text(project), "is_default": cty.BoolVal(has == "1")}
		}},
		{"router", "v2.0/routers", "routers", "network", func(_, has string) values {
			subnets := cty.ListValEmpty(cty.String)
			if chosen := some(has, subnet, other); chosen != nil {
				subnets = list(chosen...)
			}
			return values{"subnets": subnets}
		}},
		{"host_aggregate", "os-aggregates", "aggregates", "compute", func(label, has string) values {
			joins := cty.SetValEmpty(cty.String)
			if chosen := some(has, hosts[:2]...); chosen != nil {
				joins = set(chosen...)
			}
			return values{"availability_zone": text(x.prefix + label), "hosts": joins}
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			if kind.name == "host_aggregate" {
				alone(t, zonesOfHosts)
			}
			ids := func() map[string]string {
				ids := map[string]string{}
				for _, raw := range objectsOf(request(t, kind.service, http.MethodGet, kind.path, nil)[kind.many]) {
					if name, _ := raw["name"].(string); strings.HasPrefix(name, x.prefix) {
						ids[name] = fmt.Sprint(raw["id"])
					}
				}
				return ids
			}
			steps := []map[string]string{{"a": "1", "z": ""}, {"a": "", "z": "1"}, {"a": "1", "z": ""}}
			if kind.name != "qos_policy" {
				steps = append(steps, map[string]string{"a": "1", "z": "2"}, map[string]string{"a": "2", "z": "1"}, map[string]string{"a": "12", "z": ""})
			}
			steps = append(steps, map[string]string{"a": "1"}, map[string]string{"z": "1"}, map[string]string{"a": "1"}, map[string]string{})
			former := map[string]string{}
			for _, step := range steps {
				targets := []unit.Target{stays}
				for _, label := range slices.Sorted(maps.Keys(step)) {
					written := kind.written(label, step[label])
					written["name"] = text(x.prefix + label)
					targets = append(targets, target(t, kind.name, label, written))
				}
				if err := x.pass(t.Context(), x.store, unitsOf(targets)); err != nil {
					t.Errorf("%v: %v", step, err)
				}
				now := ids()
				for name, id := range former {
					if now[name] != id && now[name] != "" {
						t.Errorf("%v: %s is made anew", step, name)
					}
				}
				if len(now) != len(step) {
					t.Errorf("%v: there are %v", step, now)
				}
				former = now
			}
		})
	}
}
