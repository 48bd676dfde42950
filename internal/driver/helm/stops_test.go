package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// nodesOnly is a cluster that knows nodes, and that pod templates differ by their annotation.
type nodesOnly struct {
	Cluster
	labels map[string]map[string]string
	same   bool // the API server says that applying changes nothing
}

func (c nodesOnly) Get(_ context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]*unstructured.Unstructured, error) {
	found := map[unit.ObjectRef]*unstructured.Unstructured{}
	for _, ref := range refs {
		if labels, ok := c.labels[ref.Name]; ok && ref.Kind == "Node" {
			node := &unstructured.Unstructured{Object: map[string]any{}}
			node.SetName(ref.Name)
			node.SetLabels(labels)
			found[ref] = node
		}
	}
	return found, nil
}

func (c nodesOnly) Compare(desired, live *unstructured.Unstructured) []unit.Field {
	hash := func(o *unstructured.Unstructured) string {
		text, _, _ := unstructured.NestedString(o.Object, "spec", "template", "metadata", "annotations", "hash")
		return text
	}
	if hash(desired) == hash(live) {
		return nil
	}
	return []unit.Field{{Path: "spec.template.metadata.annotations.hash"}}
}

func (c nodesOnly) Unchanged(context.Context, string, *unstructured.Unstructured, *unstructured.Unstructured) (bool, error) {
	return c.same, nil
}

// daemonSet is one for the nodes whose label "profile" matches, such as "In a" or "NotIn a,b".
func daemonSet(name, strategy, hash, where string) *unstructured.Unstructured {
	pod := map[string]any{"nodeSelector": map[string]any{"compute": "enabled"}}
	if operator, values, ok := strings.Cut(where, " "); ok {
		var list []any
		for v := range strings.SplitSeq(values, ",") {
			list = append(list, v)
		}
		pod["affinity"] = map[string]any{"nodeAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{
			"nodeSelectorTerms": []any{map[string]any{"matchExpressions": []any{map[string]any{"key": "profile", "operator": operator, "values": list}}}},
		}}}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": kindDaemonSet,
		"metadata": map[string]any{
			"name": name, "namespace": "o", "uid": "uid of " + name,
			"annotations": map[string]any{annotationReleaseName: "nova", annotationReleaseNamespace: "o"},
		},
		"spec": map[string]any{
			"selector":       map[string]any{"matchLabels": map[string]any{"app": "compute"}},
			"updateStrategy": map[string]any{"type": strategy},
			"template":       map[string]any{"metadata": map[string]any{"annotations": map[string]any{"hash": hash}}, "spec": pod},
		},
	}}
}

func podOf(owner, node string, change ...func(*corev1.Pod)) *corev1.Pod {
	yes := true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: owner + "-" + node, Namespace: "o", Labels: map[string]string{"app": "compute"},
			OwnerReferences: []metav1.OwnerReference{{Kind: kindDaemonSet, Name: owner, UID: types.UID("uid of " + owner), Controller: &yes}},
		},
		Spec: corev1.PodSpec{NodeName: node},
	}
	for _, c := range change {
		c(pod)
	}
	return pod
}

