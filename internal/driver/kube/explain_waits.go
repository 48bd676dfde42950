package kube

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/cause"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// maxWaits is how many things are looked at that an init container waits for.
	maxWaits = 16
	notThere = "it is not there"
)

// unmet looks at what an init container waits for, and judges it as kubernetes-entrypoint does. It returns a
// reason for what is not as it has to be, "" for what is; what nobody can see from outside is left out, as is
// what could not be asked, for which there is an error.
func (x *explanation) unmet(pod *corev1.Pod, waits []cause.Dependency) (map[cause.Dependency]string, error) {
	reasons := map[cause.Dependency]string{}
	var failure error
	for i, d := range waits {
		look := x.look(d.Kind)
		if look == nil || i >= maxWaits {
			continue
		}
		reason, err := look(pod, d)
		if err != nil {
			failure = err
			continue
		}
		reasons[d] = reason
	}
	return reasons, failure
}

// look returns what judges things of a kind, nil for what only the container itself sees.
func (x *explanation) look(kind cause.DependencyKind) func(*corev1.Pod, cause.Dependency) (string, error) {
	switch kind {
	case cause.WaitsForService:
		return x.service
	case cause.WaitsForJob:
		return x.job
	case cause.WaitsForJobs:
		return x.jobs
	case cause.WaitsForDaemonSet:
		return x.daemonSet
	case cause.WaitsForPods:
		return x.podsOf
	case cause.WaitsForContainer:
		return neighbour
	case cause.WaitsForResource:
		return x.resource
	default:
		return nil
	}
}

// service wants one endpoint that is ready.
func (x *explanation) service(_ *corev1.Pod, d cause.Dependency) (string, error) {
	slices, err := listed[discoveryv1.EndpointSlice](x.ctx, x.cluster, discoveryv1.SchemeGroupVersion.WithResource("endpointslices"),
		d.Namespace, discoveryv1.LabelServiceName+"="+d.Name)
	if err != nil {
		return "", err
	}
	for _, slice := range slices {
		for _, endpoint := range slice.Endpoints {
			if len(endpoint.Addresses) > 0 && (endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready) {
				return "", nil
			}
		}
	}
	ref := unit.ObjectRef{APIVersion: "v1", Kind: "Service", Namespace: d.Namespace, Name: d.Name}
	service, err := x.cluster.Confirm(x.ctx, ref)
	switch {
	case err != nil:
		return "", err
	case service == nil:
		return notThere, nil
	default:
		return "no ready endpoint", nil
	}
}

// job wants it complete.
func (x *explanation) job(_ *corev1.Pod, d cause.Dependency) (string, error) {
	live, err := x.cluster.Confirm(x.ctx, unit.ObjectRef{APIVersion: "batch/v1", Kind: "Job", Namespace: d.Namespace, Name: d.Name})
	if err != nil {
		return "", err
	}
	return incomplete(live), nil
}

// incomplete says what is missing for a Job to be complete.
func incomplete(live *unstructured.Unstructured) string {
	if live == nil {
		return notThere
	}
	health, _ := jobHealth(live)
	if health == unit.HealthReady {
		return ""
	}
	if health == unit.HealthFailed {
		return "failed"
	}
	if failed, _, _ := unstructured.NestedInt64(live.Object, "status", "failed"); failed > 0 {
		return fmt.Sprintf("not complete, pods that failed: %s", cause.Coarse(int(failed)))
	}
	return "not complete"
}

// jobs wants all of them complete, and one at least.
func (x *explanation) jobs(_ *corev1.Pod, d cause.Dependency) (string, error) {
	list, err := x.cluster.dynamic.Resource(schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}).
		Namespace(d.Namespace).List(x.ctx, metav1.ListOptions{LabelSelector: d.Labels, Limit: maxPods})
	if err != nil {
		return "", x.cluster.explainError(err, "list jobs")
	}
	for i := range list.Items {
		if reason := incomplete(&list.Items[i]); reason != "" {
			return list.Items[i].GetName() + ": " + reason, nil
		}
	}
	if len(list.Items) == 0 {
		return "there is none", nil
	}
	return "", nil
}

// daemonSet wants a ready pod of it on the node of the pod that waits.
func (x *explanation) daemonSet(pod *corev1.Pod, d cause.Dependency) (string, error) {
	set, err := x.cluster.Confirm(x.ctx, unit.ObjectRef{APIVersion: "apps/v1", Kind: "DaemonSet", Namespace: d.Namespace, Name: d.Name})
	if err != nil {
		return "", err
	}
	if set == nil {
		return notThere, nil
	}
	selector, err := podSelector(set)
	if err != nil {
		return "", err
	}
	d.Labels = selector
	return x.podsOf(pod, d)
}

// podsOf wants one of the pods ready.
func (x *explanation) podsOf(pod *corev1.Pod, d cause.Dependency) (string, error) {
	options, where := metav1.ListOptions{LabelSelector: d.Labels, Limit: maxPods}, ""
	if d.SameNode {
		options.FieldSelector, where = fields.OneTermEqualSelector("spec.nodeName", pod.Spec.NodeName).String(), " on its node"
	}
	list, err := x.cluster.core.Pods(d.Namespace).List(x.ctx, options)
	if err != nil {
		return "", x.cluster.explainError(err, "list pods")
	}
	for i := range list.Items {
		for _, condition := range list.Items[i].Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
				return "", nil
			}
		}
	}
	if len(list.Items) == 0 {
		return "no pod" + where, nil
	}
	return "no ready pod" + where, nil
}

// neighbour wants another container of the same pod ready.
func neighbour(pod *corev1.Pod, d cause.Dependency) (string, error) {
	for _, status := range pod.Status.ContainerStatuses {
		if status.Name == d.Name && status.Ready {
			return "", nil
		}
	}
	return "not ready", nil
}

// resource wants fields to have certain values. What they have instead is nobody's business.
func (x *explanation) resource(_ *corev1.Pod, d cause.Dependency) (string, error) {
	live, err := x.cluster.Confirm(x.ctx, unit.ObjectRef{APIVersion: d.APIVersion, Kind: d.Resource, Namespace: d.Namespace, Name: d.Name})
	if err != nil {
		return "", err
	}
	if live == nil {
		return notThere, nil
	}
	for field := range strings.Lines(d.Fields) {
		key, want, _ := strings.Cut(strings.TrimSuffix(field, "\n"), "=")
		got, found, _ := unstructured.NestedFieldNoCopy(live.Object, strings.Split(key, ".")...)
		if !found || fmt.Sprint(got) != want {
			return fmt.Sprintf("its %s is not %s", key, want), nil
		}
	}
	return "", nil
}

// listed returns objects of a kind that a selector takes.
func listed[T any](ctx context.Context, c *Cluster, of schema.GroupVersionResource, namespace, selector string) ([]T, error) {
	list, err := c.dynamic.Resource(of).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: maxPods})
	if err != nil {
		return nil, c.explainError(err, "list "+of.Resource)
	}
	found := make([]T, len(list.Items))
	for i := range list.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}
