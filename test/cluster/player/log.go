package player

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// maxLines bounds what the player remembers that a pod said.
const maxLines = 200

func logsResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "kwok.x-k8s.io", Version: "v1alpha1", Resource: "logs"}
}

// say appends lines to a pod's log, unless they are the last that it said.
func (p *player) say(ctx context.Context, pod *corev1.Pod, lines []string) error {
	if p.options.LogDir == "" {
		return nil
	}
	known := p.expect(pod)
	p.mu.Lock()
	if n := len(known.said) - len(lines); n >= 0 && slices.Equal(known.said[n:], lines) {
		p.mu.Unlock()
		return nil
	}
	first := len(known.said) == 0
	said := append(slices.Clone(known.said), lines...)
	said = said[max(0, len(said)-maxLines):]
	p.mu.Unlock()

	if err := p.writeLog(pod, said); err != nil {
		return err
	}
	if _, err := p.pods.Pods(pod.Namespace).Get(pod.Name); err != nil {
		p.dropLog(keyOf(pod)) // deleted meanwhile; nobody else would remove the file
		return nil
	}
	if first {
		if err := p.showLog(ctx, pod); err != nil {
			return err
		}
	}
	// Only now, so that a failed request is made again.
	p.mu.Lock()
	defer p.mu.Unlock()
	known.said = said
	return nil
}

func (p *player) logFile(key podKey) string {
	return filepath.Join(p.options.LogDir, key.namespace+"."+key.name+".played.log")
}

// writeLog replaces the file in one step, in the format of container runtimes.
func (p *player) writeLog(pod *corev1.Pod, lines []string) error {
	var text strings.Builder
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for _, line := range lines {
		fmt.Fprintf(&text, "%s stdout F %s\n", now, line)
	}
	file := p.logFile(keyOf(pod))
	if err := os.WriteFile(file+".new", []byte(text.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// showLog tells the kubelet where a pod's log is. The object goes with the pod.
func (p *player) showLog(ctx context.Context, pod *corev1.Pod) error {
	owner := map[string]any{"apiVersion": "v1", "kind": "Pod", "name": pod.Name, "uid": string(pod.UID)}
	metadata := map[string]any{"namespace": pod.Namespace, "name": pod.Name, "ownerReferences": []any{owner}}
	spec := map[string]any{"logs": []any{map[string]any{"logsFile": p.logFile(keyOf(pod))}}}
	logs := p.objects.Resource(logsResource()).Namespace(pod.Namespace)
	_, err := logs.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": logsResource().GroupVersion().String(), "kind": "Logs", "metadata": metadata, "spec": spec,
	}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	// An earlier pod of the same name had one, which must not go with that pod.
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": []any{owner}}, "spec": spec})
	if err != nil {
		return err
	}
	_, err = logs.Patch(ctx, pod.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func (p *player) dropLog(key podKey) {
	if p.options.LogDir != "" {
		// It is not there when the pod never said anything.
		_ = os.Remove(p.logFile(key))
	}
}
