//go:build beds

package e2e_test

import (
	"fmt"
	"slices"
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
apiVersion: batch/v1
kind: Job
metadata: {name: {{ .Release.Name }}-check, annotations: {helm.sh/hook: post-install}}
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
	s.pass(t)
	s.login(t, world.Password)
	if text := s.note(t, "a"); text != "a" {
		t.Errorf("the note says %q", text)
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

func (s *workloads) takeAway(t *testing.T) {
	s.Describe(t, "cloud.hcl", "cloud \"edge\" {}\n\nmanifest \"last\" {\n  objects = { apiVersion = \"v1\", kind = \"ConfigMap\", metadata = { name = \"last\", namespace = \"notes\" }, data = { text = \"bye\" } }\n}\n")
	s.commit = s.Push(t, "Take nearly all of it away")
	s.pass(t)
	if history := s.revisions(t); len(history) != 0 {
		t.Errorf("the release has revisions: %q", history)
	}
	if _, err := s.Cluster.Client().AppsV1().Deployments("gadgets").Get(t.Context(), "gadget", metav1.GetOptions{}); err == nil {
		t.Error("the Deployment is there")
	}
	for _, name := range []string{"gadget", "left"} {
		if size := s.widget(t, name); size != "" {
			t.Errorf("the widget %s is there", name)
		}
	}
	if a, last := s.note(t, "a"), s.note(t, "last"); a != "" || last != "bye" {
		t.Errorf("the notes say %q and %q", a, last)
	}
	// With these would go what others have put there.
	definition := s.get(t, definitions(), "widgets.example.org")
	if definition == nil {
		t.Error("the definition of the chart's kind is gone")
	}
	for _, name := range []string{"gadgets", "gadget-data", "notes"} {
		if namespace, err := s.Cluster.Client().CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{}); err != nil || namespace.DeletionTimestamp != nil {
			t.Errorf("the namespace %s goes: %v", name, err)
		}
	}
}

const towerCloud = `cloud "edge" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "rabbitmq" {
    depends_on = [manifest.last]
  }
}

node "node-1" { roles = ["control-plane"] }

manifest "last" {
  objects = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "last", namespace = "notes" }, data = { text = "bye" } }

  lifecycle {
    prevent_destroy = true
  }
}
`

// tearDown takes a whole cloud away by a block in the repository. What is protected holds that back until it
// is not any more, and what holds data stays.
func (s *workloads) tearDown(t *testing.T) {
	s.Describe(t, "cloud.hcl", towerCloud)
	s.commit = s.Push(t, "Describe a cloud")
	s.pass(t)
	s.Files.Write("away.hcl", "removed {\n  from = cloud.edge\n}\n")
	s.commit = s.Push(t, "Take the cloud away")
	if r := s.Run(t, converges); r.Code == 0 {
		t.Error("it is taken for converged")
	}
	status, _ := s.ReadStatus(t)
	if u := status.Unit("manifest.last"); u == nil || u.Phase != "blocked" || !strings.Contains(u.Reason, "prevent_destroy") || s.note(t, "last") != "bye" {
		t.Errorf("what is protected is reported as %+v", u)
	}
	left := slices.DeleteFunc(s.Released(t, namespace), func(object string) bool { return strings.HasPrefix(object, "PersistentVolumeClaim ") })
	if len(left) > 0 {
		t.Errorf("of the release is left: %q", left)
	}
	s.Files.Remove("away.hcl")
	s.Files.Edit(t, "cloud.hcl", "prevent_destroy = true", "prevent_destroy = false")
	s.commit = s.Push(t, "Not yet")
	s.pass(t)
	for name, arguments := range map[string][]string{"64": {"destroy"}, "3": {"destroy", "--confirm", "other"}} {
		if r := s.Run(t, converges, arguments...); fmt.Sprint(r.Code) != name {
			t.Errorf("%q ended with %d, want %s:\n%s", arguments, r.Code, name, r.Stderr)
		}
	}
	if last := s.note(t, "last"); last != "bye" {
		t.Fatalf("without the name of the cloud the note went: %q", last)
	}
	s.destroy(t)
	if last := s.note(t, "last"); last != "" {
		t.Errorf("the note says %q", last)
	}
	client := s.Cluster.Client()
	node, err := client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{})
	if err != nil || node.Labels["openstack-control-plane"] != "" {
		t.Errorf("the node has the labels %v, %v", node.Labels, err)
	}
	if shown := s.get(t, schema.GroupVersionResource{Group: "kupenstack.io", Version: "v1alpha1", Resource: "openstacknodes"}, "node-1"); shown != nil {
		t.Errorf("its OpenstackNode is there: %v", shown)
	}
	if _, err := client.CoreV1().Secrets(namespace).Get(t.Context(), "kupenstack-credentials", metav1.GetOptions{}); err != nil {
		t.Errorf("the passwords that the data was made with: %v", err)
	}
	// In the repository it says the same to whoever comes later, which finds it done.
	s.Files.Write("away.hcl", "removed {\n  from = cloud.edge\n}\n")
	s.commit = s.Push(t, "Take the cloud away")
	s.pass(t)
	s.rest(t)
}

// destroy takes the cloud away with the data of a service, for which the daemon's account lacks the right.
func (s *workloads) destroy(t *testing.T) {
	t.Helper()
	claims := func() (names []string) {
		list, err := s.Cluster.Client().CoreV1().PersistentVolumeClaims(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "release_group=rabbitmq"})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			if list.Items[i].DeletionTimestamp == nil {
				names = append(names, list.Items[i].Name)
			}
		}
		return names
	}
	arguments := []string{"destroy", "--confirm", "edge", "--delete-data", "rabbitmq,mariadb"}
	if r := s.Run(t, converges, arguments...); r.Code != 1 || !strings.Contains(r.Stderr, "PersistentVolumeClaim "+namespace+"/") || len(claims()) == 0 {
		t.Errorf("without the right to it ended with %d, and there are %q:\n%s", r.Code, claims(), r.Stderr)
	}
	roles := s.Cluster.Client().RbacV1()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"delete"}}},
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "data"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "data"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "kupenstack", Namespace: world.System}},
	}
	if _, err := roles.Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := roles.RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.pass(t, arguments...)
	if left := claims(); len(left) > 0 {
		t.Errorf("claims are left: %q", left)
	}
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
