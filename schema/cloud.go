package schema

import "github.com/zclconf/go-cty/cty"

func cloudBlocks() []Block {
	return []Block{{
		Kind:   "cloud",
		Class:  ClassCloud,
		Doc:    "The cloud as a whole: which release of OpenStack runs, and which services make it up. A configuration has exactly one.",
		Labels: []Label{{Name: "name", Doc: "The cloud's name, for people and for the marks on what it owns.", Format: FormatDNSLabel}},
		Attributes: []Attribute{
			{
				Name: "release", Type: cty.String, AtLoad: true, Format: FormatRelease, Example: cty.StringVal("2026.1"),
				Doc: "The release of OpenStack. Required when the cloud deploys services; changing it is an upgrade.",
			},
			{
				Name: "region", Type: cty.String, AtLoad: true, Change: Refused, Format: FormatIdentifier,
				Default: cty.StringVal("RegionOne"), Example: cty.StringVal("RegionOne"),
				Doc: "The name of the region in the catalogue.",
			},
			{
				Name: "namespace", Type: cty.String, AtLoad: true, Change: Refused, Format: FormatDNSLabel,
				Default: cty.StringVal("openstack"), Example: cty.StringVal("openstack"),
				Doc: "The Kubernetes namespace that the services run in.",
			},
			{
				Name: "network_backend", Type: cty.String, AtLoad: true, Change: Refused, Allowed: []string{"ovs", "ovn"},
				Default: cty.StringVal("ovs"), Example: cty.StringVal("ovs"),
				Doc: "What moves the packets of networks: Open vSwitch with agents, or OVN.",
			},
			{
				Name: "storage_backend", Type: cty.String, AtLoad: true, Change: Refused, Allowed: []string{"ceph", "lvm"},
				Example: cty.StringVal("ceph"),
				Doc:     "Where images and volumes are kept. Without it, images stay on the volume of Glance.",
			},
			{
				Name: "profile", Type: cty.String, AtLoad: true, Reference: &Reference{Kind: "profile", Output: "name"},
				Example: cty.StringVal("base"),
				Doc:     "The default profile: its settings hold for the whole cloud and for every node.",
			},
		},
		Blocks: []Nested{chartsBlock(), openstackBlock(), cloudService()},
	}}
}

func chartsBlock() Nested {
	return Nested{Max: 1, Block: Block{
		Kind: "charts", Class: ClassPart,
		Doc: "Where the Helm charts of the services come from. Required when the cloud deploys services.",
		Attributes: []Attribute{
			{
				Name: "repository", Type: cty.String, Presence: Required, AtLoad: true, Format: FormatCharts,
				Example: cty.StringVal("oci://registry.example.org/openstack-helm"),
				Doc:     "An oci:// or https:// repository of charts, or a path in this Git repository.",
			},
			{
				Name: "version", Type: cty.String, AtLoad: true, Example: cty.StringVal("~> 2026.1"),
				Doc: "Which versions of the charts may be taken.",
			},
		},
	}}
}

func openstackBlock() Nested {
	return Nested{Max: 1, Block: Block{
		Kind: "openstack", Class: ClassPart,
		Doc: "How to reach OpenStack. Beside services it replaces what is known about them; without services the cloud is one that was deployed by somebody else.",
		Attributes: []Attribute{
			{
				Name: "auth_url", Type: cty.String, AtLoad: true, Format: FormatURL, Example: cty.StringVal("https://keystone.example.org/v3"),
				Doc: "The address of Keystone.",
			},
			{
				Name: "cloud", Type: cty.String, AtLoad: true, Example: cty.StringVal("prod"),
				Doc: "The entry of clouds.yaml with address and credentials. Either this or secret.",
			},
			{
				Name: "secret", Type: cty.String, AtLoad: true, Conflicts: "cloud", Format: FormatDNSName, Example: cty.StringVal("openstack-credentials"),
				Doc: "The name of the Kubernetes Secret, in the cloud's namespace, that holds the credentials. Either this or cloud.",
			},
			{
				Name: "ca", Type: cty.String, AtLoad: true, Example: cty.NullVal(cty.String),
				Doc: "The certificates, in PEM, that the servers' certificates are checked against.",
			},
			{
				Name: "interface", Type: cty.String, AtLoad: true, Allowed: []string{"public", "internal", "admin"},
				Default: cty.StringVal("public"), Example: cty.StringVal("internal"),
				Doc: "Which endpoints of the catalogue are used.",
			},
		},
	}}
}

func cloudService() Nested {
	block := Block{
		Kind: "service", Class: ClassService,
		Doc:    "A service to deploy, and its settings. Taking the block away does not uninstall the service: enabled = false does.",
		Labels: []Label{serviceLabel()},
		Attributes: []Attribute{
			{
				Name: "enabled", Type: cty.Bool, AtLoad: true, Scope: ScopeCloud, Default: cty.True, Example: cty.False,
				Doc: "Whether the service is deployed; false uninstalls it.",
			},
			{
				Name: "version", Type: cty.String, AtLoad: true, Scope: ScopeCloud, Example: cty.StringVal("4.2"),
				Doc: "The version of a database or broker, which never follows the release of OpenStack.",
			},
			{
				Name: "storage_size", Type: cty.String, AtLoad: true, Scope: ScopeCloud, Format: FormatQuantity, Change: Refused,
				Example: cty.StringVal("50Gi"),
				Doc:     "The size of each volume of a service that keeps data.",
			},
		},
	}
	block.Attributes = append(block.Attributes, serviceSettings()...)
	return Nested{Block: block}
}

func serviceLabel() Label {
	return Label{Name: "name", Doc: "Which service.", Format: FormatIdentifier, Allowed: serviceNames()}
}

// serviceSettings are the attributes that layer: cloud, default profile, node's profile.
func serviceSettings() []Attribute {
	return []Attribute{
		{
			Name: "replicas", Type: cty.DynamicPseudoType, OneOf: []cty.Type{cty.Number, cty.Map(cty.Number)}, AtLoad: true,
			Scope: ScopeCloud, Bounds: &Bounds{0, 99}, Example: cty.NumberIntVal(3),
			Doc: "How many copies of the API run, or a map from part to number, such as { osapi = 2, conductor = 2 }.",
		},
		{
			Name: "conf", Type: cty.DynamicPseudoType, Mapping: true, AtLoad: true, Scope: ScopeCloud | ScopeNode,
			Example: cty.ObjectVal(map[string]cty.Value{"nova": cty.ObjectVal(map[string]cty.Value{
				"DEFAULT": cty.ObjectVal(map[string]cty.Value{"cpu_allocation_ratio": cty.NumberIntVal(4)}),
			})}),
			Doc: "The service's own configuration by file, section and key, as its chart takes it. The only setting that a node's profile can change.",
		},
		{
			Name: "values", Type: cty.DynamicPseudoType, Mapping: true, AtLoad: true, Scope: ScopeCloud,
			Example: cty.ObjectVal(map[string]cty.Value{"pod": cty.ObjectVal(map[string]cty.Value{
				"resources": cty.ObjectVal(map[string]cty.Value{"enabled": cty.True}),
			})}),
			Doc: "Values of the Helm chart, merged over everything that the other attributes lead to.",
		},
	}
}
