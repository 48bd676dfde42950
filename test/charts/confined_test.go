//go:build beds

package charts_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// asked has the rights that it takes to deploy OpenStack-Helm's charts: a line for a release, the namespace, the resource
// and the name of an object, and then the verbs. A "-" is all of the cluster, or whichever object.
const asked = "testdata/rights.txt"

// excused are those that README says confined charts do not have: these exporters hand out more than a chart should.
const excused = `
prometheus-kube-state-metrics - *.* - list watch
prometheus-kube-state-metrics - clusterrolebindings.rbac.authorization.k8s.io prometheus-kube-state-metrics-kube-state-metrics delete get patch
prometheus-kube-state-metrics - clusterroles.rbac.authorization.k8s.io prometheus-kube-state-metrics-kube-state-metrics delete get patch
prometheus-node-exporter - clusterrolebindings.rbac.authorization.k8s.io run-node-exporter delete get patch
prometheus-node-exporter - clusterroles.rbac.authorization.k8s.io cluster-admin bind
prometheus-process-exporter - clusterrolebindings.rbac.authorization.k8s.io run-process-exporter delete get patch
prometheus-process-exporter - clusterroles.rbac.authorization.k8s.io cluster-admin bind
`

// TestRightsOfOpenStackHelm wants it to be on record what rights it takes to deploy the clouds of the examples, and those
// with all services, by the charts of OpenStack-Helm.
func TestRightsOfOpenStackHelm(t *testing.T) {
	dir := checkoutOfCharts(t)
	needs, rendered := map[string]map[right]bool{}, map[string]bool{}
	look := func(t *testing.T, units map[string]unit.Unit) {
		t.Helper()
		for _, r := range releases(units) {
			values, err := json.Marshal(withSecrets(r))
			if err != nil {
				t.Fatal(err)
			}
			same := r.Namespace + " " + r.Name + " " + string(values)
			if rendered[same] {
				continue
			}
			rendered[same] = true
			if needs[r.Name] == nil {
				needs[r.Name] = map[right]bool{}
			}
			for _, n := range neededFor(t, r.Namespace, objectsOf(t, documents(t, theirs(t, dir, r.Name), r))) {
				needs[r.Name][n] = true
			}
		}
	}
	for _, units := range exampleUnits(t) {
		look(t, units)
	}
	composed.Variants(t, look)
	got := inLines(needs)
	if os.Getenv(updateVariable) != "" {
		if err := os.WriteFile(asked, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(asked)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is of another version: write it again with %s=1; now it takes\n%s", asked, updateVariable, got)
	}
}

// neededFor are the rights that it takes to deploy, repair and take away objects as Helm and its driver do.
func neededFor(t *testing.T, namespace string, objects []*unstructured.Unstructured) []right {
	t.Helper()
	// Helm's records of releases, and how far their hooks are.
	var needed []right
	add := func(namespace, resource, name string, verbs ...string) {
		for _, verb := range verbs {
			needed = append(needed, right{namespace, resource, name, verb})
		}
	}
	add(namespace, "secrets", "", "get", "list", "create", "update", "delete")
	add(namespace, "configmaps", "", "get", "create", "patch", "delete")
	for _, o := range objects {
		plural, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
		resource := plural.GroupResource().String()
		at, name := o.GetNamespace(), ""
		switch {
		case ofCluster()[o.GetKind()]:
			at, name = "", o.GetName()
		case at == "":
			at = namespace
		}
		add(at, resource, "", "create")
		add(at, resource, name, "get", "patch")
		switch o.GetKind() {
		case "CustomResourceDefinition", "PersistentVolumeClaim": // these stay
		default:
			add(at, resource, name, "delete")
		}
		switch o.GetKind() {
		case "Deployment", "StatefulSet", "DaemonSet", "CronJob", "Service": // a list whose keys somebody changed is put back whole
			add(at, resource, name, "update")
		}
		needed = append(needed, handedOut(t, at, o, objects)...)
	}
	return needed
}

// ofCluster are the kinds of objects that are in no namespace.
func ofCluster() map[string]bool {
	kinds := map[string]bool{}
	for _, kind := range []string{
		"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace", "PersistentVolume", "PriorityClass", "RuntimeClass",
		"StorageClass", "CSIDriver", "IngressClass", "GatewayClass", "APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration",
		"ClusterIssuer",
	} {
		kinds[kind] = true
	}
	return kinds
}

// handedOut are the rights without which the API server lets nobody write a role or a binding: those that it hands out,
// or, in a namespace, the one to hand out any.
func handedOut(t *testing.T, namespace string, o *unstructured.Unstructured, objects []*unstructured.Unstructured) []right {
	t.Helper()
	const roles, clusterRoles = "roles.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io"
	switch o.GetKind() {
	case "Role":
		return []right{{namespace, roles, "", "escalate"}}
	case "RoleBinding":
		var binding rbacv1.RoleBinding
		convert(t, o, &binding)
		if binding.RoleRef.Kind == "Role" {
			return []right{{namespace, roles, "", "bind"}}
		}
		return []right{{namespace, clusterRoles, "", "bind"}}
	case "ClusterRole":
		var role rbacv1.ClusterRole
		convert(t, o, &role)
		return rightsIn(role.Rules)
	case "ClusterRoleBinding":
		var binding rbacv1.ClusterRoleBinding
		convert(t, o, &binding)
		at := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool {
			return o.GetKind() == "ClusterRole" && o.GetName() == binding.RoleRef.Name
		})
		if at < 0 { // one that is there already, such as cluster-admin
			return []right{{"", clusterRoles, binding.RoleRef.Name, "bind"}}
		}
		return handedOut(t, "", objects[at], objects)
	}
	return nil
}

