package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

func TestDiagnostics(t *testing.T) {
	complete := withOneConductor(composed.Source("ovs", ""))
	for name, c := range map[string]struct {
		config string
		facts  compose.Facts
		want   []string
	}{
		"complete": {complete, compose.Facts{}, nil},
		"unknown release": {
			strings.Replace(complete, "2026.1", "2019.1", 1),
			compose.Facts{},
			[]string{"main.hcl:2:3 compose.unknown-release"},
		},
		"no placement": {
			strings.Replace(complete, "  service \"placement\" { replicas = 2 }\n", "", 1),
			compose.Facts{},
			[]string{"main.hcl:15:3 compose.missing-service"},
		},
		"disabled": {
			strings.Replace(complete, `service "placement" { replicas = 2 }`, `service "placement" { enabled = false }`, 1),
			compose.Facts{},
			[]string{"main.hcl:16:3 compose.missing-service"},
		},
		"another backend of networks in one chart": {
			composed.Source("ovs", "", "profile = profile.p") + "profile \"p\" {\n  service \"nova\" { values = { network = { backend = [\"openvswitch\", \"ovn\"] } } }\n}\n",
			compose.Facts{},
			[]string{"main.hcl:51:43 compose.unsafe"},
		},
		"the backend of networks and another one beside it": {
			composed.Source("ovs", "", "profile = profile.p") + "profile \"p\" {\n  service \"nova\" { values = { network = { backend = [\"openvswitch\", \"sriov\"] } } }\n}\n",
			compose.Facts{},
			nil,
		},
		"a device in a bridge of the chart": {
			composed.Source("ovs", "", "profile = profile.p") + "profile \"p\" {\n  service \"neutron\" { conf = { auto_bridge_add = { br-ex = \"eth0\" } } }\n}\n",
			compose.Facts{},
			[]string{"main.hcl:51:52 compose.device"},
		},
		"names outside that no API has": {
			composed.Source("ovs", "", "exposure {\n  domain = \"d.example\"\n  ingress_class = \"nginx\"\n  hosts = {\n    nove = \"n.example\"\n    nova = \"x.example\", heat = \"x.example\"\n  }\n}"),
			compose.Facts{},
			[]string{"main.hcl:8:3 compose.invalid-value", "main.hcl:8:3 compose.invalid-value"},
		},
		"a network on what is not there": {
			composed.Source("ovs", "", "openstack { cloud = \"c\" }\nphysical_network \"public\" { bridge = \"br-ex\" }") +
				"network \"n\" {\n  provider_physical_network = \"physnet1\"\n}\n",
			compose.Facts{},
			[]string{"main.hcl:52:3 compose.invalid-value"},
		},
		"physical networks without Neutron": {
			"cloud \"c\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n  service \"mariadb\" {}\n  physical_network \"p\" { bridge = \"br-ex\" }\n}\n",
			compose.Facts{},
			[]string{"main.hcl:5:3 compose.missing-service"},
		},
		"physical networks and names of services that are switched off": {
			"cloud \"c\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n  service \"mariadb\" {}\n  service \"neutron\" { enabled = false }\n  physical_network \"p\" { bridge = \"br-ex\" }\n" +
				"  exposure {\n    domain        = \"d.example\"\n    ingress_class = \"nginx\"\n  }\n}\n",
			compose.Facts{},
			nil,
		},
		"no overrides": {profiles("keystone", "{ x = { y = N } }", 1), compose.Facts{}, []string{"main.hcl:51:20 compose.node-configuration"}},
		"nodes without such pods": {
			strings.Replace(profiles("nova", "{ x = { y = N } }", 2), `["compute"]`, `["control-plane", "network"]`, 1),
			compose.Facts{},
			[]string{"main.hcl:51:20 compose.node-configuration"},
		},
		"nodes with and without such pods": {
			profiles("neutron", "{ x = { y = N } }", 1) + "node \"other\" {\n  roles = [\"control-plane\"]\n  profile = profile.p00\n}\n", compose.Facts{}, nil,
		},
		"all slots": {profiles("nova", "{ x = { y = N } }", 9), compose.Facts{}, nil},
		"profiles without a slot": {
			strings.NewReplacer("  slot = 2\n", "\n", "  slot = 3\n", "\n").Replace(profiles("nova", "{ x = { y = N } }", 3)),
			compose.Facts{},
			[]string{"main.hcl:59:1 compose.slot", "main.hcl:69:1 compose.slot"},
		},
		"no slot, for two services": {
			strings.NewReplacer("  slot = 1\n", "  service \"neutron\" { conf = { x = { y = 1 } } }\n").Replace(profiles("nova", "{ x = { y = N } }", 1)),
			compose.Facts{},
			[]string{"main.hcl:49:1 compose.slot"},
		},
		"no slot, beside a mistake in the same configuration": {
			strings.NewReplacer("  slot = 1\n", "\n", `service "nova" { replicas`, "service \"nova\" {\n  conf = { x = { z = 18446744073709551616 } }\n  replicas", "novncproxy = 2 } }", "novncproxy = 2 }\n}").Replace(profiles("nova", "{ x = { y = N } }", 1)),
			compose.Facts{},
			[]string{"main.hcl:17:18 compose.invalid-value", "main.hcl:52:1 compose.slot"},
		},
		"no slot, beside a mistake in the profile": {
			strings.Replace(profiles("nova", "{ x = { y = N, z = 18446744073709551616 } }", 1), "  slot = 1\n", "\n", 1),
			compose.Facts{},
			[]string{"main.hcl:49:1 compose.slot", "main.hcl:51:27 compose.invalid-value"},
		},
		"slots of libvirt": {profiles("libvirt", "{ x = { y = N } }", 4), compose.Facts{}, nil},
		"a slot that libvirt has not": {
			strings.Replace(profiles("libvirt", "{ x = { y = N } }", 1), "slot = 1", "slot = 5", 1), compose.Facts{}, []string{"main.hcl:51:20 compose.node-configuration"},
		},
		"null on some nodes": {profiles("nova", "{ x = { y = null, z = N } }", 1), compose.Facts{}, nil},
		"null on some nodes of libvirt": {
			profiles("libvirt", "{ libvirt = { max_clients = null, x = N } }", 1), compose.Facts{}, []string{"main.hcl:51:26 compose.node-configuration"},
		},
		"all slots with agents on compute nodes": {profiles("neutron", "{ x = { y = N } }", 9), compose.Facts{}, nil},
		"as many network nodes as there may be":  {strings.ReplaceAll(profiles("neutron", "{ x = { y = N } }", 5), `["compute"]`, `["network"]`), compose.Facts{}, nil},
		"a further one of network nodes": {
			strings.ReplaceAll(profiles("neutron", "{ x = { y = N } }", 6), `["compute"]`, `["network"]`), compose.Facts{}, []string{"main.hcl:103:3 compose.node-configuration"},
		},
		"parts that go by one name": {
			strings.NewReplacer("share = 1", "share = 2", "volume = 1", "volume = 3").Replace(composed.Source("ovs", "ceph")),
			compose.Facts{},
			[]string{"main.hcl:20:22 compose.invalid-value", "main.hcl:40:22 compose.invalid-value"},
		},
		"parts whose names are their own": {strings.ReplaceAll(composed.Source("ovs", "lvm"), "volume = 1", "volume = 3"), compose.Facts{}, nil},
		"annotations": {
			composed.Source("ovs", "", "exposure {\n  domain = \"d.example\"\n  ingress_class = \"nginx\"\n  issuer = { name = \"ca\" }\n  annotations = { \"BAD KEY\" = \"\", \"cert-manager.io/cluster-issuer\" = \"other\" }\n}"),
			compose.Facts{},
			[]string{"main.hcl:9:3 compose.invalid-value", "main.hcl:9:3 compose.invalid-value"},
		},
		"credential in one place": {
			strings.Replace(complete, `service "horizon" { replicas = 2 }`,
				`service "horizon" { values = { endpoints = { oslo_db = { auth = { admin = { password = "x" } } } } } }`, 1),
			compose.Facts{},
			[]string{"main.hcl:23:79 compose.credentials"},
		},
		"resources beside services": {complete + "project \"p\" {}\n", compose.Facts{}, nil},
		"resources beside services without Keystone": {
			"cloud \"c\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n  service \"openvswitch\" {}\n}\nproject \"p\" {}\n",
			compose.Facts{},
			[]string{"main.hcl:6:1 compose.no-openstack"},
		},
		"images of charts": {
			strings.Replace(complete, `"2026.1"`, `"2025.1"`, 1), compose.Facts{}, []string{"main.hcl:22:3 compose.images", "main.hcl:24:3 compose.images", "main.hcl:40:3 compose.images", "main.hcl:47:3 compose.images"},
		},
		"images that are written": {
			strings.NewReplacer(`"2026.1"`, `"2025.1"`, `service "skyline" { replicas = 2 }`,
				`service "skyline" { values = { images = { tags = { db_init = "a", ks_user = "b", skyline = "c", skyline_db_sync = "d", skyline_nginx = "e" } } } }`).Replace(complete),
			compose.Facts{},
			[]string{"main.hcl:22:3 compose.images", "main.hcl:40:3 compose.images", "main.hcl:47:3 compose.images"},
		},
		"images of which one is written": {
			strings.NewReplacer(`"2026.1"`, `"2025.1"`, `service "skyline" { replicas = 2 }`, `service "skyline" { images = { skyline = "quay.io/mine/skyline:1" } }`).Replace(complete),
			compose.Facts{},
			[]string{"main.hcl:22:3 compose.images", "main.hcl:24:3 compose.images", "main.hcl:40:3 compose.images", "main.hcl:47:3 compose.images"},
		},
		"resources, given": {complete + "project \"p\" {}\n", compose.Facts{OpenStackGiven: true}, nil},
		"profile that is no label": {
			complete + "profile \"p_\" {}\nnode \"n\" {\n  profile = profile.p_\n}\n",
			compose.Facts{},
			[]string{"main.hcl:51:3 compose.profile-name"},
		},
		"disabled dependency": {
			strings.Replace(complete, `service "openvswitch" {}`+"\n", `service "openvswitch" {}`+"\n"+`  service "ovn" { enabled = false }`, 1) + "project \"p\" {\n  depends_on = [service.ovn]\n}\n",
			compose.Facts{OpenStackGiven: true},
			[]string{"main.hcl:50:17 compose.missing-service"},
		},
		"disabled node": {
			complete + "node \"n\" { disabled = true }\nproject \"p\" {\n  depends_on = [node.n]\n}\n",
			compose.Facts{OpenStackGiven: true},
			[]string{"main.hcl:51:17 compose.missing-node"},
		},
		"disabled node of several": {
			complete + "node \"n\" {\n  for_each = toset([\"a\", \"b\"])\n  name     = each.key\n  disabled = each.key == \"a\"\n}\nproject \"p\" {\n  depends_on = [node.n[\"a\"]]\n}\n",
			compose.Facts{OpenStackGiven: true},
			[]string{"main.hcl:55:17 compose.missing-node"},
		},
		"the nodes that are not disabled": {
			complete + "node \"n\" {\n  for_each = toset([\"a\", \"b\"])\n  name     = each.key\n  disabled = each.key == \"a\"\n}\nproject \"p\" {\n  depends_on = [node.n, node.n[\"b\"]]\n}\n",
			compose.Facts{OpenStackGiven: true},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, c.config)
			units, diags := compose.Compose(m, ev, c.facts)
			if got := codes(diags); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q: %+v", got, c.want, diags)
			}
			if (units == nil) != diags.HasErrors() {
				t.Errorf("%d units beside %d diagnostics", len(units), len(diags))
			}
			for _, d := range diags {
				if strings.Contains(d.Detail+d.Hint+d.Summary, "hush") {
					t.Errorf("a secret is told: %+v", d)
				}
			}
		})
	}
}

