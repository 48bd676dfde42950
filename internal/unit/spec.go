package unit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// The kinds of locators that are not kinds of resources.
const (
	KindObjects     = "objects"
	KindCredentials = "credentials"
	KindNode        = "node"
	KindRelease     = "release"
)

// Objects is a set of Kubernetes objects that are applied together and share one fate.
type Objects struct {
	// Items are the objects as encoding/json would decode them, but whole numbers as int64.
	// Namespaces and definitions are applied before the others.
	Items []map[string]any
	// Secrets are put into the objects when they are handed to Kubernetes.
	Secrets []ObjectSecret `json:",omitempty"`
	// Keep says that the objects stay when the unit goes: only the record of them is dropped.
	Keep bool

	digests objectDigests
	refs    objectRefs
}

// objectDigests are made when somebody asks for the first: nobody changes objects after that.
type objectDigests struct {
	once  sync.Once
	whole string
	items []string
}

// objectRefs are made when somebody asks for them.
type objectRefs struct {
	once   sync.Once
	sorted []ObjectRef
}

// ObjectSecret is a place in an object that takes a sensitive value of the configuration.
type ObjectSecret struct {
	Item  int // of the objects
	Path  []string
	Given redact.Secret
}

// Driver returns [Kubernetes].
func (*Objects) Driver() DriverName { return Kubernetes }

// Locator lists the objects. The list is the same one each time, for reading alone.
func (o *Objects) Locator() Locator {
	o.refs.once.Do(func() {
		for _, item := range o.Items {
			o.refs.sorted = append(o.refs.sorted, RefOf(item))
		}
		slices.SortFunc(o.refs.sorted, ObjectRef.Compare)
	})
	return Locator{Driver: Kubernetes, Kind: KindObjects, Keep: o.Keep, Objects: slices.Clip(o.refs.sorted)}
}

// Digest covers every field of every object, and names what passes: see [HadPassing].
func (o *Objects) Digest() string {
	o.digest()
	return o.digests.whole
}

// ItemDigest covers one object, with the places that take sensitive values. It changes with nothing else.
func (o *Objects) ItemDigest(item int) string {
	o.digest()
	return o.digests.items[item]
}

func (o *Objects) digest() {
	o.digests.once.Do(func() {
		paths := make([][][]string, len(o.Items))
		for _, secret := range o.Secrets {
			paths[secret.Item] = append(paths[secret.Item], secret.Path)
		}
		for i, item := range o.Items {
			o.digests.items = append(o.digests.items, digest([]any{item, paths[i]}))
		}
		o.digests.whole = o.withPassing(digest(o))
	})
}

// Credentials is one Secret whose values are generated once and never change by themselves.
type Credentials struct {
	Namespace string
	Name      string
	Keys      []Credential // by name
}

// Credential is one generated value.
type Credential struct {
	Key    string
	Length int // of the alphanumeric text; 0 means 32
	// UUID asks for a random UUID instead.
	UUID bool
	// Fernet asks for a key of the Fernet format instead, for which Length means nothing either.
	Fernet bool
	// Uses are the places in releases that hold the value. While one of these releases exists, a
	// lost value is read back from there and never made anew.
	Uses []CredentialUse
}

// CredentialUse is a place in the values of a release.
type CredentialUse struct {
	Namespace string
	Release   string
	Path      []string
}

// Driver returns [Kubernetes].
func (*Credentials) Driver() DriverName { return Kubernetes }

// Locator names the Secret.
func (c *Credentials) Locator() Locator {
	return Locator{Driver: Kubernetes, Kind: KindCredentials, Namespace: c.Namespace, Name: c.Name, Keep: true}
}

// Digest covers the names of the keys.
func (c *Credentials) Digest() string { return digest(c) }

// ProfileLabel carries the name of a node's profile, for people who look at nodes: nothing is chosen by it.
const ProfileLabel = "kupenstack-profile"

// SlotLabel carries the slot of a node's profile, by which DaemonSets choose nodes. Its key becomes part of their
// names, so it has no "/".
const SlotLabel = "kupenstack-slot"

// The labels that OpenStack-Helm's charts choose nodes by.
const (
	ControlPlaneLabel = "openstack-control-plane" // without such a node no API has a place to run
	ComputeLabel      = "openstack-compute-node"  // instances run there
	NetworkLabel      = "openstack-network-node"
	OpenvSwitchLabel  = "openvswitch"
	GatewayLabel      = "l3-agent" // an OVN gateway
)

// RoleLabels are the labels by which nodes have roles.
func RoleLabels() []string {
	return []string{ControlPlaneLabel, ComputeLabel, NetworkLabel, OpenvSwitchLabel, GatewayLabel}
}

// LabelEnabled is the value that they choose nodes by. A node with any other has not the role.
const LabelEnabled = "enabled"

