//go:build beds

package kube_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// labelledBefore takes a node out that somebody had given the role compute before. What looks as if it had the role is a
// node that was forgotten, which takes instances again.
func (w *world) labelledBefore(d *kube.Driver, told chan addr.Object, node func(name string, labels map[string]string) unit.Target) {
	w.t.Helper()
	w.must(w.patchNode(`{"metadata":{"labels":{"` + unit.ComputeLabel + `":"enabled"}}}`))
	target := node("node-1", map[string]string{unit.ComputeLabel: "enabled"})
	w.converge(d, target, told)
	gone := unit.Target{Address: target.Address, Locator: target.Locator}
	state, err := d.Delete(w.ctx, gone, w.observe(d, gone))
	w.must(err)
	if bearing, err := w.cluster.Bearing(w.ctx, unit.ComputeLabel, "enabled"); err != nil || !state.Gone() || len(bearing) > 0 {
		w.t.Errorf("the role of a node that is gone from the configuration: %+v, on %v, %v", state, bearing, err)
	}
}

func testNodeLabels(t *testing.T, bed *cluster.Cluster) {
	w := newWorld(t, bed)
	d, told := w.driver(nil)
	if names, err := w.cluster.Nodes(w.ctx); err != nil || strings.Join(names, " ") != "node-1 node-2" {
		t.Fatalf("got %v %v", names, err)
	}
	node := func(name string, labels map[string]string) unit.Target {
		return w.target("node", &unit.Node{Name: name, Labels: labels})
	}
	labels := func() map[string]string {
		live, err := w.resource("nodes", "").Get(w.ctx, "node-1", metav1.GetOptions{})
		w.must(err)
		return live.GetLabels()
	}
	w.labelledBefore(d, told, node)
	target := node("node-1", map[string]string{"role/a": "enabled", "role/b": "enabled", "kubernetes.io/hostname": "node-1"})
	if diff := w.compare(d, target); diff.Action != unit.ActionUpdate || len(diff.Fields) != 2 {
		t.Errorf("at first: %+v", diff)
	}
	w.converge(d, target, told)
	if got := labels(); got["role/a"] != "enabled" || got["role/b"] != "enabled" {
		t.Errorf("set: %v", got)
	}
	bear := func(label, value, want string) {
		t.Helper()
		if names, err := w.cluster.Bearing(w.ctx, label, value); err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s=%s is on %v, %v, want %q", label, value, names, err, want)
		}
	}
	bear("role/a", "enabled", "node-1")
	bear("role/a", "other", "")
	// Heartbeats of the kubelet are no news; an edit is.
	const beats = 20
	for i := range beats {
		w.must(w.patchNode(fmt.Sprintf(`{"status":{"images":[{"names":["x"],"sizeBytes":%d}]}}`, i+1), "status"))
	}
	w.must(w.patchNode(`{"metadata":{"labels":{"role/a":"edited","theirs":"x"}}}`))
	heard := 0
	var diff unit.Diff
	w.hears(told, target.Address, func() bool {
		heard++
		diff = w.compare(d, target)
		return diff.Action != unit.ActionNone
	})
	if len(diff.Fields) != 1 || diff.Fields[0] != (unit.Field{Path: "metadata.labels[role/a]", Before: "edited", After: "enabled", By: filepath.Base(os.Args[0])}) {
		t.Errorf("edited: %+v", diff)
	}
	w.converge(d, target, told)
	if heard += len(told); heard > beats/2 {
		t.Errorf("told %d times of %d heartbeats and an edit", heard, beats)
	}
	if names, err := w.cluster.Labelled(w.ctx); err != nil || strings.Join(names, " ") != "node-1" {
		t.Errorf("got %v %v", names, err)
	}

	target = node("node-1", map[string]string{"role/b": "enabled", "theirs": "x"})
	diff = w.compare(d, target)
	if len(diff.Fields) != 2 || !strings.Contains(diff.Fields[1].Beside, strconv.Quote(filepath.Base(os.Args[0]))+" at ") {
		t.Fatalf("removed: %+v", diff)
	}
	diff.Fields[1].Beside = "" // who else wrote to the node, and when
	if diff.Fields[1] != (unit.Field{Path: "metadata.labels[role/a]", Before: "enabled"}) {
		t.Errorf("removed: %+v", diff)
	}
	w.converge(d, target, told)
	if got := labels(); got["role/a"] != "" || got["role/b"] != "enabled" || got["kubernetes.io/hostname"] == "" {
		t.Errorf("removed: %v", got)
	}

	gone := unit.Target{Address: target.Address, Locator: target.Locator}
	state, err := d.Delete(w.ctx, gone, w.observe(d, gone))
	w.must(err)
	if got := labels(); !state.Gone() || got["role/b"] != "" || got["kubernetes.io/hostname"] == "" {
		t.Errorf("deleted: %+v %v", state, got)
	}
	bear("role/b", "enabled", "") // before the watch tells of it

	w.forgotten(d, told, node)

	// A node that is not there is never made; it is heard of when it comes.
	absent := node("node-9", map[string]string{"role/a": "enabled"})
	if diff := w.compare(d, absent); diff.Action != unit.ActionBlocked || diff.Reason != `node "node-9" is not in the cluster` {
		t.Errorf("absent: %+v", diff)
	}
	if _, err := d.Apply(w.ctx, absent, cty.NilVal, unit.State{}); !unit.IsBlocked(err) {
		t.Errorf("absent: %v", err)
	}
	drain(told)
	_, err = w.resource("nodes", "").Create(w.ctx, object(t, "apiVersion: v1\nkind: Node\nmetadata: {name: node-9}"), metav1.CreateOptions{})
	w.must(err)
	w.hears(told, absent.Address, func() bool { return w.compare(d, absent).Action == unit.ActionUpdate })
	// It goes again while we still think it is there.
	state = w.observe(d, absent)
	w.must(w.resource("nodes", "").Delete(w.ctx, "node-9", metav1.DeleteOptions{}))
	if _, err := d.Apply(w.ctx, absent, cty.NilVal, state); err == nil {
		t.Error("the node was made")
	}
	if names, err := w.cluster.Nodes(w.ctx); err != nil || len(names) > 3 {
		t.Errorf("got %v %v", names, err)
	}
	if _, err := w.resource("nodes", "").Get(w.ctx, "node-9", metav1.GetOptions{}); err == nil {
		t.Error("the node is there")
	}
}

