package cause

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Held says what keeps an object that is being deleted, as a part of a sentence about it: the finalizers that others have set,
// for without whoever takes them off it would stay for ever. It is "" where there are none but those by which Kubernetes itself deletes what
// belongs to it.
func Held(finalizers []string) string {
	others := slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool {
		return name == metav1.FinalizerDeleteDependents || name == metav1.FinalizerOrphanDependents
	})
	switch len(others) {
	case 0:
		return ""
	case 1:
		return ", and stays until its finalizer " + others[0] + " is taken off"
	}
	slices.Sort(others)
	return ", and stays until its finalizers " + strings.Join(others, " and ") + " are taken off"
}
