//go:build beds

package helm_test

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func (b *bed) deployment() *appsv1.Deployment {
	b.t.Helper()
	object, err := b.client.AppsV1().Deployments(b.namespace).Get(b.t.Context(), "app", metav1.GetOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return object
}

// scale has the Deployment scaled as by an autoscaler.
func (b *bed) scale(replicas int32) {
	b.t.Helper()
	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "app", Namespace: b.namespace}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
	if _, err := b.client.AppsV1().Deployments(b.namespace).UpdateScale(b.t.Context(), "app", scale, metav1.UpdateOptions{}); err != nil {
		b.t.Fatal(err)
	}
}

// is checks that the Deployment has so many replicas and that greeting.
func (b *bed) is(when string, replicas int32, greeting string) {
	b.t.Helper()
	spec := b.deployment().Spec
	if *spec.Replicas != replicas || spec.Template.Spec.Containers[0].Env[0].Value != greeting {
		b.t.Errorf("%s there are %d replicas and the greeting is %q", when, *spec.Replicas, spec.Template.Spec.Containers[0].Env[0].Value)
	}
}

// seen waits until a field of the Deployment is drift, and returns the diff.
func (b *bed) seen(path string) (found unit.Diff) {
	b.t.Helper()
	b.until("seen as drift", func(_ unit.State, diff unit.Diff) bool {
		found = diff
		return hasField(diff, path)
	})
	return found
}

