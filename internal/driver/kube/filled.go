package kube

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// filledSecret handles [unit.Filled]: a set of one object, once the value that is put into its text is known.
type filledSecret struct {
	driver *Driver
	target unit.Target
	spec   *unit.Filled // nil for what is no longer wanted
}

func (s *filledSecret) ref() unit.ObjectRef {
	if s.spec != nil {
		return secretRef(s.spec.Namespace, s.spec.Name)
	}
	return secretRef(s.target.Locator.Namespace, s.target.Locator.Name)
}

// refs has the sources as well, so that a change of them is heard of.
func (s *filledSecret) refs() []unit.ObjectRef {
	refs := []unit.ObjectRef{s.ref()}
	if s.spec != nil {
		refs = append(refs, secretRef(s.spec.Namespace, s.spec.Source))
		for _, c := range s.spec.Copies {
			refs = append(refs, secretRef(s.spec.Namespace, c.Source))
		}
	}
	return refs
}

// set returns the object to apply; nil while the value is not there. The value is no part of the digest that
// everybody can read beside it.
func (s *filledSecret) set(there objects) (*objectSet, error) {
	set := &objectSet{cluster: s.driver.cluster, troubles: s.driver.troubles, index: s.driver.index, target: s.target}
	if s.spec == nil {
		set.others = []unit.ObjectRef{s.ref()}
		return set, nil
	}
	source := there[secretRef(s.spec.Namespace, s.spec.Source)]
	if source == nil {
		return nil, nil
	}
	value, found, err := secretValue(source, s.spec.SourceKey)
	if err != nil || !found {
		return nil, err
	}
	quoted, err := json.Marshal(value.Reveal())
	if err != nil {
		return nil, fmt.Errorf("%s: the value for it cannot be written", s.ref()) // the error would quote it
	}
	text := s.spec.Before + string(quoted) + s.spec.After
	data := map[string]any{s.spec.Key: base64.StdEncoding.EncodeToString([]byte(text))}
	if err := s.addCopies(there, data); err != nil {
		return nil, err
	}
	item := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
		"metadata": map[string]any{"namespace": s.spec.Namespace, "name": s.spec.Name},
		"data":     data,
	}
	set.digest = s.spec.Digest()
	set.items = []wanted{{ref: s.ref(), object: marked(item, s.target.Address.String(), set.digest)}}
	set.secrets = []redact.Secret{value}
	return set, nil
}

// addCopies adds what is only copied, as far as it is there.
func (s *filledSecret) addCopies(there objects, data map[string]any) error {
	for _, c := range s.spec.Copies {
		source := there[secretRef(s.spec.Namespace, c.Source)]
		if source == nil {
			continue
		}
		switch value, found, err := secretValue(source, c.SourceKey); {
		case err != nil:
			return err
		case found && value.Reveal() != "":
			data[c.Key] = base64.StdEncoding.EncodeToString([]byte(value.Reveal()))
		}
	}
	return nil
}

// waits says what is missing.
func (s *filledSecret) waits() string {
	return fmt.Sprintf("%s has no value %s yet", secretRef(s.spec.Namespace, s.spec.Source), s.spec.SourceKey)
}

// seenFilled is what a state keeps for Compare: the set holds the value.
type seenFilled struct {
	set  *objectSet // nil while the value is not there
	seen any
}

func (s *filledSecret) state(ctx context.Context, there objects) (unit.State, error) {
	set, err := s.set(there)
	if err != nil {
		return unit.State{}, err
	}
	if set == nil {
		state := unit.State{Existence: unit.Absent, Message: s.waits(), After: lookAgain, Observed: seenFilled{}}
		if live := there[s.ref()]; live != nil {
			state.Existence, state.Health = unit.Present, unit.HealthProgressing
			state.Owned = live.GetAnnotations()[AnnotationUnit] == s.target.Address.String()
		}
		return state, nil
	}
	state, err := set.state(ctx, there)
	state.Observed = seenFilled{set: set, seen: state.Observed}
	return state, err
}

func (s *filledSecret) compare(state unit.State) unit.Diff {
	seen, ok := state.Observed.(seenFilled)
	switch {
	case !ok:
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the state is not this driver's"}
	case seen.set == nil && state.Existence == unit.Absent:
		return unit.Diff{Action: unit.ActionCreate, Waits: true, Reason: s.waits()}
	case seen.set == nil:
		return unit.Diff{Action: unit.ActionNone, Reason: s.waits()}
	}
	state.Observed = seen.seen
	return seen.set.compare(state)
}

func (s *filledSecret) apply(ctx context.Context, there objects) error {
	set, err := s.set(there)
	if err != nil || set == nil { // the next look tells of what is missing
		return err
	}
	return set.apply(ctx, there)
}

// remove is asked for without a spec.
func (s *filledSecret) remove(ctx context.Context, there objects) error {
	set, err := s.set(there)
	if err != nil || set == nil {
		return err
	}
	return set.remove(ctx, there)
}
