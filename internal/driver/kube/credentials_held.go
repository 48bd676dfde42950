package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// held is what releases say of a credential.
type held struct {
	value   redact.Secret // the first that was found
	holders []string      // the releases that hold it
	others  []string      // releases that hold another one
	silent  []string      // releases that are there and hold none
}

func (h held) disputed() bool { return len(h.others) > 0 }

// held asks the releases that use a credential for its value. An error means that it is not known.
func (s *credentialSet) held(ctx context.Context, credential unit.Credential) (held, error) {
	var h held
	for _, use := range credential.Uses {
		name := use.Namespace + "/" + use.Release
		value, exists, err := s.recoverer.Recover(ctx, use)
		switch {
		case err != nil:
			return held{}, fmt.Errorf("look for the value %s of %s in release %s: %w", credential.Key, s.ref(), name, err)
		case value.IsEmpty():
			if exists {
				h.silent = append(h.silent, name)
			}
		case h.value.IsEmpty():
			h.value, h.holders = value, append(h.holders, name)
		case h.value.Equal(value):
			h.holders = append(h.holders, name)
		default:
			h.others = append(h.others, name)
		}
	}
	return h, nil
}

// edits are the differences between a Secret and the releases that were made from it.
type edits struct {
	values   map[string]redact.Secret // what releases hold, by the key that has another value now
	disputed []string                 // a sentence for each key that they hold different values for
}

// edits finds out what somebody changed in the Secret. While a release holds a value, that one is
// what its databases and brokers know: an edit would lock everybody out. Keys without a value are
// not looked at, nor is a version of the Secret that was in order before.
func (s *credentialSet) edits(ctx context.Context, live *unstructured.Unstructured) (edits, error) {
	found := edits{values: map[string]redact.Secret{}}
	if live == nil || s.spec == nil || s.recoverer == nil {
		return found, nil
	}
	version := live.GetResourceVersion() + " " + string(live.GetUID()) + " " + s.spec.Digest()
	if s.agreed.are(s.ref(), version) {
		return found, nil
	}
	there := valuesOf(live)
	for _, credential := range s.spec.Keys {
		if !there[credential.Key] || len(credential.Uses) == 0 {
			continue
		}
		value, _, err := secretValue(live, credential.Key)
		if err != nil {
			return edits{}, err
		}
		held, err := s.held(ctx, credential)
		switch {
		case err != nil:
			return edits{}, err
		case held.disputed():
			found.disputed = append(found.disputed, fmt.Sprintf(
				"releases hold different values for %s of %s (%s; %s): bring them to the same one",
				credential.Key, s.ref(), strings.Join(slices.Compact(held.holders), ", "), strings.Join(slices.Compact(held.others), ", ")))
		case !held.value.IsEmpty() && !held.value.Equal(value):
			found.values[credential.Key] = held.value
		}
	}
	if len(found.values)+len(found.disputed) == 0 {
		s.agreed.put(s.ref(), version)
	}
	return found, nil
}

// agreements remembers which version of a Secret had nothing but what releases hold, so that
// looking at it again costs nothing.
type agreements struct {
	mu       sync.Mutex
	versions map[unit.ObjectRef]string
}

func newAgreements() *agreements { return &agreements{versions: map[unit.ObjectRef]string{}} }

func (a *agreements) are(ref unit.ObjectRef, version string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.versions[ref] == version
}

func (a *agreements) put(ref unit.ObjectRef, version string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.versions[ref] = version
}
