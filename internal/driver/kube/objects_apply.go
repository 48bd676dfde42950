package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// apply applies what differs: namespaces and definitions first, the rest as far as what it needs of those can
// be used. What cannot be applied holds back nothing else, but for the deletion of what is not wanted any
// more. What was refused and looks as it did then is not tried again.
func (s *objectSet) apply(ctx context.Context, there objects) error {
	if s.cluster.masker != nil {
		s.cluster.masker.Add(s.secrets...) // the server may quote what it refuses
	}
	known := s.troubles.of(s.target.Address)
	usable := map[unit.ObjectRef]bool{}
	complete := true
	var failures []error
	for _, items := range s.turns() {
		outcomes := make([]outcome, len(items))
		group := contain.AtOnce(maxPuts)
		for i, item := range items {
			group.Go(func() { outcomes[i] = s.bring(ctx, item, there[item.ref], known, usable) })
		}
		group.Wait()
		for i, o := range outcomes {
			complete = complete && !o.open
			if o.err != nil {
				failures = append(failures, o.err)
			}
			if isBase(items[i].ref) {
				usable[items[i].ref] = s.usable(o.live)
			}
		}
	}
	if err := together(failures); err != nil || !complete || s.target.Mend {
		return err // where something waits the watch tells when that is over
	}
	return s.erase(ctx, s.prunable(there), there)
}

// maxPuts bounds the objects of a set that are applied at a time.
const maxPuts = 8

// turns returns the objects that can be applied at a time, by one turn after the other: namespaces and definitions
// first, and then, in the order of the spec, those of one kind that follow each other. What comes later in a manifest
// may need what comes before it, such as a pod its account; objects of one kind do not need each other.
func (s *objectSet) turns() [][]wanted {
	var turns [][]wanted
	for _, bases := range []bool{true, false} {
		of := slices.DeleteFunc(slices.Clone(s.items), func(w wanted) bool { return isBase(w.ref) != bases })
		for i, item := range of {
			if i == 0 || item.ref.APIVersion != of[i-1].ref.APIVersion || item.ref.Kind != of[i-1].ref.Kind {
				turns = append(turns, nil)
			}
			turns[len(turns)-1] = append(turns[len(turns)-1], item)
		}
	}
	return turns
}

// outcome is what became of an object.
type outcome struct {
	live *unstructured.Unstructured // as it is now, nil when it is not there
	open bool                       // it is not as wanted yet, and that is no failure
	err  error
}

// bring applies one object, unless something holds that back.
func (s *objectSet) bring(ctx context.Context, item wanted, live *unstructured.Unstructured, known map[unit.ObjectRef]trouble, usable map[unit.ObjectRef]bool) outcome {
	if s.done(item, live) {
		return outcome{live: live}
	}
	standing, _ := s.standing(item, live, known, usable)
	if standing == itemWaits || standing == itemRefused || standing == itemTaken || s.target.Mend && !s.mends(standing, item, live) {
		return outcome{live: live, open: true}
	}
	put, err := s.put(ctx, item, live)
	s.troubles.note(s.target.Address, item.ref, s.troubleOf(item, live, err))
	var unknown *UnknownKindError
	switch {
	case errors.As(err, &unknown) && s.definition(item.ref) != nil:
		return outcome{live: live, open: true} // it was taken on just now, the server needs a moment
	case err != nil:
		return outcome{live: live, err: err}
	}
	return outcome{live: put}
}

// together makes one error of several. As long as another try may help with one of them it is not blocked.
func together(failures []error) error {
	blocked := func(err error) bool { return unit.IsBlocked(err) }
	open := slices.DeleteFunc(slices.Clone(failures), blocked)
	var texts []string
	for _, err := range failures {
		if text := err.Error(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	switch {
	case len(failures) == 0:
		return nil
	case len(texts) == 1:
		return failures[0]
	case len(open) == 0:
		return unit.Blocked(strings.Join(texts, "; "))
	default:
		rest := slices.DeleteFunc(texts, func(text string) bool { return text == open[0].Error() })
		return fmt.Errorf("%w; %s", open[0], strings.Join(rest, "; "))
	}
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
	asWanted := live != nil && item.applied(live) && len(s.statusFields(item, live)) == 0 &&
		(len(s.fields(item, live)) == 0 || s.unchanged(ctx, item, live))
	if asWanted {
		return live, nil
	}
	live, err := s.cluster.Apply(ctx, Manager, s.over(item, live))
	if err == nil && len(s.statusFields(item, live)) > 0 {
		live, err = s.cluster.ApplyStatus(ctx, Manager, item.object)
	}
	var fixed *ImmutableError
	if errors.As(err, &fixed) {
		return nil, unit.Blocked(fixed.Error() + "; undo the change, or delete the object yourself to have it made anew")
	}
	return live, err
}

// remove deletes what bears our mark and does not stay, in the reverse order.
func (s *objectSet) remove(ctx context.Context, there objects) error {
	if s.keep {
		return nil
	}
	refs := slices.DeleteFunc(s.refs(), func(ref unit.ObjectRef) bool {
		return stays(ref) || !s.goes(ref, there[ref]) || there[ref].GetDeletionTimestamp() != nil
	})
	return s.erase(ctx, refs, there)
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
