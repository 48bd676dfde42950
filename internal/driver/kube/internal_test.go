package kube

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestPasswordsUseEveryLetterAlike(t *testing.T) {
	const length = 62_000
	count := map[rune]int{}
	for _, r := range newPassword(length).Reveal() {
		count[r]++
	}
	// Bytes modulo 62 would give the first eight letters a quarter more than the others.
	for _, r := range alphabet {
		if n := count[r]; n < 850 || n > 1150 {
			t.Errorf("%c: %d times of about 1000", r, n)
		}
	}
	if n := len(newPassword(0).Reveal()); n != 32 {
		t.Errorf("the default length is %d", n)
	}
}

func TestWrittenCountsUntilTheWatchHasCaughtUp(t *testing.T) {
	version := func(uid, version string) *unstructured.Unstructured {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		object.SetResourceVersion(version)
		object.SetUID("uid-1")
		if uid != "" {
			object.SetUID("uid-2")
		}
		return object
	}
	ref := unit.ObjectRef{Kind: "ConfigMap", Name: "a"}
	old, answer, later := version("", "9"), version("", "10"), version("", "11")

	w := newWritten()
	w.wrote(ref, answer)
	if w.newer(ref, nil) != answer || w.newer(ref, old) != answer {
		t.Error("the watch lags, and is believed")
	}
	w.seen(ref, "", "9") // the deletion of the one before
	if w.newer(ref, nil) != answer {
		t.Error("an old event counts for more than the answer")
	}
	if w.newer(ref, later) != later || w.newer(ref, nil) != nil {
		t.Error("the answer is believed for ever")
	}
	w.wrote(ref, answer)
	w.seen(ref, "", "12") // added, changed and deleted by others
	if w.newer(ref, nil) != nil {
		t.Error("the deletion was not seen")
	}

	moved := version("", "10") // our write has put it into another watch, and taken it out of that of what is Helm's
	moved.SetLabels(map[string]string{LabelManagedBy: "kustomize"})
	w.wrote(ref, moved)
	w.seen(ref, "", "10")
	if w.newer(ref, nil) != moved {
		t.Error("the watch that it has left counts for that which is to show it")
	}
	w.seen(ref, "kustomize", "10")
	if w.newer(ref, nil) != nil {
		t.Error("the watch that is to show it does not count")
	}

	w.erased(ref, old.GetUID())
	if w.newer(ref, old) != nil {
		t.Error("what was deleted is there")
	}
	if another := version("2", "12"); w.newer(ref, another) != another {
		t.Error("the next one is not there")
	}
}

func TestImmutableErrorsOnly(t *testing.T) {
	kind := schema.GroupKind{Group: "apps", Kind: "Deployment"}
	fixed := field.Invalid(field.NewPath("spec", "selector"), "x", "field is immutable")
	typo := field.Invalid(field.NewPath("spec", "replicas"), -1, "must be greater than or equal to 0")
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"an immutable field", apierrors.NewInvalid(kind, "d", field.ErrorList{fixed}), "spec.selector"},
		{"a typo", apierrors.NewInvalid(kind, "d", field.ErrorList{typo}), ""},
		{"both", apierrors.NewInvalid(kind, "d", field.ErrorList{fixed, typo}), ""},
		{"a claim", apierrors.NewInvalid(kind, "d", field.ErrorList{field.Forbidden(field.NewPath("spec"), "spec is immutable after creation except resources")}), "spec"},
		{"a set", apierrors.NewInvalid(kind, "d", field.ErrorList{field.Forbidden(field.NewPath("spec"), "updates to statefulset spec for fields other than 'replicas' are forbidden")}), "spec"},
		{"a conflict", apierrors.NewConflict(schema.GroupResource{Resource: "deployments"}, "d", nil), ""},
	}
	for _, test := range tests {
		got := ""
		if err := immutableError(unit.ObjectRef{Kind: "Deployment", Name: "d"}, test.err); err != nil {
			got = strings.Join(err.Fields, ",")
		}
		if got != test.want {
			t.Errorf("%s: got %q", test.name, got)
		}
	}
}

func TestOwnedLabels(t *testing.T) {
	fields := func(text string) *metav1.FieldsV1 {
		f := &metav1.FieldsV1{}
		f.SetRawBytes([]byte(text))
		return f
	}
	got := ownedLabels([]metav1.ManagedFieldsEntry{
		{Manager: "kubelet", Operation: "Update", FieldsV1: fields(`{"f:metadata":{"f:labels":{"f:theirs":{}}}}`)},
		{Manager: managerNodes, Operation: "Apply", FieldsV1: fields(`{"f:metadata":{"f:labels":{"f:b/x":{},"f:a":{}}}}`)},
		{Manager: managerNodes, Operation: "Apply", FieldsV1: fields(`damaged`)},
	})
	if !slices.Equal(got, []string{"a", "b/x"}) {
		t.Errorf("got %q", got)
	}
}

