package kube

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	maxLines    = 10  // of an explanation
	maxLine     = 240 // bytes of one line
	maxPods     = 200 // looked at for an explanation
	explainList = "pods"
)

// Explain tells why the pods of a Deployment, StatefulSet, DaemonSet or Job are not ready: one
// line for each cause, at most ten. It costs one list of pods; when that fails, or nothing is
// wrong, there are no lines. Names of pods are left out, as they change all the time.
func (c *Cluster) Explain(ctx context.Context, ref unit.ObjectRef) []string {
	found, err := c.Get(ctx, ref)
	workload := found[ref]
	if err == nil && workload == nil {
		workload, err = c.Confirm(ctx, ref)
	}
	if err != nil || workload == nil {
		return nil
	}
	selector, err := podSelector(workload)
	if err != nil || selector == "" {
		return nil
	}
	resource := schema.GroupVersionResource{Version: "v1", Resource: explainList}
	list, err := c.dynamic.Resource(resource).Namespace(ref.Namespace).
		List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: maxPods})
	if err != nil {
		c.log.Debug().Str("object", ref.String()).Str("error", c.mask(err.Error())).Msg("the pods could not be listed")
		return nil
	}
	pods := make([]corev1.Pod, 0, len(list.Items))
	for _, item := range list.Items {
		var pod corev1.Pod
		if runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, &pod) == nil {
			pods = append(pods, pod)
		}
	}
	lines := explainPods(pods)
	for i := range lines {
		lines[i] = c.mask(lines[i])
	}
	return lines
}

// podSelector returns the selector of a workload's pods as the API takes it.
func podSelector(workload *unstructured.Unstructured) (string, error) {
	content, ok, err := unstructured.NestedMap(workload.Object, "spec", "selector")
	if err != nil || !ok {
		return "", err
	}
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &selector); err != nil {
		return "", err
	}
	return metav1.FormatLabelSelector(&selector), nil
}

// explainPods returns the distinct causes, those of most pods first.
func explainPods(pods []corev1.Pod) []string {
	count := map[string]int{}
	for i := range pods {
		if cause := podCause(&pods[i]); cause != "" {
			count[cause]++
		}
	}
	causes := make([]string, 0, len(count))
	for cause := range count {
		causes = append(causes, cause)
	}
	slices.SortFunc(causes, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	if len(causes) > maxLines {
		rest := len(causes) - (maxLines - 1)
		causes = append(causes[:maxLines-1], fmt.Sprintf("and %d more causes", rest))
	}
	for i, cause := range causes {
		if n := count[cause]; n > 1 {
			causes[i] = fmt.Sprintf("%s (%d pods)", cause, n)
		}
	}
	return causes
}

// podCause returns why a pod is not ready, "" when it is or is on its way out.
func podCause(pod *corev1.Pod) string {
	if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded {
		return ""
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return short(condition.Reason + ": " + condition.Message)
		}
	}
	for _, container := range pod.Spec.InitContainers {
		if cause := initCause(container, pod.Status.InitContainerStatuses); cause != "" {
			return cause
		}
	}
	for _, container := range pod.Status.ContainerStatuses {
		if cause := containerCause(container); cause != "" {
			return cause
		}
	}
	if pod.Status.Phase == corev1.PodFailed {
		return short("the pod failed: " + cmp.Or(pod.Status.Reason, "no reason given") + " " + pod.Status.Message)
	}
	return ""
}

// initCause returns what an init container waits for. Those of OpenStack-Helm's charts name their
// dependencies in variables (DEPENDENCY_SERVICE and others).
func initCause(container corev1.Container, statuses []corev1.ContainerStatus) string {
	at := slices.IndexFunc(statuses, func(s corev1.ContainerStatus) bool { return s.Name == container.Name })
	if at < 0 {
		return ""
	}
	status := statuses[at]
	name := "init container " + container.Name
	sidecar := container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways
	switch {
	case status.State.Terminated != nil && status.State.Terminated.ExitCode != 0:
		return short(fmt.Sprintf("%s ended with code %d: %s", name, status.State.Terminated.ExitCode, status.State.Terminated.Message))
	case status.State.Terminated != nil, status.Ready, sidecar && status.Started != nil && *status.Started:
		return ""
	case status.State.Waiting != nil && status.State.Waiting.Reason == "PodInitializing":
		return "" // another one before it is the cause
	case status.State.Waiting != nil:
		return waitingCause(name, container.Image, status.State.Waiting)
	case status.State.Running != nil:
		if dependencies := dependencies(container.Env); dependencies != "" {
			return short(name + " waits for " + dependencies)
		}
		return name + " has not finished"
	default:
		return ""
	}
}

func dependencies(env []corev1.EnvVar) string {
	var found []string
	for _, variable := range env {
		kind, ok := strings.CutPrefix(variable.Name, "DEPENDENCY_")
		if ok && variable.Value != "" && variable.Value != "[]" && variable.Value != "null" {
			found = append(found, strings.ToLower(kind)+" "+variable.Value)
		}
	}
	return strings.Join(found, ", ")
}

func containerCause(status corev1.ContainerStatus) string {
	name := "container " + status.Name
	switch {
	case status.State.Waiting != nil && status.State.Waiting.Reason == "PodInitializing":
		return ""
	case status.State.Waiting != nil && status.State.Waiting.Reason == "CrashLoopBackOff":
		cause := name + " waits: CrashLoopBackOff"
		if last := status.LastTerminationState.Terminated; last != nil {
			cause += fmt.Sprintf(", it ended with code %d", last.ExitCode)
		}
		return cause
	case status.State.Waiting != nil:
		return waitingCause(name, status.Image, status.State.Waiting)
	case status.State.Terminated != nil && status.State.Terminated.ExitCode != 0:
		return short(fmt.Sprintf("%s ended with code %d: %s", name, status.State.Terminated.ExitCode, status.State.Terminated.Message))
	case status.State.Running != nil && !status.Ready:
		return name + " runs, but is not ready"
	default:
		return ""
	}
}

// waitingCause leaves out messages that name the pod.
func waitingCause(name, image string, waiting *corev1.ContainerStateWaiting) string {
	switch waiting.Reason {
	case "ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError":
		return short(name + " waits: " + waiting.Reason + " " + image)
	case "ContainerCreating":
		return name + " is being created"
	case "CrashLoopBackOff":
		return name + " waits: CrashLoopBackOff"
	default:
		return short(name + " waits: " + waiting.Reason + ": " + waiting.Message)
	}
}

// short makes one line of a text.
func short(text string) string {
	text = strings.TrimRight(strings.Join(strings.Fields(text), " "), ": ")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	return text
}
