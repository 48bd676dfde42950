package helm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"helm.sh/helm/v3/pkg/release"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// askHosts bounds how long the services of OpenStack are asked how nodes fare.
const askHosts = 20 * time.Second

// rollout is what is left to replace of the pods of DaemonSets that Kubernetes itself leaves alone.
type rollout struct {
	left  int          // pods that are not new
	node  string       // whose turn it is
	pods  []corev1.Pod // that are there
	waits string       // for what, where no node's turn is now
	sets  []unit.ObjectRef
}

// daemons are a DaemonSet whose pods are replaced by us, with its pods.
type daemons struct {
	ref     unit.ObjectRef
	desired int64  // nodes that it runs on
	hash    string // of its newest revision
	pods    []corev1.Pod
	changed map[string]time.Time // when labels of nodes changed that its pods read when they start
}

// findRollout looks for pods of an earlier revision that Kubernetes leaves alone as the DaemonSet says OnDelete, and
// for those that read labels of their node which changed since. It asks the API server only while a DaemonSet tells
// that it has such, or a node that there may be.
func (d *Driver) findRollout(ctx context.Context, v *view) error {
	if v.want == nil || !v.want.spec.OnDelete || v.newest.status != release.StatusDeployed || !v.settled() && !v.restored() || len(v.drift) > 0 {
		return nil
	}
	var sets []*unstructured.Unstructured
	relabelled, err := d.relabelled(ctx, v)
	if err != nil {
		return err
	}
	behind := false
	for _, object := range v.newest.objects {
		live := v.live[refOf(object)]
		if object.GetKind() != kindDaemonSet || live == nil || live.GetDeletionTimestamp() != nil || rolls(live) {
			continue
		}
		sets = append(sets, live)
		behind = behind || hasOldPods(live) || len(relabelled) > 0 && v.readsLabels(live)
	}
	if !behind {
		return nil
	}
	var all []daemons
	for _, set := range sets {
		if generation, _, _ := unstructured.NestedInt64(set.Object, "status", "observedGeneration"); generation < set.GetGeneration() {
			v.rollout = rollout{left: 1, waits: fmt.Sprintf("%s: Kubernetes has not seen its change yet", refOf(set))}
			return nil
		}
		one, err := d.daemonsOf(ctx, set)
		if err != nil {
			return fmt.Errorf("look at the pods of %s: %w", refOf(set), err)
		}
		if v.readsLabels(set) {
			one.changed = relabelled
		}
		all = append(all, one)
	}
	ready, err := d.readyNodes(ctx, all)
	if err != nil {
		return fmt.Errorf("look at the nodes of release %s/%s: %w", v.namespace, v.name, err)
	}
	v.rollout = nextNode(all, ready)
	if v.rollout.left == 0 {
		return nil
	}
	for _, one := range all {
		v.rollout.sets = append(v.rollout.sets, one.ref)
	}
	if rest := v.rest(d.unready(v)); len(rest) > 0 {
		v.rollout.waits = fmt.Sprintf("first the rest of the release: %s is not ready", rest[0].ref)
	}
	if v.rollout.waits == "" {
		v.rollout.waits = d.hostsDown(ctx, v, updatedNodes(all, ready))
	}
	return nil
}

// rest are those of the objects that are not ready whose pods are not replaced by us at this time.
func (v *view) rest(found []ailing) []ailing {
	return slices.DeleteFunc(slices.Clone(found), func(one ailing) bool { return slices.Contains(v.rollout.sets, one.ref) })
}

// restored tells whether a release has gone back from what is wanted, and that is done but for pods that we replace.
func (v *view) restored() bool {
	return v.unseen == "" && v.blocked == "" && v.deferred == "" && v.returned() && v.owned() && v.hooks.done && len(v.removable()) == 0
}

