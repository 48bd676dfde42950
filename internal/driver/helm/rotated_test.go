package helm

import (
	"encoding/base64"
	"encoding/pem"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// authority returns a bundle with a certificate, as the API has it.
func authority(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

// An authority that a program keeps by itself is left to it, also where the chart has one; what people write is not, nor
// what is none.
func TestAuthoritiesThatProgramsKeep(t *testing.T) {
	good := authority(t)
	hooks := func(bundles ...string) map[string]any {
		var list []any
		for i, bundle := range bundles {
			list = append(list, map[string]any{"name": string(rune('a'+i)) + ".example.org", "clientConfig": map[string]any{"caBundle": bundle}})
		}
		return map[string]any{"webhooks": list}
	}
	converted := func(bundle string) map[string]any {
		return map[string]any{"spec": map[string]any{"conversion": map[string]any{"webhook": map[string]any{"clientConfig": map[string]any{"caBundle": bundle}}}}}
	}
	const first, conversion = "webhooks[a.example.org].clientConfig.caBundle", "spec.conversion.webhook.clientConfig.caBundle"
	for name, c := range map[string]struct {
		version, kind string
		live          map[string]any
		found         []unit.Field
		want          []string
	}{
		"a webhook's":            {"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", hooks(good, "Cg=="), []unit.Field{{Path: first, By: "certgen"}}, []string{first}},
		"with others beside":     {"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", hooks(good), []unit.Field{{Path: first, By: "certgen"}, {Path: "webhooks[a.example.org].timeoutSeconds", By: "certgen"}}, []string{first}},
		"a definition's":         {"apiextensions.k8s.io/v1", "CustomResourceDefinition", converted(good), []unit.Field{{Path: conversion, By: "manager"}}, []string{conversion}},
		"an API's":               {"apiregistration.k8s.io/v1", "APIService", map[string]any{"spec": map[string]any{"caBundle": good}}, []unit.Field{{Path: "spec.caBundle", By: "manager"}}, []string{"spec.caBundle"}},
		"by nobody known":        {"apiregistration.k8s.io/v1", "APIService", map[string]any{"spec": map[string]any{"caBundle": good}}, []unit.Field{{Path: "spec.caBundle"}}, nil},
		"by hand":                {"apiregistration.k8s.io/v1", "APIService", map[string]any{"spec": map[string]any{"caBundle": good}}, []unit.Field{{Path: "spec.caBundle", By: "kubectl-edit"}}, nil},
		"by hand in a dashboard": {"apiregistration.k8s.io/v1", "APIService", map[string]any{"spec": map[string]any{"caBundle": good}}, []unit.Field{{Path: "spec.caBundle", By: "dashboard"}}, nil},
		"by hand with Helm":      {"apiregistration.k8s.io/v1", "APIService", map[string]any{"spec": map[string]any{"caBundle": good}}, []unit.Field{{Path: "spec.caBundle", By: "helm"}}, nil},
		"taken away":             {"apiregistration.k8s.io/v1", "APIService", map[string]any{"spec": map[string]any{}}, []unit.Field{{Path: "spec.caBundle", By: "manager"}}, nil},
		"emptied":                {"apiregistration.k8s.io/v1", "APIService", map[string]any{"spec": map[string]any{"caBundle": ""}}, []unit.Field{{Path: "spec.caBundle", By: "manager"}}, nil},
		"no certificate":         {"apiregistration.k8s.io/v1", "APIService", map[string]any{"spec": map[string]any{"caBundle": "QQ=="}}, []unit.Field{{Path: "spec.caBundle", By: "manager"}}, nil},
		"the webhook is gone":    {"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", hooks(), []unit.Field{{Path: first, By: "certgen"}}, nil},
		"another field":          {"apiregistration.k8s.io/v1", "APIService", map[string]any{"spec": map[string]any{"group": good}}, []unit.Field{{Path: "spec.group", By: "manager"}}, nil},
		"another kind with such": {"example.org/v1", "APIService", map[string]any{"spec": map[string]any{"caBundle": good}}, []unit.Field{{Path: "spec.caBundle", By: "manager"}}, nil},
	} {
		desired, live := simple(c.version, c.kind, "api", 1), simple(c.version, c.kind, "api", 1)
		for key, value := range c.live {
			live.Object[key] = value
		}
		cluster := newShelf()
		cluster.compare = func(_, _ *unstructured.Unstructured) []unit.Field { return c.found }
		d, v := &Driver{cluster: cluster, api: &scaling{}}, &view{namespace: "o", name: "keystone"}
		for range 2 {
			if paths, err := d.controlledPaths(t.Context(), v, desired, live); err != nil || !slices.Equal(paths, c.want) {
				t.Errorf("%s: %q, %v, want %q", name, paths, err, c.want)
			}
		}
		told := strings.Join(v.left, "; ")
		if len(v.left) != len(c.want) || len(c.want) > 0 && (!strings.Contains(told, c.want[0]+" is left to "+c.found[0].By) || !strings.Contains(told, c.kind)) {
			t.Errorf("%s: told %q", name, v.left)
		}
	}
}
