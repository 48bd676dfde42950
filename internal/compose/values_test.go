package compose_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const base = `cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  service "mariadb" {}
  service "rabbitmq" { RABBITMQ }
  service "memcached" {}
  service "keystone" {
    KEYSTONE
  }
}
`

func small(t *testing.T, rabbitmq, keystone string) map[string]unit.Unit {
	t.Helper()
	m, ev := composed.Text(t, strings.NewReplacer("RABBITMQ", rabbitmq, "KEYSTONE", keystone).Replace(base))
	return composed.Compose(t, m, ev, compose.Facts{})
}

// TestPrecedence lays values over conf over what compose knows.
func TestPrecedence(t *testing.T) {
	units := small(t, "", `replicas = 2
    conf     = { keystone = { token = { expiration = 1, provider = "fernet" } } }
    values   = {
      conf      = { keystone = { token = { expiration = 1000000 } } }
      pod       = { replicas = { api = 5 } }
      endpoints = { identity = { hosts = { default = "elsewhere" } } }
      images    = { tags = { keystone_api = "mine" } }
    }`)
	values := composed.Release(t, units, "keystone").Values
	for path, want := range map[string]any{
		"conf.keystone.token.expiration":      int64(1000000),
		"conf.keystone.token.provider":        "fernet",
		"pod.replicas.api":                    int64(5),
		"endpoints.identity.hosts.default":    "elsewhere",
		"endpoints.identity.port.api.default": float64(5000), // as charts print it
		"images.tags.keystone_api":            "mine",
		"images.tags.bootstrap":               "quay.io/airshipit/openstack-client:2026.1-ubuntu_noble",
	} {
		if got := at(values, strings.Split(path, ".")); got != want {
			t.Errorf("%s = %#v, want %#v", path, got, want)
		}
	}
}

