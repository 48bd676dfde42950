//go:build beds

package helm_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// appChart has a Deployment, a ConfigMap that holds values, and a Secret, and takes a template from
// a library beside it.
func appChart() fstest.MapFS {
	return fstest.MapFS{
		"charts/library/Chart.yaml":            file("apiVersion: v2\nname: library\nversion: 1.0.0\ntype: library\n"),
		"charts/library/templates/_names.tpl":  file(`{{- define "library.greeting" -}}{{ .Values.greeting }}, world{{- end -}}`),
		"charts/app/Chart.yaml":                file("apiVersion: v2\nname: app\nversion: 1.2.3\ndependencies:\n- name: library\n  version: '>= 0'\n  repository: file://../library\n"),
		"charts/app/values.yaml":               file("replicas: 2\ngreeting: hi\nbig: 1\nauth: {password: password}\n"),
		"charts/app/templates/deployment.yaml": file(deploymentTemplate),
		"charts/app/templates/config.yaml": file(`apiVersion: v1
kind: ConfigMap
metadata: {name: app-config}
data:
  greeting: {{ include "library.greeting" . | quote }}
  big: {{ .Values.big | quote }}
  revision: constant
`),
		"charts/app/templates/secret.yaml": file(`apiVersion: v1
kind: Secret
metadata: {name: app-secret}
stringData:
  password: {{ .Values.auth.password | quote }}
`),
	}
}

const deploymentTemplate = `apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: app}}
  template:
    metadata:
      labels: {app: app}
    spec:
      containers:
      - name: app
        image: example.org/app:1
        resources: {requests: {cpu: 1000m}}
        env:
        - {name: GREETING, value: {{ .Values.greeting | quote }}}
`

func TestInstallAndAnUnchangedWorld(t *testing.T) {
	b := newBed(t, appChart())
	state, diff := b.observe()
	if state.Existence != unit.Absent || diff.Action != unit.ActionCreate {
		t.Fatalf("before: %+v, %+v", state, diff)
	}
	b.observe()
	if n := b.rendered.Load(); n != 1 {
		t.Errorf("before, two looks rendered the chart %d times", n)
	}
	state = b.settle()
	if !state.Owned || state.Applied != b.target.Spec.Digest() {
		t.Errorf("owned %v, applied %q", state.Owned, state.Applied)
	}
	config := b.config("app-config")
	if config.Data["greeting"] != "hello, world" || config.Data["big"] != "1000000" {
		t.Errorf("the chart saw other values: %v", config.Data)
	}
	if got := b.revisions(); got != "1 deployed" {
		t.Errorf("revisions: %s", got)
	}

	// A second look, also by a process that has just started, renders and writes nothing and reads little.
	b.rendered.Store(0)
	for range 2 {
		offset, err := b.server.AuditOffset()
		if err != nil {
			t.Fatal(err)
		}
		if _, diff := b.observe(); diff.Action != unit.ActionNone {
			t.Errorf("unchanged: %+v", diff)
		}
		for _, request := range b.requests(offset) {
			if !slices.Contains([]string{"get", "list", "watch"}, request.Verb) && !strings.Contains(request.URI, "dryRun=All") {
				t.Errorf("a look wrote: %s %s", request.Verb, request.URI)
			}
		}
		b.restart()
	}
	b.observe()
	offset, err := b.server.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	b.observe()
	if requests := b.requests(offset); len(requests) != 1 {
		t.Errorf("an unchanged world took %d requests: %+v", len(requests), requests)
	}
	if n := b.rendered.Load(); n > 0 {
		t.Errorf("an unchanged world had the chart rendered %d times", n)
	}
}

