package model

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Model is one cloud. It is not changed after it was made.
type Model struct {
	Language  *schema.Definition // that it was written in
	Cloud     Cloud
	Profiles  []Profile            // by name
	Nodes     []Node               // by address
	Resources []Resource           // by address, lookups included
	Variables map[string]cty.Value // of the root module, by name

	// What became of things that are on record, in the order of their addresses.
	Moves    []Move
	Imports  []Import
	Removals []Removal
	// Suspensions are what is left alone, in the same order.
	Suspensions []suspension.Suspension
	// TearDown says that nothing of all this is wanted any more, and what is on record is to go. The Removals
	// have the root module then.
	TearDown bool
}

// Cloud is the deployment as a whole.
type Cloud struct {
	Name           string
	Release        string // "" for a cloud that deploys nothing
	Region         string
	Namespace      string
	NetworkBackend string
	StorageBackend string // "" without
	Profile        string // the default profile; "" without
	Charts         *Charts
	Images         *Images
	TLS            *TLS
	Exposure       *Exposure
	Physical       []PhysicalNetwork // by name
	Ceph           *Ceph
	OpenStack      *OpenStack
	SmokeTest      *SmokeTest            // nil without
	Projects       *NamespaceProjects    // of namespaces; nil without
	Services       []Service             // by name
	Range          diag.Range            // of the block's header
	Ranges         map[string]diag.Range // of the attributes that were written
}

// Charts says where Helm charts come from.
type Charts struct {
	Repository string
	Version    string // "" for any
	Unknown    bool   // versions that we know nothing of are taken as well
	Range      diag.Range
}

// Images says where images are pulled from.
type Images struct {
	Registries   map[string]string // what stands in for a registry or a part of one; nil for nothing
	RegistriesAt *Origin           // where they were written; nil when they were not
	PullSecret   string            // the name of a Kubernetes Secret; "" for none
	Family       string            // by whom those of OpenStack are built
	Lock         bool              // only images that were locked run
	Range        diag.Range
}

// TLS says which APIs speak TLS inside of the cluster.
type TLS struct {
	Issuer   Issuer
	Services []string // sorted; nil for all that can
	Backends []string // servers behind the APIs that speak it as well, sorted
	Image    string   // of what ends it; "" for that of [schema.DefaultTLSImage]
	Range    diag.Range
	Ranges   map[string]diag.Range // of the attributes that were written
}

// Exposure says how APIs are reached from outside the cluster. Either Class or Gateway is there.
type Exposure struct {
	Domain      string            // what the names are in
	Hosts       map[string]string // names that are not, by the first part of what they would be
	Class       string            // of Ingresses; "" for none of these
	Gateway     *Gateway          // nil without
	TLS         bool
	Issuer      *Issuer // of cert-manager; nil without
	Certificate string  // a Secret; "" without
	Annotations map[string]string
	Range       diag.Range
	Ranges      map[string]diag.Range // of the attributes that were written
}

// PhysicalNetwork is a network of the data centre.
type PhysicalNetwork struct {
	Name   string
	Bridge string
	Device string // of all nodes; "" for none
	Flat   bool
	VLANs  []string // tags and ranges of them
	// Devices are those of some nodes each; nil where it is the same on all of them.
	Devices []NodeDevice
	Range   diag.Range
	Ranges  map[string]diag.Range // of the attributes that were written
}

// NodeDevice is the device of the nodes that have all of the labels.
type NodeDevice struct {
	Labels map[string]string
	Device string // "" for none
}

// Gateway is the Gateway that HTTPRoutes are attached to.
type Gateway struct {
	Name      string
	Namespace string // "" for that of the cloud
	Listener  string // "" for all of them
}

// Issuer is what signs certificates.
type Issuer struct {
	Kind string // one of [IssuerKinds]
	Name string
}

// IssuerKinds are the kinds of issuers that cert-manager has, that of the whole cluster first.
func IssuerKinds() []string { return []string{"ClusterIssuer", "Issuer"} }

// OpenStack says how the cloud's APIs are reached. What is empty was not written.
type OpenStack struct {
	AuthURL   string
	Cloud     string // an entry of clouds.yaml
	Secret    string // the name of a Kubernetes Secret
	CA        string // PEM
	Interface string
	Range     diag.Range
}

// Service is one service of the cloud with its effective settings: those of the cloud's block,
// then those of the default profile on top.
type Service struct {
	Name        string
	Address     addr.Object
	Enabled     bool
	Version     string
	StorageSize string
	Storage     string            // where Glance keeps images; "" for where storage_backend leads to
	VirtType    string            // of instances, for Nova; "" for the chart's own
	Replicas    map[string]int    // by part; nil when nothing was written
	Images      map[string]string // by their names in the chart's images.tags; nil when nothing was written
	Pods        Pods
	Conf        cty.Value // an object, empty when nothing was written
	Values      cty.Value // an object, empty when nothing was written
	RollBack    bool      // an upgrade that failed gives way to what was there before
	Retry       string    // another text has what was given up tried again
	IgnoreDrift []DriftRule
	CleanUp     []string   // what is taken away with it once it is not enabled, sorted
	Settings    []Setting  // what led here, the later over the earlier
	Edges       []Edge     // what it waits for besides the services that it needs, by address
	Range       diag.Range // of the cloud's block
	Backends    []Backend  // of cinder, by name
}

