//go:build beds

package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// patience bounds every wait: the machine may be busy with other test binaries, or stand still.
const patience = 5 * time.Minute

// newNamespace makes a namespace for one test, in which pods can be created. It is deleted
// afterwards, without waiting: that takes many seconds.
func newNamespace(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	namespace, err := client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "bed-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := client.CoreV1().Namespaces().Delete(ctx, namespace.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete the namespace: %v", err)
		}
	})
	eventually(t, "the namespace's default ServiceAccount exists", func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts(namespace.Name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return namespace.Name
}

// eventually repeats a check until it returns nil. It polls, as most checks span several
// objects, and no single watch tells about all of them.
func eventually(t *testing.T, what string, check func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last := errors.New("never checked")
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not within %s: %s: %v", patience, what, last)
		case <-tick.C:
		}
	}
}

// template returns a pod template with the label app and one container called main.
func template(app string, annotations map[string]string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}, Annotations: annotations},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64),
			Containers:                    []corev1.Container{{Name: "main", Image: "registry.example/app:1"}},
		},
	}
}

func selector(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// newPod returns a bare pod of that template with init containers of these names.
func newPod(name string, annotations map[string]string, inits ...string) *corev1.Pod {
	of := template(name, annotations)
	pod := &corev1.Pod{ObjectMeta: of.ObjectMeta, Spec: of.Spec}
	pod.Name = name
	for _, init := range inits {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, corev1.Container{Name: init, Image: "registry.example/init:1"})
	}
	return pod
}

// newPlayedPod returns a pod that waits for a player.
func newPlayedPod(name string, annotations map[string]string, inits ...string) *corev1.Pod {
	pod := newPod(name, annotations, inits...)
	pod.Labels[cluster.LabelApplication] = "keystone"
	return pod
}