func TestIndexFollowsTheUnits(t *testing.T) {
	address := func(name string) addr.Object {
		o, err := addr.NewObject(addr.Module{}, addr.Managed, "objects", name, addr.Key{})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	a, b := unit.ObjectRef{Name: "a"}, unit.ObjectRef{Name: "b"}
	x := newIndex()
	x.put(address("one"), []unit.ObjectRef{a, b})
	x.put(address("two"), []unit.ObjectRef{a})
	if got := x.units(a); !slices.Equal(got, []addr.Object{address("one"), address("two")}) {
		t.Errorf("got %v", got)
	}
	x.put(address("one"), []unit.ObjectRef{b})
	if got := x.units(a); !slices.Equal(got, []addr.Object{address("two")}) || len(x.units(b)) != 1 {
		t.Errorf("got %v", got)
	}
}

// Informers may transform an object twice: what they learned the first time has to stay.
func TestStripTwiceIsStripOnce(t *testing.T) {
	node := func() *unstructured.Unstructured {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Node"}}
		object.SetName("node-1")
		object.SetAnnotations(map[string]string{"volumes.kubernetes.io/something": "else"})
		object.SetLabels(map[string]string{"ours": "yes", "theirs": "yes"})
		object.Object["spec"] = map[string]any{"podCIDR": "10.0.0.0/24", "taints": []any{map[string]any{"key": "k", "effect": "NoSchedule"}}}
		object.Object["status"] = map[string]any{"phase": "x", "conditions": []any{
			map[string]any{"type": "DiskPressure", "status": "False"},
			map[string]any{"type": "Ready", "status": "False", "lastHeartbeatTime": "2026-01-01T00:00:00Z", "message": "no"},
		}}
		object.SetManagedFields([]metav1.ManagedFieldsEntry{{
			Manager: managerNodes, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:ours":{}}}}`),
		}})
		return object
	}
	once, twice := strip(node()), strip(strip(node()))
	if got := once.GetAnnotations()[annotationOwned]; got != "ours" {
		t.Errorf("ours are the labels %q", got)
	}
	if _, ready := readiness(once); ready != "False" || strings.Contains(fmt.Sprint(once.Object), "Heartbeat") {
		t.Errorf("whether it is ready: %q in %v", ready, once.Object)
	}
	if spec := fmt.Sprint(once.Object["spec"]); spec != "map[taints:[map[effect:NoSchedule key:k]]]" {
		t.Errorf("the spec is %s", spec)
	}
	if !reflect.DeepEqual(once.Object, twice.Object) {
		t.Errorf("once it is %v, twice %v", once.Object, twice.Object)
	}
}

// TestNodesAreReadyOnceKubernetesSaysSo: a node with the right labels on which nothing can run is not
// ready for those who wait for it.
func TestNodesAreReadyOnceKubernetesSaysSo(t *testing.T) {
	for _, test := range []struct {
		ready    string
		disabled bool
		want     unit.Health
	}{
		{"True", false, unit.HealthReady},
		{"False", false, unit.HealthFailed},
		{"Unknown", false, unit.HealthFailed},
		{"Unknown", true, unit.HealthReady},
		{"", false, unit.HealthReady}, // nobody has said anything
	} {
		n := &nodeLabels{name: "node-1", spec: &unit.Node{Name: "node-1", Disabled: test.disabled}}
		live := parse(t, "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}")
		if test.ready != "" {
			live.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": test.ready}}}
		}
		state, err := n.state(t.Context(), objects{n.ref(): strip(live)})
		if err != nil || state.Health != test.want || !state.Installed {
			t.Errorf("%q, disabled %t: %+v %v", test.ready, test.disabled, state, err)
		}
	}
}

// TestLabelsThatANodeHas: rules depend on which labels a node has, and on whether anybody looked.
func TestLabelsThatANodeHas(t *testing.T) {
	handler := &nodeLabels{name: "n", spec: &unit.Node{Name: "n", Labels: map[string]string{"a": "enabled"}}}
	for text, want := range map[string][]string{"{}": {}, "{a: enabled, theirs: x}": {"a", "theirs"}} {
		live := parse(t, "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: "+text+"}")
		state, err := handler.state(t.Context(), objects{handler.ref(): live})
		slices.Sort(state.Labels)
		if err != nil || state.Labels == nil || !slices.Equal(state.Labels, want) {
			t.Errorf("%s: got %#v, error %v", text, state.Labels, err)
		}
	}
}

// TestCopies has what is copied beside the text as soon as it is there, and the text without it until then.
func TestCopies(t *testing.T) {
	object := func(data map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "n"}, "data": data}}
	}
	address, err := addr.ParseObject("system.clouds")
	if err != nil {
		t.Fatal(err)
	}
	filled := &filledSecret{driver: &Driver{}, target: unit.Target{Address: address}, spec: &unit.Filled{
		Namespace: "n", Name: "clouds", Key: "clouds.yaml", Source: "passwords", SourceKey: "admin", Copies: []unit.Copy{{Key: "ca.crt", Source: "trust", SourceKey: "ca"}},
	}}
	if refs := filled.refs(); !slices.Contains(refs, secretRef("n", "trust")) {
		t.Errorf("nobody hears of the source: %v", refs)
	}
	for name, test := range map[string]struct {
		trust map[string]any
		want  any
	}{
		"not there": {nil, nil},
		"another":   {map[string]any{"tls.crt": "eA=="}, nil},
		"empty":     {map[string]any{"ca": ""}, nil},
		"there":     {map[string]any{"ca": "eA=="}, "eA=="},
	} {
		there := objects{secretRef("n", "passwords"): object(map[string]any{"admin": "cA=="})}
		if test.trust != nil {
			there[secretRef("n", "trust")] = object(test.trust)
		}
		set, err := filled.set(there)
		if err != nil || set == nil || len(set.items) != 1 {
			t.Fatalf("%s: %+v, %v", name, set, err)
		}
		data := set.items[0].object.Object["data"].(map[string]any)
		if data["ca.crt"] != test.want || data["clouds.yaml"] != "InAi" {
			t.Errorf("%s: %v", name, data)
		}
	}
	broken := objects{secretRef("n", "passwords"): object(map[string]any{"admin": "cA=="}), secretRef("n", "trust"): object(map[string]any{"ca": "%"})}
	if set, err := filled.set(broken); err == nil {
		t.Errorf("what nobody can read is taken: %+v", set)
	}
}

