//go:build beds

package e2e_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestWorkloads has charts and manifests in the cluster, and nothing else: they come up in their order, stay
// at rest, are repaired, changed, moved and taken away.
func TestWorkloads(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	s := &workloads{everything{story{World: w, all: t}}}
	s.allow(t)
	s.describe(t)
	s.commit = s.Push(t, "Describe what the cluster has")
	for _, chapter := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"deploy", s.deploy}, {"rest", s.rest}, {"repair", s.repair}, {"change", s.change}, {"move", s.move}, {"rename", s.rename}, {"take away", s.takeAway}, {"tear down", s.tearDown},
	} {
		if !t.Run(chapter.name, chapter.run) {
			return // what follows builds on it
		}
	}
}

type workloads struct{ everything }

// widgets is the kind that the chart defines.
func widgets() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "example.org", Version: "v1", Resource: "widgets"}
}

func definitions() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
}

// allow gives the daemon's account what rbac.extraRules of the chart does.
func (s *workloads) allow(t *testing.T) {
	roles := s.Cluster.Client().RbacV1()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"example.org"}, Resources: []string{"*"}, Verbs: []string{"*"}}},
	}
	if _, err := roles.ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "widgets"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: "kupenstack", Namespace: world.System}},
	}
	if _, err := roles.ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

const gadgetDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Cluster
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

const gadgetTemplate = `apiVersion: v1
kind: Namespace
metadata: {name: gadget-data}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: gadget}}
  template:
    metadata: {labels: {app: gadget}}
    spec: {containers: [{name: gadget, image: "registry.example.org/gadget:1"}]}
---
apiVersion: example.org/v1
kind: Widget
metadata: {name: {{ .Release.Name }}}
spec: {size: {{ .Values.size | quote }}}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: gadget}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {color: blue}
---
apiVersion: batch/v1
kind: Job
metadata: {name: {{ .Release.Name }}-check, annotations: {helm.sh/hook: "post-install,post-upgrade"}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: check, image: "registry.example.org/gadget:1"}]}}}
`

const gadgetCloud = `cloud "edge" {}

chart "gadget" {
  repository = "more"
  namespace  = "gadgets"
  values     = { size = "large" }
}

manifest "notes" {
  directory = "notes"
}

variable "password" {
  default   = "canary-git-password" # of the tests' Git server: no output may have it
  sensitive = true
}

manifest "login" {
  objects = {
    apiVersion = "v1"
    kind       = "Secret"
    metadata   = { name = "login", namespace = "notes" }
    stringData = { password = var.password }
  }
}

# A kind that the chart brings, in a module's words.
module "widgets" {
  source     = "./modules/widgets"
  names      = ["left", "right"]
  depends_on = [chart.gadget]
}
`

const gadgetModule = `variable "names" {
  type = set(string)
}

manifest "widget" {
  for_each = var.names
  objects  = { apiVersion = "example.org/v1", kind = "Widget", metadata = { name = each.key }, spec = { size = "small" } }
}
`

func (s *workloads) describe(t *testing.T) {
	s.Describe(t, "cloud.hcl", gadgetCloud)
	s.Files.Write("modules/widgets/widgets.hcl", gadgetModule)
	s.Files.Write("more/gadget/Chart.yaml", "apiVersion: v2\nname: gadget\nversion: 1.0.0\n")
	s.Files.Write("more/gadget/values.yaml", "replicas: 1\nsize: none\n")
	s.Files.Write("more/gadget/crds/widgets.yaml", gadgetDefinition)
	s.Files.Write("more/gadget/templates/all.yaml", gadgetTemplate)
	s.Files.Write("notes/namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: notes}\n")
	for _, name := range []string{"a", "b"} {
		s.Files.Write("notes/more/"+name+".yaml", fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: notes}\ndata: {text: %s}\n", name, name))
	}
}