// TestValuesWin: what is written for charts counts, also where it has them do without what the cloud asks for. A warning says
// so where it is written.
func TestValuesWin(t *testing.T) {
	const network = "another network backend than the cloud's"
	secured := composed.Secured("ovn", "ceph", issued)
	for name, test := range map[string]struct {
		source, service, values, path, want, summary string
	}{
		"another backend":    {composed.Source("ovs", "ceph"), "libvirt", `network = { backend = ["ovn"] }`, "network.backend", `["ovn"]`, network},
		"both":               {composed.Source("ovn", "ceph"), "libvirt", `network = { backend = ["openvswitch", "ovn"] }`, "network.backend", `["openvswitch","ovn"]`, network},
		"none":               {composed.Source("ovn", "ceph"), "libvirt", `network = { backend = [] }`, "network.backend", `[]`, network},
		"nothing":            {composed.Source("ovs", ""), "libvirt", `network = { backend = null }`, "network.backend", `null`, network},
		"nothing at all":     {composed.Source("ovn", ""), "libvirt", `network = null`, "network.backend", `null`, network},
		"past what ends TLS": {secured, "placement", `network = { api = { target_port = 8778 } }`, "network.api.target_port", "8778", "in the way of TLS"},
		"without it":         {secured, "placement", `pod = { extraContainers = { placement_api = [{ name = "mine" }] } }`, "pod.extraContainers.placement_api", `[{"name":"mine"}]`, "in the way of TLS"},
		"no authority":       {secured, "placement", `conf = { placement = { keystone_authtoken = { cafile = "" } } }`, "conf.placement.keystone_authtoken.cafile", `""`, "in the way of TLS"},
		"storage":            {composed.Source("ovs", "ceph"), "libvirt", `conf = { ceph = { enabled = false } }`, "conf.ceph.enabled", "false", ""},
		"many on one volume": {composed.Source("ovs", ""), "glance", `pod = { replicas = { api = 3 } }`, "pod.replicas.api", "3", "several pods on the volume of one"},
	} {
		source := composed.Without(test.source, test.service) + fmt.Sprintf("profile \"wins\" {\n  service %q {\n    values = { %s }\n  }\n}\n", test.service, test.values)
		source = strings.Replace(source, "  release ", fmt.Sprintf("  profile = profile.wins\n  service %q {}\n  release ", test.service), 1)
		m, ev := composed.Text(t, source)
		units, diags := compose.Compose(m, ev, compose.Facts{})
		if len(diags) > 1 || len(diags) == 1 && (diags[0].Severity != diag.Warning || diags[0].Summary != test.summary) || len(diags) == 0 && test.summary != "" {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		if len(diags) == 1 && !strings.Contains(strings.Split(source, "\n")[diags[0].Subject.Start.Line-1], "values = {") {
			t.Errorf("%s is told at %v", name, diags[0].Subject)
		}
		for _, u := range units {
			if u.Address.String() != "service."+test.service {
				continue
			}
			if got := compact(at(u.Spec.(*unit.Release).Values, strings.Split(test.path, "."))); got != test.want {
				t.Errorf("%s: %s is %s, want %s", name, test.path, got, test.want)
			}
		}
	}
}

// TestNetworkIsFixed: a chart that was given another backend keeps it, and one that has the cloud's has nothing of its own.
func TestNetworkIsFixed(t *testing.T) {
	for written, want := range map[string]string{
		`["openvswitch"]`: "", `["openvswitch", "sriov"]`: "", `["ovn"]`: "ovn", `["ovn", "openvswitch"]`: "openvswitch and ovn", `["sriov"]`: "neither",
	} {
		source := strings.Replace(composed.Without(composed.Source("ovs", ""), "libvirt"), "  release ", "  service \"libvirt\" {\n    values = { network = { backend = "+written+" } }\n  }\n  release ", 1)
		m, ev := composed.Text(t, source)
		units, _ := compose.Compose(m, ev, compose.Facts{})
		for _, u := range units {
			if got, fixed := u.Fixed[unit.FixedNetwork]; u.Address.String() == "service.libvirt" && (!fixed || got != want) {
				t.Errorf("%s: %q, want %q", written, got, want)
			}
		}
	}
}

// TestBrokersAgree: clients list as many members as the broker has, wherever that was written.
func TestBrokersAgree(t *testing.T) {
	for written, want := range map[string]int64{
		"": 3, "replicas = 1": 1, "values = { pod = { replicas = { server = 5 } } }": 5,
	} {
		units := small(t, written, "")
		members := at(composed.Release(t, units, "rabbitmq").Values, []string{"pod", "replicas", "server"})
		clients := at(composed.Release(t, units, "keystone").Values, []string{"endpoints", "oslo_messaging", "statefulset", "replicas"})
		if members != want || clients != want {
			t.Errorf("%q: %v members, clients know %v", written, members, clients)
		}
	}
}

// TestWrittenCredentialWins: what somebody wrote is not replaced by a generated value.
func TestWrittenCredentialWins(t *testing.T) {
	const path = "endpoints.oslo_db.auth.keystone.password"
	for name, written := range map[string]string{
		"the value": `values = { endpoints = { oslo_db = { auth = { keystone = { password = "mine" } } } } }`,
		"nothing":   `values = { endpoints = { oslo_db = { auth = { keystone = null } } } }`,
	} {
		units := small(t, "", written)
		for _, s := range composed.Release(t, units, "keystone").Secrets {
			if strings.Join(s.Path, ".") == path {
				t.Errorf("%s: the secret replaces what was written", name)
			}
		}
		for _, k := range units["system.credentials"].Spec.(*unit.Credentials).Keys {
			if k.Key == "keystone-db" {
				t.Errorf("%s: a credential is generated that nobody uses", name)
			}
		}
	}
}

func TestBackendIsTheSameInAllCharts(t *testing.T) {
	for network, want := range map[string]string{"ovs": `["openvswitch"]`, "ovn": `["ovn"]`} {
		units := composed.Everything(t, network, "", "")
		for _, name := range []string{"neutron", "nova", "libvirt"} {
			if got := compact(at(composed.Release(t, units, name).Values, []string{"network", "backend"})); got != want {
				t.Errorf("%s of %s: %s", network, name, got)
			}
		}
	}
}

func TestStorage(t *testing.T) {
	for storage, want := range map[string]string{"": "pvc false qcow2", "lvm": "pvc false qcow2", "ceph": "rbd true rbd"} {
		units := composed.Everything(t, "ovs", storage, "")
		got := fmt.Sprint(
			at(composed.Release(t, units, "glance").Values, []string{"storage"}), " ",
			at(composed.Release(t, units, "libvirt").Values, []string{"conf", "ceph", "enabled"}), " ",
			at(composed.Release(t, units, "nova").Values, []string{"conf", "nova", "libvirt", "images_type"}))
		if got != want {
			t.Errorf("%q: %s", storage, got)
		}
	}
}

// TestVirtType has instances run as one layer says, and single nodes as their profile does.
// What starts an API of 2025.1 is not there later, and the other way around.
func TestScriptsOfReleases(t *testing.T) {
	for release, script := range map[string]any{"2025.1": "/var/lib/openstack/bin/%s-wsgi", "2025.2": nil, "2026.1": nil} {
		source := composed.Without(composed.Source("ovs", "ceph"), "designate", "ironic", "magnum", "skyline")
		m, ev := composed.Text(t, strings.Replace(source, `"2026.1"`, `"`+release+`"`, 1))
		units := composed.Compose(t, m, ev, compose.Facts{})
		for _, service := range []string{"manila", "octavia"} {
			options, _ := at(composed.Release(t, units, service).Values, []string{"conf", service + "_api_uwsgi", "uwsgi"}).(map[string]any)
			want := script
			if format, is := script.(string); is {
				want = fmt.Sprintf(format, service)
			}
			module, written := options["module"]
			if options["wsgi-file"] != want || module != nil || written != (script != nil) {
				t.Errorf("%s of %s: %v", service, release, options)
			}
		}
	}
}

func TestVirtType(t *testing.T) {
	path := []string{"conf", "nova", "libvirt", "virt_type"}
	for _, c := range []struct{ service, profile, want string }{
		{"", "", "<nil>"},
		{"virt_type = \"qemu\"", "", "qemu"},
		{"virt_type = \"qemu\"", "virt_type = \"kvm\"", "kvm"},
		{"virt_type = \"qemu\"", "conf = { nova = { libvirt = { virt_type = \"lxc\" } } }", "lxc"},
	} {
		text := strings.Replace(composed.Without(composed.Source("ovs", ""), "nova"), "  service \"libvirt\"", "  service \"nova\" {\n    "+c.service+"\n  }\n  service \"libvirt\"", 1)
		text = strings.Replace(text, "network_backend", "profile = profile.all\n  network_backend", 1) + "profile \"all\" {\n  service \"nova\" {\n    " + c.profile + "\n  }\n}\n"
		m, ev := composed.Text(t, text)
		nova := composed.Release(t, composed.Compose(t, m, ev, compose.Facts{}), "nova")
		if got := fmt.Sprint(at(nova.Values, path)); got != c.want {
			t.Errorf("%q and %q: %s, want %s", c.service, c.profile, got, c.want)
		}
	}
}

// TestStorageOfImages has images elsewhere than storage_backend leads to, where that is written.
func TestStorageOfImages(t *testing.T) {
	for name, c := range map[string]struct{ storage, block, written, want, pool string }{
		"a volume beside Ceph":        {"ceph", "", "pvc", "pvc", "null"},
		"a volume beside pools":       {"ceph", cephWithUsers, "pvc", "pvc", "null"},
		"a pool":                      {"ceph", cephWithUsers, "ceph", "rbd", `"images"`},
		"an object store":             {"lvm", "", "swift", "swift", "null"},
		"an object store beside Ceph": {"ceph", cephWithUsers, "swift", "swift", "null"},
	} {
		source := composed.Storing(composed.Without(composed.Source("ovs", c.storage, c.block), "ceph-adapter-rook"), c.written)
		u := unitsOf(t, source)["service.glance"]
		values := u.Spec.(*unit.Release).Values
		if got := at(values, []string{"storage"}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if got := compact(at(values, []string{"conf", "glance", "rbd", "rbd_store_pool"})); got != c.pool {
			t.Errorf("%s: the pool is %s", name, got)
		}
		if u.Fixed["storage"] != c.written {
			t.Errorf("%s: it cannot change from %q", name, u.Fixed["storage"])
		}
	}
}

// TestVolumes has Cinder keep volumes on each storage: nothing of the other one is left, or waited for.
func TestVolumes(t *testing.T) {
	for storage, want := range map[string]string{
		"ceph": `null null null "cinder.backup.drivers.ceph.CephBackupDriver" null null`,
		"lvm":  `"lvm1" "cinder.volume.drivers.lvm.LVMVolumeDriver" "lioadm" null false true`,
	} {
		units := composed.Everything(t, "ovs", storage, "")
		values := composed.Release(t, units, "cinder").Values
		var got []string
		for _, path := range []string{
			"conf.cinder.DEFAULT.enabled_backends", "conf.backends.lvm1.volume_driver", "conf.backends.lvm1.target_helper", "conf.cinder.DEFAULT.backup_driver",
			"manifests.job_storage_init", "conf.enable_iscsi",
		} {
			got = append(got, compact(at(values, strings.Split(path, "."))))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s", storage, strings.Join(got, " "))
		}
		backends, _ := at(values, []string{"conf", "backends"}).(map[string]any)
		if _, taken := backends["rbd1"]; taken != (storage == "lvm") { // null takes the chart's own away
			t.Errorf("%s has the backends %s", storage, compact(backends))
		}
		if waits := compact(at(values, []string{"dependencies", "static", "api", "jobs"})); strings.Contains(waits, "storage-init") {
			t.Errorf("%s waits for %s", storage, waits)
		}
	}
}

// profiles is a whole cloud with some nodes that use profiles of their own.
func profiles(service, conf string, n int) string {
	var b strings.Builder
	b.WriteString(withOneConductor(composed.Source("ovs", "")))
	for i := range n {
		fmt.Fprintf(&b, "profile \"p%02d\" {\n  service %q {\n    conf = %s\n  }\n  slot = %d\n}\nnode \"n%02d\" {\n  roles   = [\"compute\"]\n  profile = profile.p%02d\n}\n",
			i, service, strings.ReplaceAll(conf, "N", fmt.Sprint(i+1)), i+1, i, i)
	}
	b.WriteString(composed.Network)
	return b.String()
}

// TestRemainders names the DaemonSets for nodes of no slot, which keep their names: those whose groups are ours.
func TestRemainders(t *testing.T) {
	for network, want := range map[string]string{
		"ovs": "neutron-dhcp-agent-default, neutron-l3-agent-default, neutron-metadata-agent-default, neutron-ovs-agent-default",
		"ovn": "neutron-ovn-metadata-agent-default",
	} {
		units := composed.Everything(t, network, "", "")
		for service, want := range map[string]string{"neutron": want, "nova": "nova-compute-default", "libvirt": "", "keystone": ""} {
			var names []string
			for _, r := range composed.Release(t, units, service).Remainders {
				names = append(names, r.Name)
				want := unit.SlotLabel
				if slices.Contains([]string{"neutron-dhcp-agent-default", "neutron-l3-agent-default", "neutron-metadata-agent-default"}, r.Name) {
					want = "" // not all slots are theirs
				}
				if r.Label != want {
					t.Errorf("%s is for nodes without %q, want %q", r.Name, r.Label, want)
				}
			}
			if got := strings.Join(names, ", "); got != want {
				t.Errorf("%s of %s: %s, want %s", service, network, got, want)
			}
		}
	}
	own := composed.Everything(t, "ovs", "", "profile \"own\" {\n  service \"nova\" { values = { conf = { overrides = { nova_compute = { labels = [] } } } } }\n}\n", "profile = profile.own")
	if got := composed.Release(t, own, "nova").Remainders; len(got) != 1 || got[0] != (unit.Remainder{Name: "nova-compute-default"}) {
		t.Errorf("with groups of somebody's own: %v", got)
	}
}

// TestOverrides has a group for each slot, in the order that keeps the names of DaemonSets: see slots.go.
func TestOverrides(t *testing.T) {
	group := func(slot, conf string) string {
		return `{"conf":` + conf + `,"label":{"key":"kupenstack-slot","values":["` + slot + `"]}}`
	}
	for service, want := range map[string]string{
		"nova": `{"nova_compute":{"labels":[` +
			group("2", `{"x":{"DEFAULT":{"debug":2}}}`) + "," + group("1", `{"x":{"DEFAULT":{"debug":1}}}`) + "," + group("0", "{}") + `]}}`,
		"libvirt": `{"libvirt_libvirt":{"labels":{` +
			`"kupenstack-slot::1":{"values":{"conf":{"x":{"DEFAULT":{"debug":1}}}}},` +
			`"kupenstack-slot::2":{"values":{"conf":{"x":{"DEFAULT":{"debug":2}}}}},` +
			`"kupenstack-slot::3":{"values":{}},"kupenstack-slot::4":{"values":{}}}}}`,
	} {
		m, ev := composed.Text(t, profiles(service, "{ x = { DEFAULT = { debug = N } } }", 2))
		values := composed.Release(t, composed.Compose(t, m, ev, compose.Facts{}), service).Values
		path := []string{"conf", "overrides"}
		if service == "libvirt" {
			path = path[1:]
		}
		if got := compact(at(values, path)); got != want {
			t.Errorf("%s:\n%s, want\n%s", service, got, want)
		}
	}
}

// TestSlotsOfAgents has as many copies of an agent as its nodes need: its release would outgrow what Kubernetes keeps.
// Where instances run there is one for each profile, so that it is there before its first node.
func TestSlotsOfAgents(t *testing.T) {
	const conf = "{ plugins = { openvswitch_agent = { ovs = { bridge_mappings = \"N\" } } } }"
	const spare = "profile \"spare\" {\n  slot = 5\n}\n"
	for name, c := range map[string]struct{ text, want string }{
		"nothing differs":          {composed.Source("ovs", ""), "dhcp-agent 1, l3-agent 1, metadata-agent 1, ovs-agent 1"},
		"compute nodes":            {profiles("neutron", conf, 2), "dhcp-agent 1, l3-agent 1, metadata-agent 1, ovs-agent 3"},
		"network nodes":            {strings.ReplaceAll(profiles("neutron", conf, 2), `["compute"]`, `["network"]`), "dhcp-agent 3, l3-agent 3, metadata-agent 3, ovs-agent 3"},
		"a profile without nodes":  {profiles("neutron", conf, 2) + spare, "dhcp-agent 1, l3-agent 1, metadata-agent 1, ovs-agent 6"},
		"a slot that nothing uses": {profiles("keystone", "{}", 1) + spare, "dhcp-agent 1, l3-agent 1, metadata-agent 1, ovs-agent 6"},
	} {
		m, ev := composed.Text(t, c.text)
		overrides, _ := at(composed.Release(t, composed.Compose(t, m, ev, compose.Facts{}), "neutron").Values, []string{"conf", "overrides"}).(map[string]any)
		var got []string
		for _, agent := range slices.Sorted(maps.Keys(overrides)) {
			got = append(got, fmt.Sprintf("%s %d", strings.TrimPrefix(agent, "neutron_"), len(at(overrides, []string{agent, "labels"}).([]any))))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// TestNoSlotWithoutADifference: a profile that says what the cloud says needs no slot.
func TestNoSlotWithoutADifference(t *testing.T) {
	config := strings.Replace(profiles("nova", "{ nova = { DEFAULT = { list = [1, 2], debug = true } } }", 1),
		`service "nova" { replicas = { osapi = 2, api_metadata = 2, conductor = 2, scheduler = 2, novncproxy = 2 } }`,
		`service "nova" { conf = { nova = { DEFAULT = { list = [1, 2], debug = true } } } }`, 1)
	m, ev := composed.Text(t, strings.Replace(config, "  slot = 1\n", "", 1))
	overrides := at(composed.Release(t, composed.Compose(t, m, ev, compose.Facts{}), "nova").Values, []string{"conf", "overrides", "nova_compute", "labels"})
	if got := compact(overrides); got != `[{"conf":{},"label":{"key":"kupenstack-slot","values":["0"]}}]` {
		t.Errorf("overrides: %v", got)
	}
}

// TestConfByNode has the schema say which services can differ by node, as their charts can.
func TestConfByNode(t *testing.T) {
	for _, s := range schema.New().Services() {
		m, ev := composed.Text(t, strings.Replace(profiles(s.Name, "{ x = { y = N } }", 1), withOneConductor(composed.Source("ovs", "")), composed.Source("ovn", "ceph"), 1))
		_, diags := compose.Compose(m, ev, compose.Facts{})
		if took := len(diags) == 0; took != s.ByNode {
			t.Errorf("%s by node: %t, and the schema says %t: %v", s.Name, took, s.ByNode, diags)
		}
	}
}

// TestFixed has each service say what of it cannot change, also while it is not written.
func TestFixed(t *testing.T) {
	m, ev := composed.Text(t, `cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  service "mariadb" { storage_size = "9Gi" }
  service "rabbitmq" { storage_size = "10Gi" }
  service "memcached" {}
  service "keystone" {}
  service "glance" {}
}`)
	units := composed.Compose(t, m, ev, compose.Facts{})
	for name, want := range map[string]string{
		"mariadb": `{"storage_size":"9Gi","tls":""}`, "rabbitmq": `{"members.server":"3","storage_size":"10Gi","tls":""}`, "glance": `{"storage":"pvc","storage_size":"","tls":""}`, "memcached": "null",
		"keystone": `{"tls":""}`,
	} {
		if got := compact(units["service."+name].Fixed); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestFixedAsTheChartGetsIt: the values of a chart lie over what the language has a word for.
func TestFixedAsTheChartGetsIt(t *testing.T) {
	for values, want := range map[string]string{
		`{}`:                                        "9Gi",
		`{ volume = { class_name = "fast" } }`:      "9Gi",
		`{ volume = { size = "10Gi" } }`:            "10Gi",
		`{ volume = { size = 10 } }`:                "10",
		`{ volume = { size = null } }`:              "",
		`{ volume = "none" }`:                       "",
		`{ volume = { size = sensitive("10Gi") } }`: unit.TextSensitive,
	} {
		m, ev := composed.Text(t, `cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  service "mariadb" {
    storage_size = "9Gi"
    values       = `+values+`
  }
}`)
		got := composed.Compose(t, m, ev, compose.Facts{})["service.mariadb"].Fixed
		if !maps.Equal(got, map[string]string{"storage_size": want, "tls": ""}) {
			t.Errorf("%s: %v, want %q", values, got, want)
		}
	}
}
