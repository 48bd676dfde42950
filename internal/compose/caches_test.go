package compose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestMembersOfTheCache: each pod of memcached is a cache of its own, so where there are several, who uses it is told of
// each. One has the address of the Service, as ever.
func TestMembersOfTheCache(t *testing.T) {
	caching := []string{
		"barbican", "cinder", "designate", "glance", "heat", "horizon", "ironic", "keystone", "magnum", "manila", "neutron", "nova", "octavia", "placement",
	}
	for name, c := range map[string]struct {
		memcached, nova, want string
	}{
		"unwritten":            {"", "", ""},
		"one":                  {"replicas = 1", "", ""},
		"none":                 {"replicas = 0", "", ""},
		"three":                {"replicas = 3", "", "memcached-memcached 3"},
		"by the chart's value": {"values = { pod = { replicas = { server = 2 } } }", "", "memcached-memcached 2"},
		"elsewhere":            {"replicas = 3", `values = { endpoints = { oslo_cache = { host_fqdn_override = { default = "cache.example.org" } } } }`, "memcached-memcached 3"},
	} {
		t.Run(name, func(t *testing.T) {
			source := composed.Source("ovs", "ceph", "profile = profile.w") + fmt.Sprintf("profile \"w\" {\n  service \"memcached\" {\n%s\n}\n  service \"nova\" {\n%s\n}\n}\n", c.memcached, c.nova)
			units := unitsOf(t, source)
			for _, service := range names(units) {
				want := c.want
				if !slices.Contains(caching, service) || service == "nova" && c.nova != "" {
					want = ""
				}
				got := ""
				if told, _ := at(composed.Release(t, units, service).Values, strings.Split("endpoints.oslo_cache.statefulset", ".")).(map[string]any); told != nil {
					got = fmt.Sprint(told["name"], " ", told["replicas"])
				}
				if got != want {
					t.Errorf("%s is told of %q, want %q", service, got, want)
				}
			}
		})
	}
}
