package compose

import "slices"

// Releases lists the releases of OpenStack that can be deployed, the oldest first.
func Releases() []string { return releases() }

// Needs lists the services that a service cannot do without on a network backend, sorted.
func Needs(service, networkBackend string) []string {
	var names []string
	for _, n := range needs()[service] {
		if !n.spared && (n.network == "" || n.network == networkBackend) {
			names = append(names, n.service)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