// AnnotationRelease names the release that an object belongs to which Helm does not know of: a hook, or a record of them.
const AnnotationRelease = "kupenstack.io/release"

// RelabelledAnnotation tells of a node when a label last changed that pods there had read when they started.
const RelabelledAnnotation = "kupenstack.io/relabelled"

// StartLabel is a label of nodes that pods read when they start, and never again.
type StartLabel struct {
	Key     string
	Release string // of the pods
	Chosen  string // the label by which they choose nodes
}

// LabelReaders are the pods of a release that read labels of their nodes when they start.
type LabelReaders struct {
	Component string   // of the pods
	Nodes     []string // whose labels may change
}

// Node is what is wanted of a Kubernetes node: only labels, as nodes come and go by themselves.
type Node struct {
	Name     string
	Labels   map[string]string
	Roles    []string
	Profile  string
	Disabled bool
	// Hosts tells whether instances may run there because of these labels. A change that would
	// take that away has to wait until the host has none.
	Hosts bool
	// StartLabels are those that pods have to be replaced for when they change.
	StartLabels []StartLabel `json:"-"`
}

// Driver returns [Kubernetes].
func (*Node) Driver() DriverName { return Kubernetes }

// Locator names the node.
func (n *Node) Locator() Locator {
	return Locator{Driver: Kubernetes, Kind: KindNode, Name: n.Name}
}

// Digest covers everything.
func (n *Node) Digest() string { return digest(n) }

// Release is a Helm release.
type Release struct {
	Namespace string
	Name      string
	Chart     Chart
	// Values are those of the chart, without the secrets.
	Values map[string]any
	// Secrets are put into the values when they are handed to Helm.
	Secrets []ValueSecret // by path
	// Registries stand in for others, or for parts of them, in images.tags of the values and of the chart; but
	// for the images of OwnImages, which somebody wrote as they are.
	Registries map[string]string `json:",omitempty"`
	OwnImages  []string          `json:",omitempty"`
	// Locked says that only images with a digest may run. Pins are those that its images were locked to, by image.
	Locked bool              `json:",omitempty"`
	Pins   map[string]string `json:",omitempty"`
	// Beside are images that other objects run for the release, and that are locked with its own.
	Beside []string `json:"-"`
	// OpenStackRelease is the release of OpenStack that the images are of, "" where none is.
	OpenStackRelease string
	// OnDelete says that the chart was told to replace no pods of DaemonSets by itself, as instances
	// need them.
	OnDelete bool `json:"-"`
	// Remainders are DaemonSets for the nodes of no group, which the chart names after all groups that there are. They keep
	// their names when groups are added.
	Remainders []Remainder `json:"-"`
	// LabelReaders are pods of DaemonSets that are replaced, too, when labels of their node change; nil for none.
	LabelReaders *LabelReaders `json:"-"`
	// RollBack says that an upgrade that failed for good gives way to the revision before it, where that is safe.
	RollBack bool `json:"-"`
	// Retry has what was given up tried again when it is another text than it was then.
	Retry string `json:"-"`
	// NullLeavesAway says that null in Values takes a key away also where the chart has no such key: it is what one layer of
	// settings does to another one. Helm alone would hand it on to the templates.
	NullLeavesAway bool `json:"-"`
	// Series are the versions of the chart, without their last number, that the values are known to fit; nil for any.
	Series []string `json:"-"`
	// IgnoreDrift are the fields that others write and that are not put back. A new revision writes them.
	IgnoreDrift []DriftRule `json:"-"`
	// Drawn are names that templates of the chart draw by lot, which get others that stay.
	Drawn []DrawnNames `json:"-"`
	// KeepsUp are containers of programs that keep data, whose version goes up only, and by one major version at a time.
	KeepsUp []string `json:"-"`
	// Made are objects that Jobs of the release make, or write what only they know into. Where one is missing, the
	// Jobs run again.
	Made []ObjectRef `json:"-"`
	// API is what has to answer before the release counts as ready; nil for nothing that is known how to ask.
	API *API `json:"-"`
	// Written are the keys of the values that somebody wrote, with where, by path; none for a release whose
	// keys are not held against its chart.
	Written []WrittenKey `json:"-"`
}

// Remainder is a DaemonSet for the nodes of no group.
type Remainder struct {
	Name  string // where there are no groups; where there are, the chart adds a hash of them
	Label string // by which nodes are of a group; "" where the nodes are as the chart chooses them, those of some groups among them
}

// DriftRule names fields of a release's objects that others may write.
type DriftRule struct {
	Kind string
	Name string // "" for every object of the kind
	Path string // as a difference is shown, such as spec.template.spec.containers[api].image; a step * takes any
}

