package inventory

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Format is the newest version of how entries are written. A reader refuses what is newer than
// itself: it would lose what it does not know of as soon as it writes.
const Format = formatOlder

const (
	formatFirst  = 1
	formatFormer = 2 // an entry has former things
	formatStays  = 3 // an entry stays, which an older program would delete
	formatGrants = 3 // the record of the whole has roles of our own user
	formatPacked = 4 // a shard is packed, whatever its content is
	formatAway   = 4 // an entry lies in another shard than its address says, where an older program would lose it
	formatOlder  = 6 // the record of the whole says that it is an older one, by which an older program would delete
	formatUser   = 5 // an entry says whose user it was made for, or that an import block named it: what an older program would forget
)

// formatOf is the oldest version that can hold entries, so that a program that is older than this one
// is locked out only where it would do harm.
func formatOf(entries []Entry) int {
	if slices.ContainsFunc(entries, Entry.saysMore) {
		return formatUser
	}
	if slices.ContainsFunc(entries, func(e Entry) bool { return e.Stays }) {
		return formatStays
	}
	if slices.ContainsFunc(entries, func(e Entry) bool { return len(e.Former) > 0 }) {
		return formatFormer
	}
	return formatFirst
}

// saysMore tells whether an entry has something that programs which know formatAway forget.
func (e Entry) saysMore() bool {
	return e.ByImport || e.Locator.User != "" || slices.ContainsFunc(e.Former, func(f Former) bool { return f.Locator.User != "" })
}

// Phase is how far we are with a thing.
type Phase string

// The phases.
const (
	Intent   Phase = "intent" // we are about to create it; it may exist or not
	Owned    Phase = "owned"
	Deleting Phase = "deleting" // we are about to delete it; it may exist or not
)

// Entry is what we know of one thing that we own.
type Entry struct {
	UID     string       `json:"uid"`
	Address addr.Object  `json:"address"`
	Phase   Phase        `json:"phase"`
	Class   unit.Class   `json:"class"`
	Locator unit.Locator `json:"locator"`
	// ID is the thing's own, "" until it is known.
	ID string `json:"id,omitempty"`
	// Applied is the digest of the spec that was applied last.
	Applied string `json:"applied,omitempty"`
	// Edges are needed for the order of deletion, when no block tells it any more.
	Edges []Edge `json:"edges,omitempty"`
	// PreventDestroy outlives the block that asked for it.
	PreventDestroy bool `json:"preventDestroy,omitempty"`
	// Stays says that the thing is not deleted for being wanted no longer, see [unit.Unit].
	Stays bool `json:"stays,omitempty"`
	// Imported says that the thing was there before us.
	Imported bool `json:"imported,omitempty"`
	// ByImport says that an import block named the thing: once somebody has deleted it nothing is made in its place
	// by itself. A program that does not know it refuses the shard.
	ByImport bool `json:"byImport,omitempty"`
	// Again says of an intent that what is created takes the place of a thing that is gone.
	Again bool `json:"again,omitempty"`
	// Attempted says of an intent that an attempt to create the thing inside OpenStack was begun whose end is not on
	// record. An older program neither knows nor keeps it.
	Attempted bool `json:"attempted,omitempty"`
	// ImportedID is the id that the thing had when it was replaced or found deleted, where an import
	// block names that one, or has a filter: nothing is imported a second time.
	ImportedID string `json:"importedID,omitempty"`
	// Triggers are digests of the values that the thing is replaced for when they change, as they were
	// when it was made; see [Marker.Digest].
	Triggers []string `json:"triggers,omitempty"`
	// Sensitive are digests of the attributes that held something sensitive when the thing was as it was
	// wanted, by their names; see [Marker.Digest].
	Sensitive map[string]string `json:"sensitive,omitempty"`
	// Set are the keys of maps and elements of sets that we have set, or were about to, by the names of the
	// attributes: what is wanted no longer is taken away by that. It has nothing that is sensitive, and is
	// nil where there is nothing, or an older program made the entry.
	Set map[string][]string `json:"set,omitempty"`
	// Fixed are the attributes whose change is refused, as they were when the thing was as it was wanted;
	// nil where there are none, or an older program made the entry.
	Fixed map[string]string `json:"fixed,omitempty"`
	// Deployment is the cloud that a release belongs to, as it was when the release was applied last: the
	// record of the whole can be had from it. It is nil for all else, and where an older program made the
	// entry.
	Deployment *Deployment `json:"deployment,omitempty"`
	// Healing is what is known of the attempts to heal the thing, nil before the first one. It outlives the
	// thing: what is made in place of one that failed may fail like it.
	Healing *unit.Healing `json:"healing,omitempty"`
	// Run is what is known of the runs of a test, nil for all else.
	Run *unit.Run `json:"run,omitempty"`
	// Before is what was there before the request that creates the thing, until its id is known; nil where
	// the request takes a mark.
	Before *unit.Before `json:"before,omitempty"`
	// Former are the things that this one has taken or will take the place of, the oldest first. They
	// are deleted once nothing needs them.
	Former []Former `json:"former,omitempty"`
	// CleanedUp is what has gone with a release that is being uninstalled, see [unit.State].
	CleanedUp []string `json:"cleanedUp,omitempty"`
	// Data are the claims to volumes that go with a release whose deletion has begun, nil where its data stays.
	Data *unit.Data `json:"data,omitempty"`
	// Lost are the ids that things under this address had when somebody else deleted them, the last one
	// last: what was made from those may still name them. See [Entry.LostIDs].
	Lost []string `json:"lost,omitempty"`
}

