package kube

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TakenAway returns the fields that were written before, are not written any more, and that live still has: what an
// upgrade takes away. What [Cluster.Compare] tells of desired and live anyway is not among them. It sends nothing.
func (c *Cluster) TakenAway(before, desired, live *unstructured.Unstructured) []unit.Field {
	next := desired
	if next.GetKind() == "Secret" {
		next = &unstructured.Unstructured{Object: withoutStringData(desired.Object)} // as it is stored
	}
	gone := c.Compare(before, next)
	if len(gone) == 0 {
		return nil
	}
	told := map[string]bool{}
	for _, field := range c.Compare(desired, live) {
		told[field.Path] = true
	}
	for _, field := range c.Compare(before, live) {
		if field.Before == "" { // somebody else was faster
			told[field.Path] = true
		}
	}
	var fields []unit.Field
	for _, field := range gone {
		if field.Before == "" && !told[field.Path] {
			fields = append(fields, unit.Field{Path: field.Path, Before: field.After})
		}
	}
	return fields
}
