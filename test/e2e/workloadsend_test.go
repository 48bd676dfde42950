//go:build beds

package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

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
