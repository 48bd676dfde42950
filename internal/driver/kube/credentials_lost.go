package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxNamed is how many keys and objects a message names where there may be dozens.
const maxNamed = 3

// recovered returns the value of a key that is missing as releases have it, or an empty one that may be
// made anew, unless there are objects left that were made with the old one by releases that nothing
// else tells of. The error is a [unit.BlockedError] when releases do not tell the value.
func (s *credentialSet) recovered(ctx context.Context, credential unit.Credential) (redact.Secret, []unit.ObjectRef, error) {
	if s.recoverer == nil && len(credential.Uses) > 0 {
		return redact.Secret{}, nil, fmt.Errorf("the value %s of %s: nothing can tell whether a release has it", credential.Key, s.ref())
	}
	held, err := s.held(ctx, credential)
	switch {
	case err != nil:
		return redact.Secret{}, nil, err
	case held.disputed():
		return redact.Secret{}, nil, unit.Blocked(fmt.Sprintf(
			"the value %s of %s is lost, and releases hold different ones for it: put the right one into the Secret", credential.Key, s.ref()))
	case !held.value.IsEmpty():
		return held.value, nil, nil
	case len(held.silent) > 0:
		return redact.Secret{}, nil, unit.Blocked(fmt.Sprintf(
			"the value %s of %s is lost, release %s was installed with it and does not tell it: put it back into the Secret, or remove the release",
			credential.Key, s.ref(), held.silent[0]))
	}
	left, err := s.left(ctx, credential)
	return redact.Secret{}, left, err
}

// left returns what is there of the releases that use a credential.
func (s *credentialSet) left(ctx context.Context, credential unit.Credential) ([]unit.ObjectRef, error) {
	var left []unit.ObjectRef
	for _, use := range credential.Uses {
		object, found, err := s.recoverer.Remains(ctx, use.Namespace, use.Release)
		if err != nil {
			return nil, fmt.Errorf("look for what is left of release %s/%s: %w", use.Namespace, use.Release, err)
		}
		if found && !slices.Contains(left, object) {
			left = append(left, object)
		}
	}
	return left, nil
}

// lost says why values that are missing are not made anew, "" when they can be, or can be read back. It
// asks what making them asks, so that a plan tells beforehand.
func (s *credentialSet) lost(ctx context.Context, there map[string]bool) (string, error) {
	if s.spec == nil || s.recoverer == nil {
		return "", nil
	}
	var keys []string
	var left []unit.ObjectRef
	for _, credential := range missingKeys(s.spec, there) {
		_, of, err := s.recovered(ctx, credential)
		switch {
		case unit.IsBlocked(err):
			return err.Error(), nil
		case err != nil:
			return "", err
		case len(of) > 0:
			keys, left = append(keys, credential.Key), append(left, of...)
		}
	}
	if len(keys) == 0 {
		return "", nil
	}
	return s.bereft(keys, left), nil
}

// bereft says that values are lost which nobody can tell any more, and which processes and data of a
// running cloud still know: new ones would lock everybody out.
func (s *credentialSet) bereft(keys []string, left []unit.ObjectRef) string {
	slices.SortFunc(left, unit.ObjectRef.Compare)
	var objects []string
	for _, object := range slices.Compact(left) {
		objects = append(objects, object.String())
	}
	return fmt.Sprintf("values of %s are lost (%s), and so are Helm's records of the releases that were made with them, while these are still there: %s. "+
		"Restore the Secret from a backup; or, to begin anew, delete what is left of these releases together with the volumes of their data",
		s.ref(), few(keys), few(objects))
}

// few names the first of many.
func few(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		names = append(slices.Clone(names[:maxNamed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
