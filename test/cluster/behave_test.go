//go:build beds

package cluster_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func TestDeploymentsThatDoNotProgress(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	for behave, checks := range map[string][]podCheck{
		cluster.BehaveCrashLoop:  {phase(corev1.PodRunning), crashing(cluster.DefaultRestarts, "")},
		cluster.BehaveImagePull:  {phase(corev1.PodPending), waiting("ImagePullBackOff")},
		cluster.BehaveNeverReady: {phase(corev1.PodRunning), condition(corev1.PodReady, corev1.ConditionFalse)},
	} {
		t.Run(behave, func(t *testing.T) {
			t.Parallel()
			deployment := newDeployment(behave, 1, map[string]string{cluster.AnnotationBehave: behave})
			deployment.Spec.ProgressDeadlineSeconds = new(int32(3))
			if _, err := client.AppsV1().Deployments(namespace).Create(t.Context(), deployment, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			eventually(t, "it has the condition Progressing=False", func(ctx context.Context) error {
				d, err := client.AppsV1().Deployments(namespace).Get(ctx, behave, metav1.GetOptions{})
				if err != nil {
					return err
				}
				for _, c := range d.Status.Conditions {
					if c.Type == "Progressing" && c.Status == corev1.ConditionFalse && c.Reason == "ProgressDeadlineExceeded" {
						return nil
					}
				}
				return fmt.Errorf("conditions are %+v", d.Status.Conditions)
			})
			pods, err := podNames(t.Context(), client, namespace, behave)
			if err != nil {
				t.Fatal(err)
			}
			for name := range pods { // the deadline may be over before the kubelet has come as far
				waitPod(t, client, namespace, name, checks...)
			}
		})
	}
}

func TestReadyAfter(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	delayed := map[string]string{cluster.AnnotationReadyAfter: "3s"}
	// The watch shows every state; who only looks now and then may miss the one in between.
	watch, err := client.CoreV1().Pods(namespace).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=slow"})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	createPod(t, client, namespace, newPod("slow", delayed))
	createPod(t, client, namespace, newPod("slow-with-init", delayed, "init"))
	limit := time.After(patience)
	for waits := false; !waits; {
		select {
		case <-limit:
			t.Fatal("its container never was about to be created")
		case event, open := <-watch.ResultChan():
			pod, ok := event.Object.(*corev1.Pod)
			if !open || !ok {
				t.Fatalf("the watch ended with %+v", event)
			}
			waits = verify(pod, phase(corev1.PodPending), waiting("ContainerCreating")) == nil
			if !waits && running(pod) == nil {
				t.Fatal("it ran before its container was about to be created")
			}
		}
	}
	for _, name := range []string{"slow", "slow-with-init"} {
		pod := waitPod(t, client, namespace, name, running)
		for _, c := range pod.Status.Conditions {
			// Both times are cut to full seconds.
			if waited := c.LastTransitionTime.Sub(pod.Status.StartTime.Time); c.Type == corev1.PodReady && waited < 2*time.Second {
				t.Errorf("%s was ready %s after its start", name, waited)
			}
		}
	}
}

// A behaviour is not for ever: people repair what is broken.
func TestBehaviourCanBeTakenAway(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	for _, behave := range []string{cluster.BehaveCrashLoop, cluster.BehaveNeverReady, cluster.BehaveImagePull} {
		createPod(t, client, namespace, newPod(behave, map[string]string{cluster.AnnotationBehave: behave}))
	}
	waitPod(t, client, namespace, cluster.BehaveCrashLoop, crashing(cluster.DefaultRestarts, ""))
	waitPod(t, client, namespace, cluster.BehaveNeverReady, phase(corev1.PodRunning), condition(corev1.PodReady, corev1.ConditionFalse))
	waitPod(t, client, namespace, cluster.BehaveImagePull, waiting("ImagePullBackOff"))
	const misspelt = "crash-loop"
	createPod(t, client, namespace, newPod(misspelt, map[string]string{cluster.AnnotationBehave: misspelt}, "init"))
	waitPod(t, client, namespace, misspelt, phase(corev1.PodPending), waiting("UnknownBehaviour"))
	for _, behave := range []string{cluster.BehaveCrashLoop, cluster.BehaveNeverReady, cluster.BehaveImagePull, misspelt} {
		patchAnnotations(t, client, namespace, behave, map[string]any{cluster.AnnotationBehave: nil})
		waitPod(t, client, namespace, behave, running)
	}
}

func TestBarePods(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	for _, policy := range []corev1.RestartPolicy{corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure} {
		pod := newPod("", nil)
		pod.GenerateName = "once-"
		pod.Spec.RestartPolicy = policy
		created, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		waitPod(t, client, namespace, created.Name, succeeded(""))
	}
	pod := newPod("broken", map[string]string{cluster.AnnotationBehave: cluster.BehaveFail, cluster.AnnotationReason: `no "such" database: {x}`})
	createPod(t, client, namespace, pod)
	waitPod(t, client, namespace, "broken", failed(`no "such" database: {x}`))
}

// A pod with the usual grace period does not keep its deleter waiting.
func TestPodIsDeletedAtOnce(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	pod := newPod("patient", nil)
	pod.Spec.TerminationGracePeriodSeconds = new(int64(3600))
	createPod(t, client, namespace, pod)
	waitPod(t, client, namespace, "patient", running)
	if err := client.CoreV1().Pods(namespace).Delete(t.Context(), "patient", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pod is gone", func(ctx context.Context) error {
		_, err := client.CoreV1().Pods(namespace).Get(ctx, "patient", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("still there (%w)", err)
	})
}