// rightsIn are the rights that rules of a role in all of the cluster give, one by one.
func rightsIn(given []rbacv1.PolicyRule) []right {
	var found []right
	for _, rule := range given {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, verb := range rule.Verbs {
			for _, url := range rule.NonResourceURLs {
				found = append(found, right{"", url, "", verb})
			}
			for _, resource := range rule.Resources {
				for _, group := range rule.APIGroups {
					for _, name := range names {
						found = append(found, right{"", strings.TrimSuffix(resource+"."+group, "."), name, verb})
					}
				}
			}
		}
	}
	return found
}

// inLines is what is on record: a line for each release, namespace, resource and object, sorted.
func inLines(needs map[string]map[right]bool) string {
	verbs := map[string][]string{}
	for release, rights := range needs {
		for r := range rights {
			line := strings.Join([]string{release, cmp.Or(r.namespace, "-"), r.resource, cmp.Or(r.name, "-")}, " ")
			verbs[line] = append(verbs[line], r.verb)
		}
	}
	var text strings.Builder
	for _, line := range slices.Sorted(maps.Keys(verbs)) {
		slices.Sort(verbs[line])
		text.WriteString(line + " " + strings.Join(verbs[line], " ") + "\n")
	}
	return text.String()
}

// fromLines reads what inLines writes, by release.
func fromLines(text string) map[string][]right {
	found := map[string][]right{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fields := strings.Fields(line)
		for i, field := range fields {
			fields[i] = strings.TrimPrefix(field, "-")
		}
		for _, verb := range fields[4:] {
			found[fields[0]] = append(found[fields[0]], right{fields[1], fields[2], fields[3], verb})
		}
	}
	return found
}

// TestConfinedCharts wants the accounts that the chart in deploy/ makes to have the rights that it takes to deploy
// OpenStack-Helm's charts, in the namespaces that README names: that of charts to write, and that of the daemon to see
// what becomes of it.
func TestConfinedCharts(t *testing.T) {
	const system, daemon, cloud = "kupenstack-system", "kupenstack", "openstack"
	accounts := func(namespaces ...any) (writes, sees rules) {
		objects := objectsOf(t, documents(t, read(t, filepath.Join("..", "..", "deploy", "chart")), &unit.Release{
			Namespace: system, Name: daemon,
			Values: map[string]any{
				"repo":     map[string]any{"url": "https://git.example.org/cloud.git"},
				"deployer": map[string]any{"namespaces": namespaces},
			},
		}))
		return rulesOf(t, objects, system, daemon+"-deployer"), rulesOf(t, objects, system, daemon)
	}
	record, err := os.ReadFile(asked)
	if err != nil {
		t.Fatal(err)
	}
	needs, excuses := fromLines(string(record)), fromLines(excused)
	for _, release := range slices.Sorted(maps.Keys(needs)) {
		namespaces := []any{cloud}
		if release == schema.RookAdapter {
			namespaces = append(namespaces, "rook-ceph", "ceph") // Rook's in the example, and where nobody says which it is
		}
		writes, sees := accounts(namespaces...)
		for _, r := range needs[release] {
			switch may, excuse := writes.allow(r), slices.Contains(excuses[release], r); {
			case !may && !excuse:
				t.Errorf("to deploy %s takes the right to %s, which confined charts do not have", release, r)
			case may && excuse:
				t.Errorf("%s may %s, and README says that it may not", release, r)
			}
			if r.verb != "create" {
				continue
			}
			for _, verb := range []string{"get", "list", "watch"} {
				if look := (right{r.namespace, r.resource, "", verb}); !sees.allow(look) {
					t.Errorf("what %s makes the daemon cannot see: it may not %s", release, look)
				}
			}
		}
	}
	for release, rights := range excuses {
		for _, r := range rights {
			if !slices.Contains(needs[release], r) {
				t.Errorf("it is excused that %s may not %s, which it does not take", release, r)
			}
		}
	}
	for _, name := range charts.Names() {
		if len(needs[name]) == 0 {
			t.Errorf("%s has nothing of %s", asked, name)
		}
	}
}
