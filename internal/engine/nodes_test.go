package engine_test

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

var _ engine.Disowner = fake{}

// hostOf is the node that a target is about: the one that is wanted, or else the one on record.
func hostOf(t unit.Target) string {
	at := t.Locator
	if t.Spec != nil {
		at = t.Spec.Locator()
	}
	if at.Kind != unit.KindNode {
		return ""
	}
	return at.Name
}

// named is an address with the node that it is about, where that has another name.
func named(a addr.Object, o *object) string {
	if o.host == "" || o.host == a.Name() {
		return a.String()
	}
	return a.String() + "@" + o.host
}

// Disown leaves the labels of a node to others.
func (f fake) Disown(ctx context.Context, t unit.Target) error {
	if err := f.world.point(ctx); err != nil {
		return err
	}
	f.world.mutex.Lock()
	if o := f.world.find(t); o != nil && o.host != "" {
		o.mark, o.disowned = "", true
	}
	f.world.mutex.Unlock()
	return f.world.point(ctx)
}
