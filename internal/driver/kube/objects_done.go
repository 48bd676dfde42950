package kube

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// done tells whether an object has done what it is for and is not there any more. Kubernetes deletes a Job with a
// time to live once that has passed since its end. It was there when the set was last as it was wanted, so while
// nothing else is wanted of the Job itself it is not made again: its work would be done twice. One that we may have
// deleted ourselves has not done it, and is not on record any more: see [unit.Outlasting].
func (s *objectSet) done(item wanted, live *unstructured.Unstructured) bool {
	return live == nil && item.passes && unit.HadPassing(s.target.Applied, s.digest, item.digest)
}
