package compose_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

func TestServiceEdges(t *testing.T) {
	const system = " start:system.credentials:installed start:system.namespace:installed"
	for network, table := range map[string]map[string]string{
		"ovs": {
			"mariadb":     "",
			"rabbitmq":    "",
			"memcached":   "",
			"openvswitch": "",
			"keystone":    "start:service.mariadb:ready start:service.memcached:ready start:service.rabbitmq:ready",
			"glance":      "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready start:service.rabbitmq:ready",
			"placement":   "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready",
			"cinder":      "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready start:service.rabbitmq:ready",
			"manila":      "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready start:service.rabbitmq:ready",
			"designate":   "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready start:service.rabbitmq:ready",
			"ironic": "ready:service.glance:ready start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready " +
				"ready:service.neutron:ready start:service.rabbitmq:ready",
			"heat":     "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready start:service.rabbitmq:ready",
			"barbican": "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready start:service.rabbitmq:ready",
			"magnum": "start:service.barbican:ready start:service.heat:ready start:service.keystone:ready start:service.mariadb:ready " +
				"start:service.memcached:ready start:service.rabbitmq:ready",
			"octavia": "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready start:service.neutron:ready " +
				"start:service.rabbitmq:ready",
			"mariadb-backup":                "start:service.mariadb:ready",
			"prometheus-mysql-exporter":     "start:service.mariadb:ready",
			"prometheus-openstack-exporter": "start:service.keystone:ready",
			"prometheus-blackbox-exporter":  "",
			"prometheus-kube-state-metrics": "",
			"prometheus-node-exporter":      "",
			"prometheus-process-exporter":   "",
			"skyline":                       "start:service.keystone:ready start:service.mariadb:ready",
			"horizon":                       "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready",
			"libvirt":                       "ready:service.neutron:installed start:service.openvswitch:installed",
			"neutron": "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready ready:service.nova:installed " +
				"start:service.openvswitch:installed start:service.rabbitmq:ready",
			"nova": "ready:service.glance:ready ready:service.ironic:installed start:service.keystone:ready ready:service.libvirt:installed start:service.mariadb:ready " +
				"start:service.memcached:ready ready:service.neutron:installed start:service.placement:installed ready:service.placement:ready start:service.rabbitmq:ready",
		},
		"ovn": {
			"ovn":     "start:service.openvswitch:installed",
			"libvirt": "ready:service.neutron:installed start:service.openvswitch:installed start:service.ovn:installed",
			"neutron": "start:service.keystone:ready start:service.mariadb:ready start:service.memcached:ready ready:service.nova:installed " +
				"start:service.openvswitch:installed start:service.ovn:installed start:service.rabbitmq:ready",
		},
	} {
		units := composed.Everything(t, network, "lvm", "")
		for name, want := range table {
			var got []string
			for _, e := range units["service."+name].Edges {
				got = append(got, fmt.Sprintf("%s:%s:%s", e.Gate, e.To, e.Until))
			}
			slices.Sort(got)
			sorted := strings.Fields(want + system)
			slices.Sort(sorted)
			if !slices.Equal(got, sorted) {
				t.Errorf("%s with %s waits for\n%v, want\n%v", name, network, got, sorted)
			}
		}
	}
}