// Former is a thing that another one under the same address takes the place of.
type Former struct {
	UID     string       `json:"uid"`
	Locator unit.Locator `json:"locator"`
	ID      string       `json:"id"`
	// Set is as in the entry, of what it was: empty where there was nothing, and nil only where an older program
	// made the record, which kept nothing of it.
	Set map[string][]string `json:"set,omitzero"`
}

// UIDs returns the uids that an entry takes up: the thing's own, and those of its former ones.
func (e Entry) UIDs() []string {
	uids := []string{e.UID}
	for _, f := range e.Former {
		uids = append(uids, f.UID)
	}
	return uids
}

// Anew returns the entry for what is created where the thing was, now that it is gone for certain. With
// the old id, what comes now could not be found again.
func (e Entry) Anew() Entry {
	e.Again = e.ID != "" || e.Phase == Deleting || e.Again && e.Phase == Intent // the attempt before may have been cut off
	e.Phase, e.ID, e.Applied, e.Imported, e.ByImport, e.Triggers, e.Sensitive, e.Fixed, e.Set = Intent, "", "", false, false, nil, nil, nil, nil
	e.Lost, e.Run, e.Before, e.CleanedUp, e.Data, e.Attempted = nil, nil, nil, nil, nil, false
	return e
}

// mostLost is how many ids of lost things are remembered.
const mostLost = 8

// LostIDs returns the ids that what was made from the thing may still name once it is made again, now that
// it is gone for certain and its record would be applied: nil where the configuration makes another thing of
// it, or had it deleted, as what was made from it is to follow then.
func (e Entry) LostIDs(applied string) []string {
	switch {
	case e.Phase == Intent:
		return e.Lost // an attempt to make it again was cut off
	case e.Phase == Deleting || e.Applied != applied || e.ID == "":
		return nil
	}
	lost := append(slices.Clone(e.Lost), e.ID)
	return lost[max(0, len(lost)-mostLost):]
}

// Succeed returns the entry for a new thing that takes the place of the one with an id, which is kept
// on record as a former one. The new one gets a uid that nothing uses. It returns false while as many
// are left as can be told apart.
func (e Entry) Succeed(m Marker, used func(uid string) bool, id string) (Entry, bool) {
	own := e.UIDs()
	if len(own) >= generations {
		return e, false
	}
	had := e.Set
	if had == nil {
		had = map[string][]string{}
	}
	e.Former = append(slices.Clone(e.Former), Former{UID: e.UID, Locator: e.Locator, ID: id, Set: had})
	e.UID = m.UIDs(e.Address, func(uid string) bool { return slices.Contains(own, uid) || used != nil && used(uid) })[0]
	e = e.Anew()
	e.Again = false // what it takes the place of is still there
	return e, true
}

// Edge says that the thing needed another one.
type Edge struct {
	To    addr.Object    `json:"to"`
	Until unit.Condition `json:"until"`
}

// EdgesOf returns what an entry keeps of a unit's edges: those that say what has to outlive it.
//
// A test that is over needs nothing; see [RunEdges].
func EdgesOf(u *unit.Unit) []Edge {
	if u.Spec != nil && u.Spec.Locator().Kind == unit.KindSmokeTest {
		return nil
	}
	return RunEdges(u)
}

// RunEdges are the edges that an entry keeps while a run of a test is under way, and those of [EdgesOf] for all else.
func RunEdges(u *unit.Unit) []Edge {
	var edges []Edge
	for _, e := range u.Edges {
		if e.Gate == unit.GateStart || e.Gate == unit.GateKeep {
			edges = append(edges, Edge{To: e.To, Until: e.Until})
		}
	}
	return edges
}

// Home is the place in OpenStack that all objects of an installation lie in, however it is reached.
type Home struct {
	Project string `json:"project"` // the id of our user's project, which no other OpenStack has
	Region  string `json:"region,omitempty"`
}

// Deployment is what must not change while the cloud has services.
type Deployment struct {
	Cloud          string `json:"cloud"`
	Release        string `json:"release,omitempty"`
	Region         string `json:"region,omitempty"`
	Namespace      string `json:"namespace,omitempty"`
	NetworkBackend string `json:"networkBackend,omitempty"`
	StorageBackend string `json:"storageBackend,omitempty"`
}

// Attribute returns what is recorded of an attribute of the cloud's block, and false for one that is not.
func (d Deployment) Attribute(name string) (string, bool) {
	switch name {
	case "release":
		return d.Release, true
	case "region":
		return d.Region, true
	case "namespace":
		return d.Namespace, true
	case "network_backend":
		return d.NetworkBackend, true
	case "storage_backend":
		return d.StorageBackend, true
	default:
		return "", false
	}
}
