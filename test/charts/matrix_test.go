//go:build beds

package charts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// variant is a set of values to render a chart with, by a name that says what is unusual. What
// OpenStack-Helm makes of a recorded one is in testdata, so that it is compared everywhere.
type variant struct {
	name, values string
	recorded     bool
}

// styles change much at once, in the charts that know the choice.
func styles(chart string) map[string]string {
	overrides := `{conf: {overrides: {
		nova_compute: {labels: [{label: {key: p, values: [a]}, conf: {nova: {DEFAULT: {x: 1}}}}, {label: {key: p, values: [b]}, conf: {nova: {DEFAULT: {x: 2}}}}]},
		neutron_l3-agent: {hosts: [{name: node-1, conf: {l3_agent: {DEFAULT: {x: 1}}}}]}}},
		overrides: {libvirt_libvirt: {labels: {"p::a": {values: {}}, "p::b": {values: {}}}}, ovn_controller: {labels: {"p::a": {values: {}}}}}, ` + pinned[1:]
	ovn := `{network: {backend: [ovn]}, manifests: {daemonset_dhcp_agent: false, daemonset_l3_agent: false, daemonset_metadata_agent: false,
		daemonset_ovs_agent: false, daemonset_ovn_metadata_agent: true, daemonset_ovn_agent: true}, ` + pinned[1:]
	switch chart {
	case "libvirt", "neutron", "nova":
		return map[string]string{"ovn": ovn, "overrides": overrides}
	case "ovn":
		return map[string]string{"overrides": overrides}
	}
	return nil
}

// awake are the values without which a chart has no objects at all: everything else is tried beside them.
func awake(chart string) map[string]any {
	if chart != "prometheus-mysql-exporter" {
		return map[string]any{}
	}
	on := map[string]any{}
	for _, key := range []string{"configmap_bin", "deployment_exporter", "job_user_create", "secret_etc", "service_exporter"} {
		on[key] = true
	}
	return map[string]any{
		"monitoring": map[string]any{"prometheus": map[string]any{"enabled": true}},
		"manifests":  map[string]any{"monitoring": map[string]any{"prometheus": on}},
	}
}

// switchesOf are the switches below manifests, by their paths there.
func switchesOf(values map[string]any) map[string]bool {
	found := map[string]bool{}
	for _, path := range leaves(values["manifests"].(map[string]any), "") {
		if on, is := at(values, "manifests."+path).(bool); is {
			found[path] = on
		}
	}
	return found
}

// matrix are the values that a chart is compared with: its defaults, the styles, and values far
// from the defaults, of the keys that our chart has. What another key switches on is left out
// of ours.
func matrix(t *testing.T, c *chart.Chart) []variant {
	t.Helper()
	found := []variant{{"defaults", pinned, true}}
	for name, values := range styles(c.Name()) {
		found = append(found, variant{name, values, true})
	}
	add := func(name string, recorded bool, values map[string]any) {
		found = append(found, variant{name, encode(t, chartutil.CoalesceTables(values, awake(c.Name()))), recorded})
	}
	far := changed(c.Values, others)
	interfaces(c.Values, far)
	add("far", true, far)

	switches := switchesOf(chartutil.CoalesceTables(awake(c.Name()), clone(c.Values)))
	keys := slices.Sorted(maps.Keys(switches))
	for _, key := range keys {
		flipped := map[string]any{}
		set(flipped, !switches[key], strings.Split("manifests."+key, ".")...)
		add("manifests."+key, false, flipped)
	}
	// No two switches are in the same ones of these groups, so that an object which hangs on the
	// wrong switch is noticed by few renders.
	for bit := 1; bit <= len(keys); bit *= 2 {
		flipped := map[string]any{}
		for i, key := range keys {
			if (i+1)&bit != 0 {
				set(flipped, !switches[key], strings.Split("manifests."+key, ".")...)
			}
		}
		add(fmt.Sprintf("manifests, group %d", bit), true, flipped)
	}
	for _, count := range []int{1, 3, 7} {
		add(fmt.Sprintf("%d replicas", count), false, changed(c.Values, func(path string, _ any) any {
			if strings.HasPrefix(path, "pod.replicas.") {
				return count
			}
			return nil
		}))
	}
	add("hosts", false, changed(c.Values, func(path string, old any) any {
		if name, isText := old.(string); isText && below(path, "endpoints", "hosts") {
			return "other-" + name
		}
		return nil
	}))
	add("ports", false, changed(c.Values, func(path string, old any) any {
		if number, ok := old.(float64); ok && (below(path, "endpoints", "port") || below(path, "network", "port")) {
			return number + 1000
		}
		return nil
	}))
	if values := exposed(c.Values); len(values) > 0 {
		add("exposed", true, values)
	}
	return found
}