// TestEveryServiceHasItsTables fails for a service of the language that compose does not know.
func TestEveryServiceAndKindIsKnown(t *testing.T) {
	units := composed.Everything(t, "ovn", "ceph", "")
	block := schema.New().Block("cloud").Nested("service")
	for _, name := range block.Labels[0].Allowed {
		service, _ := schema.New().Service(name)
		r := composed.Release(t, units, name)
		replicas, _ := at(r.Values, []string{"pod", "replicas"}).(map[string]any)
		for _, part := range service.Parts {
			if want := replicas[part]; name != "mariadb" && name != "memcached" && name != "glance" && name != "ovn" && want == nil {
				t.Errorf("replicas of %s in %s are not set", part, name)
			}
		}
		volume := []string{"volume", "size"}
		if name == "mariadb-backup" {
			volume = []string{"volume", "backup", "size"}
		}
		if size := at(r.Values, volume); (service.Storage && name != "glance") != (size == "9Gi") { // which keeps images in Ceph here
			t.Errorf("the volume of %s has the size %v", name, size)
		}
		wantRelease := "2026.1"
		if service.Versioned || slices.Contains([]string{"ceph-adapter-rook", "mariadb", "mariadb-backup", "openvswitch", "ovn"}, name) {
			wantRelease = ""
		}
		if r.OpenStackRelease != wantRelease {
			t.Errorf("%s is of the release %q", name, r.OpenStackRelease)
		}
	}
	demo := composed.Demo(t)
	kinds := map[string]string{}
	for _, u := range demo {
		if r, ok := u.Spec.(*unit.Resource); ok {
			var services []string
			for _, e := range u.Edges {
				if e.To.Kind() == "service" && e.Until == unit.Ready && e.Gate == unit.GateStart {
					services = append(services, e.To.Name())
				}
			}
			kinds[r.Kind] = strings.Join(services, " ")
		}
	}
	want := map[string]string{
		"project": "keystone", "domain": "keystone", "region": "keystone", "identity_service": "keystone", "identity_endpoint": "keystone",
		"role": "keystone", "user": "keystone", "group": "keystone", "role_assignment": "keystone", "registered_limit": "keystone", "limit": "keystone", "application_credential": "keystone",
		"network": "neutron", "subnet": "neutron", "router": "neutron", "security_group": "neutron",
		"port": "neutron", "floating_ip": "neutron", "trunk": "neutron", "subnet_pool": "neutron", "address_scope": "neutron",
		"qos_policy": "neutron", "rbac_policy": "neutron",
		"image": "glance", "flavor": "nova", "keypair": "nova", "instance": "nova",
		"server_group": "nova", "host_aggregate": "nova", "volume_attachment": "nova",
		"volume_type": "cinder", "volume_qos": "cinder", "volume": "cinder", "snapshot": "cinder",
	}
	for kind, services := range kinds {
		if want[kind] != services {
			t.Errorf("the API of %s is that of %q", kind, services)
		}
	}
	all := slices.DeleteFunc(schema.New().Kinds(schema.ClassResource), func(kind string) bool { return schema.New().Resource(kind).Cluster })
	for _, kind := range all { // the demo has those that most clouds have
		if want[kind] == "" || schema.New().ServiceOf(kind) != want[kind] {
			t.Errorf("the API of %s is that of %q", kind, schema.New().ServiceOf(kind))
		}
	}
}

