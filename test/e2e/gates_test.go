//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

const gatedCloud = `cloud "edge" {}

chart "gated" {
  repository = "more"
  namespace  = "gated"
  gates = [
    { url = "PAGE/healthz" },
    { api_version = "v1", kind = "Service", name = "awaited", condition = "Ready" },
  ]
}

manifest "after" {
  objects    = { apiVersion = "v1", kind = "Namespace", metadata = { name = "after" } }
  depends_on = [chart.gated]
}
`

// TestGates has a chart whose objects are there at once, and which is ready only once a page answers and another
// object has a condition; what depends on it waits until then. It waits again when the page answers no more.
func TestGates(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	var status atomic.Int32
	status.Store(http.StatusServiceUnavailable)
	page := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(int(status.Load())) }))
	t.Cleanup(page.Close)
	w.Describe(t, "edge.hcl", strings.Replace(gatedCloud, "PAGE", page.URL, 1))
	w.Files.Write("more/gated/Chart.yaml", "apiVersion: v2\nname: gated\nversion: 1.0.0\n")
	w.Files.Write("more/gated/values.yaml", "text: something\n")
	w.Files.Write("more/gated/templates/all.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: gated}\ndata: {text: {{ .Values.text }}}\n")
	commit := w.Push(t, "Describe what waits for gates")
	w.StartDaemon(t, "gates", "--resync", "8s", "--api-checks", "all")

	says := func(phase, reason string) {
		t.Helper()
		world.Await(t, converges, func() (bool, string) {
			s, _ := w.ReadStatus(t)
			u := s.Unit("chart.gated")
			return u != nil && u.Phase == phase && strings.Contains(u.Reason, reason), fmt.Sprintf("%+v", u)
		})
	}
	says("progressing", "gated: GET "+page.URL+"/healthz: 503 Service Unavailable")
	s, _ := w.ReadStatus(t)
	if u := s.Unit("manifest.after"); u == nil || u.Phase != "waiting" {
		t.Errorf("what depends on it is %+v", u)
	}
	status.Store(http.StatusOK)
	says("progressing", "Service gated/awaited: condition Ready: there is no such object")

	services := w.Cluster.Client().CoreV1().Services("gated")
	awaited := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "awaited"},
		Spec:       corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	if _, err := services.Create(t.Context(), awaited, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	says("progressing", "condition Ready is not told yet")
	condition := func(status, reason string) {
		t.Helper()
		patch := fmt.Appendf(nil, `{"status":{"conditions":[{"type":"Ready","status":%q,"reason":%q,"message":"as the test says","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`, status, reason)
		if _, err := services.Patch(t.Context(), "awaited", types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
			t.Fatal(err)
		}
	}
	condition("False", "NotYet")
	says("progressing", "condition Ready is False: NotYet: as the test says")
	condition("True", "Done")
	w.AwaitVerdict(t, converges, "converged", commit)

	status.Store(http.StatusBadGateway)
	says("progressing", "502 Bad Gateway")
	status.Store(http.StatusNoContent)
	w.AwaitVerdict(t, converges, "converged", commit)
	plan := w.Run(t, reacts, "plan")
	if plan.Code != 0 {
		t.Errorf("plan: exit code %d\n%s%s", plan.Code, plan.Stdout, plan.Stderr)
	}
}
