package kube

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// done tells whether an object has done what it is for and is not there any more. Kubernetes deletes a Job with a
// time to live once that has passed since its end. It was there when the set was last as it is wanted, so while
// nothing else is wanted it is not made again: its work would be done twice.
func (s *objectSet) done(item wanted, live *unstructured.Unstructured) bool {
	return live == nil && passes(item) && s.digest != "" && s.target.Applied == s.digest
}

// passes tells whether Kubernetes deletes an object by itself.
func passes(item wanted) bool {
	if id := item.ref.Identity(); id.Group != "batch" || id.Kind != "Job" {
		return false
	}
	limit, written, err := unstructured.NestedFieldNoCopy(item.object.Object, "spec", "ttlSecondsAfterFinished")
	return err == nil && written && limit != nil
}
