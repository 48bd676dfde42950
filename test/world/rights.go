package world

import (
	"net/http"
	"slices"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Whom rights are given to.
const (
	Daemon = accountName
	Charts = deployerName // see [World.Deployer]
)

// Right is something that may be done with a resource in a namespace. One without a namespace is one in all of the
// cluster; and what was asked of the server without one was about all namespaces, or about what is in none.
type Right struct{ Verb, Group, Resource, Namespace string }

// String is as kubectl has it: "patch daemonsets.apps", with the namespace: "patch daemonsets.apps in openstack".
func (r Right) String() string {
	if r.Namespace == "" {
		return r.Verb + " " + r.Kind()
	}
	return r.Verb + " " + r.Kind() + " in " + r.Namespace
}

// Kind is the resource with its group.
func (r Right) Kind() string {
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

// granted are the rights that roles among objects give an account, one by one.
func granted(t testing.TB, objects []*unstructured.Unstructured, account string) []Right {
	t.Helper()
	rules := map[string][]rbacv1.PolicyRule{} // by kind, namespace and name
	bound := map[string][]string{}            // in which namespaces, "" for all of the cluster
	key := func(kind, namespace, name string) string { return kind + " " + namespace + " " + name }
	for _, object := range objects {
		var role rbacv1.Role // the fields of the others are among its own, or a binding's
		var binding rbacv1.RoleBinding
		switch object.GetKind() {
		case "Role", "ClusterRole":
			decode(t, object, &role)
			rules[key(object.GetKind(), role.Namespace, role.Name)] = role.Rules
		case "RoleBinding", "ClusterRoleBinding":
			decode(t, object, &binding)
			to := slices.ContainsFunc(binding.Subjects, func(s rbacv1.Subject) bool {
				return s.Kind == rbacv1.ServiceAccountKind && "system:serviceaccount:"+s.Namespace+":"+s.Name == account
			})
			if !to {
				continue
			}
			role := key("ClusterRole", "", binding.RoleRef.Name)
			if binding.RoleRef.Kind == "Role" {
				role = key("Role", binding.Namespace, binding.RoleRef.Name)
			}
			bound[role] = append(bound[role], binding.Namespace)
		}
	}
	var rights []Right
	for role, namespaces := range bound {
		for _, namespace := range namespaces {
			for _, rule := range rules[role] {
				rights = append(rights, each(rule, namespace)...)
			}
		}
	}
	slices.SortFunc(rights, func(a, b Right) int {
		return slices.Compare([]string{a.Group, a.Resource, a.Verb, a.Namespace}, []string{b.Group, b.Resource, b.Verb, b.Namespace})
	})
	return slices.Compact(rights)
}

// each returns the rights of a rule that is bound in a namespace.
func each(rule rbacv1.PolicyRule, namespace string) []Right {
	var rights []Right
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				rights = append(rights, Right{verb, group, resource, namespace})
			}
		}
	}
	return rights
}

func decode(t testing.TB, object *unstructured.Unstructured, into any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, into, true); err != nil {
		t.Fatal(err)
	}
}

// Conduct is what has been asked of the API server in the name of an account.
type Conduct struct {
	Used    map[Right]int
	Refused []string // for want of a right
}

// Conduct is what the commands have asked so far, by account.
func (w *World) Conduct(t testing.TB) map[string]*Conduct {
	t.Helper()
	events, _, err := w.Cluster.Events(0)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]*Conduct{Daemon: {Used: map[Right]int{}}, Charts: {Used: map[Right]int{}}}
	for _, e := range events {
		if e.User != accountName || e.Object.Resource == "" || e.Object.APIGroup == authorizationv1.GroupName {
			continue // what it may do, everybody may ask, and this package does
		}
		conduct := of[accountName]
		if e.As != "" {
			conduct.Used[Right{"impersonate", "", "serviceaccounts", System}]++
			conduct = of[e.As]
		}
		resource, namespace := e.Object.Resource, e.Object.Namespace
		if resource == "namespaces" {
			namespace = "" // the log has them be in themselves
		}
		if e.Object.Subresource != "" {
			resource += "/" + e.Object.Subresource
		}
		switch {
		case conduct == nil:
			t.Fatalf("somebody was %s", e.As)
		case e.Code == http.StatusForbidden:
			conduct.Refused = append(conduct.Refused, e.Verb+" "+e.URI)
		default:
			conduct.Used[Right{e.Verb, e.Object.APIGroup, resource, namespace}]++
		}
	}
	return of
}
