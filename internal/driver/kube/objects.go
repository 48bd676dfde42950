package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/cause"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// installPoll is when to look again at the latest for a kind that is about to be served.
const installPoll = time.Second

// deletionPoll is when to look again at the latest for objects that are being deleted.
const deletionPoll = 5 * time.Second

// maxExplained is how many objects of a set that are not ready are explained.
const maxExplained = 3

// objectSet handles [unit.Objects].
type objectSet struct {
	cluster  *Cluster
	troubles *troubles
	index    *index // nil in tests of a set alone
	target   unit.Target
	keep     bool
	nothing  bool // a set without objects is wanted
	digest   string
	secrets  []redact.Secret  // that are in the items
	items    []wanted         // in the order of the spec; none when nothing is wanted any more
	bases    []wanted         // of the items
	others   []unit.ObjectRef // recorded as ours, and not wanted any more, but for those that stay
}

// wanted is an object with our marks.
type wanted struct {
	ref    unit.ObjectRef
	object *unstructured.Unstructured
	digest string // of the object alone: it is not written for a change of another one
	passes bool   // Kubernetes deletes it by itself
}

// applied tells whether this is what was applied last.
func (w wanted) applied(live *unstructured.Unstructured) bool {
	return live.GetAnnotations()[AnnotationApplied] == w.digest
}

func newObjectSet(cluster *Cluster, troubles *troubles, target unit.Target, spec *unit.Objects) *objectSet {
	s := &objectSet{cluster: cluster, troubles: troubles, target: target, keep: target.Locator.Keep}
	if spec != nil {
		s.keep, s.digest, s.nothing = spec.Keep, spec.Digest(), len(spec.Items) == 0
		filled := map[int]bool{}
		for _, secret := range spec.Secrets {
			filled[secret.Item] = true
		}
		for i, item := range spec.Items {
			if filled[i] {
				item = (&unstructured.Unstructured{Object: item}).DeepCopy().Object // marked copies no more than it changes
			}
			digest := spec.ItemDigest(i)
			s.items = append(s.items, wanted{ref: unit.RefOf(item), object: marked(item, target.Address.String(), digest), digest: digest, passes: spec.Passes(i)})
		}
		s.bases = slices.DeleteFunc(slices.Clone(s.items), func(w wanted) bool { return !isBase(w.ref) })
		for _, secret := range spec.Secrets {
			_ = unstructured.SetNestedField(s.items[secret.Item].object.Object, secret.Given.Reveal(), secret.Path...)
			s.secrets = append(s.secrets, secret.Given)
		}
	}
	want := make(map[unit.Identity]bool, len(s.items))
	for _, item := range s.items {
		want[item.ref.Identity()] = true
	}
	for _, ref := range target.Locator.Objects {
		if (target.Sought || !stays(ref)) && !want[ref.Identity()] {
			s.others = append(s.others, ref)
		}
	}
	return s
}

// marked returns the object with our label and annotations. It shares with what it is made of all but the metadata.
func marked(item map[string]any, address, digest string) *unstructured.Unstructured {
	object := labelled(&unstructured.Unstructured{Object: item})
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[AnnotationUnit], annotations[AnnotationApplied] = address, digest
	object.SetAnnotations(annotations)
	return object
}

func (s *objectSet) refs() []unit.ObjectRef {
	refs := make([]unit.ObjectRef, 0, len(s.items)+len(s.others))
	for _, item := range s.items {
		refs = append(refs, item.ref)
	}
	return append(refs, s.others...)
}

// elsewhere tells whether an object belongs to another unit from now on.
func (s *objectSet) elsewhere(ref unit.ObjectRef) bool {
	return s.index != nil && s.index.wantedByOther(s.target.Address, ref)
}

// ours tells whether an object bears the mark of this unit.
func (s *objectSet) ours(object *unstructured.Unstructured) bool {
	return object != nil && object.GetAnnotations()[AnnotationUnit] == s.target.Address.String()
}

// recordedOurs tells whether an object that is on record as the unit's bears its mark, be it that of an address
// which the unit had before it was moved.
func (s *objectSet) recordedOurs(object *unstructured.Unstructured) bool {
	return s.ours(object) || object != nil && slices.ContainsFunc(s.target.Origins, func(a addr.Object) bool {
		return object.GetAnnotations()[AnnotationUnit] == a.String()
	})
}

// seenObjects is what a state keeps for Compare.
type seenObjects struct {
	there objects
	// same are the objects that only look different from what is wanted by the spec with the digest.
	same map[unit.ObjectRef]bool
	// gone is what that spec has no more of objects, and what will be taken from them.
	gone   map[unit.ObjectRef][]unit.Field
	digest string
	// troubles are the objects that could not be applied.
	troubles map[unit.ObjectRef]trouble
	usable   map[unit.ObjectRef]bool // the namespaces and definitions
}

