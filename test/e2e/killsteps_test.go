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
	"sync"
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
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: server, annotations: {text: {{ .Values.text | quote }}}}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: server, annotations: {text: {{ .Values.text | quote }}}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: server}
subjects: [{kind: ServiceAccount, name: server}]
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

// turns is how many steps there are to each that the command goes on at.
const turns = 4

// TestKilledAtEveryStep kills the daemon at each of its writes to the cluster while it installs a release, and again
// while it upgrades one: before the write reaches the server, or after it was answered, as the seed has it for that write. The
// next daemon ends what the one before began, and nothing was done twice; then it is its turn, with the next commit. At some
// steps the command goes on in between, and is killed as well.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()           // in worlds of their own
	var all sync.WaitGroup // as parallel tests they would begin when all others are done
	for _, kind := range []string{"install", "upgrade"} {
		all.Go(func() { t.Run(kind, func(t *testing.T) { killedAtEveryStep(t, kind) }) })
	}
	all.Wait()
}

func killedAtEveryStep(t *testing.T, kind string) {
	t.Helper()
	c := choice{sweep: kind, point: onePoint(t)}
	if c.point != nil && c.point.chapter != kind+" a release" {
		t.Skipf("%s is of another test", c.point)
	}
	w := world.WithoutOpenStack(t)
	s := &stepped{
		story: story{World: w, all: t, proxies: w.Proxies(t)}, kind: kind, dir: t.TempDir(), texts: map[string]string{},
		seen: map[string]int{}, choice: c,
	}
	s.choice.seed = s.proxies.Seed()
	s.Files.Write("more/app/Chart.yaml", "apiVersion: v2\nname: app\nversion: 1.0.0\n")
	s.Files.Write("more/app/templates/all.yaml", steppedChart)
	s.texts[s.namespace()] = "0"
	s.push(t)
	s.shot, s.next = true, true // there is nothing to be killed at before the first step
	var kills []crash.Trigger
	for range steps {
		kills = append(kills, killOn(s.proxies.Control, s.proxies.Kubernetes, s.reached))
	}
	lives, err := crash.Run{
		Program: s.proxies.Daemon(), Dir: s.dir, Control: s.proxies.Control, Kill: kills, Limit: converges, Killed: s.goesOn,
		Until: func(_ context.Context, p *crash.Process) (bool, error) { return s.ended(t, p), nil },
	}.Do(t.Context())
	t.Logf("seed %d: killed at these writes; one of them alone with %s=\"<a line of these>\":\n%s", s.proxies.Seed(), crash.PointVariable, strings.Join(s.choice.lines(), "\n"))
	if err != nil {
		t.Fatalf("killed %s: %v", s.last(), err)
	}
	t.Logf("%d writes, %d daemons; the command was killed %d times", s.step-1, len(lives), s.commands)
	if least := map[bool]int{true: 1, false: 11}[c.point != nil]; s.step-1 < least { // the revision, the objects, the hooks, the inventory
		t.Errorf("an %s takes %d writes: those of the release are not among them", kind, s.step-1)
	}
	if s.commands == 0 && c.point == nil {
		t.Error("the command was never killed")
	}
}

type stepped struct {
	story
	kind  string
	dir   string
	texts map[string]string // of the releases, by their namespaces

	commands int   // that were killed
	hooks    hooks // that ran

	mu     sync.Mutex
	step   int            // how many commits were pushed behind the first one
	seen   map[string]int // writes of each kind since the push of the commit
	choice choice         // of the writes, each named with how many of its kind came before
	shot   bool           // it is being killed, or need not be any more
	next   bool           // another daemon has taken its place
}

// writes tells whether a request changes something. Those about the lease do not.
func writes(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/leases")
}

// reached is the side on which the daemon is to die at a request, 0 for neither: at the first write since the push of the
// commit that no daemon was killed at yet. Writes are told apart by what they are about and how many of their kind came
// before: their order may be another one each time.
func (s *stepped) reached(r *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !writes(r) || s.shot {
		return 0
	}
	verb, path := faultproxy.ClassifyKubernetes(r)
	s.seen[verb+" "+path]++
	side := s.choice.at(s.kind+" a release", verb+" "+path+" "+strconv.Itoa(s.seen[verb+" "+path]))
	s.shot = side != 0
	return side
}

// draw is a number below n that depends on the seed and on what it is drawn about.
func (s *stepped) draw(about string, n int) int {
	return faultproxy.Rand(s.proxies.Seed(), s.kind, about).IntN(n)
}

