//go:build beds

package kube_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// What a manifest says that somebody else manages is watched like everything else: it costs no request while nothing
// changes, and what somebody does to it is heard.
func TestObjectsOfOtherManagers(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	by := func(manager string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: " + w.name + ", labels: {" + kube.LabelManagedBy + ": " + manager + "}}\ndata: {k: v}"
	}
	label := func() string {
		t.Helper()
		live, err := w.resource("configmaps", w.name).Get(w.ctx, "a", metav1.GetOptions{})
		w.must(err)
		return live.GetLabels()[kube.LabelManagedBy]
	}
	quiet := func(target unit.Target) {
		t.Helper()
		offset := w.offset()
		for settled := false; !settled; offset = w.offset() { // where the label was changed one watch may be ahead of the other
			w.must(w.ctx.Err())
			w.observe(d, target)
			all, _ := w.requests(offset)
			settled = len(all) == 0
		}
		for range 3 {
			if diff := w.compare(d, target); diff.Action != unit.ActionNone {
				t.Errorf("unchanged: %+v", diff)
			}
		}
		if all, _ := w.requests(offset); len(all) > 0 {
			t.Errorf("requests for an unchanged world: %q", all)
		}
		drain(told)
	}
	heard := func(target unit.Target, want string) {
		t.Helper()
		if diff := w.drifts(told, d, target); len(diff.Fields) == 0 || !strings.Contains(diff.Fields[0].Path+" "+diff.Fields[0].After, want) {
			t.Errorf("drift: %+v", diff)
		}
		w.converge(d, target, told)
		quiet(target)
	}
	target := w.target("objects", objects(t, by("kustomize"), configMap(w.name, "plain", "{k: v}")))
	if state := w.converge(d, target, told); !state.Ready() || label() != "kustomize" {
		t.Fatalf("made: %+v, by %q", state, label())
	}
	quiet(target)
	w.edit("configmaps", "a", `{"data":{"k":"edited"}}`)
	heard(target, "data.k")
	w.must(w.resource("configmaps", w.name).Delete(w.ctx, "a", metav1.DeleteOptions{}))
	heard(target, "created")
	for _, value := range []string{`"somebody"`, `"Helm"`, "null"} {
		w.edit("configmaps", "a", `{"metadata":{"labels":{"`+kube.LabelManagedBy+`":`+value+`}}}`)
		heard(target, kube.LabelManagedBy)
	}

	// A commit may name another one, and none.
	for _, text := range []string{by("another"), configMap(w.name, "a", "{k: v}"), by("kustomize")} {
		target.Spec = objects(t, text, configMap(w.name, "plain", "{k: v}"))
		w.converge(d, target, told)
		quiet(target)
		w.edit("configmaps", "a", `{"data":{"k":"edited"}}`)
		heard(target, "data.k")
	}

	// Who starts anew sees it in a list at once, and asks for none by its name.
	w.cluster = w.connect()
	t.Cleanup(w.cluster.Close)
	again, _ := w.driver(nil)
	offset := w.offset()
	if diff := w.compare(again, target); diff.Action != unit.ActionNone {
		t.Errorf("after a start: %+v", diff)
	}
	all, writes := w.requests(offset)
	if len(writes) > 0 {
		t.Errorf("after a start: %q", writes)
	}
	for _, line := range all {
		if strings.HasPrefix(line, "get ") && strings.Contains(line, "/configmaps/") {
			t.Errorf("after a start: %q", line)
		}
	}
}
