package kube

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// filledSecret makes the Secret of [unit.Filled], once the value that is put into its text is known.
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
		set.others, set.keep = []unit.ObjectRef{s.ref()}, s.target.Locator.Keep
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
	set.items = []wanted{{ref: s.ref(), object: marked(item, s.target.Address.String(), set.digest), digest: set.digest}}
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

func (s *filledSecret) waits(objects) string {
	return fmt.Sprintf("%s has no value %s yet", secretRef(s.spec.Namespace, s.spec.Source), s.spec.SourceKey)
}