// DrawnNames are names of objects in a template of a chart that have a part which the template draws by lot, so that each
// rendering has other ones. Only a template in which that part is in nothing but names is changed.
type DrawnNames struct {
	Template string // of the chart itself, such as templates/role.yaml
	Draws    string // what draws the part into a variable
	Variable string
	Name     string // the only other text that has the variable
	Instead  string // of what draws it
}

// WrittenKey is a key in a chart's values that somebody wrote.
type WrittenKey struct {
	Path  []string
	Text  string // as the configuration would name it, such as conf.nova
	Range diag.Range
}

// Chart says where a chart is. Either Tree is set, or Repository is a URL.
type Chart struct {
	Name       string
	Repository string // https://, oci:// or of Git; or the path within Tree
	Version    string // a constraint, "" for any; one version where there is a Digest
	Digest     string `json:",omitempty"` // sha256:… of what is packed in the repository, or of the files in one of Git
	Commit     string `json:"-"`          // of a Git repository, where the digest is to be had
	Tree       fs.FS  `json:"-"`          // the configuration's files, for a chart that lies beside them
}

// ValueSecret is a place in a chart's values that takes a key of a Kubernetes Secret, or a sensitive
// value of the configuration.
type ValueSecret struct {
	Path      []string
	Namespace string // "" means our own namespace
	Name      string // "" for a value of the configuration
	Key       string
	// Opted says that the Secret is somebody else's, who has to say that it may be read. A change of the
	// value is a change of the release, while generated values stay as they are.
	Opted bool `json:",omitempty"`
	// Given is the value of the configuration as JSON.
	Given redact.Secret `json:",omitzero"`
}

// Follows tells whether a release gets another value when there is another one.
func (s ValueSecret) Follows() bool { return s.Opted || s.Name == "" }

// Driver returns [Helm].
func (*Release) Driver() DriverName { return Helm }

// Locator names the release.
func (r *Release) Locator() Locator {
	return Locator{Driver: Helm, Kind: KindRelease, Namespace: r.Namespace, Name: r.Name}
}

// Digest covers the values and where the chart comes from, but not the chart's own files.
func (r *Release) Digest() string { return digest(r) }

// Resource is an object inside OpenStack, or one to look up there.
type Resource struct {
	Kind   string
	Lookup bool // somebody else's: looked up, never changed
	// ByMark says that nothing is taken for it that does not bear our mark, whatever its name is, unless it is imported.
	ByMark bool
	Block  *schema.Block
	Region string
	// Desired has the desired type of the kind's schema; what depends on outputs is unknown.
	Desired cty.Value
	// Uses are the attributes of what is looked up that others refer to, as in the model: what takes requests of its own is
	// not asked for in vain.
	Uses []string `json:"-"`
	// Resolve returns Desired with the outputs of other units filled in, as far as they are known.
	Resolve func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) `json:"-"`
	// Ignore are attributes and nested blocks that the object is created with, and whose differences
	// change nothing once it is.
	Ignore []string
	// Triggers returns the values that the object is replaced for when they are others than when it was
	// made, as a tuple, unknown where they depend on outputs that are not known. Nil without any.
	Triggers func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) `json:"-"`
	// Content is the file of the configuration that becomes what is in the object. Nil without one.
	Content *Content `json:"-"`
	// Secrets are the keys of Kubernetes Secrets that Desired and Triggers are made from, sorted.
	Secrets []model.SecretRef
	// Keeps is the Secret that a part of the object is kept in, which is made here and OpenStack does not tell; see
	// [Kept]. It is zero without one.
	Keeps ObjectRef
	// Reveal returns a copy that knows their values. Nil without any.
	Reveal func(secrets map[model.SecretRef]redact.Secret) *Resource `json:"-"`
}

// Driver returns [OpenStack].
func (*Resource) Driver() DriverName { return OpenStack }

// Locator tells the kind and region, and the Secret. The project and the id come from the state.
func (r *Resource) Locator() Locator {
	at := Locator{Driver: OpenStack, Kind: r.Kind, Region: r.Region}
	if r.Keeps != (ObjectRef{}) {
		at.Objects = []ObjectRef{r.Keeps}
	}
	return at
}

// Digest covers what is written, without sensitive parts and without what other units decide.
func (r *Resource) Digest() string {
	written := []any{r.Kind, r.Lookup, r.Region, Visible(r.Desired)}
	if len(r.Secrets) > 0 {
		written = append(written, r.Secrets)
	}
	if r.Content != nil { // under the same path there may be another one
		sum, err := r.Content.Sum()
		if err != nil {
			sum = "" // which is told where the file is used
		}
		written = append(written, sum)
	}
	return digest(written)
}

// digest returns the SHA-256 of the JSON of a value that has one.
func digest(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("unit: %T has no JSON: %v", v, err)) // compose made it: a bug
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