func TestUpgrade(t *testing.T) {
	b := newBed(t, appChart())
	b.settle()
	b.change(func(spec *unit.Release) { spec.Values["replicas"] = int64(2) })
	_, diff := b.observe()
	if diff.Action != unit.ActionUpdate || !hasField(diff, "Deployment "+b.namespace+"/app: spec.replicas") {
		t.Errorf("more replicas: %+v", diff)
	}
	b.settle()
	b.change(func(spec *unit.Release) { spec.Values["greeting"] = "good morning" })
	if _, diff = b.observe(); diff.Action != unit.ActionRestart {
		t.Errorf("a new environment: %+v", diff)
	}
	b.settle()
	if got := b.config("app-config").Data["greeting"]; got != "good morning, world" {
		t.Errorf("greeting %q", got)
	}
	if got := b.revisions(); got != "1 superseded, 2 superseded, 3 deployed" {
		t.Errorf("revisions: %s", got)
	}

	// A new chart, of which an object has gone.
	tree := maps.Clone(b.tree)
	delete(tree, "charts/app/templates/config.yaml")
	b.change(func(spec *unit.Release) { spec.Chart.Tree = tree })
	if _, diff = b.observe(); diff.Action != unit.ActionUpdate || !strings.Contains(diff.Reason, "the chart") {
		t.Errorf("a new chart: %+v", diff)
	}
	b.settle()
	_, err := b.client.CoreV1().ConfigMaps(b.namespace).Get(t.Context(), "app-config", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the ConfigMap that the chart has no more: %v", err)
	}
}

