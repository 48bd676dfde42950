package player

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
)

// world is the cluster as the informers see it.
type world struct {
	pods     corelisters.PodLister
	services corelisters.ServiceLister
	secrets  corelisters.SecretLister
	slices   discoverylisters.EndpointSliceLister
	jobs     batchlisters.JobLister
	custom   *customResources
}

func newWorld(factory informers.SharedInformerFactory) world {
	return world{
		pods:     factory.Core().V1().Pods().Lister(),
		services: factory.Core().V1().Services().Lister(),
		secrets:  factory.Core().V1().Secrets().Lister(),
		slices:   factory.Discovery().V1().EndpointSlices().Lister(),
		jobs:     factory.Batch().V1().Jobs().Lister(),
	}
}

func ready(pod *corev1.Pod) bool {
	return condition(pod, corev1.PodReady) && pod.DeletionTimestamp == nil
}

func condition(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// hasEndpoints tells whether a client of the Service would reach somebody.
func (w world) hasEndpoints(namespace, service string) bool {
	slices, err := w.slices.EndpointSlices(namespace).List(labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: service}))
	if err != nil {
		return false
	}
	for _, slice := range slices {
		for _, endpoint := range slice.Endpoints {
			if endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready {
				return true
			}
		}
	}
	return false
}

// serviceOf finds the Service that a host name means: NAME, NAME.NAMESPACE and so on, or one
// pod of it, POD.NAME.NAMESPACE. It returns nil when there is none.
func (w world) serviceOf(host, namespace string) *corev1.Service {
	parts := append(strings.Split(host, "."), "", "")
	if parts[1] != "" {
		namespace = parts[1]
	}
	if service, err := w.services.Services(namespace).Get(parts[0]); err == nil {
		return service
	}
	if service, err := w.services.Services(parts[2]).Get(parts[1]); err == nil && parts[1] != "" {
		return service
	}
	return nil
}

// behind returns the ready pods that a host name leads to.
func (w world) behind(host, namespace string) []*corev1.Pod {
	service := w.serviceOf(host, namespace)
	if service == nil || len(service.Spec.Selector) == 0 || !w.hasEndpoints(service.Namespace, service.Name) {
		return nil
	}
	return w.readyPods(service.Namespace, service.Spec.Selector)
}

func (w world) readyPods(namespace string, selector map[string]string) []*corev1.Pod {
	all, err := w.pods.Pods(namespace).List(labels.SelectorFromSet(selector))
	if err != nil {
		return nil
	}
	var found []*corev1.Pod
	for _, pod := range all {
		if ready(pod) {
			found = append(found, pod)
		}
	}
	return found
}

// ownedBy tells the kind of a pod's controller.
func ownedBy(pod *corev1.Pod, kind string) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == kind
}
