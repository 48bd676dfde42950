package kube

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/cause"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	maxLines  = 10  // of an explanation
	maxLine   = 480 // bytes of one line
	maxPods   = 200 // looked at for an explanation
	maxEvents = 100 // of one object
	// maxAsked is of how many causes more is asked than what pods tell.
	maxAsked = 3
	// explainTimeout bounds all that is asked for one explanation.
	explainTimeout = 15 * time.Second
)

// Explain tells why the pods of a Deployment, StatefulSet, DaemonSet or Job are not ready, or a pod: one line
// for each cause, at most ten, the most telling one first. It costs one list of pods, and some requests more
// where these do not tell all. Of a PersistentVolumeClaim without a volume and of a Service whose load balancer has no address it tells what
// their events do, whether pods wait for them or not. When that fails a line says so; when nothing is wrong there are none. hide
// takes the secrets out that its caller knows, nil for none.
func (c *Cluster) Explain(ctx context.Context, ref unit.ObjectRef, hide func(string) string) cause.Explanation {
	ctx, cancel := context.WithTimeout(ctx, explainTimeout)
	defer cancel()
	x := &explanation{cluster: c, ctx: ctx, ref: ref, hide: hide}
	switch ref.Kind {
	case "PersistentVolumeClaim":
		return x.alone(x.claims([]string{ref.Name}))
	case "Service":
		return x.alone(x.balancer())
	}
	workload, err := x.workload()
	if err != nil {
		return cause.Explanation{Causes: []string{x.show("why cannot be found out: " + err.Error())}}
	}
	if workload == nil {
		return cause.Explanation{}
	}
	pods, ok, err := x.pods(workload)
	switch {
	case err != nil:
		return cause.Explanation{Causes: []string{x.show("why cannot be found out: " + c.explainError(err, "list its pods").Error())}}
	case !ok:
		return cause.Explanation{}
	}
	found := cause.Of(cause.Evidence{Pods: pods, Down: x.down(pods), Now: c.Now(), Logs: c.logLines > 0})
	for i := range min(len(found), maxAsked) {
		x.ask(&found[i])
	}
	cause.Sort(found)
	return cause.Explanation{Causes: x.lines(x.missing(workload, pods), found), Log: x.log(found)}
}

// explanation is one that is being worked out.
type explanation struct {
	cluster *Cluster
	ctx     context.Context
	ref     unit.ObjectRef
	hide    func(string) string
}

func (x *explanation) workload() (*unstructured.Unstructured, error) {
	switch x.ref.Kind {
	case "Deployment", "StatefulSet", "DaemonSet", "Job", "Pod":
	default:
		return nil, nil
	}
	return x.live()
}

func (x *explanation) live() (*unstructured.Unstructured, error) {
	found, err := x.cluster.Get(x.ctx, x.ref)
	if object := found[x.ref]; err != nil || object != nil {
		return object, err
	}
	return x.cluster.Confirm(x.ctx, x.ref)
}

// pods returns those of a workload; false when nothing tells which these are.
func (x *explanation) pods(workload *unstructured.Unstructured) ([]corev1.Pod, bool, error) {
	if x.ref.Kind == "Pod" {
		var pod corev1.Pod
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(workload.Object, &pod)
		return []corev1.Pod{pod}, true, err
	}
	selector, err := podSelector(workload)
	if err != nil || selector == "" {
		return nil, false, err
	}
	list, err := x.cluster.core.Pods(x.ref.Namespace).List(x.ctx, metav1.ListOptions{LabelSelector: selector, Limit: maxPods})
	if err != nil {
		return nil, false, err
	}
	return list.Items, true, nil
}

// podSelector returns the selector of a workload's pods as the API takes it.
func podSelector(workload *unstructured.Unstructured) (string, error) {
	content, ok, err := unstructured.NestedMap(workload.Object, "spec", "selector")
	if err != nil || !ok {
		return "", err
	}
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &selector); err != nil {
		return "", err
	}
	return metav1.FormatLabelSelector(&selector), nil
}

// down returns which nodes of the pods Kubernetes does not call ready. All nodes are watched, so that costs
// nothing; when they are not known, none is down.
func (x *explanation) down(pods []corev1.Pod) map[string]bool {
	var refs []unit.ObjectRef
	for i := range pods {
		if name := pods[i].Spec.NodeName; name != "" {
			refs = append(refs, unit.ObjectRef{APIVersion: "v1", Kind: "Node", Name: name})
		}
	}
	down := map[string]bool{}
	if len(refs) == 0 {
		return down
	}
	nodes, err := x.cluster.Get(x.ctx, refs...)
	if err != nil {
		x.quietly("nodes", err)
		return down
	}
	for ref, node := range nodes {
		if _, ready := readiness(node); ready == "False" || ready == "Unknown" {
			down[ref.Name] = true
		}
	}
	return down
}

