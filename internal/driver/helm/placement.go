package helm

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/klog/v2"
)

// placement is what of a pod says which nodes it may run on.
type placement struct {
	selector map[string]string
	terms    []corev1.NodeSelectorTerm // one of them has to match
	limited  bool                      // there are terms
	suffers  []corev1.Toleration
}

func placementOf(set *unstructured.Unstructured) (placement, error) {
	content := map[string]any{}
	for _, name := range []string{"nodeSelector", "affinity", "tolerations", "hostNetwork"} {
		if value, ok, _ := unstructured.NestedFieldNoCopy(set.Object, "spec", "template", "spec", name); ok && value != nil {
			content[name] = value
		}
	}
	var pod corev1.PodSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &pod); err != nil {
		return placement{}, fmt.Errorf("read which nodes it is for: %w", err)
	}
	where := placement{selector: pod.NodeSelector, suffers: append(pod.Tolerations, ofDaemonSets(pod.HostNetwork)...)}
	if a := pod.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		where.terms, where.limited = a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, true
	}
	return where, nil
}

// ofDaemonSets are the tolerations that Kubernetes gives all pods of DaemonSets, see "Taints and tolerations" in the
// documentation of DaemonSets.
func ofDaemonSets(hostNetwork bool) []corev1.Toleration {
	list := []corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeDiskPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodePIDPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	}
	if hostNetwork {
		list = append(list, corev1.Toleration{Key: corev1.TaintNodeNetworkUnavailable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
	}
	return list
}

// takes tells whether Kubernetes makes a pod of a DaemonSet for a node: the pod may run there, and no taint keeps it away.
func (p placement) takes(node *unstructured.Unstructured) bool {
	var spec corev1.NodeSpec
	content, _, err := unstructured.NestedMap(node.Object, "spec")
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(content, &spec)
	}
	return err == nil && p.fits(node.GetName(), node.GetLabels()) && !slices.ContainsFunc(spec.Taints, func(taint corev1.Taint) bool {
		return taint.Effect != corev1.TaintEffectPreferNoSchedule && !slices.ContainsFunc(p.suffers, func(t corev1.Toleration) bool {
			return t.ToleratesTaint(klog.Background(), &taint, false)
		})
	})
}

// fits tells whether a pod may run on a node. A requirement that is none of those known fits nothing.
func (p placement) fits(name string, has map[string]string) bool {
	for key, value := range p.selector {
		if got, ok := has[key]; !ok || got != value {
			return false
		}
	}
	return !p.limited || slices.ContainsFunc(p.terms, func(term corev1.NodeSelectorTerm) bool {
		if len(term.MatchExpressions)+len(term.MatchFields) == 0 {
			return false // as Kubernetes has it
		}
		for _, one := range term.MatchExpressions {
			if !matches(one, has) {
				return false
			}
		}
		for _, one := range term.MatchFields {
			if !matches(one, map[string]string{"metadata.name": name}) {
				return false
			}
		}
		return true
	})
}

func matches(one corev1.NodeSelectorRequirement, has map[string]string) bool {
	operators := map[corev1.NodeSelectorOperator]selection.Operator{
		corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
		corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
		corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan,
	}
	requirement, err := labels.NewRequirement(one.Key, operators[one.Operator], one.Values)
	return err == nil && requirement.Matches(labels.Set(has))
}
