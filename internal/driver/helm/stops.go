package helm

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	kindDaemonSet   = "DaemonSet"
	kindStatefulSet = "StatefulSet"
)

// findStops looks for the DaemonSets of the release whose pods the next step would end. One that the
// next revision calls otherwise, or does not have, is deleted with all of its pods at once, and one
// that selects other nodes loses those on the nodes it leaves: no update strategy keeps Kubernetes from
// either.
func (d *Driver) findStops(ctx context.Context, v *view) error {
	if v.newest == nil || v.want == nil || v.blocked != "" {
		return nil
	}
	next, outdated := v.newest.objects, v.outdated()
	switch {
	case v.failure.back != nil:
		next, outdated = v.failure.back.to.objects, true
	case v.newest.status == release.StatusUninstalling:
		next = nil // what was begun ends before it is installed again
	case outdated:
		rendered, err := d.rendering(ctx, v)
		if err != nil {
			return err
		}
		next = rendered.objects
	}
	wanted := map[unit.ObjectRef]*unstructured.Unstructured{}
	for _, object := range next {
		wanted[refOf(object)] = object
	}
	v.opens = opens(wanted, v.live)
	for _, ref := range v.daemonSets(outdated) {
		live := v.live[ref]
		if live == nil || live.GetDeletionTimestamp() != nil || !v.owns(live) || stays(live) {
			continue
		}
		after := wanted[ref]
		if after != nil && !outdated {
			var err error
			if after, err = d.yielded(ctx, v, after, live); err != nil {
				return err
			}
		}
		why, leaves, err := d.ends(ctx, v, live, after)
		if err != nil {
			return err
		}
		if why == "" {
			continue
		}
		nodes, err := d.nodesOf(ctx, live)
		if err == nil && leaves {
			nodes, err = d.unfit(ctx, nodes, after)
		}
		if err != nil {
			return fmt.Errorf("look where the pods of %s run: %w", ref, err)
		}
		if len(nodes) > 0 {
			v.stops = append(v.stops, unit.Stop{Object: ref, Why: why, Nodes: nodes})
		}
	}
	return nil
}

// opens returns the slots of nodes that DaemonSets choose which are wanted and not there.
func opens(wanted, live map[unit.ObjectRef]*unstructured.Unstructured) []string {
	var slots []string
	for ref, object := range wanted {
		if ref.Kind != kindDaemonSet || live[ref] != nil {
			continue
		}
		where, err := placementOf(object)
		if err != nil {
			continue // Kubernetes will say what is wrong with it
		}
		for _, term := range where.terms {
			for _, one := range term.MatchExpressions {
				if one.Key == unit.SlotLabel && one.Operator == corev1.NodeSelectorOpIn {
					slots = append(slots, one.Values...)
				}
			}
		}
	}
	slices.Sort(slots)
	return slices.Compact(slots)
}

// daemonSets returns those that the next step may change: all while the release is out of date, else those
// that are left over or were changed by somebody.
func (v *view) daemonSets(outdated bool) []unit.ObjectRef {
	refs := slices.Clone(v.leftovers)
	for _, one := range v.drift {
		refs = append(refs, refOf(one.desired))
	}
	if outdated {
		refs = append(refsOf(v.newest.objects), v.newest.previous...)
	}
	refs = slices.DeleteFunc(refs, func(ref unit.ObjectRef) bool { return ref.Kind != kindDaemonSet })
	slices.SortFunc(refs, unit.ObjectRef.Compare)
	return slices.Compact(refs)
}

// ends says how a DaemonSet loses pods on the way to what is wanted of it, nil for nothing; "" when it
// keeps them. leaves tells that it keeps those on nodes that still fit.
func (d *Driver) ends(ctx context.Context, v *view, live, after *unstructured.Unstructured) (why string, leaves bool, err error) {
	switch {
	case after == nil:
		return "is deleted", false, nil
	case v.want.spec.OnDelete && rolls(after) && slices.ContainsFunc(d.cluster.Compare(after, live), inTemplate):
		unchanged, err := d.cluster.Unchanged(ctx, Manager, after, live)
		if err != nil {
			return "", false, fmt.Errorf("compare %s: %w", refOf(after), err)
		}
		if !unchanged {
			return "replaces its pods, whatever its chart was told", false, nil
		}
	}
	before, errBefore := placementOf(live)
	then, errThen := placementOf(after)
	if errBefore == nil && errThen == nil && reflect.DeepEqual(before, then) {
		return "", false, nil
	}
	return "leaves nodes", true, nil
}

func inTemplate(field unit.Field) bool { return strings.HasPrefix(field.Path, "spec.template.") }

// podSelector returns the selector of a DaemonSet's pods. The groups of one daemon have the same.
func podSelector(set *unstructured.Unstructured) (string, error) {
	content, _, err := unstructured.NestedMap(set.Object, "spec", "selector")
	if err != nil {
		return "", err
	}
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &selector); err != nil {
		return "", err
	}
	return metav1.FormatLabelSelector(&selector), nil
}

// nodesOf returns the names of the nodes that a DaemonSet has pods on which nobody deletes yet.
func (d *Driver) nodesOf(ctx context.Context, set *unstructured.Unstructured) ([]string, error) {
	selector, err := podSelector(set)
	if err != nil {
		return nil, err
	}
	pods, err := d.api.Pods(ctx, set.GetNamespace(), selector)
	if err != nil {
		return nil, err
	}
	var nodes []string
	for i := range pods {
		pod := &pods[i]
		// The groups of one daemon share their labels, so the owner tells.
		owner := metav1.GetControllerOf(pod)
		if owner == nil || owner.UID != set.GetUID() || pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" ||
			pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		nodes = append(nodes, pod.Spec.NodeName)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), nil
}

// unfit returns those of the nodes that are there and that a DaemonSet does not select.
func (d *Driver) unfit(ctx context.Context, nodes []string, set *unstructured.Unstructured) ([]string, error) {
	where, err := placementOf(set)
	if err != nil {
		return nil, err
	}
	refs := make([]unit.ObjectRef, 0, len(nodes))
	for _, name := range nodes {
		refs = append(refs, nodeRef(name))
	}
	there, err := d.cluster.Get(ctx, refs...)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, ref := range refs {
		if node := there[ref]; node != nil && !where.fits(node.GetName(), node.GetLabels()) {
			left = append(left, ref.Name)
		}
	}
	return left, nil
}
