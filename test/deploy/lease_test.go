package deploy_test

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Leases of other programs are none of ours: the right to them is by a Role in the daemon's namespace, and by no other.
func TestLeasesAreTheDaemonsOwn(t *testing.T) {
	for _, confined := range []bool{true, false} {
		var at, bound []string
		for _, object := range objects(t, "lab", values{"repo": values{"url": exampleURL}, "deployer": values{"enabled": confined}}) {
			switch object.GetKind() {
			case "Role", "ClusterRole":
				var role rbacv1.Role
				if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err != nil {
					t.Fatal(err)
				}
				for _, rule := range role.Rules {
					if slices.Contains(rule.APIGroups, "coordination.k8s.io") || slices.Contains(rule.APIGroups, "*") {
						at = append(at, object.GetKind()+" "+role.Namespace+"/"+role.Name)
					}
				}
			case "RoleBinding":
				var binding rbacv1.RoleBinding
				if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &binding); err != nil {
					t.Fatal(err)
				}
				for _, s := range binding.Subjects {
					if binding.RoleRef.Name == "kupenstack-lease" {
						bound = append(bound, binding.RoleRef.Kind+" in "+binding.Namespace+" to "+s.Kind+" "+s.Namespace+"/"+s.Name)
					}
				}
			}
		}
		if !slices.Equal(at, []string{"Role lab/kupenstack-lease"}) || !slices.Equal(bound, []string{"Role in lab to ServiceAccount lab/kupenstack"}) {
			t.Errorf("with charts confined %v: rights to leases by %q, bound as %q", confined, at, bound)
		}
	}
}