// last is where a daemon was killed last.
func (s *stepped) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lines := s.choice.lines(); len(lines) > 0 {
		return lines[len(lines)-1]
	}
	return "nowhere"
}

// goesOn is called between a daemon that was killed and the next one. Where it is the command's turn, that goes on in
// between: one is killed at its first write, and another ends what was begun. It always is behind the first record of a release.
func (s *stepped) goesOn(ctx context.Context) error {
	s.mu.Lock()
	s.next = true
	step := s.step
	s.mu.Unlock()
	last := s.last()
	turn := s.draw("turn of "+last, turns) == 0 || strings.HasSuffix(last, " create /api/v1/namespaces/{namespace}/secrets 1")
	if err := s.free(ctx); err != nil || !turn {
		return err
	}
	match := faultproxy.Match{Proxy: s.proxies.Kubernetes, Request: writes}
	lives, err := crash.Run{
		Program: s.proxies.Program(), Dir: filepath.Join(s.dir, "command-"+strconv.Itoa(step)), Control: s.proxies.Control, Limit: converges, Killed: s.free,
		Kill: []crash.Trigger{crash.AtRequest(s.proxies.Control, match, crash.Point{Request: 1, After: s.draw("command at "+last, 2) == 0})},
	}.Do(ctx)
	if err == nil && lives[0].Killed {
		s.commands++
	}
	return err
}

// ended looks at what came about once the commit is in force, and goes on with the next step. It is true when a daemon
// came to the end of a step without having been killed, as there are no more writes.
func (s *stepped) ended(t *testing.T, p *crash.Process) bool {
	t.Helper()
	if status, _ := s.ReadStatus(t); !p.Logged(taken) || status.Verdict != "converged" || status.Applied.Hash != s.commit {
		return false
	}
	s.mu.Lock()
	last, dies := !s.shot, s.shot && !s.next
	s.shot = true
	s.mu.Unlock()
	if dies {
		return false // at a write that came after the report
	}
	s.AwaitRest(t, reacts) // what is still to be written is none of the next step
	if s.step > 0 {
		s.once(t)
	}
	if !last && s.step == steps {
		t.Errorf("no end after %d writes", steps)
	}
	if last || t.Failed() {
		return true
	}
	s.mu.Lock()
	s.step, s.seen, s.shot, s.next = s.step+1, map[string]int{}, false, false
	s.mu.Unlock()
	s.texts[s.namespace()] = strconv.Itoa(s.step)
	s.push(t)
	return false
}

// namespace is that of the release of a step.
func (s *stepped) namespace() string {
	if s.kind == "upgrade" {
		return "apps"
	}
	return "apps-" + strconv.Itoa(s.step)
}

// push has the releases installed with their texts; what is installed already stays.
func (s *stepped) push(t *testing.T) {
	t.Helper()
	cloud := "cloud \"edge\" {}\n"
	for _, name := range slices.Sorted(maps.Keys(s.texts)) {
		cloud += fmt.Sprintf(steppedBlock, name, s.texts[name])
	}
	s.Describe(t, "cloud.hcl", cloud)
	s.commit = s.Push(t, "Step "+strconv.Itoa(s.step))
}

// once wants the release of a step to be there with its text, each hook to have run once for it, and nothing more.
func (s *stepped) once(t *testing.T) {
	t.Helper()
	client, text := s.Cluster.Client(), strconv.Itoa(s.step)
	namespace, revision := s.namespace(), 1
	if s.kind == "upgrade" {
		revision = 1 + s.step
	}
	at := s.last()
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
	role, err := client.RbacV1().Roles(namespace).Get(t.Context(), "server", metav1.GetOptions{})
	if err != nil || role.Annotations["text"] != text {
		t.Errorf("killed at %v: the Role has %v, %v", at, role.Annotations, err)
	}
	binding, err := client.RbacV1().RoleBindings(namespace).Get(t.Context(), "server", metav1.GetOptions{})
	if err != nil || binding.Annotations["text"] != text {
		t.Errorf("killed at %v: the RoleBinding has %v, %v", at, binding.Annotations, err)
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
	ran := s.hooks.of(t, s.Cluster, namespace)
	if names := []string{"before", "after"}; slices.ContainsFunc(names, func(name string) bool { return ran[name] != revision }) {
		t.Errorf("killed at %v: the hooks were created %v times, want %d", at, ran, revision)
	}
}
