//go:build beds

package e2e_test

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deletesOf counts how often the daemons have asked for each object of a kind in the cloud's namespace to be deleted.
func (s *kinds) deletesOf(t *testing.T, plural string) map[string]int {
	t.Helper()
	times := map[string]int{}
	for _, write := range s.Writes(t, 0) {
		if name, is := strings.CutPrefix(write, "delete /api/v1/namespaces/"+namespace+"/"+plural+"/"); is {
			name, _, _ = strings.Cut(name, "?")
			times[name]++
		}
	}
	return times
}

// podsOnce wants a pod to have been replaced for each change of what Kubernetes leaves to us, and none twice.
func (s *kinds) podsOnce(t *testing.T) {
	t.Helper()
	replaced, want := 0, 0
	for name, times := range s.deletesOf(t, "pods") {
		if !strings.HasPrefix(name, "openvswitch-") || times != 1 {
			t.Errorf("%s: the pod %s was deleted %d times", s.where(), name, times)
		}
		replaced++
	}
	if s.changed {
		want = 1 // as there is one node
	}
	if replaced != want {
		t.Errorf("%s: %d pods were replaced, want %d", s.where(), replaced, want)
	}
}

// claims are the names of the claims to volumes, sorted.
func (s *kinds) claims(t *testing.T) []string {
	t.Helper()
	list, err := s.Cluster.Client().CoreV1().PersistentVolumeClaims(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return slices.Sorted(slices.Values(names))
}

// dataOnce wants the claims of the database, whose data was to go, to be deleted, each once, and all others to be there.
func (s *kinds) dataOnce(t *testing.T, before []string) {
	t.Helper()
	var stay []string
	deleted := s.deletesOf(t, "persistentvolumeclaims")
	for _, name := range before {
		want := 0
		if strings.HasPrefix(name, "mysql-data-") {
			want = 1
		} else {
			stay = append(stay, name)
		}
		if deleted[name] != want {
			t.Errorf("%s: the claim %s was deleted %d times, want %d", s.where(), name, deleted[name], want)
		}
	}
	if len(stay) == 0 || len(stay) == len(before) {
		t.Errorf("%s: there were the claims %q, and none of them is to go, or all", s.where(), before)
	}
	if left := s.claims(t); !slices.Equal(left, stay) {
		t.Errorf("%s: of the claims %q are left %q, want %q", s.where(), before, left, stay)
	}
}