// ask finds out what the pods of a finding do not tell themselves.
func (x *explanation) ask(f *cause.Finding) {
	switch {
	case len(f.Waits) > 0:
		reasons, err := x.unmet(f.Pod, f.Waits)
		f.Waiting(reasons)
		if err != nil {
			f.Add("not all of it could be looked at: " + err.Error())
		}
	case len(f.Claims) > 0:
		f.Add(x.claims(f.Claims))
	case f.Events:
		f.Add(x.told(f.Pod, f.Pod.Namespace, f.Pod.UID))
	}
}

// told returns what events of an object tell, "" for nothing.
func (x *explanation) told(pod *corev1.Pod, namespace string, uid types.UID) string {
	list, err := x.cluster.core.Events(namespace).List(x.ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", string(uid)).String(), Limit: maxEvents,
	})
	if err != nil {
		return x.cluster.explainError(err, "list events").Error()
	}
	return cause.Told(pod, list.Items)
}

// claims says which of the claims have no volume, and why as far as that is told.
func (x *explanation) claims(names []string) string {
	var open []string
	for _, name := range names {
		ref := unit.ObjectRef{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: x.ref.Namespace, Name: name}
		claim, err := x.cluster.Confirm(x.ctx, ref)
		switch {
		case err != nil:
			open = append(open, err.Error())
			continue
		case claim == nil:
			open = append(open, "PersistentVolumeClaim "+name+" is not there")
			continue
		}
		if phase, _, _ := unstructured.NestedString(claim.Object, "status", "phase"); phase == "Bound" {
			continue
		}
		class, _, _ := unstructured.NestedString(claim.Object, "spec", "storageClassName")
		text := fmt.Sprintf("PersistentVolumeClaim %s has no volume", name)
		if class != "" {
			text += " of class " + class
		}
		if why := x.told(nil, x.ref.Namespace, claim.GetUID()); why != "" {
			text += " (" + why + ")"
		}
		open = append(open, text)
	}
	return strings.Join(open, ", ")
}

// balancer says what hinders the load balancer of a Service, "" for one that has none, or an address.
func (x *explanation) balancer() string {
	service, err := x.live()
	if err != nil {
		return "why cannot be found out: " + err.Error()
	}
	if service == nil {
		return ""
	}
	kind, _, _ := unstructured.NestedString(service.Object, "spec", "type")
	addresses, _, _ := unstructured.NestedSlice(service.Object, "status", "loadBalancer", "ingress")
	if kind != string(corev1.ServiceTypeLoadBalancer) || len(addresses) > 0 {
		return ""
	}
	return x.told(nil, x.ref.Namespace, service.GetUID())
}

// alone is an explanation of one line, none for "".
func (x *explanation) alone(text string) cause.Explanation {
	if text == "" {
		return cause.Explanation{}
	}
	return cause.Explanation{Causes: []string{x.show(text)}}
}

// missing says why there are fewer pods than there should be, "" when that is not so or not told.
func (x *explanation) missing(workload *unstructured.Unstructured, pods []corev1.Pod) string {
	number := func(field ...string) int64 {
		n, _, _ := unstructured.NestedInt64(workload.Object, field...)
		return n
	}
	short := false
	switch x.ref.Kind {
	case "Deployment": // it repeats what its ReplicaSets say
		return cause.Refused(conditionOf(workload, "ReplicaFailure"))
	case "StatefulSet":
		short = int64(len(pods)) < number("spec", "replicas")
	case "DaemonSet":
		short = int64(len(pods)) < number("status", "desiredNumberScheduled")
	case "Job":
		suspended, _, _ := unstructured.NestedBool(workload.Object, "spec", "suspend")
		short = len(pods) == 0 && !suspended
	}
	if !short || len(pods) >= maxPods {
		return ""
	}
	return cause.Refused(x.told(nil, x.ref.Namespace, workload.GetUID()))
}

// conditionOf returns the message of a condition that is true.
func conditionOf(object *unstructured.Unstructured, kind string) string {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, item := range conditions {
		if condition, _ := item.(map[string]any); condition["type"] == kind && condition["status"] == "True" {
			message, _ := condition["message"].(string)
			return message
		}
	}
	return ""
}

// lines returns what is shown of the causes.
func (x *explanation) lines(missing string, found []cause.Finding) []string {
	var lines []string
	if missing != "" {
		lines = append(lines, x.show(missing))
	}
	for i := range found {
		lines = append(lines, x.show(found[i].Line()))
	}
	if len(lines) > maxLines {
		rest := len(lines) - (maxLines - 1)
		lines = append(lines[:maxLines-1], fmt.Sprintf("and %d more causes", rest))
	}
	return lines
}

// show makes one line of a text, without secrets. What is masked first cannot leave half of a secret.
func (x *explanation) show(text string) string {
	text = x.masked(text)
	text = strings.TrimRight(strings.Join(strings.Fields(text), " "), ": ")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	return text
}

func (x *explanation) masked(text string) string {
	text = x.cluster.mask(text)
	if x.hide != nil {
		text = x.hide(text)
	}
	return text
}

// quietly notes what could not be asked and makes no difference to anybody.
func (x *explanation) quietly(what string, err error) {
	x.cluster.log.Debug().Str("object", x.ref.String()).Str("error", x.masked(err.Error())).Msg("what could explain it is not known: " + what)
}
