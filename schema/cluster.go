package schema

import "github.com/zclconf/go-cty/cty"

// The kinds of resources that are in the cluster.
const (
	ChartKind    = "chart"
	ManifestKind = "manifest"
)

// clusterBlocks are the resources that are objects of Kubernetes, and not of OpenStack. All of them has to
// be known when the configuration is loaded, so that what is rendered and applied can be shown before.
func clusterBlocks() []Block {
	return []Block{{
		Kind: ChartKind, Class: ClassResource, Cluster: true, Labels: clusterLabel("cert-manager"),
		Doc: "A Helm release of any chart, beside those of the services: what the cloud needs, and no service of the language is. " +
			"What depends on it waits until it is ready: its hooks have run, and its objects work. When the block goes, namespaces, definitions of kinds, claims to volumes and buckets, and clusters, pools, file systems, object stores and zones of Rook stay.",
		Unique: "a release keeps its name, which two cannot have",
		Attributes: append([]Attribute{
			{
				Name: "name", Type: cty.String, AtLoad: true, Change: Refused, FromLabel: true, Format: FormatDNSLabel, Example: cty.StringVal("cert-manager"),
				Doc: "The name of the release, of at most 53 characters. To give it another one, write a second block and take the first one out.",
			},
			{
				Name: "chart", Type: cty.String, AtLoad: true, Format: FormatChart, Example: cty.StringVal("cert-manager"),
				Doc: "The name of the chart in the repository; that of the release unless written.",
			},
			{
				Name: "repository", Type: cty.String, AtLoad: true, Format: FormatCharts, Example: cty.StringVal("oci://registry.example.org/charts"),
				Doc: "Where the chart is: a repository, or a directory of this Git repository, which has a folder or a packed chart of that name, in the forms that charts of the cloud has. That of the cloud unless written. A chart of another repository has to be locked, with kupenstack-sync lock.",
			},
			{
				Name: "version", Type: cty.String, AtLoad: true, Format: FormatVersions, Example: cty.StringVal("~> 1.15"),
				Doc: "Which versions of the chart may be taken: one version, or a range. The newest unless written, or what the cloud says where the repository is that of the cloud.",
			},
			{
				Name: "namespace", Type: cty.String, AtLoad: true, Change: Refused, Format: FormatDNSLabel, Example: cty.StringVal("cert-manager"),
				Doc: "The namespace of the release; that of the cloud unless written. It is created when it is missing, and stays when the release goes.",
			},
			{
				Name: "values", Type: cty.DynamicPseudoType, Mapping: true, AtLoad: true,
				Example: cty.ObjectVal(map[string]cty.Value{"crds": cty.ObjectVal(map[string]cty.Value{"enabled": cty.True})}),
				Doc:     "What the chart is rendered with, over its own values. Sensitive values are never shown." + unknownDoc,
			},
			gates(),
		}, releaseSettings(0)...),
	}, {
		Kind: ManifestKind, Class: ClassResource, Cluster: true, Labels: clusterLabel("storage"),
		Doc: "Objects of Kubernetes as they are: written here, in files, or all those of a directory. They are applied together, namespaces and definitions of kinds first; " +
			"what somebody changes of them is put back, and what is taken out is deleted, but for namespaces, definitions of kinds, claims to volumes and buckets, clusters, pools, file systems, object stores and zones of Rook, and Secrets with the keys of Keystone, which stay. " +
			"An object that is there already is taken over, unless it belongs to a Helm release: then it is left as it is, and the block is blocked as soon as all else in it is done. What a release has written its name on later stays as well when it is taken out, and so does what somebody else has annotated with helm.sh/resource-policy: keep. What depends on it waits until all of them work.",
		Unique: "an object keeps its name, which two cannot have", NeedsOne: [][]string{{"objects", "files", "directory"}},
		Attributes: []Attribute{
			{
				Name: "objects", Type: cty.DynamicPseudoType, AtLoad: true, Sealable: true,
				Example: cty.TupleVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{
					"apiVersion": cty.StringVal("v1"), "kind": cty.StringVal("ConfigMap"),
					"metadata": cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("notice")}),
					"data":     cty.ObjectVal(map[string]cty.Value{"text": cty.StringVal("Maintenance on Sunday")}),
				})}),
				Doc: "Objects as Kubernetes has them, with apiVersion, kind and metadata: a list, or a single one. Values in data and stringData of a Secret may be sensitive; they are never shown.",
			},
			{
				Name: "files", Type: cty.Set(cty.String), AtLoad: true, Example: cty.SetVal([]cty.Value{cty.StringVal("manifests/storage.yaml")}),
				Doc: "Files with objects in YAML or JSON, by their paths from the directory of the configuration.",
			},
			{
				Name: "directory", Type: cty.String, AtLoad: true, Example: cty.StringVal("manifests/policies"),
				Doc: "A directory, from that of the configuration: every file in it and below whose name ends with .yaml, .yml or .json.",
			},
			{
				Name: "namespace", Type: cty.String, AtLoad: true, Format: FormatDNSLabel, Example: cty.StringVal("monitoring"),
				Doc: "The namespace of objects that name none; that of the cloud unless written. It is created when it is missing, and stays when the objects go. Objects of kinds that are neither Kubernetes' own nor defined in the same block have to name theirs.",
			},
		},
	}}
}

func clusterLabel(example string) []Label {
	return []Label{{Name: "label", Format: FormatIdentifier, Example: example, Doc: "The name in addresses, and that of a release unless one is written."}}
}

// Takes tells whether an attribute of [Lifecycle] means something to a resource. One in the cluster has no
// attributes that could be left to others, and is changed in place or not at all.
func (b *Block) Takes(lifecycle string) bool {
	return !b.Cluster || lifecycle == "drift" || lifecycle == "prevent_destroy"
}
