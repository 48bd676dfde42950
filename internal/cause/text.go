package cause

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// changing returns what in a message differs each time: ids of containers and pods, not digests of images.
func changing() *regexp.Regexp {
	return regexp.MustCompile(`(sha256:)?\b[0-9a-f]{32,64}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
}

// Clean makes one line of a message, without what is another in each pod.
func Clean(pod *corev1.Pod, message string) string {
	message = strings.TrimRight(strings.Join(strings.Fields(message), " "), ": ")
	if pod != nil {
		if made(pod) && !slices.ContainsFunc(pod.OwnerReferences, func(o metav1.OwnerReference) bool { return o.Kind == "StatefulSet" }) {
			message = strings.ReplaceAll(message, pod.Name, pod.GenerateName+"*")
		}
		for _, ip := range pod.Status.PodIPs {
			message = replaceAddress(message, ip.IP)
		}
	}
	return changing().ReplaceAllStringFunc(message, func(id string) string {
		if strings.HasPrefix(id, "sha256:") {
			return id
		}
		return "…"
	})
}

// made tells whether the name of a pod was made for it: then it begins with what it was made from.
func made(pod *corev1.Pod) bool {
	return pod.GenerateName != "" && len(pod.Name) > len(pod.GenerateName) && strings.HasPrefix(pod.Name, pod.GenerateName)
}

// replaceAddress hides an address that is not a part of another one.
func replaceAddress(text, address string) string {
	if _, err := netip.ParseAddr(address); err != nil {
		return text
	}
	whole := regexp.MustCompile(`(^|[^0-9a-fA-F.:])` + regexp.QuoteMeta(address) + `($|[^0-9a-fA-F.])`)
	return whole.ReplaceAllString(text, "${1}POD${2}")
}