func (s *objectSet) state(ctx context.Context, there objects) (unit.State, error) {
	if s.target.Sought {
		return s.sought(there), nil
	}
	seen := &seenObjects{
		there: there, same: map[unit.ObjectRef]bool{}, digest: s.digest,
		gone: map[unit.ObjectRef][]unit.Field{}, troubles: s.troubles.of(s.target.Address), usable: map[unit.ObjectRef]bool{},
	}
	state := unit.State{Existence: unit.Absent, Health: unit.HealthReady, Installed: true, Observed: seen}
	applied := true // what is there is as the spec has it
	explained, logged, done := 0, false, false
	for _, item := range s.items {
		live := there[item.ref]
		if s.done(item, live) {
			done = true
			continue
		}
		if isBase(item.ref) {
			seen.usable[item.ref] = s.usable(live)
		}
		if live == nil {
			state.Installed, state.After = false, installPoll
			worse(&state, unit.HealthProgressing, item.ref.String()+" is not there yet", cause.Explanation{})
			continue
		}
		state.Existence = unit.Present
		state.Owned = state.Owned || s.ours(live)
		applied = applied && item.applied(live)
		if s.taken(live) != "" && !isManifest(s.target.Address) {
			state.Installed = false // what waits for ours must not take a release's for it
			continue
		}
		seen.same[item.ref] = len(s.fields(item, live)) > 0 && s.unchanged(ctx, item, live)
		if gone := s.gone(ctx, item, live); len(gone) > 0 {
			seen.gone[item.ref] = gone
		}
		if health, message := s.cluster.Health(live); health != unit.HealthReady {
			why := cause.Explanation{}
			if explained++; explained <= maxExplained {
				why = s.cluster.Explain(ctx, item.ref, s.hide)
			}
			if logged {
				why.Log = nil // one is enough
			}
			logged = logged || len(why.Log) > 0
			worse(&state, health, item.ref.String()+": "+message, why)
		}
	}
	for _, ref := range s.others {
		if s.goes(ref, there[ref]) {
			state.Existence, state.Owned = unit.Present, true
			if there[ref].GetDeletionTimestamp() != nil {
				worse(&state, unit.HealthProgressing, s.cluster.mask(ref.String()+" is being deleted"+cause.Held(there[ref].GetFinalizers())), cause.Explanation{})
				state.After = deletionPoll
			}
		}
	}
	if done && state.Existence == unit.Absent {
		state.Existence, state.Owned = unit.Present, true
	}
	if s.nothing && state.Existence == unit.Absent { // which is there at once
		state.Existence, state.Owned, state.Applied = unit.Present, true, s.digest
		return state, nil
	}
	if state.Existence == unit.Absent {
		return unit.State{Existence: unit.Absent, Observed: seen}, nil
	}
	if len(s.items) > 0 && applied && state.Installed {
		state.Applied = s.digest
	}
	return state, nil
}

// sought tells how the objects on record fare, whatever is wanted of them. A Job may be gone: Kubernetes deletes those that
// are done.
func (s *objectSet) sought(there objects) unit.State {
	state := unit.State{Existence: unit.Absent, Health: unit.HealthReady, Installed: true}
	for _, ref := range s.others {
		live := there[ref]
		switch {
		case s.recordedOurs(live):
			state.Existence, state.Owned = unit.Present, true
			if health, message := s.cluster.Health(live); health != unit.HealthReady {
				worse(&state, health, ref.String()+": "+message, cause.Explanation{})
			}
		case ref.Kind == "Job" && live == nil:
			state.Existence = unit.Present
		default:
			worse(&state, unit.HealthFailed, ref.String()+" is not there, or not ours any more", cause.Explanation{})
		}
	}
	if state.Existence == unit.Absent && len(s.others) > 0 {
		return unit.State{Existence: unit.Absent}
	}
	state.Existence = unit.Present
	return state
}

// hide takes out of a text what the set has of secrets.
func (s *objectSet) hide(text string) string {
	if len(s.secrets) == 0 {
		return text
	}
	masker := redact.NewMasker()
	masker.Add(s.secrets...)
	return masker.Text(text).String()
}

// worse lets an object count for the health of the whole when it fares worse than those before.
func worse(state *unit.State, health unit.Health, message string, why cause.Explanation) {
	rank := []unit.Health{unit.HealthReady, unit.HealthProgressing, unit.HealthUnknown, unit.HealthFailed}
	state.Details = append(state.Details, message)
	state.Details = append(append(state.Details, why.Causes...), why.Log...)
	if len(why.Causes) > 0 {
		message += "; " + why.Causes[0]
	}
	if slices.Index(rank, health) > slices.Index(rank, state.Health) {
		state.Health, state.Message = health, message
	}
}