// hasOldPods tells whether a DaemonSet has pods of an earlier revision, or may have.
func hasOldPods(set *unstructured.Unstructured) bool {
	status := func(name string) int64 {
		n, _, _ := unstructured.NestedInt64(set.Object, "status", name)
		return n
	}
	return status("observedGeneration") < set.GetGeneration() || status("updatedNumberScheduled") < status("desiredNumberScheduled")
}

// onlyOld tells whether all that a DaemonSet lacks is that pods of an earlier revision are replaced.
func onlyOld(set *unstructured.Unstructured) bool {
	desired, _, _ := unstructured.NestedInt64(set.Object, "status", "desiredNumberScheduled")
	available, _, _ := unstructured.NestedInt64(set.Object, "status", "numberAvailable")
	return set.GetKind() == kindDaemonSet && !rolls(set) && hasOldPods(set) && available >= desired
}

// daemonsOf asks for the pods of a DaemonSet and for which revision is its newest.
func (d *Driver) daemonsOf(ctx context.Context, set *unstructured.Unstructured) (daemons, error) {
	var typed appsv1.DaemonSet
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(set.Object, &typed); err != nil {
		return daemons{}, err
	}
	selector := metav1.FormatLabelSelector(typed.Spec.Selector)
	revisions, err := d.api.ControllerRevisions(ctx, typed.Namespace, selector)
	if err != nil {
		return daemons{}, err
	}
	found := daemons{ref: refOf(set), desired: int64(typed.Status.DesiredNumberScheduled)}
	newest := int64(-1)
	for i := range revisions {
		if one := &revisions[i]; metav1.IsControlledBy(one, &typed) && one.Revision > newest {
			newest, found.hash = one.Revision, one.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
		}
	}
	pods, err := d.api.Pods(ctx, typed.Namespace, selector)
	if err != nil {
		return daemons{}, err
	}
	found.pods = slices.DeleteFunc(pods, func(p corev1.Pod) bool {
		return !metav1.IsControlledBy(&p, &typed) || p.Status.Phase == corev1.PodSucceeded ||
			p.Status.Phase == corev1.PodFailed // Kubernetes replaces these
	})
	slices.SortFunc(found.pods, func(a, b corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Spec.NodeName, b.Spec.NodeName), cmp.Compare(a.Name, b.Name))
	})
	return found, nil
}

// readyNodes tells of the nodes of pods whether Kubernetes calls them ready.
func (d *Driver) readyNodes(ctx context.Context, sets []daemons) (map[string]bool, error) {
	var refs []unit.ObjectRef
	for _, set := range sets {
		for i := range set.pods {
			refs = append(refs, nodeRef(set.pods[i].Spec.NodeName))
		}
	}
	slices.SortFunc(refs, unit.ObjectRef.Compare)
	nodes, err := d.cluster.Get(ctx, slices.Compact(refs)...)
	if err != nil {
		return nil, err
	}
	ready := map[string]bool{}
	for ref, node := range nodes {
		conditions, _, _ := unstructured.NestedSlice(node.Object, "status", "conditions")
		for _, item := range conditions {
			condition, _ := item.(map[string]any)
			if condition["type"] == string(corev1.NodeReady) && condition["status"] == string(corev1.ConditionTrue) {
				ready[ref.Name] = true
			}
		}
	}
	return ready, nil
}

