package kube

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxVerdicts bounds what is remembered; a verdict that was dropped costs one request.
const maxVerdicts = 4096

// verdict is about an object as it was, whatever its status, and a wish. Its version would not do:
// that changes with the status, which during a rollout is all the time.
type verdict struct {
	uid        types.UID
	live, wish [sha256.Size]byte
}

// verdicts remembers what dry runs have shown.
type verdicts struct {
	mu   sync.Mutex
	seen map[verdict]bool
	gone map[verdict][]unit.Field // what an apply takes away, see [Cluster.Gone]
}

func newVerdicts() *verdicts {
	return &verdicts{seen: map[verdict]bool{}, gone: map[verdict][]unit.Field{}}
}

// Unchanged asks the server, by a dry run, whether applying desired as the manager would leave the
// live object as it is. It is for differences that [Cluster.Compare] sees and the server would
// default or normalise away. desired is sent as it is, so it needs the labels that it is meant to
// have. An answer is remembered as long as both stay the same.
func (c *Cluster) Unchanged(ctx context.Context, manager string, desired, live *unstructured.Unstructured) (bool, error) {
	about, err := verdictOf(manager, desired, live)
	if err != nil {
		return false, err
	}
	if unchanged, ok := c.verdicts.get(about); ok {
		return unchanged, nil
	}
	result, err := c.apply(ctx, sendable(desired),
		metav1.ApplyOptions{FieldManager: manager, Force: true, DryRun: []string{metav1.DryRunAll}})
	var twice *doubledError
	if errors.As(err, &twice) {
		c.verdicts.put(about, false)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	unchanged := result.GetUID() == live.GetUID() && sameWish(result, live)
	c.verdicts.put(about, unchanged)
	return unchanged, nil
}

// verdictOf returns what a verdict is about.
func verdictOf(manager string, desired, live *unstructured.Unstructured) (verdict, error) {
	wish, err := sum(manager, desired.Object)
	if err != nil {
		return verdict{}, fmt.Errorf("compare %s: %w", unit.RefOf(desired.Object), err)
	}
	content, metadata := maps.Clone(live.Object), maps.Clone(metadataOf(live))
	delete(content, "metadata")
	delete(content, "status")
	for _, field := range []string{"resourceVersion", "generation", fieldManagers} {
		delete(metadata, field)
	}
	state, err := sum(content, metadata)
	if err != nil {
		return verdict{}, fmt.Errorf("compare %s: %w", unit.RefOf(desired.Object), err)
	}
	return verdict{uid: live.GetUID(), live: state, wish: wish}, nil
}

// sameWish tells whether two stripped objects differ in their status or versions at most.
func sameWish(a, b *unstructured.Unstructured) bool {
	return sameMap(a.Object, b.Object, "metadata", "status") &&
		sameMap(metadataOf(a), metadataOf(b), "resourceVersion", "generation", fieldManagers)
}

// sum is a digest of values that have a JSON.
func sum(values ...any) ([sha256.Size]byte, error) {
	text, err := json.Marshal(values)
	return sha256.Sum256(text), err
}

func (v *verdicts) get(about verdict) (unchanged, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	unchanged, ok = v.seen[about]
	return unchanged, ok
}

func (v *verdicts) put(about verdict, unchanged bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.seen) >= maxVerdicts {
		clear(v.seen)
	}
	v.seen[about] = unchanged
}

func (v *verdicts) goes(about verdict) (fields []unit.Field, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fields, ok = v.gone[about]
	return slices.Clone(fields), ok // whoever tells them says whose they are
}

func (v *verdicts) putGone(about verdict, fields []unit.Field) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.gone) >= maxVerdicts {
		clear(v.gone)
	}
	v.gone[about] = slices.Clone(fields)
}
