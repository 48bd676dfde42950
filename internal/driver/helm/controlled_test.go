package helm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// scaling is an API server that has autoscalers and counts who asks for them.
type scaling struct {
	API
	scalers []autoscalingv2.HorizontalPodAutoscaler
	err     error
	asked   []string
}

func (s *scaling) Autoscalers(_ context.Context, namespace string) ([]autoscalingv2.HorizontalPodAutoscaler, error) {
	s.asked = append(s.asked, namespace)
	return s.scalers, s.err
}

func scaler(version, kind, name string, least *int32) autoscalingv2.HorizontalPodAutoscaler {
	return autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: version, Kind: kind, Name: name}, MinReplicas: least,
	}}
}

func replicated(version, kind string, spec map[string]any, annotations ...string) *unstructured.Unstructured {
	object := simple(version, kind, "api", 1)
	object.Object["spec"] = spec
	all := object.GetAnnotations()
	for _, name := range annotations {
		all[name] = "o/cert"
	}
	object.SetAnnotations(all)
	return object
}

func TestWhatControllersWrite(t *testing.T) {
	none, two := int32(0), int32(2)
	replicas := func(n int64) map[string]any { return map[string]any{"replicas": n} }
	tests := []struct {
		name          string
		version, kind string
		wanted, live  map[string]any
		annotation    string // of the live object
		scaler        autoscalingv2.HorizontalPodAutoscaler
		want          string
		asks          bool
	}{
		{"scaled", "apps/v1", "Deployment", replicas(1), replicas(5), "", scaler("apps/v1", "Deployment", "api", nil), "spec.replicas", true},
		{"scaled by another version", "apps/v1", "StatefulSet", replicas(1), replicas(5), "", scaler("apps/v1beta2", "StatefulSet", "api", &two), "spec.replicas", true},
		{"a custom kind", "example.org/v1", "Thing", replicas(1), replicas(5), "", scaler("example.org/v1", "Thing", "api", nil), "spec.replicas", true},
		{"another name", "apps/v1", "Deployment", replicas(1), replicas(5), "", scaler("apps/v1", "Deployment", "other", nil), "", true},
		{"another kind", "apps/v1", "Deployment", replicas(1), replicas(5), "", scaler("apps/v1", "StatefulSet", "api", nil), "", true},
		{"another group", "apps/v1", "Deployment", replicas(1), replicas(5), "", scaler("example.org/v1", "Deployment", "api", nil), "", true},
		{"a version that is none", "apps/v1", "Deployment", replicas(1), replicas(5), "", scaler("a/b/c", "Deployment", "api", nil), "", true},
		{"switched off", "apps/v1", "Deployment", replicas(1), replicas(0), "", scaler("apps/v1", "Deployment", "api", &two), "", true},
		{"scaled to nothing", "apps/v1", "Deployment", replicas(1), replicas(0), "", scaler("apps/v1", "Deployment", "api", &none), "spec.replicas", true},
		{"as the chart says", "apps/v1", "Deployment", replicas(5), replicas(5), "", scaler("apps/v1", "Deployment", "api", nil), "", false},
		{"of which the chart says nothing", "apps/v1", "Deployment", nil, replicas(5), "", scaler("apps/v1", "Deployment", "api", nil), "", false},
		{"an injected definition", "apiextensions.k8s.io/v1", "CustomResourceDefinition", nil, nil, "cert-manager.io/inject-ca-from", scaler("", "", "", nil), "spec.conversion.webhook.clientConfig.caBundle", false},
		{"an injected API", "apiregistration.k8s.io/v1", "APIService", nil, nil, "cert-manager.io/inject-apiserver-ca", scaler("", "", "", nil), "spec.caBundle", false},
		{"an injected webhook", "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", nil, nil, "service.beta.openshift.io/inject-cabundle", scaler("", "", "", nil), "webhooks[*].clientConfig.caBundle", false},
		{"one that nothing is injected into", "apiregistration.k8s.io/v1", "APIService", nil, nil, "", scaler("", "", "", nil), "", false},
		{"another kind with the annotation", "v1", "Secret", nil, nil, "cert-manager.io/inject-ca-from", scaler("", "", "", nil), "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			api := &scaling{scalers: []autoscalingv2.HorizontalPodAutoscaler{test.scaler}}
			d, v := &Driver{api: api, cluster: newShelf()}, &view{namespace: "o", name: "keystone"}
			desired, live := replicated(test.version, test.kind, test.wanted), replicated(test.version, test.kind, test.live, test.annotation)
			for range 2 {
				paths, err := d.controlledPaths(t.Context(), v, desired, live)
				if err != nil || strings.Join(paths, " ") != test.want {
					t.Errorf("got %q, %v", paths, err)
				}
			}
			if asked := len(api.asked); asked > 1 || (asked == 1) != test.asks {
				t.Errorf("it asked for those of %q", api.asked)
			}
		})
	}
}