// TestCopied makes a copy of a value once it is there, in a Secret of the type that was asked for, and shows nothing of it.
func TestCopied(t *testing.T) {
	address, err := addr.ParseObject("system.ceph")
	if err != nil {
		t.Fatal(err)
	}
	spec := &unit.Copied{
		Namespace: "n", Name: "copy", Key: "key", Labels: map[string]string{unit.LabelReadable: "true"},
		Source: unit.CopySource{Namespace: "rook", Name: "user", Key: "cinder", Type: "kubernetes.io/rook"},
	}
	target := unit.Target{Address: address, Spec: spec, Locator: spec.Locator()}
	handler := &late{&copiedSecret{driver: &Driver{cluster: &Cluster{}, troubles: newTroubles()}, target: target, spec: spec}, target}
	if refs := handler.refs(); !slices.Contains(refs, secretRef("rook", "user")) {
		t.Errorf("nobody hears of the source: %v", refs)
	}
	source := func(kind string, data map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"type": kind, "metadata": map[string]any{"namespace": "rook", "name": "user"}, "data": data}}
	}
	for name, test := range map[string]struct {
		source *unstructured.Unstructured
		waits  string
	}{
		"not there":    {nil, "Secret rook/user is not there yet"},
		"another type": {source("Opaque", map[string]any{"cinder": "Y2FuYXJ5"}), "Secret rook/user is not of the type kubernetes.io/rook, so nothing of it is taken"},
		"another key":  {source("kubernetes.io/rook", map[string]any{"glance": "Y2FuYXJ5"}), "Secret rook/user has no value cinder yet"},
		"there":        {source("kubernetes.io/rook", map[string]any{"cinder": "Y2FuYXJ5"}), ""},
	} {
		there := objects{}
		if test.source != nil {
			there[secretRef("rook", "user")] = test.source
		}
		state, err := handler.state(t.Context(), there)
		if err != nil || state.Existence != unit.Absent || state.Message != test.waits {
			t.Errorf("%s: %+v, %v", name, state, err)
			continue
		}
		diff := handler.compare(state)
		if diff.Action != unit.ActionCreate || diff.Waits != (test.waits != "") || strings.Contains(fmt.Sprintf("%+v", diff), "canary") {
			t.Errorf("%s: %+v", name, diff)
		}
		set, err := handler.set(there)
		if err != nil || (set == nil) != (test.waits != "") {
			t.Fatalf("%s: %v, %v", name, set, err)
		}
		if set == nil {
			continue
		}
		object := set.items[0].object
		data := object.Object["data"].(map[string]any)
		if !reflect.DeepEqual(data, map[string]any{"key": "Y2FuYXJ5"}) || object.GetLabels()[unit.LabelReadable] != "true" || object.GetNamespace() != "n" {
			t.Errorf("the copy is %v", object.Object)
		}
		if strings.Contains(set.hide("see canary"), "canary") {
			t.Error("the value is shown")
		}
	}
	if !spec.Locator().Keep {
		t.Error("it goes with the block, and pods need it to start")
	}
}
