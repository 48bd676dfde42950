package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// installPoll is when to look again at the latest for a kind that is about to be served.
const installPoll = time.Second

// deletionPoll is when to look again at the latest for objects that are being deleted.
const deletionPoll = 5 * time.Second

// objectSet handles [unit.Objects].
type objectSet struct {
	cluster *Cluster
	target  unit.Target
	keep    bool
	digest  string
	items   []wanted         // in the order of the spec; none when nothing is wanted any more
	others  []unit.ObjectRef // recorded as ours, and not wanted any more
}

// wanted is an object with our marks.
type wanted struct {
	ref    unit.ObjectRef
	object *unstructured.Unstructured
}

func newObjectSet(cluster *Cluster, target unit.Target, spec *unit.Objects) *objectSet {
	s := &objectSet{cluster: cluster, target: target, keep: target.Locator.Keep}
	if spec != nil {
		s.keep, s.digest = spec.Keep, spec.Digest()
		for _, item := range spec.Items {
			s.items = append(s.items, wanted{ref: unit.RefOf(item), object: marked(item, target.Address.String(), s.digest)})
		}
	}
	for _, ref := range target.Locator.Objects {
		if !slices.ContainsFunc(s.items, func(w wanted) bool { return w.ref == ref }) {
			s.others = append(s.others, ref)
		}
	}
	return s
}

// marked returns a copy of the object with our label and annotations.
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

// ours tells whether an object bears the mark of this unit.
func (s *objectSet) ours(object *unstructured.Unstructured) bool {
	return object != nil && object.GetAnnotations()[AnnotationUnit] == s.target.Address.String()
}

// seenObjects is what a state keeps for Compare.
type seenObjects struct {
	there objects
	// same are the objects that only look different from what is wanted by the spec with the digest.
	same   map[unit.ObjectRef]bool
	digest string
}

func (s *objectSet) state(ctx context.Context, there objects) (unit.State, error) {
	seen := &seenObjects{there: there, same: map[unit.ObjectRef]bool{}, digest: s.digest}
	state := unit.State{Existence: unit.Absent, Health: unit.HealthReady, Installed: true, Observed: seen}
	digests := map[string]bool{}
	for _, item := range s.items {
		live := there[item.ref]
		if live == nil {
			state.Installed, state.After = false, installPoll
			worse(&state, unit.HealthProgressing, item.ref.String()+" is not there yet")
			continue
		}
		state.Existence = unit.Present
		state.Owned = state.Owned || s.ours(live)
		digests[live.GetAnnotations()[AnnotationApplied]] = true
		seen.same[item.ref] = len(s.fields(item, live)) > 0 && s.unchanged(ctx, item, live)
		if health, message := s.cluster.Health(live); health != unit.HealthReady {
			worse(&state, health, item.ref.String()+": "+message)
		}
	}
	for _, ref := range s.others {
		if s.ours(there[ref]) {
			state.Existence, state.Owned = unit.Present, true
			if there[ref].GetDeletionTimestamp() != nil {
				worse(&state, unit.HealthProgressing, ref.String()+" is being deleted")
				state.After = deletionPoll
			}
		}
	}
	if state.Existence == unit.Absent {
		return unit.State{Existence: unit.Absent, Observed: seen}, nil
	}
	if len(digests) == 1 && state.Installed {
		for digest := range digests {
			state.Applied = digest
		}
	}
	return state, nil
}

// worse lets an object count for the health of the whole when it fares worse than those before.
func worse(state *unit.State, health unit.Health, message string) {
	rank := []unit.Health{unit.HealthReady, unit.HealthProgressing, unit.HealthUnknown, unit.HealthFailed}
	state.Details = append(state.Details, message)
	if slices.Index(rank, health) > slices.Index(rank, state.Health) {
		state.Health, state.Message = health, message
	}
}

// fields returns what applying the object would change by the looks of it, but for the digest.
func (s *objectSet) fields(item wanted, live *unstructured.Unstructured) []unit.Field {
	return slices.DeleteFunc(s.cluster.Compare(item.object, live), func(f unit.Field) bool {
		return strings.Contains(f.Path, AnnotationApplied)
	})
}

// unchanged asks the server whether a difference is one. Where another spec was applied last the
// object is written anyway.
func (s *objectSet) unchanged(ctx context.Context, item wanted, live *unstructured.Unstructured) bool {
	if !s.ours(live) || live.GetAnnotations()[AnnotationApplied] != s.digest {
		return false
	}
	unchanged, err := s.cluster.Unchanged(ctx, Manager, item.object, live)
	if err != nil { // it stays a difference; applying it will show what is wrong
		s.cluster.log.Debug().Str("object", item.ref.String()).Err(err).Msg("a difference could not be confirmed")
	}
	return err == nil && unchanged
}

// statusFields returns how the status differs, where one is wanted.
func (s *objectSet) statusFields(item wanted, live *unstructured.Unstructured) []unit.Field {
	if item.object.Object["status"] == nil {
		return nil
	}
	return s.cluster.compareStatus(item.object, live)
}

// differences returns what the state knows to differ in an object.
func (s *objectSet) differences(item wanted, seen *seenObjects) []unit.Field {
	var fields []unit.Field
	live := seen.there[item.ref]
	if seen.digest != s.digest || !seen.same[item.ref] {
		fields = s.fields(item, live)
	}
	return append(fields, s.statusFields(item, live)...)
}

