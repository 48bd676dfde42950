package kube

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// writtenAge bounds how long an answer of the server to a write counts for more than its watch. A
// watch lags by milliseconds.
const writtenAge = 15 * time.Second

// written holds what the server answered to our writes, so that nobody who looks right afterwards
// sees the world from before and writes again.
type written struct {
	mu      sync.Mutex
	objects map[unit.ObjectRef]writtenObject
}

// writtenObject is an answer; or, after a deletion, what was deleted.
type writtenObject struct {
	object  *unstructured.Unstructured
	deleted bool
	at      time.Time
}

func newWritten() *written { return &written{objects: map[unit.ObjectRef]writtenObject{}} }

// wrote remembers an answer.
func (w *written) wrote(ref unit.ObjectRef, object *unstructured.Unstructured) {
	w.put(ref, writtenObject{object: object, at: time.Now()})
}

// erased remembers that the object with that UID is gone.
func (w *written) erased(ref unit.ObjectRef, uid types.UID) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetUID(uid)
	w.put(ref, writtenObject{object: object, deleted: true, at: time.Now()})
}

func (w *written) put(ref unit.ObjectRef, entry writtenObject) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for other, old := range w.objects {
		if entry.at.Sub(old.at) > writtenAge {
			delete(w.objects, other)
		}
	}
	w.objects[ref] = entry
}

// seen drops what the watch has caught up with; version is that of what it showed last, and manager by whose label it
// watches. Only the watch that is to show what was written counts: the one that our write has taken the object out of
// says so at the same version, and may be heard first.
func (w *written) seen(ref unit.ObjectRef, manager, version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	entry, ok := w.objects[ref]
	if ok && !entry.deleted && otherManager(entry.object) == manager && !older(version, entry.object.GetResourceVersion()) {
		delete(w.objects, ref)
	}
}

// newer returns the newer one of what the watch shows (nil for nothing) and what was written.
func (w *written) newer(ref unit.ObjectRef, shown *unstructured.Unstructured) *unstructured.Unstructured {
	w.mu.Lock()
	defer w.mu.Unlock()
	entry, ok := w.objects[ref]
	if !ok {
		return shown
	}
	if entry.deleted {
		if shown != nil && shown.GetUID() == entry.object.GetUID() && time.Since(entry.at) <= writtenAge {
			return nil
		}
		delete(w.objects, ref)
		return shown
	}
	caughtUp := shown != nil && !older(shown.GetResourceVersion(), entry.object.GetResourceVersion())
	if caughtUp || time.Since(entry.at) > writtenAge {
		delete(w.objects, ref)
		return shown
	}
	return entry.object
}

// older tells whether version a is from before b. What is no version is not older.
func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}