// forgotten has a node keep its labels once it is forgotten, and show no more that they are ours, until a block has it again.
func (w *world) forgotten(d *kube.Driver, told chan addr.Object, node func(string, map[string]string) unit.Target) {
	w.t.Helper()
	target := node("node-2", map[string]string{"role/f": "enabled"})
	shows := func(when, want string) { // once the watch tells of it
		w.t.Helper()
		for look := time.Tick(50 * time.Millisecond); ; {
			names, err := w.cluster.Labelled(w.ctx)
			w.must(err)
			if strings.Join(names, " ") == want {
				break
			}
			select {
			case <-look:
			case <-w.ctx.Done():
				w.t.Fatalf("%s: ours are %v", when, names)
			}
		}
		live, err := w.resource("nodes", "").Get(w.ctx, "node-2", metav1.GetOptions{})
		w.must(err)
		if live.GetLabels()["role/f"] != "enabled" || len(live.GetManagedFields()) == 0 {
			w.t.Errorf("%s: it has the labels %v", when, live.GetLabels())
		}
	}
	w.converge(d, target, told)
	shows("made", "node-2")
	for range 2 {
		w.must(d.Disown(w.ctx, unit.Target{Address: target.Address, Locator: target.Locator}))
	}
	shows("forgotten", "")
	if state := w.observe(d, target); state.Owned {
		w.t.Errorf("forgotten: %+v", state)
	}
	if diff := w.compare(d, target); diff.Action != unit.ActionAdopt {
		w.t.Errorf("forgotten: %+v", diff)
	}
	w.converge(d, target, told)
	shows("with a block again", "node-2")
	gone := unit.Target{Address: target.Address, Locator: target.Locator}
	if state, err := d.Delete(w.ctx, gone, w.observe(d, gone)); err != nil || !state.Gone() {
		w.t.Errorf("deleted: %+v, %v", state, err)
	}
	if names, err := w.cluster.Bearing(w.ctx, "role/f", "enabled"); err != nil || len(names) > 0 {
		w.t.Errorf("deleted: %v bear the label, %v", names, err)
	}
}