func (s *workloads) deploy(t *testing.T) {
	s.pass(t)
	if size := s.widget(t, "gadget"); size != "large" {
		t.Errorf("the chart's widget is %q", size)
	}
	if size := s.widget(t, "right"); size != "small" {
		t.Errorf("the manifest's widget is %q", size)
	}
	if text := s.note(t, "b"); text != "b" {
		t.Errorf("the note says %q", text)
	}
	s.login(t, world.Password)
	if history := s.revisions(t); len(history) != 1 {
		t.Errorf("revisions %q", history)
	}
	status, _ := s.ReadStatus(t)
	for _, address := range []string{"chart.gadget", "manifest.notes", `module.widgets.manifest.widget["left"]`, `system.namespaces["gadgets"]`} {
		if u := status.Unit(address); u == nil || u.Phase != "ready" {
			t.Errorf("%s is reported as %+v", address, u)
		}
	}
	for _, kind := range []string{"chart", "manifest"} {
		if text := s.Status(t, "resources/"+kind+".json"); !strings.Contains(text, `"ready"`) {
			t.Errorf("the report of the kind %s:\n%s", kind, text)
		}
	}
}

func (s *workloads) repair(t *testing.T) {
	client := s.Cluster.Client()
	edit := []byte(`{"stringData":{"password":"edited"}}`)
	if _, err := client.CoreV1().Secrets("notes").Patch(t.Context(), "login", types.MergePatchType, edit, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().ConfigMaps("notes").Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	scale, err := client.AppsV1().Deployments("gadgets").GetScale(t.Context(), "gadget", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = 3
	if _, err := client.AppsV1().Deployments("gadgets").UpdateScale(t.Context(), "gadget", scale, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Services("gadgets").Delete(t.Context(), "gadget", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().ConfigMaps("gadgets").Patch(t.Context(), "gadget", types.MergePatchType, []byte(`{"data":{"color":"red"}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	var jobs hooks
	before := maps.Clone(jobs.of(t, s.Cluster, "gadgets"))
	s.pass(t)
	if after := jobs.of(t, s.Cluster, "gadgets"); len(before) != 1 || !maps.Equal(before, after) {
		t.Errorf("hooks ran %v times before the repairs, and %v times after them", before, after)
	}
	s.login(t, world.Password)
	if text := s.note(t, "a"); text != "a" {
		t.Errorf("the note says %q", text)
	}
	if _, err := client.CoreV1().Services("gadgets").Get(t.Context(), "gadget", metav1.GetOptions{}); err != nil {
		t.Errorf("the Service that was deleted: %v", err)
	}
	if settings, err := client.CoreV1().ConfigMaps("gadgets").Get(t.Context(), "gadget", metav1.GetOptions{}); err != nil || settings.Data["color"] != "blue" {
		t.Errorf("the ConfigMap that was edited: %v, %v", settings.Data, err)
	}
	if deployment, err := client.AppsV1().Deployments("gadgets").Get(t.Context(), "gadget", metav1.GetOptions{}); err != nil || *deployment.Spec.Replicas != 1 {
		t.Errorf("it was scaled and is %+v, %v", deployment.Spec.Replicas, err)
	}
	if history := s.revisions(t); len(history) != 1 {
		t.Errorf("repairs made revisions: %q", history)
	}
}

func (s *workloads) change(t *testing.T) {
	s.Files.Edit(t, "cloud.hcl", `size = "large"`, `size = "huge"`)
	s.Files.Edit(t, "cloud.hcl", `["left", "right"]`, `["left"]`)
	s.Files.Edit(t, "cloud.hcl", `= var.password`, `= "2-${var.password}"`)
	s.Files.Edit(t, "more/gadget/crds/widgets.yaml", "names: {kind: Widget, plural: widgets}", "names: {kind: Widget, plural: widgets, shortNames: [wd]}")
	s.Files.Remove("notes/namespace.yaml")
	s.Files.Remove("notes/more/b.yaml")
	s.commit = s.Push(t, "Change most of it")
	s.pass(t)
	s.login(t, "2-"+world.Password)
	if size := s.widget(t, "gadget"); size != "huge" {
		t.Errorf("the chart's widget is %q", size)
	}
	if size := s.widget(t, "right"); size != "" {
		t.Errorf("a widget that was taken out is %q", size)
	}
	if text := s.note(t, "b"); text != "" {
		t.Errorf("a note that was taken out says %q", text)
	}
	if text := s.note(t, "a"); text != "a" {
		t.Errorf("the note that is left says %q: the namespace has to stay", text)
	}
	if history := s.revisions(t); len(history) != 2 {
		t.Errorf("revisions %q", history)
	}
	definition := s.get(t, definitions(), "widgets.example.org")
	if names, _, _ := unstructured.NestedStringSlice(definition.Object, "spec", "names", "shortNames"); len(names) != 1 {
		t.Errorf("the definition is not that of the chart: %v", names)
	}
}

func (s *workloads) move(t *testing.T) {
	before, err := s.Cluster.Client().CoreV1().ConfigMaps("notes").Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.Files.Edit(t, "cloud.hcl", `manifest "notes" {`, "moved {\n  from = manifest.notes\n  to   = manifest.papers\n}\n\nmoved {\n  from = chart.gadget\n  to   = chart.machine\n}\n\nmanifest \"papers\" {")
	s.Files.Edit(t, "cloud.hcl", `chart "gadget" {`, "chart \"machine\" {\n  name       = \"gadget\"\n  chart      = \"gadget\"")
	s.Files.Edit(t, "cloud.hcl", `[chart.gadget]`, `[chart.machine]`)
	s.commit = s.Push(t, "Call things otherwise")
	s.pass(t)
	after, err := s.Cluster.Client().CoreV1().ConfigMaps("notes").Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || after.UID != before.UID {
		t.Errorf("the note is another one: %v", err)
	}
	if history := s.revisions(t); len(history) != 2 {
		t.Errorf("a move made revisions: %q", history)
	}
}

// rename wants a name that cannot change to be refused, and nothing else to be held back by that.
func (s *workloads) rename(t *testing.T) {
	s.Files.Edit(t, "cloud.hcl", `name       = "gadget"`, `name       = "gizmo"`)
	s.Files.Write("notes/more/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: notes}\ndata: {text: c}\n")
	s.commit = s.Push(t, "Give the release another name")
	if r := s.Run(t, converges); r.Code == 0 {
		t.Error("it is taken for converged")
	}
	status, _ := s.ReadStatus(t)
	if u := status.Unit("chart.machine"); u == nil || u.Phase != "blocked" || !strings.Contains(u.Reason, "name cannot change from") {
		t.Errorf("reported as %+v", u)
	}
	if text := s.note(t, "c"); text != "c" {
		t.Errorf("another block was held back: its note says %q", text)
	}
	s.Files.Edit(t, "cloud.hcl", `name       = "gizmo"`, `name       = "gadget"`)
	s.commit = s.Push(t, "Put the name back")
	s.pass(t)
}

// get returns an object that is in no namespace, nil when it is not there.
func (s *workloads) get(t *testing.T, resource schema.GroupVersionResource, name string) *unstructured.Unstructured {
	t.Helper()
	client, err := dynamic.NewForConfig(s.Cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.Resource(resource).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		if list.Items[i].GetName() == name {
			return &list.Items[i]
		}
	}
	return nil
}

// widget returns the size of a widget, "" when it is not there.
func (s *workloads) widget(t *testing.T, name string) string {
	t.Helper()
	object := s.get(t, widgets(), name)
	if object == nil {
		return ""
	}
	size, _, _ := unstructured.NestedString(object.Object, "spec", "size")
	return size
}

// login wants a password in the Secret of the manifest.
func (s *workloads) login(t *testing.T, password string) {
	t.Helper()
	secret, err := s.Cluster.Client().CoreV1().Secrets("notes").Get(t.Context(), "login", metav1.GetOptions{})
	if err != nil || string(secret.Data["password"]) != password {
		t.Errorf("the Secret has %q, %v", secret.Data, err)
	}
}

// note returns the text of a ConfigMap, "" when it is not there.
func (s *workloads) note(t *testing.T, name string) string {
	t.Helper()
	list, err := s.Cluster.Client().CoreV1().ConfigMaps("notes").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range list.Items {
		if object.Name == name {
			return object.Data["text"]
		}
	}
	return ""
}

// revisions returns the Secrets of the release's revisions.
func (s *workloads) revisions(t *testing.T) []string {
	t.Helper()
	list, err := s.Cluster.Client().CoreV1().Secrets("gadgets").List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm,name=gadget"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, secret := range list.Items {
		names = append(names, secret.Name)
	}
	return names
}
