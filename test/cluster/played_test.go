//go:build beds

package cluster_test

import (
	"context"
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// The annotations that a player sets. These tests set them themselves.
const (
	run      = cluster.AnnotationRun
	initDone = cluster.AnnotationInit
	restarts = cluster.AnnotationRestarts
	reason   = cluster.AnnotationReason
)

type annotations map[string]string

// step sets annotations as a player does and then waits for the checks.
type step struct {
	set    annotations
	checks []podCheck
}

// TestPlayed has a cluster of its own, made for a player, in which none runs: the tests are it.
// The shared one has a player that would interfere.
func TestPlayed(t *testing.T) {
	t.Parallel()
	client := testbed.PrivateCluster(t, cluster.Options{Nodes: 1, Player: true}).Client()
	t.Run("every transition", func(t *testing.T) { testTransitions(t, client) })
	t.Run("untold pods wait", func(t *testing.T) { testUntoldPodsWait(t, client) })
	t.Run("opting out", func(t *testing.T) { testOptingOut(t, client) })
	t.Run("Job", func(t *testing.T) { testPlayedJob(t, client) })
}

func testTransitions(t *testing.T, client kubernetes.Interface) {
	t.Parallel()
	namespace := newNamespace(t, client)

	initializing := []podCheck{
		phase(corev1.PodPending), condition(corev1.PodInitialized, corev1.ConditionFalse),
		inits(map[string]string{"first": "running", "second": "waiting"}), waiting("PodInitializing"),
	}
	initialized := []podCheck{
		phase(corev1.PodPending), condition(corev1.PodInitialized, corev1.ConditionTrue),
		condition(corev1.PodReady, corev1.ConditionFalse), inits(map[string]string{"first": "completed", "second": "completed"}),
	}
	creating := []podCheck{
		phase(corev1.PodPending), condition(corev1.PodInitialized, corev1.ConditionTrue),
		condition(corev1.PodReady, corev1.ConditionFalse), waiting("ContainerCreating"),
	}
	crash := func(restarts int32, message string) []podCheck {
		return []podCheck{phase(corev1.PodRunning), condition(corev1.PodReady, corev1.ConditionFalse), crashing(restarts, message)}
	}
	restarted := func(want int32) podCheck {
		return containers(func(status corev1.ContainerStatus) error {
			if status.RestartCount != want {
				return fmt.Errorf("restarted %d times, want %d", status.RestartCount, want)
			}
			return nil
		})
	}
	two := []string{"first", "second"}

	for name, test := range map[string]struct {
		inits []string
		steps []step
	}{
		"creating-ready":     {nil, []step{{nil, creating}, {annotations{run: cluster.RunReady}, []podCheck{running}}}},
		"creating-completed": {nil, []step{{nil, creating}, {annotations{run: cluster.RunCompleted}, []podCheck{succeeded("")}}}},
		"creating-failed": {nil, []step{
			{nil, creating},
			{annotations{run: cluster.RunFailed, reason: "no database"}, []podCheck{failed("no database")}},
		}},
		"creating-crashloop": {nil, []step{{nil, creating}, {annotations{run: cluster.RunCrashLoop}, crash(cluster.DefaultRestarts, "")}}},
		"init-ready": {two, []step{
			{nil, initializing},
			{annotations{initDone: cluster.InitDone}, initialized},
			{annotations{run: cluster.RunReady}, []podCheck{running}},
		}},
		"init-and-run-at-once": {two, []step{
			{nil, initializing},
			{annotations{initDone: cluster.InitDone, run: cluster.RunCompleted}, []podCheck{succeeded("")}},
		}},
		"ready-completed": {nil, []step{
			{annotations{run: cluster.RunReady}, []podCheck{running}},
			{annotations{run: cluster.RunCompleted, reason: "done"}, []podCheck{succeeded("done")}},
		}},
		"ready-failed": {nil, []step{
			{annotations{run: cluster.RunReady}, []podCheck{running}},
			{annotations{run: cluster.RunFailed}, []podCheck{failed("")}},
		}},
		"ready-crashloop-ready": {nil, []step{
			{annotations{run: cluster.RunReady}, []podCheck{running}},
			{annotations{run: cluster.RunCrashLoop, restarts: "2"}, crash(2, "")},
			{annotations{run: cluster.RunReady}, []podCheck{running, restarted(2)}},
		}},
		"crashloop-counts": {nil, []step{
			{annotations{run: cluster.RunCrashLoop, restarts: "0", reason: "password refused"}, crash(0, "password refused")},
			{annotations{restarts: "1"}, crash(1, "password refused")},
			{annotations{restarts: "17"}, crash(17, "password refused")},
			{annotations{reason: `host "db" not found: {}`}, crash(17, `host "db" not found: {}`)},
			{annotations{reason: "", restarts: "18"}, crash(18, "")},
			{annotations{restarts: "many"}, crash(cluster.DefaultRestarts, "")},
		}},
		"crashloop-completed": {two, []step{
			{annotations{initDone: cluster.InitDone, run: cluster.RunCrashLoop, restarts: "3"}, crash(3, "")},
			{annotations{run: cluster.RunCompleted}, []podCheck{succeeded(""), restarted(3)}},
		}},
		"crashloop-failed": {nil, []step{
			{annotations{run: cluster.RunCrashLoop, restarts: "3"}, crash(3, "")},
			{annotations{run: cluster.RunFailed, reason: "gave up"}, []podCheck{failed("gave up")}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			createPod(t, client, namespace, newPlayedPod(name, nil, test.inits...))
			for _, step := range test.steps {
				if step.set != nil {
					annotate(t, client, namespace, name, step.set)
				}
				waitPod(t, client, namespace, name, step.checks...)
			}
			// The state is kept without further writes.
			before := waitPod(t, client, namespace, name)
			settled(t, client, namespace)
			if after := waitPod(t, client, namespace, name); after.ResourceVersion != before.ResourceVersion {
				t.Errorf("the pod was written after it had reached its state:\n%+v\n%+v", before.Status, after.Status)
			}
		})
	}
}

func testUntoldPodsWait(t *testing.T, client kubernetes.Interface) {
	t.Parallel()
	namespace := newNamespace(t, client)
	initializing := []podCheck{phase(corev1.PodPending), condition(corev1.PodInitialized, corev1.ConditionFalse), inits(map[string]string{"first": "running"})}
	creating := []podCheck{phase(corev1.PodPending), waiting("ContainerCreating")}
	waits := map[string]struct {
		pod    *corev1.Pod
		checks []podCheck
	}{
		"untold":               {newPlayedPod("untold", nil), creating},
		"untold-with-init":     {newPlayedPod("untold-with-init", nil, "first"), initializing},
		"run-before-init":      {newPlayedPod("run-before-init", annotations{run: cluster.RunReady}, "first"), initializing},
		"unknown-annotation":   {newPlayedPod("unknown-annotation", annotations{run: "fast"}), creating},
		"init-not-done":        {newPlayedPod("init-not-done", annotations{initDone: "soon"}, "first"), initializing},
		"init-without-inits":   {newPlayedPod("init-without-inits", annotations{initDone: cluster.InitDone}), creating},
		"unknown-for-everyone": {newPlayedPod("unknown-for-everyone", annotations{cluster.AnnotationBehave: "sing"}), []podCheck{phase(corev1.PodPending)}},
	}
	for name, wait := range waits {
		createPod(t, client, namespace, wait.pod)
		waitPod(t, client, namespace, name, wait.checks...)
	}
	settled(t, client, namespace)
	for name, wait := range waits {
		pod, err := client.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := verify(pod, wait.checks...); err != nil {
			t.Errorf("%s went on by itself: %v", name, err)
		}
	}
}

// Pods that say themselves what happens to them are not the player's.
func testOptingOut(t *testing.T, client kubernetes.Interface) {
	t.Parallel()
	namespace := newNamespace(t, client)
	told := annotations{cluster.AnnotationBehave: cluster.BehaveCrashLoop, run: cluster.RunReady, restarts: "8"}
	createPod(t, client, namespace, newPlayedPod("stubborn", told, "first"))
	createPod(t, client, namespace, newPlayedPod("slow", annotations{cluster.AnnotationReadyAfter: "1s"}, "first"))
	waitPod(t, client, namespace, "stubborn", phase(corev1.PodRunning), inits(map[string]string{"first": "completed"}), crashing(8, ""))
	waitPod(t, client, namespace, "slow", running, inits(map[string]string{"first": "completed"}))
}

func testPlayedJob(t *testing.T, client kubernetes.Interface) {
	t.Parallel()
	namespace := newNamespace(t, client)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "db-sync"}, Spec: batchv1.JobSpec{BackoffLimit: new(int32(1000)), Template: newTemplate("db-sync", "keystone")}}
	if _, err := client.BatchV1().Jobs(namespace).Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var name string
	eventually(t, "the Job has one pod", func(ctx context.Context) error {
		pods, err := podNames(ctx, client, namespace, "db-sync")
		if err != nil {
			return err
		}
		for name = range pods {
			return nil
		}
		return fmt.Errorf("none")
	})
	annotate(t, client, namespace, name, annotations{run: cluster.RunCrashLoop, restarts: "1", reason: "access denied"})
	waitPod(t, client, namespace, name, phase(corev1.PodRunning), crashing(1, "access denied"))
	annotate(t, client, namespace, name, annotations{run: cluster.RunCompleted})
	eventually(t, "the Job is complete", func(ctx context.Context) error {
		job, err := client.BatchV1().Jobs(namespace).Get(ctx, "db-sync", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if job.Status.Succeeded != 1 || job.Status.Failed != 0 || job.Status.CompletionTime == nil {
			return fmt.Errorf("status is %+v", job.Status)
		}
		return nil
	})
}

func newTemplate(app, application string) corev1.PodTemplateSpec {
	of := template(app, nil)
	of.Labels[cluster.LabelApplication] = application
	of.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	return of
}
