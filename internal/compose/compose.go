package compose

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/graph"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// The codes of what cannot be composed.
const (
	codeRelease   diag.Code = "compose.unknown-release"
	codeVersion   diag.Code = "compose.unknown-version"
	codeMissing   diag.Code = "compose.missing-service"
	codeNode      diag.Code = "compose.missing-node"
	codeValue     diag.Code = "compose.invalid-value"
	codeOverrides diag.Code = "compose.node-configuration"
	codeProfile   diag.Code = "compose.profile-name"
	codeSlot      diag.Code = "compose.slot"
	codeDisagree  diag.Code = "compose.credentials"
	codeOpenStack diag.Code = "compose.no-openstack"
	codeCycle     diag.Code = "compose.cycle"
	codeImages    diag.Code = "compose.images"
	codeShown     diag.Code = "compose.node-status"
	codeUnlocked  diag.Code = "compose.unlocked-chart"

	codeName       diag.Code = "compose.release-name"
	codeRepository diag.Code = "compose.no-charts"
	codeDuplicate  diag.Code = "compose.duplicate"
	codeTrust      diag.Code = "compose.trust"
	codeDevice     diag.Code = "compose.device"
	codeLabel      diag.Code = "compose.node-label"
	codeQuota      diag.Code = "compose.quota"
	codeRegistry   diag.Code = "compose.idle-registry"
	codeExempt     diag.Code = "compose.namespace-without-project"
	codeUnsafe     diag.Code = "compose.unsafe"
	codeIdle       diag.Code = "compose.idle-setting"

	codePrivateImage diag.Code = "compose.private-image"
)

// Evaluator computes the desired value of a resource with the outputs of others filled in.
type Evaluator interface {
	// Desired returns the value as far as the outputs, by address, let it be known.
	Desired(address addr.Object, outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics)
	// Triggers does the same for the values that a resource is replaced for when they change.
	Triggers(address addr.Object, outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics)
	// Revealed does both with the values of Secrets as well.
	Revealed(address addr.Object, outputs map[addr.Object]cty.Value, secrets map[model.SecretRef]redact.Secret) (desired, triggers cty.Value, diags diag.Diagnostics)
}

// Facts are what compose has to know besides the configuration.
type Facts struct {
	// Nodes are the names of the cluster's Kubernetes nodes; nil when they are not known.
	Nodes []string
	// Labels returns the labels of the nodes by their names, as they were when the facts were gathered; nil when they
	// are not known. keys are those that count: when one of them changes on a node, units have to be composed anew.
	Labels func(keys []string) map[string]map[string]string
	// Namespaces are the names of the namespaces that the rule of the cloud chooses, which [Facts.Look] finds; nil when
	// they are not known.
	Namespaces []string
	// Choose returns the names of the cluster's namespaces that have all of these labels, sorted, without those of
	// Kubernetes and our own and those that are being deleted. Nil where nobody looks at a cluster.
	Choose func(selector map[string]string) ([]string, error)
	// Tree holds the configuration's files, for charts that lie beside them. Nothing is read here.
	Tree fs.FS
	// ChartFiles returns a digest of the files of a chart that lies beside the configuration, as they are deployed; "" for
	// one that cannot be read, which is told of where it is deployed. Nil where nobody reads them.
	ChartFiles func(unit.Chart) string
	// Dir is the directory of the configuration in Tree, which the paths of other files begin at.
	Dir string
	// Lock says which versions of charts of repositories were locked; nil for none.
	Lock *chartlock.Lock
	// Unlocked says that charts need no lock, as nothing is going to be deployed from the units.
	Unlocked bool
	// OpenStackGiven says that the caller knows how to reach OpenStack, whatever is written.
	OpenStackGiven bool
	// Checks say which services have to answer before they are ready.
	Checks Checks
}