// TestStops: the pods of a DaemonSet end when it goes, when it leaves their node, and when it replaces them
// though its chart was told not to.
func TestStops(t *testing.T) {
	const keep, roll = "OnDelete", "RollingUpdate"
	terminating := func(p *corev1.Pod) {
		now := metav1.Now()
		p.DeletionTimestamp, p.Finalizers = &now, []string{"x/y"}
	}
	pods := []*corev1.Pod{
		podOf("default", "w1"), podOf("default", "w2"), podOf("dense", "w3"), podOf("default", "gone"),
		podOf("default", "w5", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), podOf("default", "w6", terminating), podOf("default", ""),
	}
	for _, test := range []struct {
		name   string
		status release.Status
		before []*unstructured.Unstructured
		after  []*unstructured.Unstructured // what is wanted, nil for the same
		left   []string                     // that earlier revisions had
		edited []string
		want   string
	}{
		{
			"nothing", release.StatusDeployed, []*unstructured.Unstructured{daemonSet("default", keep, "1", "")}, nil, nil, nil, "",
		},
		{
			"other content", release.StatusDeployed,
			[]*unstructured.Unstructured{daemonSet("default", keep, "1", "")},
			[]*unstructured.Unstructured{daemonSet("default", keep, "2", "")},
			nil, nil, "",
		},
		{
			"renamed", release.StatusDeployed,
			[]*unstructured.Unstructured{daemonSet("default", keep, "1", ""), daemonSet("dense", keep, "1", "In dense")},
			[]*unstructured.Unstructured{daemonSet("default-2", keep, "1", "NotIn dense"), daemonSet("dense", keep, "1", "In dense")},
			nil, nil,
			"default is deleted: gone w1 w2",
		},
		{
			"all go", release.StatusDeployed,
			[]*unstructured.Unstructured{daemonSet("default", keep, "1", ""), daemonSet("dense", keep, "1", "In dense")},
			[]*unstructured.Unstructured{},
			nil, nil, "default is deleted: gone w1 w2; dense is deleted: w3",
		},
		{
			"no pods", release.StatusDeployed,
			[]*unstructured.Unstructured{daemonSet("other", keep, "1", "")},
			[]*unstructured.Unstructured{daemonSet("new", keep, "1", "")},
			nil, nil, "",
		},
		{
			"leaves a node", release.StatusDeployed,
			[]*unstructured.Unstructured{daemonSet("default", keep, "1", "")},
			[]*unstructured.Unstructured{daemonSet("default", keep, "2", "NotIn gpu"), daemonSet("new", keep, "1", "In gpu")},
			nil, nil,
			"default leaves nodes: w2",
		},
		{
			"selects otherwise, and leaves none", release.StatusDeployed,
			[]*unstructured.Unstructured{daemonSet("default", keep, "1", "")},
			[]*unstructured.Unstructured{daemonSet("default", keep, "2", "NotIn more")},
			nil, nil, "",
		},
		{
			"replaces its pods", release.StatusDeployed,
			[]*unstructured.Unstructured{daemonSet("default", roll, "1", "")},
			[]*unstructured.Unstructured{daemonSet("default", roll, "2", "")},
			nil, nil, "default replaces its pods, whatever its chart was told: gone w1 w2",
		},
		{
			"the last attempt failed", release.StatusFailed,
			[]*unstructured.Unstructured{daemonSet("default", keep, "1", "")},
			[]*unstructured.Unstructured{daemonSet("default-2", keep, "1", "")},
			nil, nil, "default is deleted: gone w1 w2",
		},
		{
			"it is being uninstalled", release.StatusUninstalling,
			[]*unstructured.Unstructured{daemonSet("default", keep, "1", "")},
			nil, nil, nil,
			"default is deleted: gone w1 w2",
		},
		{
			"left over", release.StatusDeployed,
			[]*unstructured.Unstructured{daemonSet("dense", keep, "1", "In dense")},
			nil,
			[]string{"default"},
			nil,
			"default is deleted: gone w1 w2",
		},
		{
			"repaired", release.StatusDeployed,
			[]*unstructured.Unstructured{daemonSet("default", keep, "1", "NotIn gpu")},
			nil, nil,
			[]string{"default"},
			"default leaves nodes: w2",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := &Driver{api: &server{pods: pods}, rendered: map[string]rendered{}, cluster: nodesOnly{labels: map[string]map[string]string{
				"w1": {"compute": "enabled"}, "w2": {"compute": "enabled", "profile": "gpu"}, "w3": {"compute": "enabled", "profile": "dense"},
			}}}
			v := viewOf(d, test.status, test.before, test.after)
			for _, name := range test.left {
				live := daemonSet(name, keep, "1", "")
				v.live[refOf(live)] = live
				v.newest.previous = append(v.newest.previous, refOf(live))
				v.leftovers = append(v.leftovers, refOf(live))
			}
			for _, name := range test.edited {
				live := daemonSet(name, keep, "1", "")
				v.live[refOf(live)] = live
				v.drift = append(v.drift, drift{desired: test.before[0], fields: []unit.Field{{Path: "spec.template.spec.affinity"}}})
			}
			if err := d.findStops(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range v.stops {
				got = append(got, fmt.Sprintf("%s %s: %s", s.Object.Name, s.Why, strings.Join(s.Nodes, " ")))
			}
			if text := strings.Join(got, "; "); text != test.want {
				t.Errorf("got %q, want %q", text, test.want)
			}
		})
	}
}

