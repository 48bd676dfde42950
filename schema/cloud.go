package schema

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// CloudKind is the kind of the block that describes the cloud.
const CloudKind = "cloud"

func cloudBlocks() []Block {
	return []Block{{
		Kind:   CloudKind,
		Class:  ClassCloud,
		Doc:    "The cloud as a whole: which release of OpenStack runs, and which services make it up. A configuration has exactly one.",
		Labels: []Label{{Name: "name", Doc: "The cloud's name, for people and for the marks on what it owns.", Format: FormatDNSLabel, Example: "prod"}},
		Attributes: []Attribute{
			{
				Name: "release", Type: cty.String, AtLoad: true, Change: Refused, Format: FormatRelease, Example: cty.StringVal("2026.1"),
				Doc: "The release of OpenStack, which decides the images that run. Required when the cloud deploys services; changing it is an upgrade, which is not supported yet.",
			},
			{
				Name: "region", Type: cty.String, AtLoad: true, Change: Refused, Format: FormatIdentifier,
				Default: cty.StringVal("RegionOne"), Example: cty.StringVal("RegionOne"),
				Doc: "The name of the region in the catalogue of APIs. Write it when OpenStack calls its region otherwise. Where several clouds share a Keystone each needs another one than RegionOne: " +
					"services are told to look for each other in that region alone then, while in RegionOne they take what the catalogue has first.",
			},
			{
				Name: "namespace", Type: cty.String, AtLoad: true, Change: Refused, Format: FormatDNSLabel,
				Default: cty.StringVal("openstack"), Example: cty.StringVal("openstack"),
				Doc: "The Kubernetes namespace that the services run in. It is created when it is missing, and is not kube-system, kube-public or kube-node-lease.",
			},
			{
				Name: "network_backend", Type: cty.String, AtLoad: true, Change: Refused, Allowed: []string{"ovs", "ovn"},
				Default: cty.StringVal("ovs"), Example: cty.StringVal("ovs"),
				Doc: "What moves the packets of networks: ovs is Open vSwitch with Neutron's agents on each node, ovn is OVN's distributed control plane.",
			},
			{
				Name: "storage_backend", Type: cty.String, AtLoad: true, Change: Refused, Allowed: []string{"ceph", "lvm"},
				Example: cty.StringVal("ceph"),
				Doc:     "Where images and volumes are kept: ceph for a cluster that all nodes reach, lvm for the nodes' own disks. Without it, images stay on the volume of Glance, and there is no Cinder. How to reach Ceph says the block ceph. With lvm, the nodes that run cinder-volume need a volume group named cinder-volumes, and what a backend of the type lvm needs beside; which ones these are is said there.",
			},
			{
				Name: "profile", Type: cty.String, AtLoad: true, Reference: &Reference{Kind: "profile", Output: "name"}, ExampleText: "profile.base",
				Doc: "The default profile: its settings hold for the whole cloud and for every node.",
			},
		},
		Blocks: []Nested{chartsBlock(), imagesBlock(), tlsBlock(), exposureBlock(), physicalNetworkBlock(), cephBlock(), openstackBlock(), namespaceProjectsBlock(), smokeTestBlock(), cloudService()},
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
				Doc:     "Where the charts are. A repository of charts begins with oci:// or https://, another Git repository with git+https:// or git+ssh://: a directory in it stands behind two slashes, a branch or a tag behind ?ref=, as in git+https://git.example.org/openstack-helm.git//charts?ref=master. What has no :// in it is a directory of this Git repository. A directory has a folder or a packed chart for each of them. Charts of another repository have to be locked, with kupenstack-sync lock.",
			},
			{
				Name: "version", Type: cty.String, AtLoad: true, Format: FormatVersions, Example: cty.StringVal("~> 2026.1"),
				Doc: "Which versions of the charts may be taken: one version, or a range such as ~> 2026.1. The newest unless written. Which one it is, kupenstack-sync lock decides.",
			},
			{
				Name: "unknown_versions", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.True,
				Doc: "Whether charts are also taken of versions that nobody has held the values against which they are given. Keys change their meaning from one version to the next, so other versions are refused unless this is true.",
			},
		},
	}}
}

