//go:build beds

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

const steppedChart = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {text: {{ .Values.text | quote }}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: server}
spec:
  selector: {matchLabels: {app: server}}
  template:
    metadata: {labels: {app: server}, annotations: {text: {{ .Values.text | quote }}}}
    spec: {containers: [{name: server, image: "registry.example.org/server:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: server, annotations: {text: {{ .Values.text | quote }}}}
spec: {selector: {app: server}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  serviceName: store
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}, annotations: {text: {{ .Values.text | quote }}}}
    spec: {containers: [{name: store, image: "registry.example.org/store:1"}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}, annotations: {text: {{ .Values.text | quote }}}}
    spec: {containers: [{name: agent, image: "registry.example.org/agent:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: before, annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: before, image: "registry.example.org/server:1"}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: after, annotations: {helm.sh/hook: "post-install,post-upgrade", helm.sh/hook-delete-policy: before-hook-creation}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: after, image: "registry.example.org/server:1"}]}}}
`

const steppedBlock = `
chart "%[1]s" {
  name       = "app"
  chart      = "app"
  repository = "more"
  namespace  = "%[1]s"
  values     = { text = "%[2]s" }
}
`

// steps bounds how many writes an installation or an upgrade may take: more are a mistake of this test or of the
// product.
const steps = 60

// TestKilledAtEveryStep kills the command at each of its writes to the cluster while it installs a release, and again
// while it upgrades one: before the write reaches the server, or after it was answered, as the seed has it. The next
// life ends what the one before began, and nothing was done twice.
func TestKilledAtEveryStep(t *testing.T) {
	for _, kind := range []string{"install", "upgrade"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel() // in a world of its own
			w := world.WithoutOpenStack(t)
			s := &stepped{killed{story{World: w, all: t, proxies: w.Proxies(t)}}, t.TempDir(), map[string]string{}}
			s.Files.Write("more/app/Chart.yaml", "apiVersion: v2\nname: app\nversion: 1.0.0\n")
			s.Files.Write("more/app/templates/all.yaml", steppedChart)
			chance := faultproxy.Rand(s.proxies.Seed(), kind)
			if kind == "upgrade" {
				s.converge(t, "apps", "0", nil)
			}
			for step := 1; ; step++ {
				if step > steps {
					t.Fatalf("no end after %d writes", steps)
				}
				namespace, revision := "apps-"+strconv.Itoa(step), 1
				if kind == "upgrade" {
					namespace, revision = "apps", 1+step
				}
				at := crash.Point{Request: step, After: chance.IntN(2) == 1}
				killed := s.converge(t, namespace, strconv.Itoa(step), &at)
				s.once(t, namespace, strconv.Itoa(step), revision, at)
				if t.Failed() {
					return
				}
				if !killed {
					t.Logf("%d writes", step-1)
					if step < 11 { // the revision, the objects, the hooks, the inventory
						t.Errorf("an %s takes %d writes: those of the release are not among them", kind, step-1)
					}
					return
				}
			}
		})
	}
}

type stepped struct {
	killed
	dir   string
	texts map[string]string // of the releases, by their namespaces
}

// writes are the requests that change something, but for the lease.
func (s *stepped) writes() faultproxy.Match {
	return faultproxy.Match{Proxy: s.proxies.Kubernetes, Request: func(r *http.Request) bool {
		return r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/leases") && !strings.Contains(r.URL.Path, "authorization.k8s.io")
	}}
}

// converge pushes a text for the chart and runs the command until it is in force; the first life is killed at the
// point. It tells whether it was.
func (s *stepped) converge(t *testing.T, namespace, text string, at *crash.Point) bool {
	t.Helper()
	s.texts[namespace] = text
	cloud := "cloud \"edge\" {}\n"
	for _, name := range slices.Sorted(maps.Keys(s.texts)) { // what is installed already stays
		cloud += fmt.Sprintf(steppedBlock, name, s.texts[name])
	}
	s.Describe(t, "cloud.hcl", cloud)
	s.commit = s.Push(t, "Say "+text)
	var kills []crash.Trigger
	if at != nil {
		kills = []crash.Trigger{crash.AtRequest(s.proxies.Control, s.writes(), *at)}
	}
	lives, err := crash.Run{
		Program: s.proxies.Program(), Dir: filepath.Join(s.dir, namespace+"-"+text), Control: s.proxies.Control, Kill: kills, Limit: converges,
		Killed: s.release,
	}.Do(t.Context())
	if err != nil {
		t.Fatalf("killed at %v: %v", at, err)
	}
	if status, _ := s.ReadStatus(t); status.Verdict != "converged" || status.Applied.Hash != s.commit {
		t.Errorf("killed at %v: the status branch says %s of %s", at, status.Verdict, status.Applied.Hash)
	}
	return lives[0].Killed
}

// release takes the lease of a life that was killed away, so that the next one need not wait until it has run out.
func (s *stepped) release(ctx context.Context) error {
	return s.Cluster.Client().CoordinationV1().Leases(world.System).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}

// once wants the release to be there with the text, each hook to have run once for it, and nothing more.
func (s *stepped) once(t *testing.T, namespace, text string, revision int, at crash.Point) {
	t.Helper()
	client := s.Cluster.Client()
	settings, err := client.CoreV1().ConfigMaps(namespace).Get(t.Context(), "settings", metav1.GetOptions{})
	if err != nil || settings.Data["text"] != text {
		t.Errorf("killed at %v: the settings are %v, %v", at, settings.Data, err)
	}
	server, err := client.AppsV1().Deployments(namespace).Get(t.Context(), "server", metav1.GetOptions{})
	if err != nil || server.Spec.Template.Annotations["text"] != text || server.Status.AvailableReplicas != 1 {
		t.Errorf("killed at %v: the server has %v and %d pods, %v", at, server.Spec.Template.Annotations, server.Status.AvailableReplicas, err)
	}
	store, err := client.AppsV1().StatefulSets(namespace).Get(t.Context(), "store", metav1.GetOptions{})
	if err != nil || store.Spec.Template.Annotations["text"] != text || store.Status.UpdatedReplicas != 1 || store.Status.ReadyReplicas != 1 {
		t.Errorf("killed at %v: the store has %v and %+v, %v", at, store.Spec.Template.Annotations, store.Status, err)
	}
	agent, err := client.AppsV1().DaemonSets(namespace).Get(t.Context(), "agent", metav1.GetOptions{})
	if err != nil || agent.Spec.Template.Annotations["text"] != text || agent.Status.UpdatedNumberScheduled == 0 || agent.Status.NumberUnavailable != 0 {
		t.Errorf("killed at %v: the agent has %v and %+v, %v", at, agent.Spec.Template.Annotations, agent.Status, err)
	}
	service, err := client.CoreV1().Services(namespace).Get(t.Context(), "server", metav1.GetOptions{})
	if err != nil || service.Annotations["text"] != text {
		t.Errorf("killed at %v: the Service has %v, %v", at, service.Annotations, err)
	}
	secrets, err := client.CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm"})
	if err != nil {
		t.Fatal(err)
	}
	var deployed []string
	for i := range secrets.Items {
		labels := secrets.Items[i].Labels
		switch labels["status"] {
		case "deployed":
			deployed = append(deployed, labels["version"])
		case "superseded", "failed":
		default:
			t.Errorf("killed at %v: the revision %s is %s", at, labels["version"], labels["status"])
		}
	}
	if len(deployed) != 1 {
		t.Errorf("killed at %v: deployed are the revisions %v", at, deployed)
	}
	ran := map[string]int{}
	events, _, err := s.Cluster.Events(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Verb == "create" && e.Object.Resource == "jobs" && e.Object.Namespace == namespace && e.Code == http.StatusCreated {
			ran[e.Object.Name]++
		}
	}
	if names := []string{"before", "after"}; slices.ContainsFunc(names, func(name string) bool { return ran[name] != revision }) {
		t.Errorf("killed at %v: the hooks were created %v times, want %d", at, ran, revision)
	}
}
