package schema

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// What can be said of the pods of a service.
const (
	Resources        = "resources"
	Tolerations      = "tolerations"
	PriorityClass    = "priority_class"
	AntiAffinity     = "anti_affinity"
	TopologyKey      = "topology_key"
	DisruptionBudget = "disruption_budget"
	LogLevel         = "log_level"
)

// PodSettings are the settings of pods, in the order of the reference.
func PodSettings() []string {
	return []string{Resources, Tolerations, PriorityClass, AntiAffinity, TopologyKey, DisruptionBudget, LogLevel}
}

// withoutPodSetting are the services whose charts do not read a setting of pods.
func withoutPodSetting() map[string][]string {
	onNodes := []string{"prometheus-node-exporter", "prometheus-process-exporter"} // with tolerations, they would be on all nodes
	exporters := append(slices.Clone(onNodes), "prometheus-blackbox-exporter", "prometheus-kube-state-metrics", "prometheus-mysql-exporter", "prometheus-openstack-exporter")
	nowhere := append(slices.Clone(onNodes), "libvirt", "openvswitch", "mariadb-backup", "prometheus-blackbox-exporter", "prometheus-mysql-exporter", "skyline", RookAdapter)
	return map[string][]string{
		Resources:     {"skyline"},
		Tolerations:   append(slices.Clone(exporters), "ovn", "designate", "ironic", "magnum", "octavia", "skyline", RookAdapter),
		PriorityClass: append(slices.Clone(exporters), "mariadb", "rabbitmq", "memcached", "libvirt", "ovn", "mariadb-backup", "skyline", RookAdapter),
		AntiAffinity:  nowhere,
		TopologyKey:   nowhere,
		LogLevel:      append(slices.Clone(exporters), "mariadb", "rabbitmq", "memcached", "openvswitch", "ovn", "mariadb-backup", "skyline", RookAdapter),
	}
}

// Pieces are those that the chart runs: Parts and Others.
func (s Service) Pieces() []string { return slices.Concat(s.Parts, s.Others) }

// PieceTLS is the piece that ends TLS before the APIs of a service.
const PieceTLS = "tls"

// Resourced are those that can be given resources: Pieces, and what stands before them.
func (s Service) Resourced() []string {
	pieces := s.Pieces()
	if s.TLS {
		pieces = append(pieces, PieceTLS)
	}
	return pieces
}

// takesPodSetting tells whether a setting of pods means something to the service.
func (s Service) takesPodSetting(setting string) bool {
	if setting == DisruptionBudget {
		return len(s.Budgets) > 0
	}
	return !slices.Contains(withoutPodSetting()[setting], s.Name)
}

// TakenBy names the services that take a setting.
func TakenBy(setting string) []string {
	var names []string
	for _, s := range serviceList() {
		if s.Takes(setting) {
			names = append(names, s.Name)
		}
	}
	return names
}

// How strictly the pods of a part keep away from each other.
const (
	AffinityPreferred = "preferred"
	AffinityRequired  = "required"
)

// Operators of tolerations.
const (
	OperatorEqual  = "Equal"
	OperatorExists = "Exists"
)

// Operators are those of tolerations, the default first.
func Operators() []string { return []string{OperatorEqual, OperatorExists} }

// Effects are those of taints.
func Effects() []string { return []string{"NoSchedule", "PreferNoSchedule", "NoExecute"} }

func amountsType() cty.Type {
	return cty.ObjectWithOptionalAttrs(map[string]cty.Type{"cpu": cty.String, "memory": cty.String}, []string{"cpu", "memory"})
}

func resourcesType() cty.Type {
	return cty.Map(cty.ObjectWithOptionalAttrs(
		map[string]cty.Type{"requests": amountsType(), "limits": amountsType()}, []string{"requests", "limits"}))
}

func tolerationType() cty.Type {
	fields := map[string]cty.Type{"key": cty.String, "operator": cty.String, "value": cty.String, "effect": cty.String}
	return cty.ObjectWithOptionalAttrs(fields, []string{"key", "operator", "value", "effect"})
}