// Where nobody knows whether something is scaled, nothing is drift and nothing is written.
func TestAutoscalersThatCannotBeSeen(t *testing.T) {
	api := simple("apps/v1", "Deployment", "api", 1)
	api.Object["spec"] = map[string]any{"replicas": int64(1)}
	live := api.DeepCopy()
	live.Object["spec"] = map[string]any{"replicas": int64(4)}
	c := newShelf(api)
	d, v := installed(t, c, api)
	c.objects[refOf(api)] = live
	c.written = nil
	refused := errors.New("forbidden")
	d.api = &scaling{err: refused}
	if err := d.inspect(t.Context(), v); !errors.Is(err, refused) || len(v.drift) > 0 {
		t.Errorf("looking: %v, drift %v", err, v.drift)
	}
	if err := d.repair(t.Context(), v, []drift{{desired: api}}); !errors.Is(err, refused) {
		t.Errorf("a repair: %v", err)
	}
	if _, _, err := d.revising(t.Context(), v, []*unstructured.Unstructured{api}); !errors.Is(err, refused) {
		t.Errorf("a revision: %v", err)
	}
	if len(c.written) > 0 {
		t.Errorf("it wrote %q", c.written)
	}
}

// HasField says that every object has the field spec.size and no other one.
func (c *shelf) HasField(_ *unstructured.Unstructured, path string) bool { return path == "spec.size" }

// healthy is a cluster in which everything is ready.
type healthy struct{ *shelf }

func (healthy) Health(*unstructured.Unstructured) (unit.Health, string) { return unit.HealthReady, "" }

func TestRulesForNothing(t *testing.T) {
	api := simple("apps/v1", "Deployment", "api", 1)
	c := newShelf(api)
	d, v := installed(t, c, api)
	d.cluster, v.hooks.done = healthy{c}, true // so that nothing else is to be told
	for _, test := range []struct {
		rules []unit.DriftRule
		want  []string
	}{
		{nil, nil},
		{[]unit.DriftRule{{Kind: "Deployment", Path: "spec.size"}, {Kind: "Deployment", Name: "api", Path: "spec.size"}}, nil},
		{[]unit.DriftRule{{Kind: "Deployment", Path: "spec.size"}, {Kind: "Service", Path: "spec.size"}}, []string{"ignore_drift is about Service, and the release has no such object"}},
		{[]unit.DriftRule{{Kind: "Deployment", Name: "apu", Path: "spec.size"}}, []string{"ignore_drift is about Deployment apu, and the release has no such object"}},
		{[]unit.DriftRule{{Kind: "Deployment", Name: "api", Path: "spec.sise"}}, []string{"ignore_drift is about spec.sise of Deployment api, which has no such field"}},
		{
			[]unit.DriftRule{{Kind: "Job", Path: "spec.size"}, {Kind: "Deployment", Path: "spec.size"}, {Kind: "Deployment", Path: "spec.a"}, {Kind: "Job", Path: "spec.b"}},
			[]string{"ignore_drift is about Job, and the release has no such object", "ignore_drift is about spec.a of Deployment, which has no such field"},
		},
	} {
		v.want.spec.IgnoreDrift = test.rules
		if got := d.idleRules(v); !slices.Equal(got, test.want) {
			t.Errorf("%v: got %q", test.rules, got)
		}
		state := d.state(t.Context(), v)
		if state.Message != strings.Join(test.want, "; ") {
			t.Errorf("%v: the message is %q", test.rules, state.Message)
		}
		for _, want := range test.want {
			if !slices.Contains(state.Details, want) {
				t.Errorf("%v: the report has %q", test.rules, state.Details)
			}
		}
	}
	v.want.labels[labelSpec] = "2" // what comes may have it
	if got := d.idleRules(v); len(got) > 0 {
		t.Errorf("while another revision is wanted: %q", got)
	}
}