func (s *objectSet) compare(state unit.State) unit.Diff {
	seen, ok := state.Observed.(*seenObjects)
	switch {
	case state.Existence == unit.Absent:
		return s.creation()
	case !ok:
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the state is not this driver's"}
	}
	diff, held := s.open(seen)
	if diff.Action == unit.ActionNone && held != nil {
		return *held // it holds back deletions as well, see [objectSet.apply]
	}
	for _, ref := range s.prunable(seen.there) {
		diff.Prunes++
		diff.Action = changed(diff.Action, unit.ActionUpdate)
		diff.Fields = append(diff.Fields, unit.Field{Path: ref.String(), Before: "present"})
	}
	if diff.Action == unit.ActionNone && state.Applied != s.digest {
		return unit.Diff{Action: unit.ActionUpdate, Reason: "only our record of what was applied changes"}
	}
	return diff
}

// open says what can be done, and beside that what holds back the rest; nil for nothing. Where something failed,
// what somebody changed of the other objects is put back by itself.
func (s *objectSet) open(seen *seenObjects) (diff unit.Diff, held *unit.Diff) {
	diff = unit.Diff{Action: unit.ActionNone}
	var mends, waiting []unit.Field
	var taken []string
	failed := false
	for _, item := range s.items {
		live := seen.there[item.ref]
		if s.done(item, live) {
			continue
		}
		fields := s.changes(item, seen)
		if len(fields) == 0 {
			continue
		}
		standing, why := s.standing(item, live, seen.troubles, seen.usable)
		switch {
		case standing == itemRefused, standing == itemTaken:
			if standing == itemTaken {
				taken = append(taken, why)
			}
			if held == nil || held.Waits {
				held = &unit.Diff{Action: unit.ActionBlocked, Reason: why}
			} else {
				held.Reason += "; " + why
			}
			continue
		case standing == itemWaits:
			if waiting = append(waiting, fields...); held == nil {
				held = &unit.Diff{Action: unit.ActionUpdate, Continues: true, Waits: true, Reason: why}
			}
			continue
		case standing == itemFailed:
			failed = true
		case s.mends(standing, item, live):
			mends = append(mends, fields...)
		}
		diff.Action, diff.Fields = changed(diff.Action, unit.ActionUpdate), append(diff.Fields, fields...)
		if live != nil && !s.ours(live) {
			diff.Action, diff.Reason = unit.ActionAdopt, adoptReason(item.ref, live)
		}
	}
	if failed {
		diff.Mends = mends
	}
	if diff.Action != unit.ActionNone {
		diff.Fields = append(diff.Fields, waiting...) // their turn comes next
		// What is left out of a plan is told in it.
		if diff.Reason == "" {
			diff.Reason = strings.Join(taken, "; ")
		}
	} else if held != nil {
		held.Fields = waiting
	}
	return diff, held
}

// mends tells whether what differs in an object is to be put back by itself: somebody else made it differ.
func (s *objectSet) mends(standing standing, item wanted, live *unstructured.Unstructured) bool {
	return standing == itemOpen && (live == nil || s.ours(live) && item.applied(live))
}

// changes returns how an object differs, with its name where the unit has several.
func (s *objectSet) changes(item wanted, seen *seenObjects) []unit.Field {
	if seen.there[item.ref] == nil {
		return []unit.Field{created(item)}
	}
	fields := s.differences(item, seen)
	for i := range fields {
		if len(s.items) > 1 {
			fields[i].Path = item.ref.String() + " " + fields[i].Path
		}
	}
	return fields
}

func (s *objectSet) creation() unit.Diff {
	diff := unit.Diff{Action: unit.ActionCreate}
	for _, item := range s.items {
		diff.Fields = append(diff.Fields, created(item))
	}
	return diff
}

func created(item wanted) unit.Field { return unit.Field{Path: item.ref.String(), After: "created"} }

// changed returns the action of a whole of which one part has the action: adopting counts for more
// than updating, as a person has to know.
func changed(whole, part unit.Action) unit.Action {
	if whole == unit.ActionAdopt {
		return whole
	}
	return part
}

func adoptReason(ref unit.ObjectRef, live *unstructured.Unstructured) string {
	if other := live.GetAnnotations()[AnnotationUnit]; other != "" {
		return fmt.Sprintf("%s is there already and belonged to %s", ref, other)
	}
	return ref.String() + " is there already"
}