// A secret value that is changed alone is not rolled out: the databases know the old one. It comes
// with the next change of the configuration.
func TestANewSecretValueAloneIsNotRolledOut(t *testing.T) {
	b := newBed(t, appChart())
	b.settle()
	password := func() string {
		secret, err := b.client.CoreV1().Secrets(b.namespace).Get(t.Context(), "app-secret", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return string(secret.Data["password"])
	}
	b.setSecret("another-" + canary)
	b.until("noticed", func(state unit.State, diff unit.Diff) bool {
		if diff.Action != unit.ActionNone {
			t.Fatalf("a new secret value: %+v", diff)
		}
		return strings.Contains(state.Message, "/source[password]")
	})
	// Neither does a repair or a new chart take it.
	tree := maps.Clone(b.tree)
	tree["charts/app/templates/more.yaml"] = file("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n")
	b.change(func(spec *unit.Release) { spec.Chart.Tree = tree })
	b.settle()
	if got := password(); got != canary || b.revisions() != "1 superseded, 2 deployed" {
		t.Errorf("the edited value is applied: %t, revisions %s", got != canary, b.revisions())
	}
	b.change(func(spec *unit.Release) { spec.Values["greeting"] = "good morning" })
	b.settle()
	if password() != "another-"+canary {
		t.Error("the value did not come with the next configuration")
	}
	value, exists, err := b.driver.Recover(t.Context(), unit.CredentialUse{Namespace: b.namespace, Release: "app", Path: []string{"auth", "password"}})
	if err != nil || !exists || value.Reveal() != "another-"+canary {
		t.Errorf("recovered %v, %v", exists, err)
	}
	_, exists, err = b.driver.Recover(t.Context(), unit.CredentialUse{Namespace: b.namespace, Release: "none", Path: []string{"auth", "password"}})
	if err != nil || exists {
		t.Errorf("a release that is not there: %v, %v", exists, err)
	}
}

func TestDriftIsRepairedWithoutARevision(t *testing.T) {
	b := newBed(t, appChart())
	b.settle()
	configs := b.client.CoreV1().ConfigMaps(b.namespace)
	if _, err := configs.Patch(t.Context(), "app-config", types.MergePatchType, []byte(`{"data":{"greeting":"hacked"}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	b.until("seen as drift", func(_ unit.State, diff unit.Diff) bool {
		return diff.Reason == "drift" && hasField(diff, "ConfigMap "+b.namespace+"/app-config: data.greeting")
	})
	b.settle()
	if got := b.config("app-config").Data["greeting"]; got != "hello, world" {
		t.Errorf("greeting %q", got)
	}

	before := b.config("app-config").UID
	if err := configs.Delete(t.Context(), "app-config", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.until("missed", func(_ unit.State, diff unit.Diff) bool { return hasField(diff, "ConfigMap "+b.namespace+"/app-config") })
	b.settle()
	if b.config("app-config").UID == before {
		t.Error("the ConfigMap was not made anew")
	}
	if got := b.revisions(); got != "1 deployed" {
		t.Errorf("revisions: %s", got)
	}
}

func TestUninstall(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/claim.yaml"] = file("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n")
	tree["charts/app/templates/kept.yaml"] = file("apiVersion: v1\nkind: Secret\nmetadata:\n  name: kept\n  annotations: {helm.sh/resource-policy: keep}\n")
	b := newBed(t, tree)
	b.settle()
	foreign := b.target
	foreign.Mark = "somebody else's"
	if _, err := b.driver.Delete(t.Context(), foreign, unit.State{}); !unit.IsBlocked(err) {
		t.Errorf("deleting what is not ours: %v", err)
	}
	b.remove()
	if got := b.revisions(); got != "" {
		t.Errorf("revisions: %s", got)
	}
	if _, err := b.client.AppsV1().Deployments(b.namespace).Get(t.Context(), "app", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Deployment: %v", err)
	}
	if _, err := b.client.CoreV1().PersistentVolumeClaims(b.namespace).Get(t.Context(), "data", metav1.GetOptions{}); err != nil {
		t.Errorf("the claim: %v", err)
	}
	if _, err := b.client.CoreV1().Secrets(b.namespace).Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
		t.Errorf("the Secret to keep: %v", err)
	}
}

func hasField(diff unit.Diff, path string) bool {
	return slices.ContainsFunc(diff.Fields, func(field unit.Field) bool { return strings.HasPrefix(field.Path, path) })
}

// A claim that the chart has no more keeps its data.
func TestAnUpgradeLeavesClaimsAlone(t *testing.T) {
	with, without := appChart(), appChart()
	with["charts/app/templates/claim.yaml"] = file("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n")
	b := newBed(t, with)
	b.settle()
	b.change(func(spec *unit.Release) { spec.Chart.Tree = without })
	b.settle()
	claim, err := b.client.CoreV1().PersistentVolumeClaims(b.namespace).Get(t.Context(), "data", metav1.GetOptions{})
	if err != nil || claim.DeletionTimestamp != nil {
		t.Errorf("the claim: %v", err)
	}
}

func TestWhatIsNotReadyIsNamed(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/deployment.yaml"] = file(strings.Replace(deploymentTemplate, "labels: {app: app}\n    spec",
		"labels: {app: app}\n      annotations: {testbed.kupenstack.io/behave: image-pull}\n    spec", 1))
	b := newBed(t, tree)
	state := b.until("explained", func(state unit.State, diff unit.Diff) bool {
		return diff.Action == unit.ActionNone && strings.Contains(strings.Join(state.Details, "\n"), "ImagePullBackOff")
	})
	if !state.Installed || state.Ready() || !strings.HasPrefix(state.Message, "Deployment "+b.namespace+"/app: ") {
		t.Errorf("installed %v, health %s, message %q, details %q", state.Installed, state.Health, state.Message, state.Details)
	}
}

// What a container says may have the secrets of its release.
func TestWhatContainersSayIsMasked(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/deployment.yaml"] = file(strings.Replace(deploymentTemplate, "labels: {app: app}\n    spec",
		"labels: {app: app}\n      annotations: {testbed.kupenstack.io/behave: crashloop}\n    spec", 1))
	b := newBed(t, tree)
	b.until("crashing", func(state unit.State, _ unit.Diff) bool { return strings.Contains(state.Message, "CrashLoopBackOff") })
	pods, err := b.client.CoreV1().Pods(b.namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=app"})
	if err != nil || len(pods.Items) == 0 {
		t.Fatal(pods, err)
	}
	for _, pod := range pods.Items {
		if err := b.server.SetPodLog(t.Context(), b.namespace, pod.Name, "login as app with "+canary); err != nil {
			t.Fatal(err)
		}
	}
	if state, _ := b.observe(); strings.Contains(strings.Join(state.Details, "\n"), "login") {
		t.Errorf("nobody asked for logs: %q", state.Details)
	}
	if b.cluster, err = kube.New(kube.Options{Access: kube.NewAccess(b.server.RESTConfig()), UserAgent: b.agent, LogLines: 5}); err != nil {
		t.Fatal(err)
	}
	b.cluster.Start(t.Context())
	t.Cleanup(b.cluster.Close)
	b.restart()
	b.until("told with its log", func(state unit.State, _ unit.Diff) bool {
		return strings.HasSuffix(strings.Join(state.Details, "\n"), ":\n| login as app with (sensitive)")
	})
}
