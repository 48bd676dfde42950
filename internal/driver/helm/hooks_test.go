//go:build beds

package helm_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zclconf/go-cty/cty"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// hookJob is a Job that is a hook; behave is an annotation for the kubelets of the bed.
func hookJob(name, events, weight, policies, behave string) *fstest.MapFile {
	annotations := fmt.Sprintf("    helm.sh/hook: %s\n    helm.sh/hook-weight: %q\n", events, weight)
	if policies != "" {
		annotations += "    helm.sh/hook-delete-policy: " + policies + "\n"
	}
	return file(fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata:
  name: %s
  annotations:
%sspec:
  backoffLimit: 0
  template:
    metadata:
      annotations: {%s}
    spec:
      restartPolicy: Never
      containers:
      - {name: work, image: example.org/work:1, env: [{name: GREETING, value: {{ .Values.greeting | quote }}}]}
`, name, annotations, behave))
}

// hookChart adds hooks to the chart whose order is another one than that of their names and files.
func hookChart() fstest.MapFS {
	tree := appChart()
	add := func(name string, content *fstest.MapFile) { tree["charts/app/templates/"+name+".yaml"] = content }
	add("job-sync", hookJob("sync", "post-install,post-upgrade", "-4", "", ""))
	add("job-init", hookJob("a-late", "post-install,post-upgrade", "5", "before-hook-creation,hook-succeeded", ""))
	add("job-db", hookJob("z-db", "post-install,post-upgrade", "-5", "", ""))
	add("job-bootstrap", hookJob("bootstrap", "post-install,post-upgrade", "-4", "", ""))
	add("job-bye", hookJob("bye", "pre-delete", "0", "", ""))
	add("test", hookJob("never", "test", "0", "", ""))
	add("keys", file(`apiVersion: v1
kind: Secret
metadata:
  name: keys
  annotations: {helm.sh/hook: "pre-install", helm.sh/resource-policy: keep}
stringData: {key: {{ randAlphaNum 20 | quote }}}
`))
	add("pre", hookJob("prepare", "pre-upgrade", "0", "before-hook-creation", ""))
	return tree
}

// hookOrder is the order of the Jobs after an installation or upgrade.
var hookOrder = []string{"z-db", "bootstrap", "sync", "a-late"}

func TestHooksRunInOrder(t *testing.T) {
	b := newBed(t, hookChart())
	b.settle()
	if got := b.created("jobs"); !slices.Equal(got, hookOrder) {
		t.Errorf("hooks ran as %q, want %q", got, hookOrder)
	}
	if _, err := b.client.BatchV1().Jobs(b.namespace).Get(t.Context(), "a-late", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the hook that goes when it has succeeded: %v", err)
	}
	job := b.job("sync")
	if job.Labels["app.kubernetes.io/managed-by"] != "Helm" || job.Annotations["kupenstack.io/release"] != "app" {
		t.Errorf("the hook bears %v and %v", job.Labels, job.Annotations)
	}
	secrets := b.client.CoreV1().Secrets(b.namespace)
	keys, err := secrets.Get(t.Context(), "keys", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}

	b.change(func(spec *unit.Release) { spec.Values["greeting"] = "again" })
	b.settle()
	want := slices.Concat(hookOrder, []string{"prepare"}, hookOrder)
	if got := b.created("jobs"); !slices.Equal(got, want) {
		t.Errorf("hooks ran as %q, want %q", got, want)
	}

	b.remove()
	if got := b.created("jobs"); got[len(got)-1] != "bye" || len(got) != len(want)+1 {
		t.Errorf("hooks ran as %q, want bye after %q", got, want)
	}
	jobs, err := b.client.BatchV1().Jobs(b.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(jobs.Items) != 0 {
		t.Errorf("jobs are left: %d, %v", len(jobs.Items), err)
	}

	// The keys survive the end of the release, and its return.
	b.settle()
	after, err := secrets.Get(t.Context(), "keys", metav1.GetOptions{})
	if err != nil || after.UID != keys.UID || string(after.Data["key"]) != string(keys.Data["key"]) {
		t.Errorf("the keys were made anew, %v", err)
	}
}

// A new process after every single call runs each hook exactly once.
func TestAKilledProcessResumesItsHooks(t *testing.T) {
	b := newBed(t, hookChart())
	b.until("ready", func(state unit.State, diff unit.Diff) bool {
		b.restart()
		return state.Ready() && diff.Action == unit.ActionNone
	})
	if got := b.created("jobs"); !slices.Equal(got, hookOrder) {
		t.Errorf("hooks ran as %q, want %q", got, hookOrder)
	}
	if got := b.revisions(); got != "1 deployed" {
		t.Errorf("revisions: %s", got)
	}
}

// Whatever request a process is killed before, the next one goes on without running a hook twice.
func TestAProcessKilledBetweenAHookAndItsRecord(t *testing.T) {
	newBed(t, hookChart())
	// The writes until then are the records of the keys, their creation, and so on to the first Jobs.
	for cut := 1; cut <= 9; cut++ {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, hookChart())
			broken := &cutOff{Cluster: wired{b.cluster}, left: cut}
			b.driver.Close()
			b.driver = b.newDriver(broken)
			for range 20 {
				if broken.gone() {
					break
				}
				state, _ := b.observe()
				_, _ = b.driver.Apply(t.Context(), b.target, cty.NilVal, state)
			}
			b.restart()
			b.settle()
			if got := b.created("jobs"); !slices.Equal(got, hookOrder) {
				t.Errorf("hooks ran as %q, want %q", got, hookOrder)
			}
		})
	}
}

func TestAHookThatFails(t *testing.T) {
	tree := hookChart()
	tree["charts/app/templates/job-sync.yaml"] = hookJob("sync", "post-install,post-upgrade", "-4", "", "testbed.kupenstack.io/behave: fail")
	b := newBed(t, tree)
	var failure error
	b.until("failed", func(state unit.State, diff unit.Diff) bool {
		if !state.Installed || state.Health != unit.HealthFailed {
			return false
		}
		if !strings.Contains(state.Message, "Job "+b.namespace+"/sync") || !strings.Contains(diff.Reason, "failed") {
			t.Errorf("message %q, reason %q", state.Message, diff.Reason)
		}
		_, failure = b.apply(state)
		return true
	})
	if unit.RetryAfter(failure) == 0 || !strings.Contains(failure.Error(), "sync failed") {
		t.Errorf("the failure is %v, to be tried again after %v", failure, unit.RetryAfter(failure))
	}
	// The next attempt runs it again, and not what came before it.
	b.until("run again", func(unit.State, unit.Diff) bool {
		return slices.Equal(b.created("jobs"), []string{"z-db", "bootstrap", "sync", "sync"})
	})

	// A new chart begins with new hooks.
	fixed := maps.Clone(tree)
	fixed["charts/app/templates/job-sync.yaml"] = hookJob("sync", "post-install,post-upgrade", "-4", "", "")
	b.change(func(spec *unit.Release) { spec.Chart.Tree = fixed })
	b.settle()
}

// Plain Jobs cannot be changed; those that are finished make room.
func TestFinishedJobsMakeRoomForAnUpgrade(t *testing.T) {
	tree := appChart()
	plain := string(hookJob("plain", "X", "0", "", "").Data)
	before, after, _ := strings.Cut(plain, "  annotations:\n    helm.sh/hook: X\n    helm.sh/hook-weight: \"0\"\n")
	tree["charts/app/templates/plain.yaml"] = file(before + after)
	b := newBed(t, tree)
	b.settle()
	first := b.job("plain")
	b.change(func(spec *unit.Release) { spec.Values["greeting"] = "again" })
	b.settle()
	second := b.job("plain")
	if first.UID == second.UID || second.Spec.Template.Spec.Containers[0].Env[0].Value != "again" {
		t.Errorf("the Job is still the old one")
	}
	if got := b.revisions(); got != "1 superseded, 2 deployed" {
		t.Errorf("revisions: %s", got)
	}
}

// A plain Job that waits for what will never come is none that finishes: it makes room where the next revision has other
// pods for it, and goes on where it has not.
func TestJobsThatCannotEndMakeRoomForAnUpgrade(t *testing.T) {
	tree := appChart()
	plain := string(hookJob("plain", "X", "0", "", "testbed.kupenstack.io/behave: image-pull").Data)
	before, after, _ := strings.Cut(plain, "  annotations:\n    helm.sh/hook: X\n    helm.sh/hook-weight: \"0\"\n")
	stuck := maps.Clone(tree)
	stuck["charts/app/templates/plain.yaml"] = file(before + after)
	b := newBed(t, stuck)
	waits := func() {
		t.Helper()
		b.until("the Job waits", func(state unit.State, _ unit.Diff) bool {
			return state.Installed && !state.Ready() && strings.Contains(state.Message+strings.Join(state.Details, "\n"), "ImagePullBackOff")
		})
	}
	waits()
	first := b.job("plain")
	other := maps.Clone(stuck)
	other["charts/app/templates/more.yaml"] = file("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n")
	b.change(func(spec *unit.Release) { spec.Chart.Tree = other })
	b.until("the upgrade", func(unit.State, unit.Diff) bool { return b.revisions() == "1 superseded, 2 deployed" })
	waits()
	if same := b.job("plain"); same.UID != first.UID {
		t.Error("a Job that does not change was replaced")
	}
	fixed := maps.Clone(other)
	fixed["charts/app/templates/plain.yaml"] = file(strings.Replace(before+after, "testbed.kupenstack.io/behave: image-pull", "", 1))
	b.change(func(spec *unit.Release) { spec.Chart.Tree = fixed })
	b.settle()
	if second := b.job("plain"); first.UID == second.UID || second.Status.Succeeded != 1 {
		t.Error("the Job is still the old one")
	}
}

func (b *bed) job(name string) *batchv1.Job {
	b.t.Helper()
	job, err := b.client.BatchV1().Jobs(b.namespace).Get(b.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return job
}

// While a hook before the deletion waits, the report is about that one and not about those that
// were finished long ago.
func TestAHookBeforeTheDeletionIsNamed(t *testing.T) {
	tree := hookChart()
	tree["charts/app/templates/job-bye.yaml"] = hookJob("bye", "pre-delete", "0", "", "testbed.kupenstack.io/behave: image-pull")
	b := newBed(t, tree)
	b.settle()
	b.target.Spec = nil
	before, _ := b.observe()
	if !before.Ready() {
		t.Errorf("before its deletion begins: %s %q", before.Health, before.Message)
	}
	told := func(state unit.State) bool {
		return strings.HasPrefix(state.Message, "Job "+b.namespace+"/bye: hook: ") &&
			strings.Contains(strings.Join(state.Details, "\n"), "ImagePullBackOff")
	}
	state := before
	deadline := time.After(patience)
	for !told(state) {
		var err error
		if state, err = b.driver.Delete(t.Context(), b.target, state); err != nil {
			t.Fatal(err)
		}
		select {
		case <-b.woken:
		case <-time.After(300 * time.Millisecond):
		case <-deadline:
			t.Fatalf("not named in time: %s %q, %q", state.Health, state.Message, state.Details)
		}
	}
	seen, _ := b.observe()
	if !told(seen) || seen.Health != unit.HealthProgressing || strings.Contains(strings.Join(seen.Details, "\n"), "z-db") {
		t.Errorf("observed: %s %q, details %q", seen.Health, seen.Message, seen.Details)
	}
}

// What somebody uninstalled behind our back is installed as if for the first time.
func TestHooksRunAgainAfterAnUninstallByHand(t *testing.T) {
	b := newBed(t, hookChart())
	b.settle()
	was := b.job("z-db").UID
	policy := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{PropagationPolicy: &policy}
	releases, installed := metav1.ListOptions{LabelSelector: "owner=helm"}, metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=Helm"}
	if err := errors.Join(
		b.client.CoreV1().Secrets(b.namespace).DeleteCollection(t.Context(), options, releases),
		b.client.AppsV1().Deployments(b.namespace).DeleteCollection(t.Context(), options, installed),
		b.client.CoreV1().ConfigMaps(b.namespace).DeleteCollection(t.Context(), options, installed),
		b.client.BatchV1().Jobs(b.namespace).DeleteCollection(t.Context(), options, installed),
	); err != nil {
		t.Fatal(err)
	}
	b.target.Fresh = false
	b.restart()
	b.settle()
	if now := b.job("z-db").UID; now == was {
		t.Error("the hooks of the new release did not run")
	}
	if got := b.revisions(); got != "1 deployed" {
		t.Errorf("revisions %s", got)
	}
}

// A hook before the first revision holds back all of it, so that is where people look for the cause.
func TestAHookThatHangsIsExplained(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/before.yaml"] = hookJob("before", "pre-install", "0", "", "testbed.kupenstack.io/behave: image-pull")
	b := newBed(t, tree)
	const cause = "container work waits: ImagePullBackOff example.org/work:1"
	state := b.until("explained", func(_ unit.State, diff unit.Diff) bool { return diff.Waits && strings.Contains(diff.Reason, cause) })
	if !strings.Contains(strings.Join(state.Details, "\n"), cause) {
		t.Errorf("details %q", state.Details)
	}
}

// What is taken away before it ever came to a revision leaves no hook behind that runs on.
func TestAHookBeforeTheFirstRevisionGoesWithTheRelease(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/before.yaml"] = hookJob("before", "pre-install", "0", "", "testbed.kupenstack.io/behave: image-pull")
	b := newBed(t, tree)
	b.until("waits", func(_ unit.State, diff unit.Diff) bool { return diff.Waits })
	b.target.Spec = nil
	b.restart()
	if state, _ := b.observe(); state.Gone() {
		t.Error("it is gone, and its Job runs")
	}
	b.remove()
	jobs, err := b.client.BatchV1().Jobs(b.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(jobs.Items) > 0 {
		t.Errorf("%d Jobs are left, %v", len(jobs.Items), err)
	}
}

// What a pod says of its end goes into the failure of its hook, and into what we note of the hook, without
// the secrets of the release.
func TestAHookThatFailsSaysWhy(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/after.yaml"] = hookJob("after", "post-install", "0", "", `testbed.kupenstack.io/behave: fail, testbed.kupenstack.io/reason: {{ print "no login with " .Values.auth.password | quote }}`)
	b := newBed(t, tree)
	const cause = "a pod failed: work ended with code 1: no login with (sensitive)"
	b.until("failed", func(state unit.State, _ unit.Diff) bool {
		return state.Health == unit.HealthFailed && strings.Contains(state.Message, cause)
	})
	b.innocent(fmt.Sprint(b.config("kupenstack-hooks.app").Data))
}