// Backend is a place that Cinder keeps volumes in. Either Type or Driver is there.
type Backend struct {
	Name        string
	Type        string // "" for a driver
	Driver      string // a class; "" for a type
	Default     bool   // that nothing else is written of
	Pool        string // "" unless written, as all below
	VolumeGroup string
	Share       string
	ISCSI       bool
	Options     cty.Value             // an object, empty when nothing was written
	Range       diag.Range            // of the block's header
	Ranges      map[string]diag.Range // of the attributes that were written
	Origin      *Origin               // where what is inside the options was written; nil without
}

// Setting is one attribute of a service as one layer wrote it.
type Setting struct {
	Name   string    // "conf"
	Value  cty.Value // may hold additions to lists; see [Merge]
	Layer  string    // "cloud" or the address of a profile
	Range  diag.Range
	Origin *Origin // where what is inside the value was written; nil when that is not known
}

// Profile is a named set of settings. Only what it writes itself is in it.
type Profile struct {
	Name     string
	Address  addr.Object
	From     []string // the profiles that it builds on, the later over the earlier
	Layers   []string // all that it consists of, the lowest first, itself last
	Slot     int      // the place of its nodes among those that differ; 0 for none
	Services []ProfileService
	Range    diag.Range
	Ranges   map[string]diag.Range // of the attributes that were written
}

// ProfileService is what one profile writes for a service.
type ProfileService struct {
	Name     string
	Settings []Setting
	Range    diag.Range
}

// Node is a Kubernetes node that the configuration speaks of.
type Node struct {
	Name     string
	Address  addr.Object
	Roles    []string // sorted
	Profile  string   // "" for the cloud's default alone
	Labels   map[string]string
	LabelsAt *Origin // where each label was written; nil when that is not known
	Disabled bool
	// Services are those whose configuration on this node differs from the cloud's, by name.
	Services []NodeService
	Range    diag.Range
	Ranges   map[string]diag.Range // of the attributes that were written
}

// NodeService is the effective configuration of a service on one node.
type NodeService struct {
	Name     string
	Conf     cty.Value
	Settings []Setting // what led here: cloud, default profile, the node's profile
}

// Resource is an object that is wanted in OpenStack, or that is looked up there when the mode of
// its address is [addr.Data]; or what is wanted in the cluster beside the services.
type Resource struct {
	Address addr.Object
	Kind    string
	// Desired has the desired type of the kind's schema. An attribute that was not written is
	// null and not managed; what depends on outputs of other resources is unknown. Sensitive
	// parts carry the mark [Sensitive].
	Desired cty.Value
	// Triggers is a tuple of values: the object is replaced when one of them is another one than when
	// it was made. cty.NilVal without.
	Triggers  cty.Value
	Lifecycle Lifecycle
	Objects   []Object              // what a manifest consists of, in the order of the configuration
	Edges     []Edge                // what it depends on, by address
	Range     diag.Range            // of the block's header
	Ranges    map[string]diag.Range // of the attributes that were written
	// Uses are the attributes of what is looked up that the configuration refers to, sorted, [Everything] among them where
	// that may be any.
	Uses []string
}

// Everything stands among the attributes that are used for all of them.
const Everything = "*"

// Object is an object of Kubernetes as somebody wrote it.
type Object struct {
	Content map[string]any // as encoding/json would decode it, but whole numbers as int64
	Hidden  []Hidden       // what is not in the content, as nobody may see it; by path
	Range   diag.Range     // where: in a file of its own, or the attribute
}

// Hidden is a sensitive value of an object.
type Hidden struct {
	Path  []string
	Value redact.Secret // empty while nobody knows it
}

// Lifecycle says how an object is treated over time.
type Lifecycle struct {
	Drift               Drift // "" unless it is written
	PreventDestroy      bool
	CreateBeforeDestroy bool
	Replace             bool     // even where data or an address is lost by it
	IgnoreChanges       []string // attributes and nested blocks
}

// Drift is what to do about a written attribute that somebody changed.
type Drift string

// The ways to treat drift. None is like DriftCorrect, but for what was imported and is gone.
const (
	DriftCorrect Drift = "correct"
	DriftReport  Drift = "report"
	DriftIgnore  Drift = "ignore"
)

// Edge says that a resource or a service depends on a resource, a service or a node.
type Edge struct {
	To addr.Object
	// Attribute is the attribute whose reference made the edge, "" for depends_on.
	Attribute string
	Range     diag.Range
}

// Service returns a service of the cloud, or nil.
func (m *Model) Service(name string) *Service {
	i := slices.IndexFunc(m.Cloud.Services, func(s Service) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Cloud.Services[i]
}

// Profile returns a profile by its name, or nil.
func (m *Model) Profile(name string) *Profile {
	i := slices.IndexFunc(m.Profiles, func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Profiles[i]
}

// Resource returns a resource by its address, or nil.
func (m *Model) Resource(a addr.Object) *Resource {
	i, found := slices.BinarySearchFunc(m.Resources, a, func(r Resource, a addr.Object) int { return r.Address.Compare(a) })
	if !found {
		return nil
	}
	return &m.Resources[i]
}

// Deploys tells whether the cloud has a service that runs, so that charts are needed.
func (c *Cloud) Deploys() bool {
	return slices.ContainsFunc(c.Services, func(s Service) bool { return s.Enabled })
}

// Runs tells whether the cloud deploys a service.
func (c *Cloud) Runs(service string) bool {
	return slices.ContainsFunc(c.Services, func(s Service) bool { return s.Name == service && s.Enabled })
}
