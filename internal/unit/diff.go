package unit

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// Action is what happens to a unit.
type Action string

// The actions, from the harmless to the grave.
const (
	ActionNone     Action = "none"
	ActionMove     Action = "move"    // only its address is another one
	ActionAdopt    Action = "adopt"   // it is there already and becomes ours
	ActionImport   Action = "import"  // the same, because the configuration says which one
	ActionCreate   Action = "create"  //
	ActionUpdate   Action = "update"  // in place
	ActionRestart  Action = "restart" // in place, and what runs is restarted one by one
	ActionReplace  Action = "replace" // deleted and created again
	ActionDelete   Action = "delete"  //
	ActionForget   Action = "forget"  // only our record goes
	ActionDeferred Action = "deferred"
	ActionBlocked  Action = "blocked"
	ActionUnknown  Action = "unknown" // it could not be observed
)

// Changes tells whether the action changes anything in the world or in our records.
func (a Action) Changes() bool {
	switch a {
	case ActionMove, ActionAdopt, ActionImport, ActionCreate, ActionUpdate, ActionRestart, ActionReplace, ActionDelete, ActionForget, ActionDeferred:
		return true
	default:
		return false
	}
}

// Destroys tells whether something that exists is deleted.
func (a Action) Destroys() bool { return a == ActionReplace || a == ActionDelete }

// Field is one difference between what is wanted and what was seen.
type Field struct {
	Path string `json:"path"`
	// Before and After are texts for people. Secrets are masked in them; what is not known yet is
	// said to be so; what is not there is empty.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Effect Effect `json:"effect,omitempty"`
	// By is who else wrote the field last, as far as that is known: a field manager of Kubernetes.
	By string `json:"-"`
	// Beside is who else wrote to the object last, and when, where that is not known: who takes something away leaves no
	// name. It is a text for people.
	Beside string `json:"-"`
}

// Effect is what it takes to change a field.
type Effect string

// The effects.
const (
	InPlace Effect = ""
	Replace Effect = "replace"
	Refused Effect = "refused"
)

// Cost is what it costs to change fields in place.
func Cost(block *schema.Block, fields []Field) string {
	var costs []string
	for _, f := range fields {
		if a := block.Attribute(f.Path); a != nil && a.Cost != "" && f.Effect == InPlace && !slices.Contains(costs, a.Cost) {
			costs = append(costs, a.Cost)
		}
	}
	if l := block.Loses; l != nil && slices.ContainsFunc(fields, func(f Field) bool { return f.TakesOut(l.Off) }) {
		costs = append(costs, "some of its "+l.Off+" are taken out, and "+l.There+" are lost")
	}
	return strings.Join(costs, "; ")
}

// TakesOut tells whether the field is the list of that name, of which something is taken out in place.
func (f Field) TakesOut(name string) bool {
	if name == "" || f.Path != name || f.Effect != InPlace || f.Before == "" {
		return false
	}
	var was, is []string
	if json.Unmarshal([]byte(f.Before), &was) != nil || json.Unmarshal([]byte(f.After), &is) != nil {
		return f.After != "" // they are not told
	}
	for _, one := range was {
		i := slices.Index(is, one)
		if i < 0 {
			return true
		}
		is = slices.Delete(is, i, i+1)
	}
	return false
}

// Diff is what lies between a desired value and a state.
type Diff struct {
	// Action is None, Create, Adopt, Update, Restart, Replace, Deferred or Blocked; Unknown where all that
	// could be seen is as it should be, and a part could not.
	Action Action
	Fields []Field
	// Reason says why in a few words where the fields do not: "no such release".
	Reason string
	// Continues says that this goes on with what was begun, such as the next hook of a release: it
	// is no difference that somebody could have made.
	Continues bool
	// Cost says what a user loses or has to bear: "the instance's disk is lost".
	Cost string
	// Prunes is how many objects are deleted by it that the unit does not have any more.
	Prunes int
	// Stops are the DaemonSets whose pods end by this, all at once, on nodes that go on.
	Stops []Stop
	// Waits says that there is nothing to do for it now, as something goes on by itself: what was begun, where
	// it continues that, or what keeps the object from taking changes. Reason tells what.
	Waits bool
	// Serves says that what is there does its work all the while, so that others need not wait for the end of it.
	Serves bool
	// Ends says that it only takes away what was begun, for which nothing that the unit waits for has to be there.
	Ends bool
	// Unmakeable says why the object could not be made again as it is wanted, "" where it could: then it is not deleted
	// for another one, whoever asks for that.
	Unmakeable string
	// Heals says that it is a remedy for what failed by itself, and Reason what ails it. How often that is done
	// is not the driver's to decide.
	Heals bool
	// Differs says of what is blocked that differences of an object that is ours are all that blocks it, which cannot
	// be put right. Where the block is the one that was applied, somebody else made them.
	Differs bool
	// Mends are differences that somebody made in what is in force. They can be put back at once and by
	// themselves, whatever holds back the action, see [Target.Mend].
	Mends []Field
}

// Stop is a DaemonSet whose pods end by a change, and where they run until then.
type Stop struct {
	Object ObjectRef
	Why    string   // "is deleted", "leaves nodes", "replaces its pods"
	Nodes  []string // by name
}