func (s *objectSet) compare(state unit.State) unit.Diff {
	seen, ok := state.Observed.(*seenObjects)
	switch {
	case state.Existence == unit.Absent:
		return s.creation()
	case !ok:
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the state is not this driver's"}
	}
	diff := unit.Diff{Action: unit.ActionNone}
	for _, item := range s.items {
		live := seen.there[item.ref]
		if live == nil {
			diff.Action = changed(diff.Action, unit.ActionUpdate)
			diff.Fields = append(diff.Fields, created(item))
			continue
		}
		if !s.ours(live) {
			diff.Action = changed(diff.Action, unit.ActionAdopt)
			diff.Reason = adoptReason(item.ref, live)
		}
		for _, field := range s.differences(item, seen) {
			diff.Action = changed(diff.Action, unit.ActionUpdate)
			if len(s.items) > 1 {
				field.Path = item.ref.String() + " " + field.Path
			}
			diff.Fields = append(diff.Fields, field)
		}
	}
	for _, ref := range s.prunable(seen.there) {
		diff.Action = changed(diff.Action, unit.ActionUpdate)
		diff.Fields = append(diff.Fields, unit.Field{Path: ref.String(), Before: "present"})
	}
	if diff.Action == unit.ActionNone && state.Applied != s.digest {
		return unit.Diff{Action: unit.ActionUpdate, Reason: "only our record of what was applied changes"}
	}
	return diff
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

// prunable returns the objects that are ours and not wanted any more, and not on their way out.
func (s *objectSet) prunable(there objects) []unit.ObjectRef {
	if s.keep {
		return nil
	}
	var refs []unit.ObjectRef
	for _, ref := range s.others {
		if s.ours(there[ref]) && there[ref].GetDeletionTimestamp() == nil {
			refs = append(refs, ref)
		}
	}
	return refs
}

// apply applies what differs: namespaces and definitions first, the rest once those can be used.
func (s *objectSet) apply(ctx context.Context, there objects) error {
	ready := true
	for _, item := range s.items {
		if !isBase(item.ref) {
			continue
		}
		live, err := s.put(ctx, item, there[item.ref])
		if err != nil {
			return err
		}
		health, _ := s.cluster.Health(live)
		ready = ready && health == unit.HealthReady
	}
	if !ready {
		return nil // the watch tells when they are
	}
	for _, item := range s.items {
		if isBase(item.ref) {
			continue
		}
		_, err := s.put(ctx, item, there[item.ref])
		var unknown *UnknownKindError
		if errors.As(err, &unknown) && slices.ContainsFunc(s.items, func(w wanted) bool { return isDefinition(w.ref) }) {
			return nil // its definition was taken on just now, the server needs a moment
		}
		if err != nil {
			return err
		}
	}
	return s.erase(ctx, s.prunable(there), there)
}

// isBase tells whether other objects need this one before they can be there at all.
func isBase(ref unit.ObjectRef) bool {
	return ref.Kind == "Namespace" && ref.APIVersion == "v1" || isDefinition(ref)
}

func isDefinition(ref unit.ObjectRef) bool {
	return ref.Kind == "CustomResourceDefinition" && strings.HasPrefix(ref.APIVersion, "apiextensions.k8s.io/")
}

// put applies an object, and its status where one is wanted, unless nothing differs.
func (s *objectSet) put(ctx context.Context, item wanted, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	asWanted := live != nil && live.GetAnnotations()[AnnotationApplied] == s.digest && len(s.statusFields(item, live)) == 0 &&
		(len(s.fields(item, live)) == 0 || s.unchanged(ctx, item, live))
	if asWanted {
		return live, nil
	}
	live, err := s.cluster.Apply(ctx, Manager, item.object)
	if err == nil && len(s.statusFields(item, live)) > 0 {
		live, err = s.cluster.ApplyStatus(ctx, Manager, item.object)
	}
	var fixed *ImmutableError
	if errors.As(err, &fixed) {
		return nil, unit.Blocked(fixed.Error() + "; undo the change, or delete the object yourself to have it made anew")
	}
	return live, err
}

// remove deletes what bears our mark, in the reverse order: a namespace or definition only once
// the others are gone.
func (s *objectSet) remove(ctx context.Context, there objects) error {
	if s.keep {
		return nil
	}
	for _, stage := range []func(unit.ObjectRef) bool{
		func(ref unit.ObjectRef) bool { return !isBase(ref) }, isDefinition, isBase,
	} {
		var refs []unit.ObjectRef
		waiting := false
		for _, ref := range s.refs() {
			if stage(ref) && s.ours(there[ref]) {
				waiting = true
				if there[ref].GetDeletionTimestamp() == nil {
					refs = append(refs, ref)
				}
			}
		}
		if err := s.erase(ctx, refs, there); err != nil {
			return err
		}
		if waiting {
			return nil
		}
	}
	return nil
}

// erase deletes objects, the last one first.
func (s *objectSet) erase(ctx context.Context, refs []unit.ObjectRef, there objects) error {
	for _, ref := range slices.Backward(refs) {
		if err := s.cluster.Delete(ctx, ref, there[ref].GetUID()); err != nil {
			return err
		}
	}
	return nil
}