func imagesBlock() Nested {
	return Nested{Max: 1, Block: Block{
		Kind: "images", Class: ClassPart,
		Doc: "Which images the services run, where they are pulled from, and whether they are locked.",
		Attributes: []Attribute{
			{
				Name: "registries", Type: cty.Map(cty.String), AtLoad: true, Format: FormatRegistry,
				Example: cty.MapVal(map[string]cty.Value{"quay.io": cty.StringVal("registry.example.org/quay"), "docker.io": cty.StringVal("registry.example.org/docker")}),
				Doc:     "What stands in for a registry, or for a part of one, such as quay.io/airshipit: of several that fit the longest counts. A service that has no image of a registry stays as it is when an entry for that comes or goes; one that no service has an image of is a warning of validate and plan, where these have the charts at hand. It holds for every image of every service, whether the release of OpenStack or the chart names it, but for those that are written in images or values of a service.",
			},
			{
				Name: "pull_secret", Type: cty.String, AtLoad: true, Format: FormatDNSName, Example: cty.StringVal("registry-login"),
				Doc: "The name of the Kubernetes Secret, in the cloud's namespace, that images are pulled with. It is of the type kubernetes.io/dockerconfigjson and has to be there.",
			},
			{
				Name: "family", Type: cty.String, AtLoad: true, Format: FormatFamily, Default: cty.StringVal(FamilyOpenStackHelm), Example: cty.StringVal(FamilyLOCI),
				Doc: "Who builds the images of OpenStack: openstack-helm, whose images there are of every release, or loci, those of the LOCI project, of 2025.1 and 2025.2. libvirt, databases, brokers and networks have the same ones in both. Images of Kolla start otherwise than the charts expect, and cannot be used.",
			},
			{
				Name: "lock", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.True,
				Doc: "Whether services run nothing but the images that charts.lock.json has a digest of: kupenstack-sync lock asks their registries for it, and every container gets name:tag@digest. An image without an entry is refused. A tag that is pushed again changes nothing, until lock --upgrade. Turning it on or off replaces the pods once.",
			},
		},
	}}
}

func openstackBlock() Nested {
	return Nested{Max: 1, Block: Block{
		Kind: "openstack", Class: ClassPart,
		Doc: "How to reach OpenStack. A cloud that deploys Keystone needs no such block: it logs in there with a user of its own, and what the block says of the place replaces what is known about it. Without services the cloud is one that was deployed by somebody else.",
		Attributes: []Attribute{
			{
				Name: "auth_url", Type: cty.String, AtLoad: true, Format: FormatURL, Example: cty.StringVal("https://keystone.example.org/v3"),
				Doc: "The address of Keystone. It replaces the one that comes with the credentials.",
			},
			{
				Name: "cloud", Type: cty.String, AtLoad: true, Example: cty.StringVal("prod"),
				Doc: "The entry of clouds.yaml with address and credentials, in place of a user of its own, for a pass from a shell or a clouds.yaml that is mounted into the daemon.",
			},
			{
				Name: "secret", Type: cty.String, AtLoad: true, Conflicts: "cloud", Format: FormatDNSName, Example: cty.StringVal("openstack-credentials"),
				Doc: "The name of the Kubernetes Secret, in the cloud's namespace, that holds the credentials, in place of a user of its own.",
			},
			{
				Name: "ca", Type: cty.String, AtLoad: true, Format: FormatPEM, Example: cty.StringVal("-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n"),
				Doc: "What the servers' certificates are checked against, for an authority that the system does not know. Unless written, that of tls is trusted beside those that the system knows.",
			},
			{
				Name: "interface", Type: cty.String, AtLoad: true, Allowed: []string{"public", "internal", "admin"},
				Default: cty.StringVal("public"), Example: cty.StringVal("internal"),
				Doc: "Which endpoints of the catalogue are used. Write internal when the daemon runs where the public ones cannot be reached.",
			},
		},
	}}
}

// Where Glance can keep images.
const (
	ImagesCeph  = "ceph"
	ImagesPVC   = "pvc"
	ImagesSwift = "swift"
)

