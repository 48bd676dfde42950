package deploy_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/strvals"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// handsOut tells whether the daemon's account may give rights that it does not have, in all of the cluster.
func handsOut(t *testing.T, objects []*unstructured.Unstructured) bool {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() != "ClusterRole" || object.GetName() != "kupenstack" {
			continue
		}
		var role rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &role, true); err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
			return slices.ContainsFunc(rule.Verbs, func(verb string) bool { return slices.Contains([]string{"escalate", "bind", rbacv1.VerbAll}, verb) })
		})
	}
	t.Fatal("the daemon has no role")
	return false
}

// TestCommandsThatPeopleCopyConfineCharts: what README and the head of the plain manifest have people run makes an
// account for charts, and the daemon's hands out no rights. Only the plain manifest itself has that one account.
func TestCommandsThatPeopleCopyConfineCharts(t *testing.T) {
	for name, command := range map[string]string{"README.md": "helm install", filepath.Join("deploy", "manifests", "kupenstack.yaml"): "helm template"} {
		_, text, found := strings.Cut(read(t, name), command+" kupenstack deploy/chart --namespace "+namespace)
		if !found {
			t.Errorf("%s has no %s", name, command)
			continue
		}
		given := values{}
		for line := range strings.Lines(text) {
			for _, set := range regexp.MustCompile(`--set ["']?([^"'\s]+)`).FindAllStringSubmatch(line, -1) {
				if err := strvals.ParseInto(set[1], given); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if !strings.HasSuffix(strings.TrimSpace(line), `\`) {
				break
			}
		}
		rendered := objects(t, namespace, given)
		if args := deployment(t, rendered).Spec.Template.Spec.Containers[0].Args; !slices.Contains(args, "--chart-account="+namespace+"/kupenstack-deployer") {
			t.Errorf("%s: the daemon is started with %q", name, args)
		}
		if handsOut(t, rendered) {
			t.Errorf("%s: the daemon hands out rights", name)
		}
	}
	if !handsOut(t, objects(t, namespace, values{"repo": values{"url": exampleURL}})) {
		t.Error("without an account of charts the daemon hands out no rights")
	}
}