// TestOpens: which slots an update makes DaemonSets for, that are not there by now.
func TestOpens(t *testing.T) {
	slotted := func(name, where string) *unstructured.Unstructured {
		object := daemonSet(name, "OnDelete", "1", where)
		terms := []any{map[string]any{"matchExpressions": []any{map[string]any{
			"key": unit.SlotLabel, "operator": strings.Fields(where)[0], "values": []any{strings.Fields(where)[1]},
		}}}}
		if err := unstructured.SetNestedSlice(object.Object, terms, "spec", "template", "spec", "affinity", "nodeAffinity",
			"requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"); err != nil {
			t.Fatal(err)
		}
		return object
	}
	before := []*unstructured.Unstructured{slotted("default", "NotIn 1"), slotted("first", "In 1")}
	after := []*unstructured.Unstructured{slotted("rest", "NotIn 2"), slotted("second", "In 2"), slotted("first", "In 1"), daemonSet("other", "OnDelete", "1", "In 3")}
	for name, test := range map[string]struct {
		status release.Status
		after  []*unstructured.Unstructured
		gone   string
		want   string
	}{
		"as wanted":         {release.StatusDeployed, nil, "", ""},
		"another slot":      {release.StatusDeployed, after, "", "2"},
		"failed before":     {release.StatusFailed, after, "", "2"},
		"fewer":             {release.StatusDeployed, before[:1], "", ""},
		"deleted outside":   {release.StatusDeployed, after, "first", "1 2"},
		"being uninstalled": {release.StatusUninstalling, after, "", ""},
	} {
		d := &Driver{api: &server{}, rendered: map[string]rendered{}, cluster: nodesOnly{}}
		v := viewOf(d, test.status, before, test.after)
		for ref := range v.live {
			if ref.Name == test.gone {
				delete(v.live, ref)
			}
		}
		if err := d.findStops(t.Context(), v); err != nil || strings.Join(v.opens, " ") != test.want {
			t.Errorf("%s: opens %q, error %v, want %q", name, v.opens, err, test.want)
		}
	}
}

// viewOf is a release that has these DaemonSets and wants those, as the driver has rendered them.
func viewOf(d *Driver, status release.Status, before, after []*unstructured.Unstructured) *view {
	v := &view{
		masker:    redact.NewMasker(),
		namespace: "o", name: "nova", base: 1, live: map[unit.ObjectRef]*unstructured.Unstructured{},
		want: &wanted{spec: &unit.Release{Namespace: "o", Name: "nova", OnDelete: true}, labels: map[string]string{labelSpec: "1"}},
	}
	v.newest = &revision{stored: stored{version: 1, status: status, labels: map[string]string{labelSpec: "1"}}, objects: before}
	for _, object := range before {
		v.live[refOf(object)] = object.DeepCopy()
	}
	if after != nil {
		v.want.labels[labelSpec] = "2"
		d.rendered["o/nova"] = rendered{key: hashOf(fmt.Sprint(2, false), "2", "", ""), objects: after}
	}
	return v
}

// TestStopsAreKnownOrAnError: what cannot be asked for is no pods that go on.
func TestStopsAreKnownOrAnError(t *testing.T) {
	api := &server{pods: []*corev1.Pod{podOf("default", "w1")}, refused: map[string]error{"pods": errors.New("forbidden")}}
	d := &Driver{api: api, rendered: map[string]rendered{}, cluster: nodesOnly{}}
	v := viewOf(d, release.StatusDeployed, []*unstructured.Unstructured{daemonSet("default", "OnDelete", "1", "")}, []*unstructured.Unstructured{})
	if err := d.findStops(t.Context(), v); err == nil || !strings.Contains(err.Error(), "where the pods of DaemonSet o/default run: forbidden") {
		t.Errorf("error %v", err)
	}
}