func createPod(t *testing.T, client kubernetes.Interface, namespace string, pod *corev1.Pod) {
	t.Helper()
	if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// waitPod waits until a pod passes all checks, and returns it.
func waitPod(t *testing.T, client kubernetes.Interface, namespace, name string, checks ...podCheck) *corev1.Pod {
	t.Helper()
	var pod *corev1.Pod
	eventually(t, "pod "+name, func(ctx context.Context) (err error) {
		if pod, err = client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		return verify(pod, checks...)
	})
	return pod
}

// annotate sets annotations of a pod as a player does.
func annotate(t *testing.T, client kubernetes.Interface, namespace, name string, annotations map[string]string) {
	t.Helper()
	values := map[string]any{}
	for key, value := range annotations {
		values[key] = value
	}
	patchAnnotations(t, client, namespace, name, values)
}

// patchAnnotations removes an annotation when its value is nil.
func patchAnnotations(t *testing.T, client kubernetes.Interface, namespace, name string, values map[string]any) {
	t.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": values}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods(namespace).Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// podCheck says what is wrong with a pod's status.
type podCheck func(*corev1.Pod) error

func verify(pod *corev1.Pod, checks ...podCheck) error {
	for _, check := range checks {
		if err := check(pod); err != nil {
			return fmt.Errorf("%w; status is %+v", err, pod.Status)
		}
	}
	return nil
}

func phase(want corev1.PodPhase) podCheck {
	return func(pod *corev1.Pod) error {
		if pod.Status.Phase != want {
			return fmt.Errorf("phase is %s, want %s", pod.Status.Phase, want)
		}
		return nil
	}
}

func condition(kind corev1.PodConditionType, want corev1.ConditionStatus) podCheck {
	return func(pod *corev1.Pod) error {
		for _, c := range pod.Status.Conditions {
			if c.Type == kind && c.Status == want {
				return nil
			}
		}
		return fmt.Errorf("no condition %s=%s", kind, want)
	}
}

// containers checks every container's status; there must be one.
func containers(check func(corev1.ContainerStatus) error) podCheck {
	return func(pod *corev1.Pod) error {
		if len(pod.Status.ContainerStatuses) != len(pod.Spec.Containers) {
			return fmt.Errorf("%d of %d containers have a status", len(pod.Status.ContainerStatuses), len(pod.Spec.Containers))
		}
		for _, status := range pod.Status.ContainerStatuses {
			if err := check(status); err != nil {
				return fmt.Errorf("container %s: %w", status.Name, err)
			}
		}
		return nil
	}
}

// inits checks the states of the init containers, by name: running, completed or waiting.
func inits(want map[string]string) podCheck {
	return func(pod *corev1.Pod) error {
		got := map[string]string{}
		for _, status := range pod.Status.InitContainerStatuses {
			switch state := status.State; {
			case state.Running != nil:
				got[status.Name] = "running"
			case state.Waiting != nil:
				got[status.Name] = "waiting"
			case state.Terminated != nil && state.Terminated.ExitCode == 0 && state.Terminated.Reason == "Completed":
				got[status.Name] = "completed"
			}
		}
		if !maps.Equal(got, want) {
			return fmt.Errorf("init containers are %v, want %v", got, want)
		}
		return nil
	}
}

func waiting(reason string) podCheck {
	return containers(func(status corev1.ContainerStatus) error {
		if status.State.Waiting == nil || status.State.Waiting.Reason != reason || status.Ready {
			return fmt.Errorf("not waiting with reason %s", reason)
		}
		return nil
	})
}

// crashing checks for a crash loop; an empty message fits any.
func crashing(restarts int32, message string) podCheck {
	return containers(func(status corev1.ContainerStatus) error {
		state := status.State.Waiting
		if state == nil || state.Reason != "CrashLoopBackOff" || status.Ready {
			return errors.New("not waiting in CrashLoopBackOff")
		}
		if status.RestartCount != restarts {
			return fmt.Errorf("restarted %d times, want %d", status.RestartCount, restarts)
		}
		if message != "" && state.Message != message {
			return fmt.Errorf("the message is %q, want %q", state.Message, message)
		}
		if last := status.LastTerminationState.Terminated; last == nil || last.ExitCode != 1 {
			return errors.New("the last run did not end with exit code 1")
		}
		return nil
	})
}

func terminated(code int32, reason, message string) podCheck {
	return containers(func(status corev1.ContainerStatus) error {
		state := status.State.Terminated
		if state == nil || state.ExitCode != code || state.Reason != reason || state.Message != message || status.Ready {
			return fmt.Errorf("not terminated with exit code %d, reason %q, message %q", code, reason, message)
		}
		return nil
	})
}

// running checks that a pod runs, is ready and has addresses.
func running(pod *corev1.Pod) error {
	if pod.Status.PodIP == "" || pod.Status.HostIP == "" || pod.Status.StartTime == nil {
		return errors.New("no addresses or start time")
	}
	return verify(pod, phase(corev1.PodRunning), condition(corev1.PodInitialized, corev1.ConditionTrue),
		condition(corev1.PodReady, corev1.ConditionTrue), condition(corev1.ContainersReady, corev1.ConditionTrue),
		containers(func(status corev1.ContainerStatus) error {
			if status.State.Running == nil || !status.Ready || status.Started == nil || !*status.Started {
				return errors.New("not running and ready")
			}
			return nil
		}))
}

func succeeded(message string) podCheck {
	return func(pod *corev1.Pod) error {
		return verify(pod, phase(corev1.PodSucceeded), condition(corev1.PodReady, corev1.ConditionFalse), terminated(0, "Completed", message))
	}
}

func failed(message string) podCheck {
	return func(pod *corev1.Pod) error {
		return verify(pod, phase(corev1.PodFailed), condition(corev1.PodReady, corev1.ConditionFalse), terminated(1, "Error", message))
	}
}

// settled returns once the kubelets have done everything that they had to do before: a pod
// that is created now has become ready. What has not happened by then does not happen.
func settled(t *testing.T, client kubernetes.Interface, namespace string) {
	t.Helper()
	pod := newPod("", nil)
	pod.GenerateName = "settled-"
	created, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	waitPod(t, client, namespace, created.Name, running)
}