// TestCredentialsAgree has every place of the values that must agree across charts.
func TestCredentialsAgree(t *testing.T) {
	const db, mq, id = "endpoints.oslo_db.auth.", "endpoints.oslo_messaging.auth.", "endpoints.identity.auth."
	const metadata = ".DEFAULT.metadata_proxy_shared_secret"
	every := func(path string, services ...string) []string {
		var list []string
		for _, s := range services {
			list = append(list, s+" "+path)
		}
		return list
	}
	table := map[string][]string{
		"mariadb-root": append(every(db+"admin.password", "mariadb", "keystone", "glance", "placement", "neutron", "nova", "cinder", "manila", "designate", "ironic", "heat", "barbican", "magnum", "octavia", "horizon", "skyline", "mariadb-backup", "prometheus-mysql-exporter"),
			"octavia endpoints.oslo_db_persistence.auth.admin.password", "nova endpoints.oslo_db_cell0.auth.admin.password", "nova endpoints.oslo_db_cell1.auth.admin.password"),
		"rabbitmq-admin": append(every(mq+"admin.password", "keystone", "glance", "neutron", "nova", "cinder", "manila", "designate", "ironic", "heat", "barbican", "magnum", "octavia"), "rabbitmq "+mq+"user.password"),
		"keystone-admin": every(id+"admin.password", "mariadb", "keystone", "glance", "placement", "neutron", "nova", "cinder", "manila", "designate", "ironic", "heat", "barbican", "magnum", "octavia", "horizon", "skyline", "mariadb-backup", "prometheus-mysql-exporter", "prometheus-openstack-exporter"),
		"nova-db": {
			"nova " + db + "nova.password", "nova endpoints.oslo_db_cell0.auth.nova.password",
			"nova endpoints.oslo_db_cell1.auth.nova.password", "placement " + db + "nova_api.password",
		},
		"memcache-secret-key": every("endpoints.oslo_cache.auth.memcache_secret_key", "glance", "placement", "neutron", "nova", "cinder", "manila", "designate", "ironic", "heat", "barbican", "magnum", "octavia"),
		"metadata-secret": {
			"nova conf.nova.neutron.metadata_proxy_shared_secret", "neutron conf.metadata_agent" + metadata,
			"neutron conf.ovn_agent" + metadata, "neutron conf.ovn_metadata_agent" + metadata,
		},
		"ceph-secret-uuid": {
			"nova conf.ceph.cinder.secret_uuid", "nova conf.nova.libvirt.rbd_secret_uuid", "libvirt conf.ceph.cinder.secret_uuid",
			"cinder conf.backends.rbd1.rbd_secret_uuid",
		},
		// Ironic logs in to Glance as Glance itself does.
		"glance-keystone-glance":   {"glance " + id + "glance.password", "ironic " + id + "glance.password"},
		"ironic-keystone-ironic":   {"ironic " + id + "ironic.password"},
		"glance-tmpurl-key":        append(every("endpoints.object_store.auth.glance.tmpurlkey", "glance", "ironic"), "glance endpoints.ceph_object_store.auth.glance.tmpurlkey"),
		"rabbitmq-erlang-cookie":   {"rabbitmq " + mq + "erlang_cookie"},
		"barbican-kek":             {"barbican conf.barbican.simple_crypto_plugin.kek"},
		"manila-service-instance":  {"manila conf.manila.generic.service_instance_password"},
		"designate-powerdns-token": {"designate endpoints.powerdns.auth.service.token"},
		"octavia-db":               {"octavia endpoints.oslo_db.auth.octavia.password", "octavia endpoints.oslo_db_persistence.auth.octavia.password"},
		"octavia-heartbeat-key":    {"octavia conf.octavia.health_manager.heartbeat_key"},
		"octavia-ca-passphrase":    {"octavia conf.octavia.certificates.ca_private_key_passphrase"},
		"octavia-certificates-key": {"octavia conf.octavia.certificates.server_certs_key_passphrase"},
		"mariadb-exporter":         every(db+"exporter.password", "mariadb", "mariadb-backup", "prometheus-mysql-exporter"),
		"skyline-secret-key":       {"skyline conf.skyline.default.secret_key"},
		"heat-auth-encryption-key": {"heat conf.heat.DEFAULT.auth_encryption_key"},
		"neutron-keystone-nova":    {"neutron " + id + "nova.password"}, // not nova's own user
		"nova-keystone-nova":       {"nova " + id + "nova.password"},
	}
	units := composed.Everything(t, "ovs", "ceph", "")
	spec := units["system.credentials"].Spec.(*unit.Credentials)
	uses := map[string][]string{}
	for _, k := range spec.Keys {
		for _, use := range k.Uses {
			uses[k.Key] = append(uses[k.Key], use.Release+" "+strings.Join(use.Path, "."))
		}
		if k.UUID != (k.Key == "ceph-secret-uuid") {
			t.Errorf("%s: a UUID %t", k.Key, k.UUID)
		}
		if k.Fernet != (k.Key == "barbican-kek") {
			t.Errorf("%s: a Fernet key %t", k.Key, k.Fernet)
		}
	}
	for key, want := range table {
		slices.Sort(want)
		got := slices.Sorted(slices.Values(uses[key]))
		if !slices.Equal(got, want) {
			t.Errorf("%s is used at\n%v, want\n%v", key, got, want)
		}
	}
	// The releases take the same keys at the same places.
	count := 0
	for _, name := range names(units) {
		for _, s := range composed.Release(t, units, name).Secrets {
			count++
			if s.Name != spec.Name || s.Namespace != spec.Namespace || !slices.Contains(uses[s.Key], name+" "+strings.Join(s.Path, ".")) {
				t.Errorf("%s takes %+v, which the Secret does not know of", name, s)
			}
		}
	}
	total := 0
	for _, list := range uses {
		total += len(list)
	}
	if count != total || !slices.IsSortedFunc(spec.Keys, func(a, b unit.Credential) int { return strings.Compare(a.Key, b.Key) }) {
		t.Errorf("%d places in releases, %d in the Secret", count, total)
	}
}