// As long as a HorizontalPodAutoscaler scales it, neither a repair nor an upgrade nor a rollback writes the
// replicas.
func TestWhatAnAutoscalerScalesKeepsItsReplicas(t *testing.T) {
	b := newBed(t, refusedChart())
	b.settle()
	scalers := b.client.AutoscalingV2().HorizontalPodAutoscalers(b.namespace)
	least := int32(1)
	if _, err := scalers.Create(t.Context(), &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "theirs"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "app"},
			MinReplicas:    &least, MaxReplicas: 9,
		},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.scale(4)
	b.until("scaled, and nothing to do", func(state unit.State, diff unit.Diff) bool {
		return diff.Action == unit.ActionNone && state.Ready() && b.deployment().Status.ReadyReplicas == 4
	})

	deployments := b.client.AppsV1().Deployments(b.namespace)
	edit := `{"spec":{"template":{"spec":{"containers":[{"name":"app","env":[{"name":"GREETING","value":"edited"}]}]}}}}`
	if _, err := deployments.Patch(t.Context(), "app", types.StrategicMergePatchType, []byte(edit), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := b.seen("Deployment " + b.namespace + "/app: spec.template"); len(diff.Fields) != 1 {
		t.Errorf("drift: %+v", diff.Fields)
	}
	b.settle()
	b.is("after the repair", 4, "hello")

	b.greet("fine")
	if _, diff := b.observe(); !hasField(diff, "Deployment "+b.namespace+"/app: spec.template") || hasField(diff, "Deployment "+b.namespace+"/app: spec.replicas") {
		t.Errorf("the upgrade: %+v", diff.Fields)
	}
	b.settle()
	b.is("after the upgrade", 4, "fine")
	last, err := b.store().Last("app")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(last.Manifest, "replicas: 1\n") {
		t.Errorf("the revision has\n%s", last.Manifest)
	}

	b.greet("refused", rollBack)
	b.untilBlocked()
	b.until("back", func(state unit.State, _ unit.Diff) bool {
		return state.Release == unit.ReleaseRolledBack && state.Ready()
	})
	b.is("after the rollback", 4, "fine")

	b.greet("fine")
	b.settle()
	b.scale(0) // it leaves that alone, so it is nobody's wish
	b.seen("Deployment " + b.namespace + "/app: spec.replicas")
	b.settle()
	b.is("after it was switched off", 1, "fine")

	b.scale(3)
	if err := scalers.Delete(t.Context(), "theirs", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.seen("Deployment " + b.namespace + "/app: spec.replicas")
	b.settle()
	b.is("without an autoscaler", 1, "fine")
}

// An authority that cert-manager's injector writes stays, whatever stands in for it in the chart.
func TestAnInjectedAuthorityStays(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/webhook.yaml"] = file(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: {{ .Release.Namespace }}
  annotations: {cert-manager.io/inject-ca-from: {{ .Release.Namespace }}/app, greeting: {{ .Values.greeting }}}
webhooks:
- name: app.example.org
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 5
  clientConfig: {caBundle: Cg==, service: {name: app, namespace: {{ .Release.Namespace }}}}
  rules: [{apiGroups: [nobody.example.org], apiVersions: [v1], resources: [things], operations: [CREATE]}]
`)
	b := newBed(t, tree)
	webhooks := b.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	t.Cleanup(func() {
		if err := webhooks.Delete(context.WithoutCancel(t.Context()), b.namespace, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete the webhook: %v", err)
		}
	})
	b.settle()
	// Both were changed, and one by somebody who has no business there.
	edit := `{"webhooks":[{"name":"app.example.org","timeoutSeconds":9,"clientConfig":{"caBundle":"QQ=="}}]}`
	if _, err := webhooks.Patch(t.Context(), b.namespace, types.StrategicMergePatchType, []byte(edit), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	check := func(when, greeting string) {
		t.Helper()
		got, err := webhooks.Get(t.Context(), b.namespace, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		hook := got.Webhooks[0]
		if string(hook.ClientConfig.CABundle) != "A" || *hook.TimeoutSeconds != 5 || got.Annotations["greeting"] != greeting {
			t.Errorf("%s: %q, %d, %v", when, hook.ClientConfig.CABundle, *hook.TimeoutSeconds, got.Annotations)
		}
	}
	if diff := b.seen("ValidatingWebhookConfiguration"); len(diff.Fields) != 1 || !strings.HasSuffix(diff.Fields[0].Path, ".timeoutSeconds") {
		t.Errorf("drift: %+v", diff.Fields)
	}
	b.settle()
	check("after the repair", "hello")
	b.greet("fine")
	b.settle()
	check("after the upgrade", "fine")
}

// An authority that a program keeps by itself stays, though no annotation asks for it and the chart has one, and the report says
// so; one that somebody emptied is put back.
func TestAnAuthorityThatAProgramKeepsStays(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/webhook.yaml"] = file(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: {{ .Release.Namespace }}
  annotations: {greeting: {{ .Values.greeting }}}
webhooks:
- name: app.example.org
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 5
  clientConfig: {caBundle: Cg==, service: {name: app, namespace: {{ .Release.Namespace }}}}
  rules: [{apiGroups: [nobody.example.org], apiVersions: [v1], resources: [things], operations: [CREATE]}]
`)
	b := newBed(t, tree)
	webhooks := b.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	t.Cleanup(func() {
		if err := webhooks.Delete(context.WithoutCancel(t.Context()), b.namespace, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete the webhook: %v", err)
		}
	})
	b.settle()
	write := func(manager, bundle string) {
		t.Helper()
		edit := `{"webhooks":[{"name":"app.example.org","clientConfig":{"caBundle":"` + bundle + `"}}]}`
		if _, err := webhooks.Patch(t.Context(), b.namespace, types.StrategicMergePatchType, []byte(edit), metav1.PatchOptions{FieldManager: manager}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when, bundle, greeting string) {
		t.Helper()
		got, err := webhooks.Get(t.Context(), b.namespace, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if has := base64.StdEncoding.EncodeToString(got.Webhooks[0].ClientConfig.CABundle); has != bundle || got.Annotations["greeting"] != greeting {
			t.Errorf("%s: %.20s, %v", when, has, got.Annotations)
		}
	}
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	bundle := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	write("certgen", bundle)
	b.greet("fine")
	state := b.settle()
	check("after the upgrade", bundle, "fine")
	if !slices.ContainsFunc(state.Details, func(line string) bool { return strings.HasSuffix(line, "caBundle is left to certgen, which wrote it") }) {
		t.Errorf("the report has %q", state.Details)
	}
	write("kubectl-edit", "")
	b.seen("ValidatingWebhookConfiguration")
	b.settle()
	check("after somebody emptied it", "Cg==", "fine")
}

// What the configuration leaves to others is no drift, whatever is put back beside it, and is written by the next
// upgrade.
func TestFieldsThatTheConfigurationLeavesToOthers(t *testing.T) {
	b := newBed(t, appChart())
	rules := []unit.DriftRule{{Kind: "ConfigMap", Name: "app-config", Path: "data.greeting"}, {Kind: "Deployment", Path: "spec.template.spec.containers[*].image"}}
	b.change(func(spec *unit.Release) { spec.IgnoreDrift = rules })
	b.settle()
	configs := b.client.CoreV1().ConfigMaps(b.namespace)
	edit := func(data string) {
		t.Helper()
		if _, err := configs.Patch(t.Context(), "app-config", types.MergePatchType, fmt.Appendf(nil, `{"data":{%s}}`, data), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	edit(`"greeting":"theirs","big":"2"`)
	if diff := b.seen("ConfigMap " + b.namespace + "/app-config: data."); len(diff.Fields) != 1 || !strings.HasSuffix(diff.Fields[0].Path, "data.big") {
		t.Errorf("drift: %+v", diff.Fields)
	}
	b.settle()
	if data := b.config("app-config").Data; data["greeting"] != "theirs" || data["big"] != "1000000" {
		t.Errorf("after the repair: %v", data)
	}
	edit(`"greeting":null,"big":"3"`) // taken away, it stays away
	b.seen("ConfigMap " + b.namespace + "/app-config: data.big")
	b.settle()
	if data := b.config("app-config").Data; len(data) != 2 || data["big"] != "1000000" {
		t.Errorf("after the second repair: %v", data)
	}
	image := `[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"example.org/app:theirs"}]`
	if _, err := b.client.AppsV1().Deployments(b.namespace).Patch(t.Context(), "app", types.JSONPatchType, []byte(image), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	edit(`"big":"4"`) // seen after the image
	b.seen("ConfigMap " + b.namespace + "/app-config: data.big")
	if state := b.settle(); b.deployment().Spec.Template.Spec.Containers[0].Image != "example.org/app:theirs" || state.Message != "" {
		t.Errorf("it is %q, %q", b.deployment().Spec.Template.Spec.Containers[0].Image, state.Message)
	}

	b.change(func(spec *unit.Release) { spec.IgnoreDrift[1].Path = "spec.template.spec.containers[ap].image" })
	if state, _ := b.observe(); state.Message != "ignore_drift is about spec.template.spec.containers[ap].image of Deployment, which has no such field" {
		t.Errorf("a path that leads nowhere: %q", state.Message)
	}
	b.change(func(spec *unit.Release) { spec.IgnoreDrift = nil })
	b.seen("Deployment " + b.namespace + "/app: spec.template.spec.containers[app].image")

	b.greet("fine", func(spec *unit.Release) { spec.IgnoreDrift = rules[:1] })
	b.settle()
	if data := b.config("app-config").Data; data["greeting"] != "fine, world" {
		t.Errorf("after the upgrade: %v", data)
	}
}
