package compose_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestAPIsOfServices(t *testing.T) {
	const source = `
		cloud "c" {
			release         = "2026.1"
			region          = "North"
			namespace       = "clouds"
			network_backend = "ovs"
			storage_backend = "lvm"
			charts { repository = "charts" }
			%s
			service "mariadb" {}
			service "rabbitmq" {}
			service "memcached" {}
			service "keystone" {}
			service "glance" {}
			service "placement" {}
			service "openvswitch" {}
			service "libvirt" {}
			service "neutron" {}
			service "nova" {}
			service "horizon" {}
		}
		node "worker-2" { roles = ["compute"] }
		node "worker-1" {
			name  = "w1.example.org"
			roles = ["compute"]
		}
		node "gate" { roles = ["network"] }
		node "old" {
			roles    = ["compute"]
			disabled = true
		}`
	apis := func(facts compose.Facts, more string) map[string]*unit.API {
		t.Helper()
		all := map[string]*unit.API{}
		for name, u := range composedText(t, fmt.Sprintf(source, more), facts) {
			if r, is := u.Spec.(*unit.Release); is {
				all[name] = r.API
			}
		}
		return all
	}
	all := apis(compose.Facts{}, `service "skyline" {}`)
	computes, both := []string{"w1.example.org", "worker-2"}, []string{"gate", "w1.example.org", "worker-2"}
	for name, want := range map[string]unit.API{
		"service.keystone": {Service: "identity", Address: "http://keystone-api.clouds.svc:5000/"},
		"service.glance":   {Service: "image"},
		"service.horizon":  {Service: unit.ServiceDashboard, Address: "http://horizon-int.clouds.svc:80/"},
		"service.skyline":  {Service: unit.ServiceDashboard, Address: "http://skyline-api.clouds.svc:9999/api/openstack/skyline/api/v1/contrib/keystone_endpoints"},
		"service.nova":     {Service: "compute", Hosts: computes, Programs: []unit.Program{{Name: "nova-compute", DaemonSet: "nova-compute", Hosts: computes}}},
		"service.neutron": {Service: "network", Hosts: both, Programs: []unit.Program{
			{Name: "neutron-dhcp-agent", DaemonSet: "neutron-dhcp-agent", Hosts: []string{"gate"}},
			{Name: "neutron-l3-agent", DaemonSet: "neutron-l3-agent", Hosts: []string{"gate"}},
			{Name: "neutron-metadata-agent", DaemonSet: "neutron-metadata-agent", Hosts: []string{"gate"}},
			{Name: "neutron-openvswitch-agent", DaemonSet: "neutron-ovs-agent", Hosts: both},
		}},
	} {
		got := all[name]
		if !reflect.DeepEqual(got, &want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	ovn := composedText(t, strings.NewReplacer(`"ovs"`, `"ovn"`, `service "openvswitch" {}`, "service \"openvswitch\" {}\nservice \"ovn\" {}").Replace(fmt.Sprintf(source, "")), compose.Facts{})
	if r, is := ovn["service.neutron"].Spec.(*unit.Release); !is || r.API == nil || !reflect.DeepEqual(r.API.Programs, []unit.Program{
		{Name: "neutron-ovn-metadata-agent", DaemonSet: "neutron-ovn-metadata-agent", Hosts: both},
		{Name: "ovn-controller", DaemonSet: "ovn-controller", Beside: true, Hosts: both},
	}) {
		t.Errorf("by OVN: %+v", ovn["service.neutron"].Spec)
	}
	for _, name := range []string{"service.mariadb", "service.libvirt"} {
		if api, there := all[name]; !there || api != nil {
			t.Errorf("%s: %+v", name, api)
		}
	}
	if got := apis(compose.Facts{}, `tls { issuer = { name = "ca" } }`)["service.keystone"]; got == nil || got.Address != "https://keystone-api.clouds.svc:5000/" {
		t.Errorf("with TLS: %+v", got)
	}
	for block, want := range map[string]string{
		`exposure {
			domain        = "cloud.example.org"
			ingress_class = "nginx"
		}`: "https://horizon.cloud.example.org/",
		`exposure {
			domain        = "cloud.example.org"
			ingress_class = "nginx"
			tls           = false
			hosts         = { horizon = "www.example.org" }
		}`: "http://www.example.org/",
	} {
		if got := apis(compose.Facts{}, block)["service.horizon"]; got == nil || got.Public != want || got.Address != "http://horizon-int.clouds.svc:80/" {
			t.Errorf("exposed: %+v, want %s", got, want)
		}
	}
	some := apis(compose.Facts{Checks: compose.Checks{Only: []string{"nova"}}}, "")
	if some["service.nova"] == nil || some["service.glance"] != nil {
		t.Errorf("only nova's: %v", some)
	}
	for name, api := range apis(compose.Facts{Checks: compose.Checks{Off: true}}, "") {
		if api != nil {
			t.Errorf("%s without checks: %+v", name, api)
		}
	}
}

// What is asked has no part in whether a release has changed.
func TestAPIsChangeNoRelease(t *testing.T) {
	a, b := unit.Release{Name: "nova"}, unit.Release{Name: "nova", API: &unit.API{Service: "compute", Hosts: []string{"w1"}}}
	if a.Digest() != b.Digest() {
		t.Error("the digests differ")
	}
}