func cloudService() Nested {
	block := Block{
		Kind: "service", Class: ClassService, Waits: true,
		Doc:    "A service to deploy, and its settings. Taking the block away does not uninstall the service: enabled = false does.",
		Labels: []Label{serviceLabel()},
		Attributes: []Attribute{
			{
				Name: "enabled", Type: cty.Bool, AtLoad: true, Scope: ScopeCloud, Default: cty.True, Example: cty.False, Service: "heat",
				Doc: "Whether the service is deployed; false uninstalls it, and leaves in other services what it has there, but for what clean_up names.",
			},
			{
				Name: CleanUp, Type: cty.Set(cty.String), AtLoad: true, Scope: ScopeCloud, Allowed: Leftovers(), Service: "heat",
				Example: cty.SetVal([]cty.Value{cty.StringVal(LeftUsers), cty.StringVal(LeftCatalogue)}),
				Doc: "What is taken away with a service that is being uninstalled, so it takes enabled = false, in the same commit, as what is asked for once its release is going is refused: " +
					"catalogue is its entries in Keystone's catalogue; users are its own users in Keystone, and of Heat and Magnum their domain with all users in it; messaging is its user and its virtual host in RabbitMQ; database is its databases with all that is in them, and their users; pools are its pools in Ceph with all that is in them, where the charts made them. " +
					"It happens in this order before the release goes, by copies of the Jobs of its chart that made all this, which take what these made: what these did not make stays, and so does all that is not named. Users and domains stay while another region has endpoints of the service in the catalogue. " +
					"A pool stays, and the uninstallation waits, while something else uses it: another release, another application that it has in Ceph, a copy of an image elsewhere, or who has an image in it open. Ceph deletes pools only while mon_allow_pool_delete is true.",
			},
			{
				Name: "version", Type: cty.String, AtLoad: true, Scope: ScopeCloud, Format: FormatTag, Example: cty.StringVal("4.2"), Service: "rabbitmq",
				Doc: "The version of a database, broker, cache or exporter, which never follows the release of OpenStack. The chart's own unless written. " +
					"Of RabbitMQ 3.13 and 4.0 to 4.3 are known, each with or without further numbers, and others taken with unknown_versions in charts or an image that is written. Of MariaDB 11.4 is known, which the images of the chart have, and says no more than that; for any other one images of the service names an image of that version in which the chart can start it, as none is published by version. " +
					"Of these two it is refused to write a lower one than was written before, by its first two numbers, or to leave a major version out, once the service is deployed; where nothing was written there is nothing to compare. Another one replaces the service's pods, one after the other.",
			},
			{
				Name: "storage_size", Type: cty.String, AtLoad: true, Scope: ScopeCloud, Format: FormatQuantity, Change: Refused,
				Example: cty.StringVal("50Gi"), Service: "rabbitmq",
				Doc: "The size of each volume of a service that keeps data, of Glance that of images with storage pvc. The chart's own unless written.",
			},
			{
				Name: "storage", Type: cty.String, AtLoad: true, Scope: ScopeCloud, Change: Refused, Allowed: []string{ImagesCeph, ImagesPVC, ImagesSwift},
				Example: cty.StringVal(ImagesPVC), Service: "glance",
				Doc: "Where Glance keeps images: ceph is a pool, for storage_backend ceph; pvc is a volume of Kubernetes, of storage_size; swift is the object store that the catalogue of Keystone leads to, which is somebody's to deploy and register before Glance. With tls Glance takes that for one with a certificate of the same authority, if it has any, unless swift_store_cacert of the section swift in conf names a file with both. Unless written it is ceph with storage_backend ceph, and else pvc.",
			},
		},
	}
	block.Attributes = append(block.Attributes, releaseSettings(ScopeCloud)...)
	block.Attributes = append(block.Attributes, serviceSettings()...)
	block.Blocks = []Nested{backendBlock()}
	return Nested{Block: block}
}

// releaseSettings are the attributes of what is a Helm release: what becomes of an upgrade that fails, and what
// of its objects others write.
func releaseSettings(scope Scope) []Attribute {
	return []Attribute{
		{
			Name: "on_failure", Type: cty.String, AtLoad: true, Scope: scope, Allowed: []string{FailureStays, FailureRollsBack},
			Default: cty.StringVal(FailureStays), Example: cty.StringVal(FailureRollsBack),
			Doc: "What becomes of an upgrade that failed for good: its steps failed six times, or with rollback its pods were not ready half an hour after it. It stays as it is, or the release goes back to the revision before it. " +
				"It does not go back where a hook or an init container may have changed the schema of a database, which the report says then, and where a StatefulSet, or what else has a claim to a volume, has another image. What stays is tried once more each hour; after either it is tried anew once what is wanted changes or somebody asks.",
		},
		{
			Name: "retry", Type: cty.String, AtLoad: true, Scope: scope, Example: cty.StringVal("after the registry was repaired"),
			Doc: "Any text. Another one has an upgrade tried again that was given up; it changes nothing else.",
		},
		{
			Name: IgnoreDrift, Type: cty.List(driftRuleType()), AtLoad: true, Scope: scope,
			Fields: map[string]Format{"kind": FormatKind, "name": FormatName, "path": FormatFieldPath},
			Example: cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{
				"kind": cty.StringVal("Deployment"), "path": cty.StringVal("spec.template.spec.containers[*].resources"),
			})}),
			Doc: "Fields of objects of the release that others write: they are no drift and are not put back, though the next upgrade writes what the chart says. Each rule has the kind of the objects, perhaps the name of one of them, and the path of a field as reports show it, with all that is below it; a * stands for any key or element. " +
				"Without a rule this holds already, and upgrades leave it alone as well, for the replicas of what a HorizontalPodAutoscaler scales, and for the caBundle of what has an annotation of cert-manager's injector or of OpenShift's. What a chart does not say is no drift, but for further elements of lists that belong to one writer, such as args, command, tolerations and rules.",
		},
	}
}

// CleanUp is the attribute with what a service takes along when it goes.
const CleanUp = "clean_up"

// IgnoreDrift is the attribute with the fields that others write.
const IgnoreDrift = "ignore_drift"