func TestResourcesWithoutOpenStack(t *testing.T) {
	m := &model.Model{
		Language: schema.New(),
		Cloud:    model.Cloud{Name: "c", Region: "RegionOne", Namespace: "openstack"},
		Resources: []model.Resource{{
			Address: object(t, "project.p"), Kind: "project", Desired: cty.EmptyObjectVal,
		}},
	}
	if _, diags := compose.Compose(m, nil, compose.Facts{}); !slices.Equal(codes(diags), []string{"compose.no-openstack"}) {
		t.Error(diags)
	}
	units, diags := compose.Compose(m, nil, compose.Facts{OpenStackGiven: true})
	if len(diags) > 0 || len(units) != 1 {
		t.Error(units, diags)
	}
}

// TestCycle: the model forbids it, but a cycle must never reach the engine, which would wait.
func TestCycle(t *testing.T) {
	a, b := object(t, "project.a"), object(t, "project.b")
	m := &model.Model{
		Language: schema.New(),
		Cloud:    model.Cloud{Name: "c", OpenStack: &model.OpenStack{}},
		Resources: []model.Resource{
			{Address: a, Kind: "project", Desired: cty.EmptyObjectVal, Edges: []model.Edge{{To: b}}},
			{Address: b, Kind: "project", Desired: cty.EmptyObjectVal, Edges: []model.Edge{{To: a}}},
		},
	}
	_, diags := compose.Compose(m, nil, compose.Facts{})
	if !slices.Equal(codes(diags), []string{"compose.cycle"}) || !strings.Contains(diags[0].Detail, "project.a → project.b → project.a") {
		t.Errorf("%+v", diags)
	}
}
