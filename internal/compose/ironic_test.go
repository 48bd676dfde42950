package compose_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestIronic has Nova start instances on bare metal beside Ironic alone, and Ironic leave to the configuration what is its.
func TestIronic(t *testing.T) {
	const runs, key = "manifests.statefulset_compute_ironic", "labels.agent.compute_ironic.node_selector_key"
	with := composed.Source("ovs", "")
	off := strings.Replace(with, `service "ironic" { replicas = { api = 2, conductor = 2 } }`, `service "ironic" { enabled = false }`, 1)
	for name, c := range map[string]struct{ hcl, runs, key string }{
		"deployed":     {with, "true", `"openstack-control-plane"`},
		"switched off": {off, "null", "null"},
		"absent":       {composed.Without(with, "ironic"), "null", "null"},
	} {
		values := composed.Release(t, unitsOf(t, c.hcl), "nova").Values
		if got := compact(at(values, strings.Split(runs, "."))); got != c.runs {
			t.Errorf("%s: %s is %s", name, runs, got)
		}
		if got := compact(at(values, strings.Split(key, "."))); got != c.key {
			t.Errorf("%s: %s is %s", name, key, got)
		}
	}
	ironic := composed.Release(t, unitsOf(t, with), "ironic")
	for path, want := range map[string]string{
		"bootstrap":                                  `{"image":{"enabled":false},"object_store":{"enabled":false}}`,
		"manifests":                                  `{"job_manage_cleaning_network":false}`,
		"pod.affinity.anti.type":                     `{"conductor":"requiredDuringSchedulingIgnoredDuringExecution"}`,
		"pod.replicas":                               `{"api":2,"conductor":2}`,
		"endpoints.baremetal":                        `{"hosts":{"public":"ironic-api"},"port":{"api":{"public":6385}}}`,
		"endpoints.identity.auth.glance":             `{"region_name":"RegionOne"}`,
		"endpoints.oslo_messaging.statefulset":       `{"name":"rabbitmq-rabbitmq","replicas":3}`,
		"conf.ironic":                                `{"keystone_authtoken":{"memcache_security_strategy":"ENCRYPT"},"service_catalog":{"valid_interfaces":"public"}}`,
		"images.tags.ironic_conductor":               `"quay.io/airshipit/ironic:2026.1-ubuntu_noble"`,
		"images.tags.ironic_manage_cleaning_network": `"quay.io/airshipit/openstack-client:2026.1-ubuntu_noble"`,
	} {
		if got := compact(at(ironic.Values, strings.Split(path, "."))); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	generated := map[string]string{}
	for _, s := range ironic.Secrets {
		generated[strings.Join(s.Path, ".")] = s.Key
	}
	want := map[string]string{
		"endpoints.identity.auth.admin.password":        "keystone-admin",
		"endpoints.identity.auth.glance.password":       "glance-keystone-glance",
		"endpoints.identity.auth.ironic.password":       "ironic-keystone-ironic",
		"endpoints.object_store.auth.glance.tmpurlkey":  "glance-tmpurl-key",
		"endpoints.oslo_cache.auth.memcache_secret_key": "memcache-secret-key",
		"endpoints.oslo_db.auth.admin.password":         "mariadb-root",
		"endpoints.oslo_db.auth.ironic.password":        "ironic-db",
		"endpoints.oslo_messaging.auth.admin.password":  "rabbitmq-admin",
		"endpoints.oslo_messaging.auth.ironic.password": "ironic-rabbitmq",
	}
	if !maps.Equal(generated, want) {
		t.Errorf("generated are %q", slices.Sorted(maps.Keys(generated)))
	}
}