func driftRuleType() cty.Type {
	return cty.ObjectWithOptionalAttrs(map[string]cty.Type{"kind": cty.String, "name": cty.String, "path": cty.String}, []string{"name"})
}

// What becomes of an upgrade that failed.
const (
	FailureStays     = "stay"
	FailureRollsBack = "rollback"
)

func serviceLabel() Label {
	return Label{Name: "name", Doc: "Which service.", Format: FormatIdentifier, Allowed: serviceNames(), Example: "nova"}
}

// layeringDoc tells how a map is merged over those of the layers below.
const layeringDoc = " Maps are merged key by key over those of the layers below; a list takes the place of the one below unless it is written append([...]) or prepend([...]), which add to it; null leaves away what is below, and what the chart has."

// unknownDoc tells what becomes of keys that mean nothing.
const unknownDoc = " A key that nothing of the chart reads, such as a misspelt one, is an error of the plan, with what was probably meant, as far as it is certain: a map that the chart takes any key in is free."

// serviceSettings are the attributes that layer: cloud, default profile, node's profile.
func serviceSettings() []Attribute {
	replicas := Attribute{
		Name: "replicas", Type: cty.DynamicPseudoType, OneOf: []cty.Type{cty.Number, cty.Map(cty.Number)}, AtLoad: true,
		Scope: ScopeCloud, Bounds: &Bounds{0, 99}, Unit: "pods", Example: cty.NumberIntVal(3),
		Doc: "How many copies run: a number for the service's first part, or a map from part to number, such as { osapi = 2, conductor = 2 }. The chart's own unless written. Of volume and backup of Cinder and share and data of Manila there is one: several would take each other's work, unless, but for data, each goes by a name of its own, as conf sets DEFAULT.host to null or backends are of the type lvm. Of memcached each one is a cache of its own: the services are given the names of all, and choose among them by what they look for. With another number of them, the pods of all services are replaced, and what the cache knew is partly forgotten, logins to Horizon too.",
	}
	return slices.Concat([]Attribute{replicas}, podSettings(), []Attribute{
		{
			Name: "images", Type: cty.Map(cty.String), AtLoad: true, Scope: ScopeCloud, Format: FormatImage,
			Example: cty.MapVal(map[string]cty.Value{"nova_api": cty.StringVal("registry.example.org/nova:2026.1-fix")}),
			Doc:     "Images by the keys that the values.yaml of the chart has below images.tags, such as nova_api. Each wins over the one of the release of OpenStack, of version and of the chart, and is pulled from where it says: registries of the cloud do not change it. A misspelt key is an error of the plan, with what was probably meant, where it looks like one of the chart. Layers add to each other, by key; null is as if the key was not written, and leaves the image of the layers below, of the release or of the chart.",
		},
		{
			Name: "virt_type", Type: cty.String, AtLoad: true, Scope: ScopeCloud, Allowed: []string{"kvm", "qemu"}, Example: cty.StringVal("qemu"),
			Doc: "What runs instances on compute nodes: kvm, with the help of their processors, or qemu, without, which is slow and works on virtual machines as well. It is kvm unless written. For single nodes it is conf of their profile that says otherwise: { nova = { libvirt = { virt_type = \"qemu\" } } }.",
		},
		{
			Name: "conf", Type: cty.DynamicPseudoType, Mapping: true, AtLoad: true, Scope: ScopeCloud | ScopeNode,
			Example: cty.ObjectVal(map[string]cty.Value{"nova": cty.ObjectVal(map[string]cty.Value{
				"DEFAULT": cty.ObjectVal(map[string]cty.Value{"cpu_allocation_ratio": cty.NumberIntVal(4)}),
			})}),
			Doc: "The service's own configuration by file, section and key, as its chart takes it. The only setting that a node's profile can change, and that only for services whose charts can configure some nodes otherwise than others: " + servicesByNode() + ". A first key that the chart does not know is an error of the plan; what is inside goes to programs as it is." + layeringDoc,
		},
		{
			Name: "values", Type: cty.DynamicPseudoType, Mapping: true, AtLoad: true, Scope: ScopeCloud,
			Example: cty.ObjectVal(map[string]cty.Value{"pod": cty.ObjectVal(map[string]cty.Value{
				"lifecycle": cty.ObjectVal(map[string]cty.Value{"termination_grace_period": cty.ObjectVal(map[string]cty.Value{
					"osapi": cty.ObjectVal(map[string]cty.Value{"timeout": cty.NumberIntVal(60)}),
				})}),
			})}),
			Doc: "Values of the Helm chart, merged over everything that the other attributes lead to. For what the language has no attribute for, such as probes. They win: where that gives up what other parts were made for, such as TLS or the network backend of the cloud, a warning says so." + unknownDoc + layeringDoc,
		},
	})
}
