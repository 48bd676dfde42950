package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// apply applies what differs: namespaces and definitions first, the rest as far as what it needs of those can
// be used. What cannot be applied holds back nothing else, but for the deletion of what is not wanted any
// more. What was refused and looks as it did then is not tried again.
func (s *objectSet) apply(ctx context.Context, there objects) error {
	for _, secret := range s.secrets { // the server may quote what it refuses
		if text := secret.Reveal(); s.cluster.mask(text) == text && s.cluster.masker != nil {
			s.cluster.masker.Add(secret)
		}
	}
	known := s.troubles.of(s.target.Address)
	usable := map[unit.ObjectRef]bool{}
	complete := true
	var failures []error
	for _, bases := range []bool{true, false} {
		for _, item := range s.items {
			live := there[item.ref]
			switch standing, _ := s.standing(item, live, known, usable); {
			case isBase(item.ref) != bases, s.done(item, live):
				continue
			case standing == itemWaits, standing == itemRefused, s.target.Mend && !s.mends(standing, live):
				complete = false
			default:
				put, err := s.put(ctx, item, live)
				if err == nil {
					live = put
				}
				s.troubles.note(s.target.Address, item.ref, s.troubleOf(item, there[item.ref], err))
				var unknown *UnknownKindError
				switch {
				case errors.As(err, &unknown) && s.definition(item.ref) != nil:
					complete = false // it was taken on just now, the server needs a moment
				case err != nil:
					failures = append(failures, err)
				}
			}
			usable[item.ref] = s.usable(live)
		}
	}
	if err := together(failures); err != nil || !complete || s.target.Mend {
		return err // where something waits the watch tells when that is over
	}
	return s.erase(ctx, s.prunable(there), there)
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

// remove deletes what bears our mark and does not stay, in the reverse order.
func (s *objectSet) remove(ctx context.Context, there objects) error {
	if s.keep {
		return nil
	}
	refs := slices.DeleteFunc(s.refs(), func(ref unit.ObjectRef) bool {
		return stays(ref) || s.elsewhere(ref) || !s.recordedOurs(there[ref]) || there[ref].GetDeletionTimestamp() != nil
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
