package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// ofPod returns why a pod is not ready; false when it is, has ended well, or is on its way out.
func ofPod(e Evidence, pod *corev1.Pod) (Finding, bool) {
	node := pod.Spec.NodeName
	switch {
	case pod.Status.Phase == corev1.PodSucceeded:
		return Finding{}, false
	case pod.DeletionTimestamp != nil:
		if e.Down[node] {
			return Finding{Text: fmt.Sprintf("the pod cannot end: its node %s is not ready", node)}, true
		}
		return Finding{}, false
	case pod.Status.Phase == corev1.PodFailed:
		return failed(e, pod), true
	case e.Down[node]:
		return Finding{Text: fmt.Sprintf("its node %s is not ready", node)}, true
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return unscheduled(pod, condition), true
		}
	}
	for i := range pod.Spec.InitContainers {
		if finding, ill := ofInit(e, pod, &pod.Spec.InitContainers[i]); ill {
			return finding, true
		}
	}
	var worst *Finding
	for i := range pod.Status.ContainerStatuses {
		finding, ill := ofContainer(e, pod, &pod.Status.ContainerStatuses[i])
		if ill && (worst == nil || finding.rank < worst.rank) {
			worst = &finding
		}
	}
	if worst != nil {
		return *worst, true
	}
	return ofConditions(pod)
}

// failed is for a pod that ended and is not started again.
func failed(e Evidence, pod *corev1.Pod) Finding {
	statuses := slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
	for i := range statuses {
		status := &statuses[i]
		if t := status.State.Terminated; t != nil && t.ExitCode != 0 {
			return Finding{
				Text:      fmt.Sprintf("a pod failed: %s %s", status.Name, ended(e, pod, status.Name, t)),
				Container: status.Name, rank: rankEnded,
			}
		}
	}
	text := "a pod failed: " + cmp.Or(pod.Status.Reason, "no reason given")
	return Finding{Text: told(pod, text, pod.Status.Message), rank: rankEnded}
}

// unscheduled is for a pod that has no node. The scheduler says of preemption what it says of the nodes once
// more; before that it may say, with a comma behind it, what else it could not do about it, as for claims to devices.
func unscheduled(pod *corev1.Pod, condition corev1.PodCondition) Finding {
	message, _, _ := strings.Cut(condition.Message, " preemption:")
	if end := strings.LastIndex(message, ". "); end >= 0 && strings.HasSuffix(message, ",") {
		message = message[:end]
	}
	finding := Finding{Text: told(pod, condition.Reason, strings.TrimRight(message, ". "))}
	if strings.Contains(strings.ToLower(message), "persistentvolumeclaim") || strings.Contains(message, "volume node affinity") {
		for _, volume := range pod.Spec.Volumes {
			if volume.PersistentVolumeClaim != nil {
				finding.Claims = append(finding.Claims, volume.PersistentVolumeClaim.ClaimName)
			}
		}
	}
	return finding
}

// ofConditions is for a pod none of whose containers tells anything.
func ofConditions(pod *corev1.Pod) (Finding, bool) {
	if pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName != "" && len(pod.Status.ContainerStatuses) == 0 && len(pod.Status.InitContainerStatuses) == 0 {
		return Finding{Text: "the pod has a node, which has not begun it", Events: true, rank: rankBegins}, true
	}
	if pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName == "" && !hasCondition(pod, corev1.PodScheduled) {
		scheduler := cmp.Or(pod.Spec.SchedulerName, corev1.DefaultSchedulerName)
		return Finding{Text: fmt.Sprintf("the scheduler %s has not looked at the pod yet", scheduler), rank: rankBegins}, true
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionFalse && condition.Reason == "ReadinessGatesNotReady" {
			return Finding{Text: told(pod, "all containers are ready, but not the pod", condition.Message), rank: rankNotReady}, true
		}
	}
	return Finding{}, false
}

// hasCondition tells whether somebody has said anything of a condition.
func hasCondition(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind })
}
