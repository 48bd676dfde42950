package unit

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Target is a unit together with what the inventory knows of it. Drivers get targets.
type Target struct {
	Address addr.Object
	Spec    Spec // nil for what is no longer wanted
	Locator Locator
	// UID is ours: it stays the same from the first intent to the end.
	UID string
	// Mark is written into the object, where its kind can bear one.
	Mark string
	// Marks are others that the object may bear instead, while nothing is known of it: it may have come
	// before or after one that it replaced.
	Marks []string
	// Origins are the addresses that moved blocks lead from. Objects of a set that were not applied since the
	// move still say that they belong to one of them.
	Origins []addr.Object
	// ID is the object's own, "" until it is known.
	ID string
	// Complete says that the object was once as it was wanted.
	Complete bool
	// Applied is the digest by which that was last so, "" before the first time.
	Applied string
	// Outputs are those that were seen last, [cty.NilVal] before the first time. A driver that observes the same
	// again may return these, so that there are not two of each beside each other.
	Outputs cty.Value
	// Triggers are digests of the values that the object is replaced for when they change, nil while
	// not all of them are known.
	Triggers []string
	// Sensitive are digests of the wanted attributes that hold something sensitive, by their names.
	Sensitive map[string]string
	// Renewed are the names of those whose digest is not on record: the object may have another value, and what
	// its service never tells has to be written again.
	Renewed []string
	// Set are the keys of maps and elements of sets that we have set, or were about to, by the names of the
	// attributes. What others have added is not among them.
	Set map[string][]string
	// Lost are the ids of objects that somebody else deleted, by the ids of those that were made again in their
	// place, as far as the wanted attributes may name these: what was made from the old ones still names those.
	Lost map[string][]string
	// Again says that what is created takes the place of one that was there and is gone.
	Again bool
	// Before is what was there before the first request that creates, nil where that is not on record: see
	// [State.Before].
	Before *Before
	// Taken tells whether others of its kind have an id on record, be it until that is deleted, and Parts whether one is about to delete
	// what has it. They are told of what is on record without an id; nil else.
	Taken, Parts func(id string) bool
	// Fresh says that nothing can have been created for this UID yet. When it is false and ID is
	// empty, an earlier attempt may have been cut off: creating begins with a search for the mark.
	Fresh bool
	// Attempted says that an attempt to create it was begun before whose end is not on record: maybe by another
	// process, and OpenStack may still be at work on it.
	Attempted bool
	// Anew says that everything is to be looked at, also what a driver knows from before of an object that seems unchanged.
	Anew bool
	// Asked names the last request of a person to try again what failed or was refused, "" for none. Who keeps count of
	// failures beyond a process counts anew once for each.
	Asked string
	// Import is the id of the object that is to be taken over; "" when the configuration names none,
	// or that was done.
	Import string
	// ImportBy has what the object that is to be taken over has, where the configuration says that in place of
	// the id: the desired value of a look-up of the kind; [cty.NilVal] as Import is "".
	ImportBy cty.Value
	// Imported objects were there before us.
	Imported bool
	// ByImport says of one that an import block named it.
	ByImport bool
	// Replaced says that another one has taken its place: what is written of its address is not written of it.
	Replaced bool
	// Deleted says that its deletion was begun, so that what is not there any more may have gone by that.
	Deleted bool
	// Sought says that nobody knows what is wanted: the state tells how all that is on record fares, and nothing follows
	// from it. Spec is nil.
	Sought bool
	// Unserved are the services that keep a part of it and are not ready. Until it is complete they are
	// not asked: nothing can be there.
	Unserved []string
	// Mend says that only what [Diff.Mends] names is put back: the action itself has to wait.
	Mend bool
	// CleanUp is what goes with a service that is no longer wanted besides its release, see [schema.Leftovers].
	CleanUp []string
	// TakesData says that its claims to volumes go with a service that is no longer wanted.
	TakesData bool
	// Data are the claims that go with it, nil for none and as long as these are not on record.
	Data *Data
	// Run is what is on record of the runs of a test, nil before the first.
	Run *Run
	// Met says that what was applied last is what is wanted now, so that what differs was not our doing.
	Met bool
	// Heal is how often it was healed already while the same was wanted.
	Heal Heal
	// Remedy is what goes on record of a step that heals, nil for all others.
	Remedy *Healing
	// Leaves is the node that has to lose its labels first, as the unit has another one now; "" for
	// none.
	Leaves string
}

// Imports tells whether the configuration says which object is to be taken over.
func (t *Target) Imports() bool { return t.Import != "" || t.ImportBy != cty.NilVal }

// Existence says whether something is there.
type Existence string

// The kinds of existence. The zero value is Unknown: an error is never absence.
const (
	Unknown Existence = ""
	Absent  Existence = "absent"
	Present Existence = "present"
)

// Health is how something that exists fares.
type Health string

// The kinds of health.
const (
	HealthUnknown     Health = ""
	HealthProgressing Health = "progressing" // it will become ready by itself
	HealthReady       Health = "ready"
	HealthFailed      Health = "failed" // it will not
)

