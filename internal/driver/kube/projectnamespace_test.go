package kube

import (
	"slices"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestProjectNamespaces compares what a namespace says with what is wanted, and waits for one that is missing or going.
func TestProjectNamespaces(t *testing.T) {
	const name, id = "metadata.annotations[" + unit.AnnotationProject + "]", "metadata.annotations[" + unit.AnnotationProjectID + "]"
	live := func(annotations map[string]string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
		o.SetName("shop")
		o.SetAnnotations(annotations)
		return o
	}
	says := func(name, id string) map[string]string {
		return map[string]string{unit.AnnotationProject: name, unit.AnnotationProjectID: id, "theirs": "x"}
	}
	going := live(says("shop", "42"))
	going.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
	wants := func(name, id cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{unit.AnnotationProject: name, unit.AnnotationProjectID: id})
	}
	known := wants(cty.StringVal("shop"), cty.StringVal("42"))
	later := wants(cty.StringVal("shop"), cty.UnknownVal(cty.String))
	nameless := wants(cty.NullVal(cty.String), cty.StringVal("42"))
	for title, c := range map[string]struct {
		live      *unstructured.Unstructured
		desired   cty.Value
		existence unit.Existence
		action    unit.Action
		waits     string
		fields    []unit.Field
	}{
		"missing":         {nil, known, unit.Absent, unit.ActionCreate, `the namespace "shop" is not in the cluster`, nil},
		"going":           {going, known, unit.Absent, unit.ActionCreate, `the namespace "shop" is being deleted`, nil},
		"says nothing":    {live(nil), known, unit.Absent, unit.ActionCreate, "", []unit.Field{{Path: name, After: "shop"}, {Path: id, After: "42"}}},
		"not known yet":   {live(nil), later, unit.Absent, unit.ActionCreate, "", []unit.Field{{Path: name, After: unit.TextUnknown}, {Path: id, After: unit.TextUnknown}}},
		"as it is":        {live(says("shop", "42")), known, unit.Present, unit.ActionNone, "", nil},
		"perhaps another": {live(says("shop", "42")), later, unit.Present, unit.ActionNone, "", nil},
		"another one":     {live(says("shop", "41")), known, unit.Present, unit.ActionUpdate, "", []unit.Field{{Path: id, Before: "41", After: "42"}}},
		"sensitive":       {live(says("shop", "42")), nameless, unit.Present, unit.ActionUpdate, "", []unit.Field{{Path: name, Before: "shop"}}},
	} {
		t.Run(title, func(t *testing.T) {
			h := &projectNamespace{name: "shop"}
			h.want(c.desired)
			there := objects{}
			if c.live != nil {
				there[h.ref()] = c.live
			}
			state, err := h.state(t.Context(), there)
			if err != nil || state.Existence != c.existence || state.Message != c.waits {
				t.Fatalf("%+v, %v", state, err)
			}
			diff := h.compare(state)
			if diff.Action != c.action || diff.Waits != (c.waits != "") || diff.Reason != c.waits || !slices.Equal(diff.Fields, c.fields) {
				t.Errorf("%+v", diff)
			}
		})
	}
}
