//go:build beds

package e2e_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// confinedCloud has a chart that keeps to its namespace, one that does not, and what is written beside charts.
const confinedCloud = `cloud "edge" { namespace = "edge" }

chart "good" { repository = "charts-of-ours" }
chart "greedy" { repository = "charts-of-ours" }
chart "mighty" { repository = "charts-of-ours" }
chart "curious" { repository = "charts-of-ours" }

manifest "beside" {
  namespace = "elsewhere"
  objects   = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "beside" } }
}
`

const confinedGood = `apiVersion: v1
kind: ServiceAccount
metadata: {name: good}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: good}
rules: [{apiGroups: [batch], resources: [jobs, jobs/status], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: good}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: good}
subjects: [{kind: ServiceAccount, name: good}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: good}
spec:
  selector: {matchLabels: {app: good}}
  template:
    metadata: {labels: {app: good}}
    spec: {serviceAccountName: good, containers: [{name: good, image: "registry.example.org/good:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: good-check, annotations: {helm.sh/hook: post-install}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: check, image: "registry.example.org/good:1"}]}}}
`

// The first writes into a namespace that it has nothing to do with, the second hands out rights in the whole cluster, and
// the third would read a Secret from elsewhere into an object of its own.
const (
	confinedGreedy = `apiVersion: v1
kind: ConfigMap
metadata: {name: greedy, namespace: elsewhere}
`
	confinedMighty = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: mighty}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: good, namespace: edge}]
`
	confinedCurious = `apiVersion: v1
kind: ConfigMap
metadata: {name: curious}
data: {stolen: {{ (lookup "v1" "Secret" "elsewhere" "private").data | toJson | quote }}}
`
)

// TestChartAccount has charts written as an account that is bound to the cloud's namespace: one that keeps to it comes up and is
// repaired; those that do not are refused by the API server, and the rest goes on.
func TestChartAccount(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	client := w.Cluster.Client()
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "elsewhere"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Secrets("elsewhere").Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "private"}, StringData: map[string]string{"password": world.Password},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.Deployer(t, "edge")
	w.Describe(t, "cloud.hcl", confinedCloud)
	for name, templates := range map[string]string{"good": confinedGood, "greedy": confinedGreedy, "mighty": confinedMighty, "curious": confinedCurious} {
		w.Files.Write("charts-of-ours/"+name+"/Chart.yaml", "apiVersion: v2\nname: "+name+"\nversion: 1.0.0\n")
		w.Files.Write("charts-of-ours/"+name+"/templates/all.yaml", templates)
	}
	commit := w.Push(t, "Have charts that do and do not keep to their namespace")
	w.StartDaemon(t, "confined", "--resync", resync.String())

	world.Await(t, converges, func() (bool, string) {
		status, _ := w.ReadStatus(t)
		seen := w.Status(t, "status.json")
		for address, refused := range map[string]string{
			"chart.good": "", "manifest.beside": "", "chart.greedy": "configmaps", "chart.mighty": "clusterrolebindings", "chart.curious": `secrets "private"`,
		} {
			u := status.Unit(address)
			if status.Applied.Hash != commit || u == nil || refused == "" && u.Phase != "ready" ||
				refused != "" && (!strings.Contains(u.Reason, "forbidden") || !strings.Contains(u.Reason, refused)) {
				return false, seen
			}
		}
		return true, seen
	})
	if _, err := client.CoreV1().ConfigMaps("elsewhere").Get(t.Context(), "greedy", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a chart has written into another namespace: %v", err)
	}
	if _, err := client.RbacV1().ClusterRoleBindings().Get(t.Context(), "mighty", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a chart has handed out rights in the whole cluster: %v", err)
	}
	if stolen, err := client.CoreV1().ConfigMaps("edge").Get(t.Context(), "curious", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a chart has read a Secret of another namespace: %v, %v", stolen, err)
	}

	if err := client.AppsV1().Deployments("edge").Delete(t.Context(), "good", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	world.Await(t, reacts, func() (bool, string) {
		again, err := client.AppsV1().Deployments("edge").Get(t.Context(), "good", metav1.GetOptions{})
		return err == nil && again.Status.AvailableReplicas > 0, "the Deployment that was deleted is not back"
	})
	own := w.Conduct(t)[world.Daemon]
	if len(own.Refused) > 0 {
		t.Errorf("the daemon's own account was refused %q", slices.Compact(own.Refused))
	}
	for right := range own.Used {
		if right.Group != "kupenstack.io" && right.Group != "" && right.Group != "coordination.k8s.io" && slices.Contains([]string{"create", "update", "patch", "delete"}, right.Verb) {
			t.Errorf("the daemon's own account did %s", right)
		}
	}
}