// ReleaseState is where a Helm release stands.
type ReleaseState string

// The states of a release.
const (
	ReleaseAbsent       ReleaseState = "absent"
	ReleaseDeployed     ReleaseState = "deployed"     // as it is wanted
	ReleaseOutdated     ReleaseState = "outdated"     // something else is wanted than what was applied
	ReleaseDrifted      ReleaseState = "drifted"      // objects are not as they were applied
	ReleasePending      ReleaseState = "pending"      // hooks are to be run, or a process was killed at work
	ReleaseFailed       ReleaseState = "failed"       // a step failed: it is tried again, or was given up
	ReleaseRolledBack   ReleaseState = "rolled-back"  // an upgrade was given up, and what was there before is back
	ReleaseUninstalling ReleaseState = "uninstalling" // it goes
)

// State is what was seen of a unit.
type State struct {
	Existence Existence
	Health    Health
	// Installed is true once everything was handed over that the unit consists of, so that others
	// which only wait for that can go on.
	Installed bool
	// Owned tells that the object bears our mark, or is known to be ours by the inventory.
	Owned bool
	// TooLate says that nothing more can go with a release: its own objects go already.
	TooLate bool
	// Stuck says why some of [Target.CleanUp] cannot go with a release, by their names, as far as that is known before.
	Stuck map[string]Stuck
	// ID is the object's own; empty for what has none.
	ID string
	// Mark is the one that the object bears, for kinds that can bear one.
	Mark string
	// Project is the OpenStack project that the object was found in, for kinds that live in one. Of what is absent it is
	// the one that it would be created in unless it names another.
	Project string
	// User is the user of OpenStack that the object belongs to, for kinds that show no one but that user what is theirs. Of
	// what is absent it is the one that it would be created for.
	User string
	// Run is what goes on record of the runs of a test; nil for all else.
	Run *Run
	// Outputs is an object with the attributes of the kind's schema, cty.NilVal for units that
	// have no outputs. Of what is not wanted any more nobody says which of them are sensitive.
	Outputs cty.Value
	// Applied is the digest of the spec that the thing itself says was applied last, where it can.
	Applied string
	// Release is where a Helm release stands, "" for anything else.
	Release ReleaseState
	// Opens are the values of [SlotLabel] that a release has a DaemonSet for only once it is brought up to
	// date, sorted. What runs on a node with one of them until then belongs to another DaemonSet.
	Opens []string
	// CleanedUp is what of [Target.CleanUp] has gone with a release that goes or has just gone.
	CleanedUp []string
	// Data are the claims that go with a release, where [Target.TakesData] says that some do: those of
	// [Target.Data] that are left, or all that are there as long as none are on record. Nil where nobody looked.
	Data *Data
	// API is what is known of the API behind a release.
	API Answer
	// Message says why it is not ready, in a sentence without secrets.
	Message string
	// Notice is what somebody should see to, though the thing is there and works: in a sentence without secrets, "" for
	// nothing. It holds back nothing.
	Notice string
	// Details are further lines for the report: pods that wait, conditions.
	Details []string
	// Unseen are the services that keep a part of what exists, or else names of what it is made of, that
	// could not be seen; Message says why. What was seen counts all the same.
	Unseen []string
	// Labels are the keys of the labels that a Kubernetes node has, in no order; nil where nobody looked.
	Labels []string
	// Candidates are objects that could be meant but are not marked as ours.
	Candidates []string
	// Marked are objects of the wanted name that bear other marks, while there is none for certain.
	Marked []Marked
	// Before is what has the wanted name besides the object, and could be mistaken for it once it is created,
	// for a kind whose creating request takes no mark; nil for all others, or where nobody looked.
	Before *Before
	// After is when to look again, for what nothing is watched on; 0 leaves that to the engine, which
	// looks less and less often while nothing changes.
	After time.Duration
	// Observed is for the driver that made the state.
	Observed any
	// Secrets are the values of the keys of Kubernetes Secrets that the unit is made from.
	Secrets map[model.SecretRef]redact.Secret
	// Withheld says which of them cannot be read and what to do, "" when all could be.
	Withheld string
}

// Before are the objects of a name that were there before a creating request which takes no mark. When the
// answer to it is lost, what has come since is ours.
type Before struct {
	Of  string   `json:"of"` // the name, and where it counts: a search for another one tells nothing
	IDs []string `json:"ids,omitempty"`
}

// Stuck is why something cannot go with a release.
type Stuck struct {
	Why string
	// By are the releases that have it as well; none where it cannot go without them either.
	By []Locator
}

// Marked is an object with a mark.
type Marked struct {
	Name string // for people
	Mark string
}

// Ready tells whether the thing is there and works.
func (s State) Ready() bool {
	return s.Existence == Present && s.Installed && s.Health == HealthReady
}

// Gone tells whether it is certain that nothing is left.
func (s State) Gone() bool { return s.Existence == Absent }