// nextNode decides which node's pods are replaced next. Nothing is, while a pod that was replaced is not ready
// again: what is wrong with one node's must not come to the others. Nodes that are not ready hold back nobody and
// are left for later. Pods that do not work come first, as nothing is lost with them.
func nextNode(sets []daemons, ready map[string]bool) rollout {
	var next rollout
	var broken, working []string // nodes
	old := map[string][]corev1.Pod{}
	wait := func(format string, arguments ...any) {
		if next.waits == "" {
			next.waits = fmt.Sprintf(format, arguments...)
		}
	}
	for _, set := range sets {
		there := int64(0)
		for _, pod := range set.pods {
			node := pod.Spec.NodeName
			stays, works := pod.DeletionTimestamp == nil, isReady(&pod)
			if stays || !ready[node] { // what ends there ends when the node is back
				there++
			}
			switch {
			case !stays && ready[node]:
				wait("a pod of %s on %s is ending", set.ref, node)
			case !stays:
			case set.isNew(&pod) && node == "":
				wait("a new pod of %s has no node", set.ref)
			case set.isNew(&pod) && ready[node] && !works:
				wait("the new pod of %s on %s is not ready", set.ref, node)
			case set.isNew(&pod):
			default:
				next.left++
				if node != "" && !ready[node] {
					continue
				}
				old[node] = append(old[node], pod)
				if works {
					working = append(working, node)
				} else {
					broken = append(broken, node)
				}
			}
		}
		if there < set.desired {
			wait("%s is still to run on %d of its nodes", set.ref, set.desired-there)
		}
		if set.hash == "" {
			wait("Kubernetes does not tell which revision of %s is the newest", set.ref)
		}
	}
	if next.left == 0 {
		return rollout{}
	}
	slices.Sort(broken)
	slices.Sort(working)
	turn := append(broken, working...)
	if len(turn) == 0 {
		wait("the nodes that they run on are not ready")
	}
	if next.waits == "" {
		next.node, next.pods = turn[0], old[turn[0]]
	}
	return next
}

// isNew tells whether a pod is of the newest revision and has read the labels of its node as they are.
func (s *daemons) isNew(pod *corev1.Pod) bool {
	changed, read := s.changed[pod.Spec.NodeName]
	return pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == s.hash && (!read || pod.CreationTimestamp.After(changed))
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// updatedNodes are the ready nodes that have new pods, each with when the youngest of them was made.
func updatedNodes(sets []daemons, ready map[string]bool) map[string]time.Time {
	made := map[string]time.Time{}
	for _, set := range sets {
		for i := range set.pods {
			pod := &set.pods[i]
			if node := pod.Spec.NodeName; set.isNew(pod) && ready[node] && !pod.CreationTimestamp.Time.Before(made[node]) {
				made[node] = pod.CreationTimestamp.Time
			}
		}
	}
	return made
}

// hostsDown says what OpenStack itself misses on nodes whose pods were replaced, or that this is not known; ""
// for nothing, and where there is nobody to ask.
func (d *Driver) hostsDown(ctx context.Context, v *view, made map[string]time.Time) string {
	if d.options.HostsDown == nil || len(made) == 0 {
		return ""
	}
	bounded, cancel := context.WithTimeout(ctx, askHosts)
	defer cancel()
	down, err := d.options.HostsDown(bounded, v.name, made)
	if err != nil {
		return v.masker.Text("how the nodes before it fare is not known: " + err.Error()).String()
	}
	return down
}

// diff says what is to be done for the rollout.
func (r rollout) diff() unit.Diff {
	diff := unit.Diff{Action: unit.ActionRestart, Continues: true, Serves: true, Waits: r.waits != "", Cost: costOfRollout}
	diff.Reason = fmt.Sprintf("pods are replaced node by node, %d are left: ", r.left)
	if diff.Waits {
		diff.Reason += r.waits
	} else {
		diff.Reason += cmp.Or(r.node, "what has no node") + " is next"
	}
	return diff
}

const costOfRollout = "pods are restarted node by node"

// replace deletes the pods of the node whose turn it is; Kubernetes makes new ones.
func (d *Driver) replace(ctx context.Context, r rollout) error {
	for i := range r.pods {
		pod := &r.pods[i]
		ref := unit.ObjectRef{APIVersion: "v1", Kind: kindPod, Namespace: pod.Namespace, Name: pod.Name}
		if err := d.cluster.Delete(ctx, ref, pod.UID); err != nil {
			return fmt.Errorf("replace the pods on %s: %w", r.node, err)
		}
	}
	return nil
}