// TestRollingAsWritten: what people let Kubernetes replace is not held back, nor is what changes nothing.
func TestRollingAsWritten(t *testing.T) {
	for _, test := range []struct {
		asked, same bool
		want        int
	}{{true, false, 1}, {false, false, 0}, {true, true, 0}} {
		d := &Driver{api: &server{pods: []*corev1.Pod{podOf("default", "w1")}}, rendered: map[string]rendered{}, cluster: nodesOnly{same: test.same}}
		v := viewOf(d, release.StatusDeployed, []*unstructured.Unstructured{daemonSet("default", "RollingUpdate", "1", "")},
			[]*unstructured.Unstructured{daemonSet("default", "RollingUpdate", "2", "")})
		v.want.spec.OnDelete = test.asked
		if err := d.findStops(t.Context(), v); err != nil || len(v.stops) != test.want {
			t.Errorf("OnDelete %t, unchanged %t: %v, error %v", test.asked, test.same, v.stops, err)
		}
	}
}

func TestPlacement(t *testing.T) {
	expression := func(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
	}
	has := map[string]string{"role": "compute", "n": "5"}
	for _, test := range []struct {
		name  string
		where placement
		want  bool
	}{
		{"anywhere", placement{}, true},
		{"the label", placement{selector: map[string]string{"role": "compute"}}, true},
		{"another value", placement{selector: map[string]string{"role": "network"}}, false},
		{"a label that it has not", placement{selector: map[string]string{"x": ""}}, false},
		{"in", placement{limited: true, terms: []corev1.NodeSelectorTerm{expression("role", corev1.NodeSelectorOpIn, "a", "compute")}}, true},
		{"not in, and there is none", placement{limited: true, terms: []corev1.NodeSelectorTerm{expression("x", corev1.NodeSelectorOpNotIn, "a")}}, true},
		{"not in", placement{limited: true, terms: []corev1.NodeSelectorTerm{expression("role", corev1.NodeSelectorOpNotIn, "compute")}}, false},
		{"exists", placement{limited: true, terms: []corev1.NodeSelectorTerm{expression("role", corev1.NodeSelectorOpExists)}}, true},
		{"does not exist", placement{limited: true, terms: []corev1.NodeSelectorTerm{expression("role", corev1.NodeSelectorOpDoesNotExist)}}, false},
		{"greater", placement{limited: true, terms: []corev1.NodeSelectorTerm{expression("n", corev1.NodeSelectorOpGt, "4")}}, true},
		{"less", placement{limited: true, terms: []corev1.NodeSelectorTerm{expression("n", corev1.NodeSelectorOpLt, "4")}}, false},
		{"one of two terms", placement{limited: true, terms: []corev1.NodeSelectorTerm{expression("x", corev1.NodeSelectorOpExists), expression("role", corev1.NodeSelectorOpExists)}}, true},
		{"no terms", placement{limited: true}, false},
		{"an empty term", placement{limited: true, terms: []corev1.NodeSelectorTerm{{}}}, false},
		{"what nobody knows", placement{limited: true, terms: []corev1.NodeSelectorTerm{expression("role", "Like", "c")}}, false},
		{"its name", placement{limited: true, terms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"w1"}},
		}}}}, true},
	} {
		if got := test.where.fits("w1", has); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestStopsReachThePlan: the comparison carries what was found, for changes alone.
func TestStopsReachThePlan(t *testing.T) {
	d := &Driver{cluster: nodesOnly{}}
	stops := []unit.Stop{{Why: "is deleted"}}
	for label, want := range map[string]int{"1": 0, "2": 1} {
		v := viewOf(d, release.StatusDeployed, nil, nil)
		v.want.labels[labelSpec], v.newest.labels[labelRun], v.hooks.done, v.stops, v.opens = label, "install.x", true, stops, []string{"1"}
		v.target.Spec = v.want.spec
		target := unit.Target{Spec: v.want.spec}
		state := d.state(t.Context(), v)
		if got := d.Compare(target, cty.NilVal, state); len(got.Stops) != want || len(state.Opens) != want || got.Action == unit.ActionUnknown {
			t.Errorf("with the specification %s: %+v, opens %q", label, got, state.Opens)
		}
	}
}
