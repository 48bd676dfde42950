package deploy_test

import (
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// policy returns the NetworkPolicy among what the chart makes, nil without one.
func policy(t *testing.T, given values) *networkingv1.NetworkPolicy {
	t.Helper()
	for _, object := range objects(t, "lab", given) {
		if object.GetKind() == "NetworkPolicy" {
			var p networkingv1.NetworkPolicy
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &p, true); err != nil {
				t.Fatal(err)
			}
			return &p
		}
	}
	return nil
}

// Metrics are read from within the cluster, webhooks come from anywhere, and nothing else reaches the daemon.
func TestWhoReachesTheDaemon(t *testing.T) {
	repo := values{"url": exampleURL}
	p := policy(t, values{"repo": repo})
	if p == nil || len(p.Spec.Ingress) != 1 || len(p.Spec.PolicyTypes) != 1 || p.Spec.PolicyTypes[0] != networkingv1.PolicyTypeIngress {
		t.Fatalf("without anything written: %+v", p)
	}
	metrics := p.Spec.Ingress[0]
	if len(metrics.From) != 1 || metrics.From[0].NamespaceSelector == nil || len(metrics.Ports) != 1 || metrics.Ports[0].Port.String() != "http" {
		t.Errorf("metrics: %+v", metrics)
	}
	pod := deployment(t, objects(t, "lab", values{"repo": repo})).Spec.Template.Labels
	for key, value := range p.Spec.PodSelector.MatchLabels {
		if pod[key] != value {
			t.Errorf("it is about pods with %s=%s, and the daemon has %v", key, value, pod)
		}
	}
	p = policy(t, values{"repo": repo, "webhook": values{"secret": "hook"}, "networkPolicy": values{
		"metricsFrom": []any{values{"namespaceSelector": values{"matchLabels": values{"a": "b"}}}},
		"egress":      []any{values{"ports": []any{values{"port": 443}}}},
	}})
	if len(p.Spec.Ingress) != 2 || p.Spec.Ingress[0].From[0].NamespaceSelector.MatchLabels["a"] != "b" || len(p.Spec.Ingress[1].From) != 0 ||
		p.Spec.Ingress[1].Ports[0].Port.String() != "webhook" || len(p.Spec.Egress) != 1 || len(p.Spec.PolicyTypes) != 2 {
		t.Errorf("as written: %+v", p.Spec)
	}
	for _, nobody := range []any{[]any{}, nil} {
		chosen := values{"metricsFrom": nobody}
		if p = policy(t, values{"repo": repo, "networkPolicy": chosen}); len(p.Spec.Ingress) != 0 || len(p.Spec.PolicyTypes) != 1 {
			t.Errorf("nobody may read metrics: %+v", p.Spec)
		}
		p = policy(t, values{"repo": repo, "webhook": values{"secret": "hook"}, "networkPolicy": chosen})
		if len(p.Spec.Ingress) != 1 || p.Spec.Ingress[0].Ports[0].Port.String() != "webhook" {
			t.Errorf("nobody may read metrics, and forges send webhooks: %+v", p.Spec)
		}
	}
	if p := policy(t, values{"repo": repo, "networkPolicy": values{"enabled": false}}); p != nil {
		t.Errorf("though nobody wants one: %+v", p)
	}
}
