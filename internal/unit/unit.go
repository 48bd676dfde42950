package unit

import (
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Unit is one thing that has a loop of its own: a set of Kubernetes objects, a node, a release, an
// object inside OpenStack. It is not changed after it was made.
type Unit struct {
	Address addr.Object
	Spec    Spec
	Edges   []Edge // what it depends on, by address
	Class   Class

	Drift          DriftPolicy
	PreventDestroy bool
	// Stays says that nothing is deleted because the unit is wanted no longer: only a removed block deletes it.
	Stays bool
	// MayLose says that it may be replaced though data or an address is lost by that.
	MayLose bool
	// CreateFirst says that a replacement is created before what it replaces is deleted.
	CreateFirst bool
	// Fixed are the attributes whose change is refused once the unit exists, as they are written: "" for
	// one that is not. It is nil for a unit without any, and for resources, whose drivers see what they
	// are. Names that begin with [FixedKept] may be new, and not go; of those that begin with
	// [FixedMembers] the value may be any with which a majority stays, and of [FixedVersion] any that [VersionStepOf] allows.
	Fixed map[string]string
	// Closes says why nothing would run of a service that OpenStack is reached through, once the unit is
	// as it is wanted; "" for all else.
	Closes string

	Range diag.Range // where the configuration asks for it; zero for what we need ourselves
}

// FixedKept begins the names in Fixed of what a unit may get more of, but keeps once it is there.
const FixedKept = "backend."

// FixedNetwork is the name in Fixed of which network backend a chart has that is another than the cloud's, "" for none. What
// is on record without it had none.
const FixedNetwork = "network.backend"

// FixedVersion is the name in Fixed of the version of a program that keeps data: it goes up only, and by one major version at a
// time. "" is one that nobody wrote, of which nothing is known.
const FixedVersion = "version"

// FixedMembers begins the names in Fixed of numbers of members that decide by majority.
const FixedMembers = "members."

// Class groups units for the brakes on deletion and for the report.
type Class string

// The classes.
const (
	ClassSystem         Class = "system"         // what we need ourselves: namespaces, definitions, credentials
	ClassInfrastructure Class = "infrastructure" // databases, brokers, caches
	ClassService        Class = "service"        // services of OpenStack
	ClassWorkload       Class = "workload"       // charts and manifests that somebody wrote
	ClassNode           Class = "node"           // Kubernetes nodes
	ClassResource       Class = "resource"       // objects inside OpenStack
)

// DriftPolicy says what to do about a written attribute that somebody changed.
type DriftPolicy string

// The policies. The zero value means DriftCorrect, but that what was imported is not made again once it is gone.
const (
	DriftCorrect DriftPolicy = "correct"
	DriftReport  DriftPolicy = "report"
	DriftIgnore  DriftPolicy = "ignore"
)

// Edge says that a unit needs another one.
type Edge struct {
	To    addr.Object
	Until Condition
	Gate  Gate
	// Part narrows Ready to what one service keeps of the other end, "" for all of it: what others keep
	// need not be there yet.
	Part string
	// Making narrows GateStart to the making of the unit: what exists is changed whatever the other end does.
	Making bool
}

// Condition is what must hold for the other end of an edge.
type Condition string

// The conditions.
const (
	Installed Condition = "installed" // its objects are there; it need not work yet
	Ready     Condition = "ready"     // it works
	Gone      Condition = "gone"      // nothing of it is left
)

// Gate is what an edge holds back until its condition is met.
type Gate string

// The gates.
const (
	// GateStart holds back everything. The graph of these edges has no cycles.
	GateStart Gate = "start"
	// GateReady lets the unit be installed, but not be called ready. Units may need each other so.
	GateReady Gate = "ready"
	// GateKeep holds back nothing of the unit, only the deletion of what the edge leads to: what
	// it takes to uninstall a thing stays until that is gone.
	GateKeep Gate = "keep"
)

// DriverName says which driver a spec is for.
type DriverName string

// The drivers.
const (
	Kubernetes DriverName = "kubernetes"
	Helm       DriverName = "helm"
	OpenStack  DriverName = "openstack"
)

// Spec is what is wanted of a unit: *[Objects], *[Credentials], *[Filled], *[Copied], *[Node],
// *[ProjectNamespace], *[Release], *[Resource], *[SmokeTest] or *[Account].
type Spec interface {
	// Driver names the driver that the spec is for.
	Driver() DriverName
	// Locator returns what is needed to find the thing again once its block is gone.
	Locator() Locator
	// Digest returns a text that changes with what is wanted. It holds no secret and is made of
	// references to secrets, not of their values.
	Digest() string
}