// exposed gives endpoints names of their own and those for the public TLS, as users have them.
func exposed(values map[string]any) map[string]any {
	found := map[string]any{}
	endpoints, _ := values["endpoints"].(map[string]any)
	for name, endpoint := range endpoints {
		endpoint, _ := endpoint.(map[string]any)
		if endpoint["host_fqdn_override"] == nil {
			continue
		}
		set(found, map[string]any{"public": map[string]any{"host": name + ".example.org"}, "default": name + ".example.net"},
			"endpoints", name, "host_fqdn_override")
		if _, perInterface := endpoint["scheme"].(map[string]any); perInterface {
			set(found, "https", "endpoints", name, "scheme", "public")
			set(found, 443, "endpoints", name, "port", "api", "public")
		}
	}
	return found
}

// unread switches off, one at a time, what only OpenStack-Helm's chart has a switch for.
func unread(t *testing.T, ours, theirs *chart.Chart) []variant {
	t.Helper()
	var found []variant
	known := ours.Values["manifests"].(map[string]any)
	for key, on := range theirs.Values["manifests"].(map[string]any) {
		if _, is := known[key]; !is && on == true {
			found = append(found, variant{"manifests." + key, encode(t, map[string]any{"manifests": map[string]any{key: false}}), false})
		}
	}
	return found
}

// encode writes values that pin the key of the cache.
func encode(t *testing.T, values map[string]any) string {
	t.Helper()
	set(values, "secret", "endpoints", "oslo_cache", "auth", "memcache_secret_key")
	encoded, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// below tells whether a path is in a section and has a step.
func below(path, section, step string) bool {
	steps := strings.Split(path, ".")
	return steps[0] == section && slices.Contains(steps, step)
}

// others has a value for every key that is not about names and ports of endpoints, and not part
// of a configuration file.
func others(path string, old any) any {
	steps := strings.Split(path, ".")
	last := steps[len(steps)-1]
	switch old := old.(type) {
	case bool:
		if below(path, "pod", "tolerations") || steps[0] == "volume" {
			return !old
		}
	case float64:
		switch {
		case below(path, "pod", "replicas"):
			return 7
		case below(path, "pod", "lifecycle"), below(path, "pod", "weight"), below(path, "network", "port"), steps[0] == "jobs":
			return old + 1
		}
	case string:
		switch {
		case last == "pod_replacement_strategy" && slices.Contains(steps, "daemonsets"):
			return "OnDelete"
		case last == "pod_replacement_strategy":
			return "Recreate"
		case last == "cron":
			return "7 7 7 7 7"
		case below(path, "pod", "type"):
			return "requiredDuringSchedulingIgnoredDuringExecution"
		case last == "size":
			return "7Gi"
		case below(path, "pod", "topologyKey"), below(path, "images", "tags"), below(path, "endpoints", "auth"),
			steps[0] == "labels", steps[0] == "secrets", steps[0] == "volume":
			return "other-" + old
		}
	}
	return nil
}

// changed returns the values for which change has another one, given a path and the default.
func changed(values map[string]any, change func(path string, old any) any) map[string]any {
	found := map[string]any{}
	var walk func(values map[string]any, path []string)
	walk = func(values map[string]any, path []string) {
		for key, old := range values {
			path := append(slices.Clone(path), key)
			if inner, isMap := old.(map[string]any); isMap {
				walk(inner, path)
			} else if value := change(strings.Join(path, "."), old); value != nil {
				set(found, value, path...)
			}
		}
	}
	walk(values, nil)
	return found
}

// interfaces gives each endpoint a name and each of its ports a number for every interface that
// a template looks up, so that none of them can stand for another.
func interfaces(values, to map[string]any) {
	endpoints, _ := values["endpoints"].(map[string]any)
	port := 20000
	for _, name := range slices.Sorted(maps.Keys(endpoints)) {
		endpoint, _ := endpoints[name].(map[string]any)
		hosts, _ := endpoint["hosts"].(map[string]any)
		ports, _ := endpoint["port"].(map[string]any)
		for _, of := range []string{"default", "internal", "public", "admin", "service", "direct", "discovery"} {
			if hosts != nil {
				set(to, of+"-"+strings.ReplaceAll(name, "_", "-"), "endpoints", name, "hosts", of)
			}
			for _, what := range slices.Sorted(maps.Keys(ports)) {
				port++
				set(to, port, "endpoints", name, "port", what, of)
			}
		}
		if _, has := endpoint["namespace"]; has {
			set(to, "elsewhere", "endpoints", name, "namespace")
		}
	}
}

func set(values map[string]any, value any, path ...string) {
	for _, step := range path[:len(path)-1] {
		inner, ok := values[step].(map[string]any)
		if !ok {
			inner = map[string]any{}
			values[step] = inner
		}
		values = inner
	}
	values[path[len(path)-1]] = value
}
