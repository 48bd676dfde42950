package compose

import "slices"

// Phase is a part of a cloud that comes up after others.
type Phase struct {
	Name     string
	Services []string
}

// PhaseNodes is where a cloud is whose services are all ready, and of whose nodes one is not.
const PhaseNodes = "Nodes"

// PhaseReady is where a cloud is that has all phases behind it.
const PhaseReady = "Ready"

// Phases are the parts in which a cloud comes up, the first one first: a service needs none of a later one to
// start. They are for people; what waits for what is said by the edges of the units.
func Phases() []Phase {
	return []Phase{
		{Name: "Infrastructure", Services: append(infrastructure(), rookAdapter)},
		{Name: "Identity", Services: []string{"keystone"}},
		{Name: "CoreServices", Services: []string{"glance", "placement", "openvswitch", "ovn", "neutron"}},
		{Name: "ComputeStorage", Services: []string{"libvirt", "nova", "cinder"}},
		{Name: optional, Services: []string{
			"barbican", "designate", "heat", "horizon", "ironic", "magnum", "manila", "mariadb-backup", "octavia",
			"prometheus-blackbox-exporter", "prometheus-kube-state-metrics", "prometheus-mysql-exporter", "prometheus-node-exporter",
			"prometheus-openstack-exporter", "prometheus-process-exporter", "skyline",
		}},
	}
}

const optional = "Optional"

// PhaseOf returns the phase of a service: the last one for a service that no other one needs to be known for.
func PhaseOf(service string) string {
	phases := Phases()
	i := slices.IndexFunc(phases, func(p Phase) bool { return slices.Contains(p.Services, service) })
	if i < 0 {
		return optional
	}
	return phases[i].Name
}
