package kube

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// annotationMark is the mark of the object inside OpenStack that a Secret has a part of.
const annotationMark = "kupenstack.io/mark"

// Kept returns what a Secret holds, nil when it certainly is not there. Of one that [Cluster.Keep] has not made it
// returns no values. One of ours costs no request. A reference without namespace is to our own.
func (c *Cluster) Kept(ctx context.Context, ref unit.ObjectRef) (*unit.Kept, error) {
	object, err := c.keptObject(ctx, ref)
	if err != nil || object == nil {
		return nil, err
	}
	kind, _ := object.Object["type"].(string)
	kept := &unit.Kept{Mark: object.GetAnnotations()[annotationMark], Type: kind, Values: map[string]redact.Secret{}}
	data, _ := object.Object["data"].(map[string]any)
	if kept.Mark == "" {
		return kept, nil
	}
	for key := range data {
		value, found, err := secretValue(object, key)
		if err != nil {
			return nil, err
		}
		if found {
			kept.Values[key] = value
		}
	}
	return kept, nil
}

// keptObject returns a Secret, nil when it certainly is not there.
func (c *Cluster) keptObject(ctx context.Context, ref unit.ObjectRef) (*unstructured.Unstructured, error) {
	ref = c.keptIn(ref)
	objects, err := c.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	if object := objects[ref]; object != nil {
		return object, nil
	}
	return c.Confirm(ctx, ref) // it need not bear our label
}

func (c *Cluster) keptIn(ref unit.ObjectRef) unit.ObjectRef {
	ref.Namespace = cmp.Or(ref.Namespace, c.namespace)
	return ref
}

// Keep makes a Secret. False without an error means that there is one of that name already, which stays as it is.
func (c *Cluster) Keep(ctx context.Context, ref unit.ObjectRef, kept *unit.Kept) (made bool, err error) {
	if kept.Mark == "" {
		return false, fmt.Errorf("make %s: it would belong to nobody", ref)
	}
	ref = c.keptIn(ref)
	data := map[string]any{}
	for key, value := range kept.Values {
		if c.masker != nil {
			c.masker.Add(value) // the server may quote what it refuses
		}
		data[key] = base64.StdEncoding.EncodeToString([]byte(value.Reveal()))
	}
	for key, value := range kept.Plain {
		data[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": kept.Type, "data": data,
		"metadata": map[string]any{"namespace": ref.Namespace, "name": ref.Name},
	}}
	object.SetAnnotations(map[string]string{annotationMark: kept.Mark})
	_, err = c.Create(ctx, Manager, object)
	if errors.Is(err, ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

// Discard deletes a Secret as long as it bears the mark; all others stay.
func (c *Cluster) Discard(ctx context.Context, ref unit.ObjectRef, mark string) error {
	ref = c.keptIn(ref)
	object, err := c.Confirm(ctx, ref)
	if err != nil || object == nil || mark == "" || object.GetAnnotations()[annotationMark] != mark {
		return err
	}
	return c.Delete(ctx, ref, object.GetUID())
}
