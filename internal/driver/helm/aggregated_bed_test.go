//go:build beds

package helm_test

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The rules of a role that is put together of others are filled in by the cluster, whatever the chart has in their place.
func TestRulesThatTheClusterFillsIn(t *testing.T) {
	b := newBed(t, fstest.MapFS{
		"charts/app/Chart.yaml":  file("apiVersion: v2\nname: app\nversion: 1.2.3\n"),
		"charts/app/values.yaml": file("replicas: 2\ngreeting: hi\nbig: 1\nauth: {password: password}\n"),
		"charts/app/templates/all.yaml": file(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "{{ .Release.Namespace }}-all"}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {for: "{{ .Release.Namespace }}"}}]}
rules: []
`),
		"charts/app/templates/part.yaml": file(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "{{ .Release.Namespace }}-part", labels: {for: "{{ .Release.Namespace }}"}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`),
	})
	defer b.remove()
	b.settle()
	roles := b.client.RbacV1().ClusterRoles()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		all, err := roles.Get(ctx, b.namespace+"-all", metav1.GetOptions{})
		return err == nil && len(all.Rules) == 1, err
	})
	if err != nil {
		t.Fatal(err)
	}
	b.restart()
	if state, diff := b.observe(); diff.Action != unit.ActionNone {
		t.Errorf("it is %s, %+v", state.Release, diff)
	}
	all, err := roles.Get(t.Context(), b.namespace+"-all", metav1.GetOptions{})
	if err != nil || len(all.Rules) != 1 {
		t.Errorf("the rules are %v, %v", all.Rules, err)
	}
	edited := all.DeepCopy()
	edited.AggregationRule.ClusterRoleSelectors[0].MatchLabels = map[string]string{"for": "nobody"}
	if _, err := roles.Update(t.Context(), edited, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.until("what somebody changed is drift", func(state unit.State, _ unit.Diff) bool { return state.Release == unit.ReleaseDrifted })
	b.settle()
}
