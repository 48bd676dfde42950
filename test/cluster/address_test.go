//go:build beds

package cluster_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// inTestNet1 checks for an address of 192.0.2.0/24.
func inTestNet1(text string) error {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return err
	}
	if !netip.MustParsePrefix("192.0.2.0/24").Contains(address) {
		return fmt.Errorf("%s is not in TEST-NET-1", address)
	}
	return nil
}

func TestLoadBalancerGetsAnAddress(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	for name, kind := range map[string]corev1.ServiceType{"outside": corev1.ServiceTypeLoadBalancer, "inside": corev1.ServiceTypeClusterIP} {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{Type: kind, Ports: []corev1.ServicePort{{Port: 80}}}}
		if _, err := client.CoreV1().Services(namespace).Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the LoadBalancer has an address", func(ctx context.Context) error {
		service, err := client.CoreV1().Services(namespace).Get(ctx, "outside", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(service.Status.LoadBalancer.Ingress) != 1 {
			return fmt.Errorf("status is %+v", service.Status)
		}
		return inTestNet1(service.Status.LoadBalancer.Ingress[0].IP)
	})
	service, err := client.CoreV1().Services(namespace).Get(t.Context(), "inside", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(service.Status.LoadBalancer.Ingress) != 0 {
		t.Errorf("a ClusterIP Service got an outside address: %+v", service.Status)
	}
}

func TestIngressGetsAnAddress(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	ingress := &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Name: "api"}, Spec: networkingv1.IngressSpec{
		DefaultBackend: &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "api", Port: networkingv1.ServiceBackendPort{Number: 80}}},
	}}
	if _, err := client.NetworkingV1().Ingresses(namespace).Create(t.Context(), ingress, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the Ingress has an address", func(ctx context.Context) error {
		ingress, err := client.NetworkingV1().Ingresses(namespace).Get(ctx, "api", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(ingress.Status.LoadBalancer.Ingress) != 1 {
			return fmt.Errorf("status is %+v", ingress.Status)
		}
		return inTestNet1(ingress.Status.LoadBalancer.Ingress[0].IP)
	})
}

// A pod with hostNetwork has its node's address, which a Service must be able to point at.
func TestHostNetworkPodHasItsNodesAddress(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	agent := newPod("agent", nil)
	agent.Spec.HostNetwork = true
	createPod(t, client, namespace, agent)
	pod := waitPod(t, client, namespace, "agent", running)
	if pod.Status.PodIP != pod.Status.HostIP {
		t.Errorf("the pod has %s, its node %s", pod.Status.PodIP, pod.Status.HostIP)
	}
	if netip.MustParseAddr(pod.Status.PodIP).IsLoopback() {
		t.Errorf("%s is a loopback address, which endpoints must not have", pod.Status.PodIP)
	}
}
