package cause

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	waitsToInit   = "PodInitializing"
	waitsToBegin  = "ContainerCreating"
	waitsToRetry  = "CrashLoopBackOff"
	reasonError   = "Error" // says no more than the code
	crashedLately = 10 * time.Minute
)

// ofInit returns what an init container waits for or suffers from.
func ofInit(e Evidence, pod *corev1.Pod, container *corev1.Container) (Finding, bool) {
	at := slices.IndexFunc(pod.Status.InitContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == container.Name })
	if at < 0 {
		return Finding{}, false
	}
	status := &pod.Status.InitContainerStatuses[at]
	name := "init container " + container.Name
	sidecar := container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways
	state := status.State
	switch {
	case state.Terminated != nil && state.Terminated.ExitCode == 0, status.Ready, sidecar && status.Started != nil && *status.Started:
		return Finding{}, false
	case state.Waiting != nil && state.Waiting.Reason == waitsToInit:
		return Finding{}, false // another one before it is the cause
	}
	if finding, crashes := crash(e, pod, "init container ", status); crashes {
		return finding, true
	}
	switch {
	case state.Waiting != nil:
		return waiting(pod, name, container.Image, status), true
	case state.Running == nil:
		return Finding{}, false
	}
	finding := Finding{Text: name + " has not finished", Container: container.Name, rank: rankWaits}
	if finding.Waits = dependencies(pod.Namespace, container.Env); len(finding.Waits) > 0 {
		finding.Text = name + " waits for " + names(finding.Waits)
	}
	return finding, true
}

// ofContainer returns why a container is not ready.
func ofContainer(e Evidence, pod *corev1.Pod, status *corev1.ContainerStatus) (Finding, bool) {
	state := status.State
	if state.Waiting != nil && state.Waiting.Reason == waitsToInit || status.Ready {
		return Finding{}, false
	}
	if finding, crashes := crash(e, pod, "container ", status); crashes {
		return finding, true
	}
	switch {
	case state.Waiting != nil:
		return waiting(pod, "container "+status.Name, status.Image, status), true
	case state.Running != nil:
		return Finding{Text: "container " + status.Name + " runs, but is not ready", Container: status.Name, Events: true, rank: rankNotReady}, true
	default:
		return Finding{}, false
	}
}

// crash is for a container that ends with an error. One that has just been started again is told the same of
// as one that waits for that.
func crash(e Evidence, pod *corev1.Pod, what string, status *corev1.ContainerStatus) (Finding, bool) {
	state, last := status.State, status.LastTerminationState.Terminated
	finding := Finding{Container: status.Name, Previous: true}
	switch {
	case state.Terminated != nil && state.Terminated.ExitCode != 0:
		last, finding.Previous = state.Terminated, false
	case state.Waiting != nil && state.Waiting.Reason == waitsToRetry:
	case last == nil || last.ExitCode == 0:
		return Finding{}, false
	case state.Running != nil && e.Now.Sub(state.Running.StartedAt.Time) > crashedLately:
		return Finding{}, false
	case state.Running == nil && (state.Waiting == nil || state.Waiting.Reason != waitsToBegin):
		return Finding{}, false
	}
	finding.Text = what + status.Name + " crashes (" + waitsToRetry + ")"
	if last != nil {
		end := ended(e, pod, status.Name, last)
		finding.Text = what + status.Name + " " + end
		if status.RestartCount > 0 {
			finding.Text = fmt.Sprintf("%s%s crashes (%s), restarts: %s: it %s", what, status.Name, waitsToRetry, Coarse(int(status.RestartCount)), end)
		}
	}
	return finding, true
}

// ended says how a container ended.
func ended(e Evidence, pod *corev1.Pod, name string, t *corev1.ContainerStateTerminated) string {
	text := fmt.Sprintf("ended with code %d", t.ExitCode)
	if t.Reason != "" && t.Reason != reasonError {
		text += " (" + t.Reason + ")"
	}
	if t.Message == "" || !e.Logs && takesLog(pod, name) {
		return text
	}
	return told(pod, text, t.Message)
}

// takesLog tells whether what a container says of its end may be the end of its log.
func takesLog(pod *corev1.Pod, name string) bool {
	return slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), func(c corev1.Container) bool {
		return c.Name == name && c.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError
	})
}

// waiting is for a container that was not started.
func waiting(pod *corev1.Pod, name, image string, status *corev1.ContainerStatus) Finding {
	state := status.State.Waiting
	finding := Finding{Text: name + " waits: " + state.Reason}
	switch state.Reason {
	case "ErrImagePull", "ImagePullBackOff": // they take turns
		finding.Text = name + " waits: ImagePullBackOff " + image
		if why := pullFailure(state.Message); why != "" {
			finding.Text += ": " + why
		}
	case "ErrImageNeverPull", "InvalidImageName", "ImageInspectError":
		finding.Text += " " + image
	case waitsToBegin:
		return Finding{Text: name + " is being created", Events: true, rank: rankBegins}
	default:
		finding.Text = told(pod, finding.Text, state.Message)
	}
	return finding
}

// refusal is what runtimes say when they cannot pull an image, and what it means.
type refusal struct{ says, means string }

// refusals come in the order of how much they tell.
func refusals() []refusal {
	return []refusal{
		{"toomanyrequests", "the registry limits how often it is asked"},
		{"too many requests", "the registry limits how often it is asked"},
		{"unauthorized", "the registry does not let us in: it wants credentials, or others"},
		{"authentication required", "the registry does not let us in: it wants credentials, or others"},
		{"access denied", "the registry does not let us in, or has no such image"},
		{"denied", "the registry does not let us in: it wants credentials, or others"},
		{"forbidden", "the registry does not let us in: it wants credentials, or others"},
		{"no matching manifest", "the registry has it for other processors only"},
		{"no match for platform", "the registry has it for other processors only"},
		{"no such host", "the registry's name cannot be resolved"},
		{"x509", "the registry's certificate is not trusted"},
		{"server gave http response to https client", "the registry does not speak TLS"},
		{"connection refused", "nothing answers at the registry"},
		{"no route to host", "the registry cannot be reached"},
		{"i/o timeout", "the registry does not answer in time"},
		{"deadline exceeded", "the registry does not answer in time"},
		{"no space left", "the node's disk is full"},
		{"not found", "the registry has no such image"},
		{"manifest unknown", "the registry has no such image"},
	}
}

// pullFailure says in plain words why an image cannot be pulled, "" when it is not told.
func pullFailure(message string) string {
	message = strings.ToLower(message)
	for _, r := range refusals() {
		if strings.Contains(message, r.says) {
			return r.means
		}
	}
	return ""
}

// told returns what somebody said of a pod behind what we say. Names of pods that change with each pod are
// replaced, and so are ids of containers.
func told(pod *corev1.Pod, text, message string) string {
	message = Clean(pod, message)
	if message == "" {
		return text
	}
	return text + ": " + message
}
