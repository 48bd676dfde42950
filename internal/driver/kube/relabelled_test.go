package kube

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What pods read when they start matters while they are there, and stay.
func TestLabelsThatPodsMisread(t *testing.T) {
	start := []unit.StartLabel{{Key: "gateway", Release: "ovn", Chosen: "chosen"}}
	const on = unit.LabelEnabled
	for name, test := range map[string]struct {
		live, wanted map[string]string
		owned        []string
		want         bool
	}{
		"given":             {map[string]string{"chosen": on}, map[string]string{"chosen": on, "gateway": on}, []string{"chosen"}, true},
		"changed":           {map[string]string{"chosen": on, "gateway": "no"}, map[string]string{"chosen": on, "gateway": on}, []string{"chosen", "gateway"}, true},
		"taken":             {map[string]string{"chosen": on, "gateway": on}, map[string]string{"chosen": on}, []string{"chosen", "gateway"}, true},
		"somebody else's":   {map[string]string{"chosen": on, "gateway": on}, map[string]string{"chosen": on}, []string{"chosen"}, false},
		"as it is":          {map[string]string{"chosen": on, "gateway": on}, map[string]string{"chosen": on, "gateway": on}, []string{"chosen", "gateway"}, false},
		"of a new node":     {nil, map[string]string{"chosen": on, "gateway": on}, nil, false},
		"with other values": {map[string]string{"chosen": "no"}, map[string]string{"chosen": on, "gateway": on}, []string{"chosen"}, false},
		"where pods end":    {map[string]string{"chosen": on, "gateway": on}, map[string]string{"other": on}, []string{"chosen", "gateway"}, false},
		"of others' pods":   {map[string]string{"chosen": on, "gateway": on}, map[string]string{"other": on}, []string{"gateway"}, true},
		"another label":     {map[string]string{"chosen": on}, map[string]string{"chosen": on, "other": on}, []string{"chosen"}, false},
	} {
		n := &nodeLabels{name: "n", spec: &unit.Node{Name: "n", Labels: test.wanted, StartLabels: start}}
		seen := &seenNode{labels: test.live, owned: test.owned}
		if got := len(n.misread(seen)) > 0; got != test.want {
			t.Errorf("%s: %t", name, got)
		}
		diff := n.compare(unit.State{Existence: unit.Present, Observed: seen})
		if told := strings.Contains(diff.Cost, "pods of ovn on the node are replaced"); told != test.want {
			t.Errorf("%s: %+v", name, diff)
		}
	}
}

// The clock of the API server, by which pods are made, is the one that counts.
func TestWhenLabelsChanged(t *testing.T) {
	for _, test := range []struct{ annotation, wrote, want string }{
		{"", "2031-05-17T12:00:00Z", ""},
		{"soon", "2031-05-17T12:00:00Z", ""},
		{"2031-05-17T12:00:00Z", "2031-05-17T12:00:00Z", "2031-05-17T12:00:00Z"},
		{"2031-05-17T12:00:00Z", "2031-06-01T00:00:00Z", "2031-05-17T12:00:00Z"}, // other labels changed since
		{"2031-05-17T12:07:00Z", "2031-05-17T12:00:00Z", "2031-05-17T12:00:00Z"}, // our clock is ahead
	} {
		node := parse(t, "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {ours: enabled}}")
		node.SetAnnotations(map[string]string{unit.RelabelledAnnotation: test.annotation, "theirs": "x"})
		wrote, err := time.Parse(time.RFC3339, test.wrote)
		if err != nil {
			t.Fatal(err)
		}
		early := metav1.NewTime(wrote.Add(-time.Hour))
		node.SetManagedFields([]metav1.ManagedFieldsEntry{
			{Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate, Time: &early},
			{
				Manager: managerNodes, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1",
				FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:ours":{}}}}`), Time: &metav1.Time{Time: wrote},
			},
		})
		got := strip(strip(node)).GetAnnotations()
		if got[unit.RelabelledAnnotation] != test.want || got["theirs"] != "" {
			t.Errorf("%q, written at %s: %v", test.annotation, test.wrote, got)
		}
	}
}
