package kube

import (
	"errors"
	"testing"

	"github.com/rs/zerolog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAnswersThatAreNoKinds: what is no list of kinds does not make a kind, and with it all of its objects, absent.
func TestAnswersThatAreNoKinds(t *testing.T) {
	for answer, want := range map[string]string{
		`{}`:   "unknown",
		`null`: "unknown",
		`{"kind":"Status","apiVersion":"v1","status":"Success"}`:                                                                                    "unknown",
		`{"kind":"APIResourceList","groupVersion":"apps/v1","resources":[]}`:                                                                        "unknown",
		`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps"}]}`:                                                        "unknown",
		`{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`:                                                                             "absent",
		`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}`:                   "present",
		`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}`: "present",
	} {
		s := &fuzzServer{path: "/api/v1", body: []byte(answer)}
		c, err := New(Options{Access: NewAccess(&rest.Config{Host: "http://cluster.example.org", Transport: s}), Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		object, err := c.Confirm(t.Context(), unit.ObjectRef{APIVersion: "v1", Kind: "ConfigMap", Namespace: "n", Name: "a"})
		got := "present"
		switch {
		case err != nil:
			got = "unknown"
		case object == nil:
			got = "absent"
		}
		if got != want {
			t.Errorf("by %s it is %s: %v", answer, got, err)
		}
		c.Close()
	}
}

// TestListsEnd: a page that is followed by itself is the end of the patience, not of the list.
func TestListsEnd(t *testing.T) {
	asked := 0
	all, err := pages("", 1, func(metav1.ListOptions) ([]int, string, error) {
		asked++
		return []int{asked}, "more", nil
	})
	if !errors.Is(err, errEndless) || all != nil || asked != 2 {
		t.Errorf("%v, %v after %d pages", all, err, asked)
	}
}
