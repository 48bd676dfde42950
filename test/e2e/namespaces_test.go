//go:build beds

package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

const tenants = `cloud "edge" {
  openstack { cloud = "edge" }
  namespace_projects {
    selector = { "example.org/tenant" = "true" }
    prefix   = "PREFIX"
  }
}
`

// TestProjectsOfNamespaces has namespaces come, change their labels and go: each that is chosen has a project and says
// which, and no project ever goes for it.
func TestProjectsOfNamespaces(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	s := &tenancy{World: w}
	text := strings.Replace(tenants, "PREFIX", w.Files.Prefix, 1)
	w.Describe(t, "edge.hcl", text)
	s.create(t, "blog", true)
	s.create(t, "wiki", false)
	s.create(t, "kube-tenant", true)
	commit := w.Push(t, "Give tenants their projects")
	w.StartDaemon(t, "daemon", "--resync", resync.String())
	status := w.AwaitVerdict(t, converges, "converged", commit)
	for _, address := range []string{`project.namespaces["wiki"]`, `project.namespaces["kube-tenant"]`} {
		if u := status.Unit(address); u != nil {
			t.Errorf("there is %+v", u)
		}
	}
	blog := s.awaitProject(t, "blog", "ready")
	if s.project(t, "wiki") != "" || s.project(t, "kube-tenant") != "" {
		t.Error("namespaces that are not chosen have projects")
	}

	// What comes later has its project without a push, and what is too long for Keystone holds back no other.
	long := strings.Repeat("n", 63)
	s.create(t, long, true)
	s.label(t, "wiki", `"true"`)
	wiki := s.awaitProject(t, "wiki", "ready")
	world.Await(t, reacts, func() (bool, string) {
		status, _ := w.ReadStatus(t)
		u := status.Unit(`project.namespaces["` + long + `"]`)
		return u != nil && (u.Phase == "blocked" || u.Phase == "failed") && strings.Contains(u.Reason, "64"), fmt.Sprintf("%+v", u)
	})
	s.label(t, long, "null")

	// Who may make namespaces takes over no project by that: one of the name that is not ours stays as it is.
	theirs, _ := w.Elsewhere(t)
	s.create(t, "elsewhere", true)
	world.Await(t, reacts, func() (bool, string) {
		status, _ := w.ReadStatus(t)
		u := status.Unit(`project.namespaces["elsewhere"]`)
		return u != nil && u.Phase == "blocked" && strings.Contains(u.Reason, "a rule takes over nothing"), fmt.Sprintf("%+v", u)
	})
	if tags, _ := s.Raw(t, "project", s.Files.Prefix+"elsewhere")["tags"].([]any); s.project(t, "elsewhere") != theirs || len(tags) > 0 {
		t.Errorf("their project has become %v", s.Raw(t, "project", s.Files.Prefix+"elsewhere"))
	}
	s.label(t, "elsewhere", "null")

	// A label that is taken away, and a namespace that is deleted, leave the projects alone.
	s.label(t, "wiki", "null")
	if id := s.awaitProject(t, "wiki", "kept"); id != wiki {
		t.Errorf("the project of wiki is %s, and was %s", id, wiki)
	}
	if err := w.Cluster.Client().CoreV1().Namespaces().Delete(t.Context(), "blog", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if id := s.awaitProject(t, "blog", "kept"); id != blog {
		t.Errorf("the project of blog is %s, and was %s", id, blog)
	}
	world.Await(t, reacts, func() (bool, string) {
		status, _ := w.ReadStatus(t)
		return status.Verdict == "converged", fmt.Sprintf("%+v", status)
	})

	// The same ones are theirs again.
	s.gone(t, "blog")
	s.create(t, "blog", true)
	s.label(t, "wiki", `"true"`)
	for name, id := range map[string]string{"blog": blog, "wiki": wiki} {
		if now := s.awaitProject(t, name, "ready"); now != id {
			t.Errorf("the project of %s is %s, and was %s", name, now, id)
		}
	}

	// Only a removed block ends them, and makes nothing that goes with the namespace later.
	w.Files.Write("left.hcl", "removed {\n  from = project.namespaces[\"wiki\"]\n}\n")
	w.AwaitVerdict(t, converges, "converged", w.Push(t, "Take one project away whose namespace is chosen"))
	if id := s.project(t, "wiki"); id != "" {
		t.Errorf("the project of wiki is still there: %s", id)
	}
	w.Files.Write("left.hcl", "")
	w.AwaitVerdict(t, converges, "converged", w.Push(t, "Give it one again"))
	if id := s.awaitProject(t, "wiki", "ready"); id == wiki {
		t.Errorf("the project of wiki is %s, and was deleted", id)
	}
	s.label(t, "wiki", "null")
	s.awaitProject(t, "wiki", "kept")
	w.Describe(t, "edge.hcl", "cloud \"edge\" {\n  openstack { cloud = \"edge\" }\n}\nmanifest \"space\" {\n  objects = { apiVersion = \"v1\", kind = \"Namespace\", metadata = { name = \"notes\" } }\n}\n"+
		"removed {\n  from = project.namespaces[\"wiki\"]\n}\n")
	w.AwaitVerdict(t, converges, "converged", w.Push(t, "Take one project away, and the rule"))
	if id := s.project(t, "wiki"); id != "" {
		t.Errorf("the project of wiki is still there: %s", id)
	}
	if id := s.awaitProject(t, "blog", "kept"); id != blog {
		t.Errorf("the project of blog is %s, and was %s", id, blog)
	}
	w.Files.Write("away.hcl", "removed {\n  from = project.namespaces[\"blog\"]\n}\n")
	w.AwaitVerdict(t, converges, "converged", w.Push(t, "Take the other project away"))
	if id := s.project(t, "blog"); id != "" {
		t.Errorf("the project of blog is still there: %s", id)
	}
}

type tenancy struct{ *world.World }

func (s *tenancy) create(t *testing.T, name string, chosen bool) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if chosen {
		namespace.Labels = map[string]string{"example.org/tenant": "true"}
	}
	if _, err := s.Cluster.Client().CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// label sets the label that the rule asks for, or takes it away.
func (s *tenancy) label(t *testing.T, name, value string) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"example.org/tenant":%s}}}`, value)
	if _, err := s.Cluster.Client().CoreV1().Namespaces().Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// gone waits until a namespace that is being deleted is not there any more. Nobody but us has anything in it, and no
// controller of the test bed empties it.
func (s *tenancy) gone(t *testing.T, name string) {
	t.Helper()
	namespaces := s.Cluster.Client().CoreV1().Namespaces()
	world.Await(t, reacts, func() (bool, string) {
		namespace, err := namespaces.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return true, ""
		}
		namespace.Spec.Finalizers = nil
		_, err = namespaces.Finalize(t.Context(), namespace, metav1.UpdateOptions{})
		return false, fmt.Sprint(err)
	})
}

// project returns the id of a namespace's project, "" for none.
func (s *tenancy) project(t *testing.T, namespace string) string {
	t.Helper()
	id, _ := s.Raw(t, "project", s.Files.Prefix+namespace)["id"].(string) // two fail the test
	return id
}

// awaitProject waits until the report says so of a namespace's project, and returns its id. A namespace that has one
// says which; one that has none any more does not.
func (s *tenancy) awaitProject(t *testing.T, namespace, phase string) (id string) {
	t.Helper()
	world.Await(t, reacts, func() (bool, string) {
		status, _ := s.ReadStatus(t)
		u := status.Unit(`project.namespaces["` + namespace + `"]`)
		if u == nil || u.Phase != phase {
			return false, fmt.Sprintf("%+v", u)
		}
		id = s.project(t, namespace)
		found, err := s.Cluster.Client().CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
		if err != nil {
			return phase == "kept", err.Error()
		}
		name, of := found.Annotations["kupenstack.io/project"], found.Annotations["kupenstack.io/project-id"]
		if phase == "kept" && found.DeletionTimestamp == nil {
			return name == "" && of == "", fmt.Sprint(found.Annotations)
		}
		return phase == "kept" || name == s.Files.Prefix+namespace && of == id && id != "", fmt.Sprint(found.Annotations)
	})
	return id
}
