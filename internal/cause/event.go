package cause

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// telling are the reasons of events that say why something does not come about.
func telling() []string {
	return []string{
		"FailedCreate", "FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox", "FailedCreatePodContainer",
		"NetworkNotReady", "Unhealthy", "ProvisioningFailed", "FailedBinding", "ExceededGracePeriod", "FailedScheduling",
		"SyncLoadBalancerFailed", "AllocationFailed", // of Services, by cloud providers, and by MetalLB
	}
}

// Told returns what the last of the events says that tell why something does not come about, "" when none
// does. The pod is the one that they are about, nil for another object.
func Told(pod *corev1.Pod, events []corev1.Event) string {
	var last *corev1.Event
	for i := range events {
		event := &events[i]
		if !slices.Contains(telling(), event.Reason) {
			continue
		}
		if last == nil || cmp.Or(whenOf(event).Compare(whenOf(last)), cmp.Compare(event.Message, last.Message)) > 0 {
			last = event
		}
	}
	if last == nil {
		return ""
	}
	return Clean(pod, last.Message)
}

// whenOf returns when an event was seen last: who writes them fills in one or the other field.
func whenOf(event *corev1.Event) time.Time {
	times := []time.Time{event.LastTimestamp.Time, event.EventTime.Time, event.FirstTimestamp.Time}
	if event.Series != nil {
		times = append(times, event.Series.LastObservedTime.Time)
	}
	return slices.MaxFunc(times, time.Time.Compare)
}

// Refused says that pods cannot be made, by what a workload tells of that; "" when it tells nothing. Names of
// pods that were tried differ each time.
func Refused(message string) string {
	message = Clean(nil, message)
	if message == "" {
		return ""
	}
	if _, after, ok := strings.Cut(message, " failed error: "); ok { // so StatefulSets say
		message = after
	}
	message = strings.TrimPrefix(message, "Error creating: ")
	return "its pods cannot be made: " + regexp.MustCompile(`\bpods "[^"]*"`).ReplaceAllString(message, "pods")
}
