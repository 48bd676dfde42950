package deploy_test

import (
	"fmt"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Claims to volumes may be deleted only in the namespaces that somebody names, and nothing else besides.
func TestDataIsDeletedWhereItIsNamed(t *testing.T) {
	for _, named := range [][]any{nil, {"openstack", "other"}} {
		var roles, bindings, want []string
		for _, namespace := range named {
			want = append(want, fmt.Sprint(namespace))
		}
		for _, object := range objects(t, "lab", values{"repo": values{"url": exampleURL}, "rbac": values{"deleteData": named}}) {
			switch object.GetKind() {
			case "Role":
				var role rbacv1.Role
				if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &role, true); err != nil {
					t.Fatal(err)
				}
				if len(role.Rules) == 1 && slices.Equal(role.Rules[0].Resources, []string{"persistentvolumeclaims"}) {
					roles = append(roles, role.Namespace)
					if got := fmt.Sprint(role.Rules[0].APIGroups, role.Rules[0].Verbs); got != "[] [delete]" {
						t.Errorf("in %s it gives %s", role.Namespace, got)
					}
				}
			case "RoleBinding":
				var binding rbacv1.RoleBinding
				if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &binding, true); err != nil {
					t.Fatal(err)
				}
				if binding.RoleRef.Name == "kupenstack-data" {
					bindings = append(bindings, binding.Namespace)
					if s := binding.Subjects[0]; binding.RoleRef.Kind != "Role" || s.Kind != "ServiceAccount" || s.Name != "kupenstack-deployer" || s.Namespace != "lab" {
						t.Errorf("in %s it binds %+v to %+v", binding.Namespace, binding.RoleRef, binding.Subjects)
					}
				}
			}
		}
		if !slices.Equal(roles, want) || !slices.Equal(bindings, want) {
			t.Errorf("roles in %q and bindings in %q, want %q", roles, bindings, want)
		}
	}
}