// podSettings are what people reason in about pods, whatever the charts call it.
func podSettings() []Attribute {
	amounts := func(cpu, memory string) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"cpu": cty.StringVal(cpu), "memory": cty.StringVal(memory)})
	}
	controlPlane := cty.ObjectVal(map[string]cty.Value{
		"key": cty.StringVal("node-role.kubernetes.io/control-plane"), "operator": cty.StringVal(OperatorExists), "effect": cty.StringVal("NoSchedule"),
	})
	return []Attribute{
		{
			Name: Resources, Type: resourcesType(), AtLoad: true, Scope: ScopeCloud,
			Fields: map[string]Format{"cpu": FormatCPU, "memory": FormatMemory},
			Example: cty.ObjectVal(map[string]cty.Value{"api": cty.ObjectVal(map[string]cty.Value{
				"requests": amounts("500m", "1Gi"), "limits": amounts("2", "4Gi"),
			})}), Service: "keystone",
			Doc: "What the containers of each piece of the service ask for and may use at most, from piece to { requests, limits }, each with cpu and memory. Only what is written counts: where nothing is, there is neither a request nor a limit, though the chart has some that it would switch on with the first; jobs have none. The pieces are those in the list of services; tls among them is the nginx before each API of the service, with tls in the cloud. Layers are merged amount by amount.",
		},
		{
			Name: Tolerations, Type: cty.List(tolerationType()), AtLoad: true, Scope: ScopeCloud,
			Example: cty.ListVal([]cty.Value{controlPlane}), Service: "keystone",
			Doc: "The taints of nodes that the pods of the service stand, as Kubernetes takes them: key, operator (Equal unless written, or Exists), value, and effect (NoSchedule, PreferNoSchedule or NoExecute; all of them unless written). A list takes the place of the one below.",
		},
		{
			Name: PriorityClass, Type: cty.String, AtLoad: true, Scope: ScopeCloud, Format: FormatDNSName, Example: cty.StringVal("openstack-control-plane"), Service: "keystone",
			Doc: "The PriorityClass of the pods of the service, jobs excepted. It has to be there: pods with one that is not are refused.",
		},
		{
			Name: AntiAffinity, Type: cty.String, AtLoad: true, Scope: ScopeCloud, Allowed: []string{AffinityPreferred, AffinityRequired}, Example: cty.StringVal(AffinityRequired), Service: "keystone",
			Doc: "Whether the copies of a part keep apart where that is possible (preferred), or rather do not run at all than in the same place (required): with this there have to be as many places as copies. The chart's own unless written.",
		},
		{
			Name: TopologyKey, Type: cty.String, AtLoad: true, Scope: ScopeCloud, Format: FormatLabelKey, Example: cty.StringVal("topology.kubernetes.io/zone"), Service: "keystone",
			Doc: "The label of nodes that says what a place is that copies keep apart in. The node, kubernetes.io/hostname, unless written.",
		},
		{
			Name: DisruptionBudget, Type: cty.DynamicPseudoType, OneOf: []cty.Type{cty.Number, cty.Map(cty.Number)}, AtLoad: true,
			Scope: ScopeCloud, Bounds: &Bounds{0, 99}, Unit: "pods", Example: cty.NumberIntVal(2), Service: "keystone",
			Doc: "How many copies have to go on when pods are evicted, such as from a node that is drained: a number for the first part that can have a budget, or a map from part to number, such as { osapi = 2 }. It is less than replicas, which have to be written as well, as otherwise no pod could ever be evicted.",
		},
		{
			Name: LogLevel, Type: cty.String, AtLoad: true, Scope: ScopeCloud, Allowed: []string{"debug", "info", "warning", "error"}, Example: cty.StringVal("debug"), Service: "keystone",
			Doc: "The least severe messages that the service logs. The chart's own unless written: info for most.",
		},
	}
}