// Compose returns the units of a model that passed its own checks. When there are errors among the
// diagnostics there are no units at all, and none for a cloud that is to be torn down: a part of them would look like the whole to whoever
// deletes what is no longer wanted. Trying again does not help until the configuration changes.
func Compose(m *model.Model, ev Evaluator, facts Facts) ([]unit.Unit, diag.Diagnostics) {
	if m.TearDown {
		return []unit.Unit{}, nil // whatever could not be deployed: nothing is
	}
	c := &composer{
		m: m, ev: ev, facts: facts, definition: m.Language, places: placesOf(m), written: map[string]map[string]any{},
		shown: map[string]shownConf{}, configurations: map[string]map[string]any{}, large: map[string]bool{},
		objects: map[addr.Object][]addr.Object{}, unlocked: map[diag.Range][]chartlock.Wanted{},
		slotless: map[string]bool{},
	}
	c.system()
	c.ceph()
	c.nodes()
	c.services()
	c.startLabels()
	c.mechanism()
	c.tellConnections()
	c.physicalDevices()
	c.tls()
	c.exposure()
	c.account()
	c.clouds()
	c.shownObjects()
	c.idle()
	c.cluster()
	c.resources()
	c.portsAfterSubnets()
	c.namespaceProjects()
	c.projectNamespaces()
	c.quotas()
	c.privateImages()
	c.smokeTest()
	c.tellUnlocked()
	c.checkPins()
	c.finish()
	if c.diags.HasErrors() {
		return nil, c.diags.Sorted()
	}
	return c.units, c.diags.Sorted()
}

type composer struct {
	m          *model.Model
	ev         Evaluator
	facts      Facts
	definition *schema.Definition
	places     []credential              // that the enabled services use
	written    map[string]map[string]any // what people wrote, as values, by service
	unclear    bool                      // some of that could not be taken, which was told
	units      []unit.Unit
	diags      diag.Diagnostics

	there          map[string]bool                   // the nodes of the cluster; nil when they are not known
	shown          map[string]shownConf              // what holds in the whole cloud, by service
	configurations map[string]map[string]any         // of nodes, by their profile
	large          map[string]bool                   // the services of which some is not shown
	objects        map[addr.Object][]addr.Object     // of blocks with for_each
	unlocked       map[diag.Range][]chartlock.Wanted // charts without a lock, by where they are asked for
	unpinned       []string                          // services of which no image is locked
	slotless       map[string]bool                   // profiles that need a slot and have none, which was told

	// ruled are the projects of namespaces that a rule chooses.
	ruled []model.Resource

	// What is in the cluster beside the services; nil without.
	claims     map[unit.Identity]claim
	releases   map[string]addr.Object // by namespace and name
	namespaces map[string]addr.Object // what makes them
	definers   map[kindOf]addr.Object // what defines them
}

// deployed tells whether a service is one that we run.
func (c *composer) deployed(name string) bool { return deployed(c.m, name) }

func deployed(m *model.Model, name string) bool {
	s := m.Service(name)
	return s != nil && s.Enabled
}

func (c *composer) add(u unit.Unit) { c.units = append(c.units, u) }

func (c *composer) fail(code diag.Code, where diag.Range, about addr.Object, summary, detail, hint string) {
	d := diag.Diagnostic{Code: code, Summary: summary, Detail: detail, Hint: hint}
	if where != (diag.Range{}) {
		d.Subject = &where
	}
	if !about.IsZero() {
		d.Address = about
	}
	c.diags.Append(d)
}

// finish sorts the units and their edges, and refuses cycles among the edges that hold back
// everything: units in such a cycle would wait for each other for ever. Whoever starts once another one is
// ready also waits for what that needs for being ready.
func (c *composer) finish() {
	slices.SortFunc(c.units, func(a, b unit.Unit) int { return a.Address.Compare(b.Address) })
	needs := newReadiness(c.units)
	g := graph.New[addr.Object, unit.Condition](addr.Object.Compare)
	g.Grow(len(c.units))
	for i := range c.units {
		u := &c.units[i]
		u.Edges = sortedEdges(u.Edges)
		for _, e := range u.Edges {
			if e.Gate != unit.GateStart {
				continue
			}
			g.Connect(u.Address, e.To, e.Until)
			if e.Until == unit.Ready && e.Part == "" {
				for _, other := range needs.of(e.To) {
					g.Connect(u.Address, other, unit.Installed)
				}
			}
		}
	}
	for _, cycle := range g.Cycles() {
		first, _ := slices.BinarySearchFunc(c.units, cycle[0], func(u unit.Unit, a addr.Object) int { return u.Address.Compare(a) })
		c.fail(codeCycle, c.units[first].Range, cycle[0], "units that wait for each other",
			(&graph.CycleError[addr.Object]{Cycles: [][]addr.Object{cycle}}).Error(), "take one of the dependencies away")
	}
}

const systemKind = "system"

func systemAddress(name string) addr.Object { return fixedAddress(systemKind, name) }

func serviceAddress(name string) addr.Object { return fixedAddress("service", name) }

func fixedAddress(kind, name string) addr.Object {
	a, err := addr.NewObject(addr.Module{}, addr.Managed, kind, name, addr.Key{})
	if err != nil {
		panic(fmt.Sprintf("compose: %v", err)) // the names are in our tables
	}
	return a
}
