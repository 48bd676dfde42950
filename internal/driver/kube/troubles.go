package kube

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// refusalAge is how long what was refused is not tried again while it looks the same.
const refusalAge = 5 * time.Minute

// troubles remember which objects of a set could not be applied, so that the others are seen to without
// trying those again each time. A process that has just started knows of none.
type troubles struct {
	mu     sync.Mutex
	byUnit map[addr.Object]map[unit.ObjectRef]trouble
}

// trouble is why an object could not be applied, and what it was about.
type trouble struct {
	refused bool // the server does not let it be changed; else another try may help
	why     string
	at      time.Time
	uid     types.UID
	fields  string // how it differed
	digest  string // of the wish
}

func newTroubles() *troubles { return &troubles{byUnit: map[addr.Object]map[unit.ObjectRef]trouble{}} }

// note replaces what is known of an object; nil is for one that was applied.
func (t *troubles) note(address addr.Object, ref unit.ObjectRef, about *trouble) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if about == nil {
		delete(t.byUnit[address], ref)
		if len(t.byUnit[address]) == 0 {
			delete(t.byUnit, address)
		}
		return
	}
	if t.byUnit[address] == nil {
		t.byUnit[address] = map[unit.ObjectRef]trouble{}
	}
	t.byUnit[address][ref] = *about
}

// of returns what is known of a unit's objects.
func (t *troubles) of(address addr.Object) map[unit.ObjectRef]trouble {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.byUnit[address])
}

// troubleOf returns what an attempt to apply an object has shown; nil when all is well with it.
func (s *objectSet) troubleOf(item wanted, live *unstructured.Unstructured, err error) *trouble {
	var unknown *UnknownKindError
	if err == nil || errors.As(err, &unknown) {
		return nil // the server says no more than that it needs a moment, if that
	}
	found := &trouble{refused: unit.IsBlocked(err), why: err.Error(), at: time.Now(), fields: s.lookOf(item, live), digest: item.digest}
	if live != nil {
		found.uid = live.GetUID()
	}
	return found
}

// lookOf names how an object differs from what is wanted.
func (s *objectSet) lookOf(item wanted, live *unstructured.Unstructured) string {
	if live == nil {
		return ""
	}
	var b strings.Builder
	for _, field := range s.fields(item, live) {
		fmt.Fprintf(&b, "%q=%q>%q\n", field.Path, field.Before, field.After)
	}
	return b.String()
}

// standing is what can be done about an object.
type standing int

const (
	itemOpen    standing = iota
	itemWaits            // for a namespace or definition of the same set
	itemRefused          // and looks as it did then
	itemFailed           // another try may help
	itemTaken            // it is a release's
)

// standing tells what can be done about an object that may differ, and why not. What is known to be usable,
// or not, is in usable.
func (s *objectSet) standing(item wanted, live *unstructured.Unstructured, known map[unit.ObjectRef]trouble, usable map[unit.ObjectRef]bool) (standing, string) {
	if why := s.taken(live); why != "" {
		return itemTaken, why
	}
	for _, other := range s.bases {
		if works, looked := usable[other.ref]; looked && !works && needs(item, other) {
			return itemWaits, other.ref.String() + " cannot be used yet"
		}
	}
	before, troubled := known[item.ref]
	switch {
	case !troubled || before.digest != item.digest:
		return itemOpen, ""
	case !before.refused:
		return itemFailed, before.why
	case live == nil || live.GetUID() != before.uid || time.Since(before.at) > refusalAge || s.lookOf(item, live) != before.fields:
		return itemOpen, ""
	default:
		return itemRefused, before.why
	}
}

// needs tells whether an object cannot be there without a base: the namespace that it lies in, or the
// definition of its kind.
func needs(item, other wanted) bool {
	if !isDefinition(other.ref) {
		return item.ref.Namespace == other.ref.Name
	}
	kind, _, _ := unstructured.NestedString(other.object.Object, "spec", "names", "kind")
	group, _, _ := unstructured.NestedString(other.object.Object, "spec", "group")
	return item.ref.Kind == kind && strings.HasPrefix(item.ref.APIVersion, group+"/")
}

// definition returns what defines the kind of an object in the same set, nil for nothing.
func (s *objectSet) definition(ref unit.ObjectRef) *wanted {
	for i := range s.bases {
		if other := &s.bases[i]; isDefinition(other.ref) && needs(wanted{ref: ref}, *other) {
			return other
		}
	}
	return nil
}

// usable tells whether others can be there because of an object, or nothing needs that.
func (s *objectSet) usable(live *unstructured.Unstructured) bool {
	if live == nil {
		return false
	}
	health, _ := s.cluster.Health(live)
	return health == unit.HealthReady
}
