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
	"sigs.k8s.io/yaml"
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

// TestChartsAreConfined: charts have an account of their own, and the daemon's hands out no rights, in the plain manifest,
// without any setting, with those of a chart that did not know deployer.enabled, and by what README and the head of the plain
// manifest have people run. One account is there only for who says so.
func TestChartsAreConfined(t *testing.T) {
	check := func(name string, rendered []*unstructured.Unstructured, confined bool) {
		t.Helper()
		args := deployment(t, rendered).Spec.Template.Spec.Containers[0].Args
		if slices.Contains(args, "--chart-account="+namespace+"/kupenstack-deployer") != confined {
			t.Errorf("%s: the daemon is started with %q", name, args)
		}
		if handsOut(t, rendered) == confined {
			t.Errorf("%s: that the daemon hands out rights is %v", name, confined)
		}
	}
	var plain []*unstructured.Unstructured
	for text := range strings.SplitSeq(manifests(t), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			t.Fatal(err)
		}
		if object.Object != nil {
			plain = append(plain, object)
		}
	}
	check("the plain manifest", plain, true)
	for _, c := range []struct {
		name     string
		deployer values
		confined bool
	}{
		{"nothing is set", values{}, true},
		{"an older chart's values", values{"enabled": nil, "namespaces": []any{"prod"}}, true},
		{"a slip", values{"enabled": ""}, true},
		{"off", values{"enabled": false}, false},
		{"off, as a text", values{"enabled": "false", "namespaces": []any{}}, false},
	} {
		check(c.name, objects(t, namespace, values{"repo": values{"url": exampleURL}, "deployer": c.deployer}), c.confined)
	}
	for name, command := range map[string]string{"README.md": "helm install", filepath.Join("deploy", "manifests", "kupenstack.yaml"): "helm template"} {
		check(name, objects(t, namespace, copied(t, name, command)), true)
	}
}

// copied are the values that a command sets which people copy from a file.
func copied(t *testing.T, name, command string) values {
	t.Helper()
	_, text, found := strings.Cut(read(t, name), command+" kupenstack deploy/chart --namespace "+namespace)
	if !found {
		t.Fatalf("%s has no %s", name, command)
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
	return given
}

// The namespaces are made by whoever installs the daemon, as README and the head of the plain manifest say: what an
// installation consists of has none, so that none goes with it.
func TestNamespacesAreNobodysToDelete(t *testing.T) {
	for name, command := range map[string]string{"README.md": "helm install", filepath.Join("deploy", "manifests", "kupenstack.yaml"): "helm template"} {
		text := read(t, name)
		for _, needed := range []string{namespace, "openstack"} {
			if !strings.Contains(text, "kubectl create namespace "+needed+"\n") {
				t.Errorf("%s does not say that %s has to be made", name, needed)
			}
		}
		for _, object := range objects(t, namespace, copied(t, name, command)) {
			if object.GetKind() == "Namespace" {
				t.Errorf("%s: the chart makes %s", name, object.GetName())
			}
		}
	}
	if strings.Contains(manifests(t), "kind: Namespace\n") {
		t.Error("the plain manifest has a Namespace")
	}
}
