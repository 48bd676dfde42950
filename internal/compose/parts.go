package compose

// reporter is a program that its service knows to be up or not. The service is ready only with one that is.
type reporter struct {
	part        string // of the chart
	program     string
	statefulSet bool // that is what the chart makes of it unless told otherwise; else a Deployment
}

// reporters are the programs of services that tell of them; Cinder has one for each backend, see [partsOfCinder], and
// those of Nova and Neutron run on hosts. Where they are from: the charts' manifests, and the lists of services of
// Manila, Ironic, Heat, Magnum and Designate.
func reporters() map[string][]reporter {
	return map[string][]reporter{
		"manila": {{part: "scheduler", program: "manila-scheduler"}, {part: "share", program: "manila-share"}},
		"ironic": {{part: "conductor", program: "ironic-conductor", statefulSet: true}},
		"magnum": {{part: "conductor", program: "magnum-conductor", statefulSet: true}},
		"heat":   {{part: "engine", program: "heat-engine"}},
		"designate": {
			{part: "central", program: "designate-central"},
			{part: "mdns", program: "designate-mdns"},
			{part: "producer", program: "designate-producer"},
			{part: "worker", program: "designate-worker"},
		},
	}
}

// partsOf are what has to be up of a service by some values. What the chart does not deploy may be somewhere else, and
// have other names.
func partsOf(service string, values map[string]any) []string {
	if service == volumesService {
		return partsOfCinder(values)
	}
	var parts []string
	for _, r := range reporters()[service] {
		if deploys(values, "deployment", r.part, !r.statefulSet) || deploys(values, "statefulset", r.part, r.statefulSet) {
			parts = append(parts, r.program)
		}
	}
	return parts
}

// deploys tells whether a chart makes an object of a kind for a part of it, by what is written, and otherwise by what it
// does by itself.
func deploys(values map[string]any, kind, part string, otherwise bool) bool {
	toggle := "manifests." + kind + "_" + part
	if takenAway(values, toggle) {
		return false
	}
	on, written := get(values, toggle).(bool)
	n, counted := get(values, "pod.replicas."+part).(int64)
	return (on || !written && otherwise) && (n > 0 || !counted)
}
