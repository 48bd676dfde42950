package player

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// maxReason keeps the message in a container's state short; the log has all of it.
const maxReason = 300

// played tells whether a pod is ours, and its life not over.
func played(pod *corev1.Pod) bool {
	if pod.Labels[cluster.LabelApplication] == "" || pod.DeletionTimestamp != nil {
		return false
	}
	for _, own := range []string{cluster.AnnotationBehave, cluster.AnnotationReadyAfter} {
		if _, set := pod.Annotations[own]; set {
			return false
		}
	}
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return false
	}
	run := pod.Annotations[cluster.AnnotationRun]
	return run == "" || run == cluster.RunCrashLoop
}

// play does the next step of a pod. An error means that a request failed.
func (p *player) play(ctx context.Context, pod *corev1.Pod) error {
	if !played(pod) {
		p.settled(keyOf(pod))
		return nil
	}
	if pod.Spec.NodeName == "" {
		return nil
	}
	if len(pod.Spec.InitContainers) > 0 && pod.Annotations[cluster.AnnotationInit] != cluster.InitDone {
		// Registered before it looks, so that no event between the two is lost.
		p.expect(pod)
		lines, err := p.initialize(ctx, pod)
		if err != nil {
			return err
		}
		if len(lines) > 0 {
			return p.say(ctx, pod, lines)
		}
		return p.annotate(ctx, pod, map[string]string{cluster.AnnotationInit: cluster.InitDone})
	}
	if len(pod.Spec.InitContainers) > 0 && !condition(pod, corev1.PodInitialized) {
		return nil // the kubelet's next status update brings it back
	}
	p.expect(pod)
	if behind, err := p.behindSecrets(ctx, pod); err != nil || behind {
		p.queue.AddAfter(keyOf(pod), settle)
		return err
	}
	lines, err := p.act(ctx, pod, pod.Spec.Containers)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		run := cluster.RunCompleted
		if pod.Spec.RestartPolicy == corev1.RestartPolicyAlways {
			run = cluster.RunReady
		}
		return p.annotate(ctx, pod, map[string]string{cluster.AnnotationRun: run})
	}
	if err := p.say(ctx, pod, lines); err != nil {
		return err
	}
	return p.fail(ctx, pod, lines[len(lines)-1])
}

// behindSecrets tells whether the cache holds another content of a Secret that the pod refers
// to than the API server: containers start with what is there, not with what was. A Secret
// that does not exist at all is nothing to wait for here.
func (p *player) behindSecrets(ctx context.Context, pod *corev1.Pod) (bool, error) {
	for _, name := range secretsOf(pod) {
		actual, err := p.client.CoreV1().Secrets(pod.Namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return false, err
		}
		cached, err := p.secrets.Secrets(pod.Namespace).Get(name)
		unseen := apierrors.IsNotFound(err)
		if err != nil && !unseen {
			return false, err
		}
		if unseen || !equality.Semantic.DeepEqual(cached.Data, actual.Data) {
			return true, nil
		}
	}
	return false, nil
}

// initialize returns why the init containers have not completed yet.
func (p *player) initialize(ctx context.Context, pod *corev1.Pod) ([]string, error) {
	for _, spec := range pod.Spec.InitContainers {
		c := container{world: p.world, pod: pod, spec: spec}
		var lines []string
		var err error
		if c.program() == "kubernetes-entrypoint" {
			lines = p.unmet(pod, c.environment())
		} else {
			lines, err = p.act(ctx, pod, []corev1.Container{spec})
		}
		if err != nil || len(lines) > 0 {
			return lines, err
		}
	}
	return nil, nil
}

// fail makes a pod's containers crash-loop, or ends them for good where nobody restarts them.
func (p *player) fail(ctx context.Context, pod *corev1.Pod, reason string) error {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	if pod.Spec.RestartPolicy == corev1.RestartPolicyNever {
		return p.annotate(ctx, pod, map[string]string{
			cluster.AnnotationRun: cluster.RunFailed, cluster.AnnotationReason: reason,
		})
	}
	failures, pause := p.failed(pod)
	// Also when it looked before its pause was over, because something changed: the queue keeps of two
	// times for one key the earlier one only, and that was this one.
	p.queue.AddAfter(keyOf(pod), pause)
	if failures == 0 {
		return nil
	}
	return p.annotate(ctx, pod, map[string]string{
		cluster.AnnotationRun:      cluster.RunCrashLoop,
		cluster.AnnotationRestarts: strconv.Itoa(failures),
		cluster.AnnotationReason:   reason,
	})
}

// annotate patches this very pod, not one that got its name meanwhile.
func (p *player) annotate(ctx context.Context, pod *corev1.Pod, annotations map[string]string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID, "annotations": annotations}})
	if err != nil {
		return err
	}
	_, err = p.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // gone; what came instead has its own events
	}
	return err
}

// expect makes the player look at the pod again when something changed.
func (p *player) expect(pod *corev1.Pod) *attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.waiting[keyOf(pod)]
	if known == nil || known.uid != string(pod.UID) {
		known = &attempt{uid: string(pod.UID)}
		// A count that an earlier player left goes on.
		known.failures, _ = strconv.Atoi(pod.Annotations[cluster.AnnotationRestarts])
		p.waiting[keyOf(pod)] = known
	}
	return known
}

// failed counts a failure unless the pause after the last one is not over yet, and then
// returns 0. It also returns how long the pause lasts from now on.
func (p *player) failed(pod *corev1.Pod) (int, time.Duration) {
	known := p.expect(pod)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if rest := known.retry.Sub(now); rest > 0 {
		return 0, rest
	}
	pause := p.options.LastPause
	if known.failures < 16 {
		pause = min(pause, p.options.FirstPause<<known.failures)
	}
	known.failures++
	known.retry = now.Add(pause)
	return known.failures, pause
}

// settled ends the player's interest in a pod, whose log stays.
func (p *player) settled(key podKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, key)
}

// forget removes what is left of a deleted pod.
func (p *player) forget(key podKey) {
	p.settled(key)
	p.dropLog(key)
}
