//go:build beds

package kube_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// Many objects that are new cost a request each, and a few lists; one that somebody made before is found all the same.
// Later a change of one of them costs the write of that one.
func TestManyObjectsCostOneRequestEach(t *testing.T) {
	const many = 40
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	var texts []string
	for i := range many {
		texts = append(texts, configMap(w.name, fmt.Sprintf("object-%02d", i), "{k: v}"))
	}
	theirs := configMap(w.name, "object-07", "{k: old}")
	_, err := w.resource("configmaps", w.name).Create(w.ctx, object(t, theirs), metav1.CreateOptions{})
	w.must(err)
	target := w.target("objects", objects(t, texts...))

	offset := w.offset()
	if diff := w.compare(d, target); diff.Action != unit.ActionAdopt || !strings.Contains(diff.Reason, "object-07") {
		t.Fatalf("before: %+v", diff)
	}
	if state := w.converge(d, target, told); !state.Ready() || !state.Owned {
		t.Fatalf("after: %+v", state)
	}
	all, writes := w.requests(offset)
	if len(writes) != many {
		t.Errorf("%d writes for %d objects: %q", len(writes), many, writes)
	}
	asked := slices.DeleteFunc(slices.Clone(all), func(line string) bool { return !strings.HasPrefix(line, "get ") || !strings.Contains(line, "/object-") })
	if other := slices.DeleteFunc(slices.Clone(asked), func(line string) bool { return strings.HasSuffix(line, "/object-07") }); len(asked) == 0 || len(other) > 0 {
		t.Errorf("objects were asked for one by one: %q", asked)
	}

	texts[11] = configMap(w.name, "object-11", "{k: w}")
	changed := target
	changed.Spec = objects(t, texts...)
	offset = w.offset()
	if state := w.converge(d, changed, told); !state.Ready() || state.Applied != changed.Spec.Digest() {
		t.Fatalf("changed: %+v", state)
	}
	if all, writes := w.requests(offset); len(writes) != 1 || len(all) != 1 || !strings.Contains(writes[0], "/object-11?") {
		t.Errorf("a change of one object took %q", all)
	}
}