func TestNodes(t *testing.T) {
	m, ev := composed.Text(t, `cloud "c" {
  openstack { cloud = "c" }
}
profile "fast" { slot = 2 }
node "control" { roles = ["control-plane"] }
node "host" {
  roles   = ["compute"]
  profile = profile.fast
}
node "net" { roles = ["network"] }
node "all" { roles = ["compute", "control-plane", "network"] }
node "off" {
  roles    = ["compute"]
  profile  = profile.fast
  disabled = true
}
node "gone" {}
`)
	units := composed.Compose(t, m, ev, compose.Facts{Nodes: []string{"all", "control", "host", "net", "off", "other"}})
	for name, want := range map[string]struct {
		labels string
		hosts  bool
		status any // how a node with a block stands is not for the configuration to say
	}{
		"control": {"openstack-control-plane", false, nil},
		"host":    {"kupenstack-profile=fast kupenstack-slot=2 openstack-compute-node openvswitch", true, nil},
		"net":     {"kupenstack-slot=0 l3-agent openstack-network-node openvswitch", false, nil},
		"all":     {"kupenstack-slot=0 l3-agent openstack-compute-node openstack-control-plane openstack-network-node openvswitch", true, nil},
		"off":     {"kupenstack-profile=fast kupenstack-slot=2", false, nil},
		"gone":    {"", false, nil},
		"other":   {"", false, "Unmanaged"},
	} {
		if name != "other" {
			spec := units["node."+name].Spec.(*unit.Node)
			var labels []string
			for key, value := range spec.Labels {
				if value != "enabled" {
					key += "=" + value
				}
				labels = append(labels, key)
			}
			slices.Sort(labels)
			if got := strings.Join(labels, " "); got != want.labels || spec.Hosts != want.hosts || spec.Name != name {
				t.Errorf("%s has the labels %q and hosts %t", name, got, spec.Hosts)
			}
		}
		objects := units["system.nodes"].Spec.(*unit.Objects).Items
		i := slices.IndexFunc(objects, func(o map[string]any) bool { return unit.RefOf(o).Name == name })
		if i < 0 || at(objects[i], []string{"status", "status"}) != want.status {
			t.Errorf("%s is shown as %v", name, objects)
		}
	}
}

func TestNodeConfiguration(t *testing.T) {
	objects := composed.Demo(t)["system.nodes"].Spec.(*unit.Objects).Items
	got := map[string]string{}
	for _, o := range objects {
		ratio := at(o, []string{"status", "desiredNodeConfiguration", "nova", "nova", "DEFAULT", "cpu_allocation_ratio"})
		got[unit.RefOf(o).Name] = compact(ratio)
	}
	if want := map[string]string{"control-1": "4", "spare": "null", "worker-1": "4", "worker-2": "1"}; !maps.Equal(got, want) {
		t.Errorf("cpu_allocation_ratio by node: %v", got)
	}
}
