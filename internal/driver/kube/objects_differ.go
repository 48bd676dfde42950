package kube

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// fields returns what applying the object would change by the looks of it, but for the digest.
func (s *objectSet) fields(item wanted, live *unstructured.Unstructured) []unit.Field {
	return slices.DeleteFunc(s.cluster.Compare(s.over(item, live), live), func(f unit.Field) bool {
		return strings.Contains(f.Path, AnnotationApplied)
	})
}

// unchanged asks the server whether a difference is one. Where it was another
// that was applied last the object is written anyway.
func (s *objectSet) unchanged(ctx context.Context, item wanted, live *unstructured.Unstructured) bool {
	if !s.ours(live) || !item.applied(live) {
		return false
	}
	unchanged, err := s.cluster.Unchanged(ctx, Manager, s.over(item, live), live)
	if err != nil { // it stays a difference; applying it will show what is wrong
		s.cluster.log.Debug().Str("object", item.ref.String()).Err(err).Msg("a difference could not be confirmed")
	}
	return err == nil && unchanged
}

// gone returns what applying the object would take away from it. What was applied last takes nothing away.
func (s *objectSet) gone(ctx context.Context, item wanted, live *unstructured.Unstructured) []unit.Field {
	if !s.ours(live) || item.applied(live) {
		return nil
	}
	fields, err := s.cluster.Gone(ctx, Manager, s.over(item, live), live)
	if err != nil { // the rest of the plan holds all the same
		s.cluster.log.Debug().Str("object", item.ref.String()).Err(err).Msg("what goes from an object could not be found out")
	}
	return fields
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
	if seen.digest == s.digest {
		fields = append(fields, seen.gone[item.ref]...)
	}
	return append(fields, s.statusFields(item, live)...)
}
