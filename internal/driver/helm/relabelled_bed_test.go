//go:build beds

package helm_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Where labels of a node change that pods had read when they started, those alone are replaced, also by a process that
// was killed in between.
func TestPodsOfARelabelledNodeAreReplaced(t *testing.T) {
	b := daemonBed(t)
	b.tree["charts/app/templates/daemons.yaml"] = file(strings.ReplaceAll(daemonTemplate,
		"labels: {app: {{ $name }}}\n      annotations", "labels: {app: {{ $name }}, component: {{ $name }}}\n      annotations"))
	var asked []map[string]time.Time
	b.options = func(o *helm.Options) {
		o.HostsDown = func(_ context.Context, _ string, made map[string]time.Time) (string, error) {
			asked = append(asked, made)
			return "", nil
		}
	}
	b.restart()
	const chosen, key = "test-chosen", "test-gateway"
	readers := &unit.LabelReaders{Component: "agent", Nodes: []string{"node-1", "node-2", "node-away"}}
	b.change(func(spec *unit.Release) { spec.LabelReaders = readers })
	nodes := kube.NewDriver(b.cluster, nil, nil)
	defer nodes.Close()
	label := func(labels map[string]string) unit.Target {
		t.Helper()
		target := unit.Target{Address: addr.MustParseObject("node.two"), UID: "uid-2", Mark: "mark-2", Spec: &unit.Node{
			Name: "node-2", Labels: labels, StartLabels: []unit.StartLabel{{Key: key, Release: "app", Chosen: chosen}},
		}}
		target.Locator = target.Spec.Locator()
		if _, err := nodes.Apply(t.Context(), target, cty.NilVal, unit.State{}); err != nil {
			t.Fatal(err)
		}
		return target
	}
	target := label(map[string]string{chosen: unit.LabelEnabled})
	defer func() {
		if _, err := nodes.Delete(context.WithoutCancel(t.Context()), target, unit.State{}); err != nil {
			t.Errorf("take the labels away: %v", err)
		}
	}()
	b.settle()
	pods := func() map[string]types.UID { // by what they are and where
		found := map[string]types.UID{}
		for _, app := range []string{"agent", "compute"} {
			for _, pod := range b.pods(app) {
				found[app+" "+pod.Spec.NodeName] = pod.UID
			}
		}
		return found
	}
	before := pods()
	for _, labels := range []map[string]string{
		{chosen: unit.LabelEnabled, key: unit.LabelEnabled}, // given
		{chosen: unit.LabelEnabled},                         // and taken again
	} {
		label(labels)
		b.restart()
		if _, diff := b.observe(); diff.Action != unit.ActionRestart || diff.Waits || !strings.Contains(diff.Reason, "node-2 is next") {
			t.Fatalf("labelled %v: %+v", labels, diff)
		}
		b.settle()
		after := pods()
		for pod, uid := range before {
			if replaced := after[pod] != uid; replaced != (pod == "agent node-2") {
				t.Errorf("labelled %v: replaced is %t of %s", labels, replaced, pod)
			}
		}
		before = after
		b.restart()
		if _, diff := b.observe(); diff.Action != unit.ActionNone {
			t.Errorf("labelled %v, at rest: %+v", labels, diff)
		}
	}
	label(map[string]string{chosen: unit.LabelEnabled, "test-other": "x"})
	b.settle()
	if after := pods(); after["agent node-2"] != before["agent node-2"] {
		t.Error("another label has replaced the pod")
	}
	if len(asked) == 0 {
		t.Error("OpenStack was not asked")
	}
	b.remove()
}
