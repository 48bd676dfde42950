package compose

import "fmt"

// path are the services that every way to OpenStack leads through, and the switch of what runs each of
// them: Keystone, and what its API does not start without. The broker is not among them.
func path() map[string]string {
	return map[string]string{
		"keystone":  "manifests.deployment_api",
		"mariadb":   "manifests.statefulset",
		"memcached": "manifests.statefulset",
	}
}

// closes says why nothing of a service on the path would run with these values, "" when something would.
func (c *composer) closes(service string, values map[string]any) string {
	toggle, ok := path()[service]
	if !ok {
		return ""
	}
	known, _ := c.definition.Service(service)
	for _, part := range known.Parts {
		if fmt.Sprint(get(values, "pod.replicas."+part)) == "0" {
			return "with 0 replicas of " + part
		}
	}
	if covers(values, toggle) {
		if v := get(values, toggle); v == nil || v == false {
			return "with " + toggle + " off"
		}
	}
	return ""
}
