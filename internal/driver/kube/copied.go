package kube

import (
	"encoding/base64"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// copiedSecret makes the Secret of [unit.Copied].
type copiedSecret struct {
	driver *Driver
	target unit.Target
	spec   *unit.Copied
}

func (s *copiedSecret) ref() unit.ObjectRef { return secretRef(s.spec.Namespace, s.spec.Name) }

func (s *copiedSecret) source() unit.ObjectRef {
	return secretRef(s.spec.Source.Namespace, s.spec.Source.Name)
}

func (s *copiedSecret) refs() []unit.ObjectRef { return []unit.ObjectRef{s.ref(), s.source()} }

// value returns what is copied; nothing while it is not there, or is in a Secret of another type.
func (s *copiedSecret) value(there objects) (value redact.Secret, found bool, err error) {
	source := there[s.source()]
	if source == nil || source.Object["type"] != s.spec.Source.Type {
		return redact.Secret{}, false, nil
	}
	return secretValue(source, s.spec.Source.Key)
}

func (s *copiedSecret) set(there objects) (*objectSet, error) {
	value, found, err := s.value(there)
	if err != nil || !found || value.IsEmpty() {
		return nil, err
	}
	metadata := map[string]any{"namespace": s.spec.Namespace, "name": s.spec.Name}
	if len(s.spec.Labels) > 0 {
		labels := map[string]any{}
		for name, text := range s.spec.Labels {
			labels[name] = text
		}
		metadata["labels"] = labels
	}
	item := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": metadata,
		"data": map[string]any{s.spec.Key: base64.StdEncoding.EncodeToString([]byte(value.Reveal()))},
	}
	digest := s.spec.Digest() // everybody can read it beside the object, so the value is no part of it
	return &objectSet{
		cluster: s.driver.cluster, troubles: s.driver.troubles, index: s.driver.index, target: s.target, keep: true, digest: digest,
		items: []wanted{{ref: s.ref(), object: marked(item, s.target.Address.String(), digest), digest: digest}}, secrets: []redact.Secret{value},
	}, nil
}

func (s *copiedSecret) waits(there objects) string {
	source := there[s.source()]
	switch {
	case source == nil:
		return fmt.Sprintf("%s is not there yet", s.source())
	case source.Object["type"] != s.spec.Source.Type:
		return fmt.Sprintf("%s is not of the type %s, so nothing of it is taken", s.source(), s.spec.Source.Type)
	default:
		return fmt.Sprintf("%s has no value %s yet", s.source(), s.spec.Source.Key)
	}
}
