//go:build beds

package charts_test

import (
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// right is something that may be done with a resource, named as kubectl names it. Without a namespace it is in all of the
// cluster, and without a name with whichever object.
type right struct{ namespace, resource, name, verb string }

func (r right) String() string {
	where := "all of the cluster"
	if r.namespace != "" {
		where = "the namespace " + r.namespace
	}
	return r.verb + " " + strings.TrimSuffix(r.resource+"/"+r.name, "/") + " in " + where
}

// rules are those of an account, by the namespaces that they are bound in; those of all of the cluster are at "".
type rules map[string][]rbacv1.PolicyRule

// rulesOf are the rules that roles and bindings among objects give an account.
func rulesOf(t *testing.T, objects []*unstructured.Unstructured, namespace, account string) rules {
	t.Helper()
	roles := map[string][]rbacv1.PolicyRule{} // by kind, namespace and name
	for _, o := range objects {
		if o.GetKind() == "Role" || o.GetKind() == "ClusterRole" {
			var role rbacv1.Role // the fields that count here are those of a ClusterRole
			convert(t, o, &role)
			roles[o.GetKind()+" "+role.Namespace+" "+role.Name] = role.Rules
		}
	}
	found := rules{}
	for _, o := range objects {
		if o.GetKind() != "RoleBinding" && o.GetKind() != "ClusterRoleBinding" {
			continue
		}
		var binding rbacv1.RoleBinding
		convert(t, o, &binding)
		if !slices.Contains(binding.Subjects, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account}) {
			continue
		}
		of := binding.RoleRef.Kind + "  " + binding.RoleRef.Name
		if binding.RoleRef.Kind == "Role" {
			of = "Role " + binding.Namespace + " " + binding.RoleRef.Name
		}
		if len(roles[of]) == 0 {
			t.Errorf("%s %s is to a role that is not there, or that allows nothing", o.GetKind(), o.GetName())
		}
		found[binding.Namespace] = append(found[binding.Namespace], roles[of]...)
	}
	return found
}

// allow tells whether rules give a right, as the API server judges.
func (rs rules) allow(r right) bool {
	resource, group, _ := strings.Cut(r.resource, ".")
	has := func(listed []string, one string) bool {
		return slices.Contains(listed, one) || slices.Contains(listed, "*")
	}
	give := func(rule rbacv1.PolicyRule) bool {
		return has(rule.Verbs, r.verb) && has(rule.APIGroups, group) && has(rule.Resources, resource) &&
			(len(rule.ResourceNames) == 0 || r.name != "" && slices.Contains(rule.ResourceNames, r.name))
	}
	return slices.ContainsFunc(rs[""], give) || r.namespace != "" && slices.ContainsFunc(rs[r.namespace], give)
}

func convert(t *testing.T, o *unstructured.Unstructured, into any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, into); err != nil {
		t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
	}
}

// TestRulesAllow holds the judgement of rules against that of the API server, as Kubernetes documents it.
func TestRulesAllow(t *testing.T) {
	rule := func(group, resource, name string, verbs ...string) rbacv1.PolicyRule {
		r := rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
		if name != "" {
			r.ResourceNames = []string{name}
		}
		return r
	}
	rs := rules{
		"":      {rule("", "nodes", "", "get", "list"), rule("rbac.authorization.k8s.io", "clusterroles", "ovn", "patch", "create")},
		"cloud": {rule("apps", "deployments", "", "get", "create"), rule("example.org", "*", "", "*")},
	}
	for _, c := range []struct {
		right right
		want  bool
	}{
		{right{"", "nodes", "", "list"}, true},
		{right{"", "nodes", "node-1", "get"}, true},
		{right{"cloud", "nodes", "", "list"}, true}, // a binding in all of the cluster counts in each namespace
		{right{"", "nodes", "", "patch"}, false},
		{right{"", "nodes.example.org", "", "get"}, false},
		{right{"", "clusterroles.rbac.authorization.k8s.io", "ovn", "patch"}, true},
		{right{"", "clusterroles.rbac.authorization.k8s.io", "nova", "patch"}, false},
		{right{"", "clusterroles.rbac.authorization.k8s.io", "", "create"}, false}, // what is created has no name yet
		{right{"cloud", "deployments.apps", "", "create"}, true},
		{right{"other", "deployments.apps", "", "create"}, false},
		{right{"", "deployments.apps", "", "create"}, false}, // nor does a binding in a namespace count for all
		{right{"cloud", "deployments.apps", "api", "delete"}, false},
		{right{"cloud", "things.example.org", "one", "escalate"}, true},
		{right{"cloud", "*", "", "get"}, false},
	} {
		if got := rs.allow(c.right); got != c.want {
			t.Errorf("%s: %v, want %v", c.right, got, c.want)
		}
	}
}
