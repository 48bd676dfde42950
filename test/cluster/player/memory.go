package player

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// Annotations of a server's volume claims, or of its pods where it has none, with what its
// data would hold.
const (
	databaseAnnotation = cluster.AnnotationPrefix + "database"
	brokerAnnotation   = cluster.AnnotationPrefix + "broker"
)

// database is the data of a MariaDB cluster.
type database struct {
	Root     credential        `json:"root"`
	Users    map[string]string `json:"users"`    // password by user
	Keystone map[string]string `json:"keystone"` // password by user@domain, in Keystone's tables
}

// broker is the data of a RabbitMQ cluster.
type broker struct {
	Users map[string]string `json:"users"`
}

type credential struct {
	User     string `json:"user"`
	Password string `json:"password"`
}

// recall reads what a member of a server's cluster remembers into data. found is false when no
// member has any data yet.
func (p *player) recall(ctx context.Context, member *corev1.Pod, annotation string, data any) (found bool, err error) {
	for _, pod := range p.members(member) {
		for _, claim := range claims(pod) {
			object, err := p.client.CoreV1().PersistentVolumeClaims(pod.Namespace).Get(ctx, claim, metav1.GetOptions{})
			if err != nil {
				return false, fmt.Errorf("data of pod %s: %w", pod.Name, err)
			}
			if text := object.Annotations[annotation]; text != "" {
				return true, json.Unmarshal([]byte(text), data)
			}
		}
		if len(claims(pod)) > 0 {
			continue
		}
		object, err := p.client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("data of pod %s: %w", pod.Name, err)
		}
		if text := object.Annotations[annotation]; text != "" {
			return true, json.Unmarshal([]byte(text), data)
		}
	}
	return false, nil
}

// remember writes data to all members of a server's cluster, as replication does.
func (p *player) remember(ctx context.Context, member *corev1.Pod, annotation string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{annotation: string(text)}}})
	if err != nil {
		return err
	}
	for _, pod := range p.members(member) {
		for _, claim := range claims(pod) {
			_, err := p.client.CoreV1().PersistentVolumeClaims(pod.Namespace).Patch(ctx, claim, types.MergePatchType, patch, metav1.PatchOptions{})
			if err != nil {
				return fmt.Errorf("data of pod %s: %w", pod.Name, err)
			}
		}
		if len(claims(pod)) > 0 {
			continue
		}
		if _, err := p.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("data of pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

// members returns the pods of a pod's StatefulSet that have been scheduled, in order, and the
// pod itself in any case.
func (p *player) members(pod *corev1.Pod) []*corev1.Pod {
	members := []*corev1.Pod{pod}
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return members
	}
	all, err := p.pods.Pods(pod.Namespace).List(labels.Everything())
	if err != nil {
		return members
	}
	for _, other := range all {
		theirs := metav1.GetControllerOf(other)
		if theirs != nil && theirs.UID == owner.UID && other.Name != pod.Name && other.Spec.NodeName != "" && other.DeletionTimestamp == nil {
			members = append(members, other)
		}
	}
	slices.SortFunc(members, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return members
}

func claims(pod *corev1.Pod) []string {
	var names []string
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil {
			names = append(names, volume.PersistentVolumeClaim.ClaimName)
		}
	}
	return names
}
