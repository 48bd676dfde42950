package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/trunks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhatIsInUseSaysByWhat: Neutron's refusal to delete names no port. Those of others are named, and are for a person; ours,
// which go by themselves, are waited for.
func TestWhatIsInUseSaysByWhat(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	in := func(id, owner, device, description string) object {
		return object{
			"id": id, "name": "", "device_owner": owner, "device_id": device, "description": description, "network_id": "x", "security_groups": []any{"x"},
			"fixed_ips": []any{object{"subnet_id": "x", "ip_address": "10.0.0.5"}},
		}
	}
	for name, test := range map[string]struct {
		ports   []object
		blocked bool
		want    string
		not     string
	}{
		"a port of somebody": {
			[]object{in("p1", "", "", ""), in("p2", "", "", "[kupenstack:b]"), in("p3", "network:dhcp", "dhcp", "")},
			true,
			"is in use by ports that are not ours: p1; delete these", "p2",
		},
		"what has it": {
			[]object{in("p1", "compute:nova", "theirs", ""), in("p2", "network:router_gateway", "theirs", ""), in("p3", "network:floatingip", "theirs", "")},
			true,
			"p1 of compute:nova theirs, p2 of network:router_gateway theirs, p3 of network:floatingip theirs", "",
		},
		"ours":                     {[]object{in("p2", "", "", "[kupenstack:b]"), in("p1", "", "", "[kupenstack:a]")}, false, "until these ports have gone: p1, p2", ""},
		"of ours":                  {[]object{in("p1", "compute:nova", "ours", ""), in("p2", "network:router_gateway", "ours", ""), in("p3", "network:floatingip", "ours", "")}, false, "p1, p2, p3", ""},
		"of what goes":             {[]object{in("p1", "compute:nova", "going", ""), in("p2", "compute:nova", "over", "")}, false, "until these ports have gone: p1, p2", ""},
		"of a router of ours":      {[]object{in("p1", "network:router_centralized_snat", "ours", "")}, false, "until these ports have gone: p1", ""},
		"of a router":              {[]object{in("p1", "network:router_centralized_snat", "theirs", "")}, true, "p1 of network:router_centralized_snat theirs", ""},
		"of what is not there":     {[]object{in("p1", "compute:nova", "gone", "")}, false, "until these ports have gone: p1", ""},
		"elsewhere, as it filters": {[]object{{"id": "p9", "network_id": "x", "fixed_ips": []any{}, "security_groups": []any{}}}, false, "409", "p9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, path := range map[string]string{"subnet": "subnets", "security_group": "security-groups", "network": "networks"} {
				if kind == "network" && test.not == "p9" {
					continue // all that is in a network is in its way
				}
				raw := object{"id": "x", "name": "x", "project_id": "p1", "description": "[kupenstack:x]", "cidr": "10.0.0.0/24", "network_id": "n"}
				many := strings.ReplaceAll(path, "-", "_")
				theirs, ours := object{"description": ""}, object{"description": "[kupenstack:c]"}
				answers := map[string]func(*http.Request) any{
					"/v2.0/subnets":               listed("subnets"), // of the network
					"/v2.0/" + path + "/x":        func(*http.Request) any { return object{kind: raw} },
					"DELETE /v2.0/" + path + "/x": func(*http.Request) any { return http.StatusConflict },
					"/v2.0/ports":                 listed("ports", test.ports...),
					"/v2.0/routers/theirs":        func(*http.Request) any { return object{"router": theirs} },
					"/v2.0/routers/ours":          func(*http.Request) any { return object{"router": ours} },
					"/v2.0/floatingips/theirs":    func(*http.Request) any { return object{"floatingip": theirs} },
					"/v2.0/floatingips/ours":      func(*http.Request) any { return object{"floatingip": ours} },
					"/v2.1/servers/theirs":        func(*http.Request) any { return object{"server": object{"metadata": object{}}} },
					"/v2.1/servers/going": func(*http.Request) any { // Nova takes its metadata away first
						return object{"server": object{"status": "ACTIVE", "OS-EXT-STS:task_state": "deleting", "metadata": object{}}}
					},
					"/v2.1/servers/over": func(*http.Request) any { return object{"server": object{"status": "DELETED", "metadata": object{}}} },
					"/v2.1/servers/ours": func(*http.Request) any {
						return object{"server": object{"metadata": object{"kupenstack_mark": "kupenstack:c"}}}
					},
				}
				answers["/v2.0/"+path] = listed(many, raw)
				d := answering(t, answers)
				tg := known(t, kind, "x", values{})
				states, err := d.Observe(t.Context(), []unit.Target{tg})
				if err != nil {
					t.Fatal(err)
				}
				_, err = d.Delete(t.Context(), tg, states[tg.Address])
				if err == nil || unit.IsBlocked(err) != test.blocked || !strings.Contains(err.Error(), test.want) || test.not != "" && strings.Contains(err.Error(), test.not) {
					t.Errorf("%s: %v (blocked %t), want %q", kind, err, unit.IsBlocked(err), test.want)
				}
			}
		})
	}
}

// TestBedWhatOthersUseStays has a real Neutron keep what ports of somebody else have, and says which.
func TestBedWhatOthersUseStays(t *testing.T) {
	b := newBench(t)
	client := somebody(t)
	network := target(t, "network", unique("net"), values{})
	b.converge(t, &network)
	b.remove(t, network)
	subnet := target(t, "subnet", unique("subnet"), values{"network": text(network.ID), "cidr": text("10.7.0.0/24")})
	b.converge(t, &subnet)
	b.remove(t, subnet)
	group := target(t, "security_group", unique("group"), values{})
	b.converge(t, &group)
	b.remove(t, group)
	parent := target(t, "port", unique("parent"), values{"network": text(network.ID)})
	b.converge(t, &parent)
	b.remove(t, parent)
	theirs, err := ports.Create(t.Context(), client, ports.CreateOpts{NetworkID: network.ID, SecurityGroups: &[]string{group.ID}}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	trunk, err := trunks.Create(t.Context(), client, trunks.CreateOpts{PortID: parent.ID}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	for _, tg := range []unit.Target{subnet, group, parent} {
		want := "ports that are not ours: " + theirs.ID
		if tg.Locator.Kind == "port" {
			want = "the trunk " + trunk.ID
		}
		if _, err := b.Delete(t.Context(), tg, b.see(t, tg)); !unit.IsBlocked(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a blocked error with %q", tg.Address, err, want)
		}
	}
	if err := trunks.Delete(t.Context(), client, trunk.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if err := ports.Delete(t.Context(), client, theirs.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
}
