package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOnDelete: what people write over the strategy is what counts.
func TestOnDelete(t *testing.T) {
	for _, test := range []struct {
		values string
		want   bool
	}{
		{"", true},
		{`values = { pod = { lifecycle = { upgrades = { daemonsets = { pod_replacement_strategy = "RollingUpdate" } } } } }`, false},
	} {
		source := strings.Replace(composed.Source("ovn", ""), `service "ovn" {}`, "service \"ovn\" {\n"+test.values+"\n}", 1)
		m, ev := composed.Text(t, source)
		units, warnings := composed.Warned(t, m, ev, compose.Facts{})
		if got := composed.Release(t, units, "ovn").OnDelete; got != test.want {
			t.Errorf("with %q: OnDelete %t", test.values, got)
		}
		if told := len(warnings) == 1 && warnings[0].Summary == "nodes are not rolled one by one"; told == test.want || len(warnings) > 1 {
			t.Errorf("with %q it is said: %v", test.values, warnings)
		}
		if !composed.Release(t, units, "nova").OnDelete || composed.Release(t, units, "keystone").OnDelete {
			t.Error("OnDelete is wrong for other services")
		}
	}
}

// Pods of OVN's chart read a label of their node when they start. Where we replace pods, those of a node are told to be.
func TestLabelsThatPodsRead(t *testing.T) {
	const rolling = `values = { pod = { lifecycle = { upgrades = { daemonsets = { pod_replacement_strategy = "RollingUpdate" } } } } }`
	want := unit.StartLabel{Key: "l3-agent", Release: "ovn", Chosen: "openvswitch"}
	for _, test := range []struct {
		network, values string
		want            bool
	}{{"ovn", "", true}, {"ovn", rolling, false}, {"ovs", "", false}} {
		source := composed.Source(test.network, "")
		if test.network != "ovn" {
			source = composed.Without(source, "ovn")
		}
		source = strings.Replace(source, `service "ovn" {}`, "service \"ovn\" {\n"+test.values+"\n}", 1)
		m, ev := composed.Text(t, source+"\nnode \"n\" { roles = [\"network\"] }\n")
		units, _ := composed.Warned(t, m, ev, compose.Facts{}) // of what is given up
		node := units["node.n"].Spec.(*unit.Node)
		if told := slices.Contains(node.StartLabels, want); told != test.want || len(node.StartLabels) > 1 {
			t.Errorf("%s with %q: pods read %v", test.network, test.values, node.StartLabels)
		}
		if node.Labels[want.Key] != unit.LabelEnabled || node.Labels[want.Chosen] != unit.LabelEnabled {
			t.Errorf("the role gives %v", node.Labels)
		}
		if composed.Release(t, units, "openvswitch").LabelReaders != nil {
			t.Errorf("%s: pods of openvswitch read labels", test.network)
		}
		if test.network != "ovn" {
			continue
		}
		readers := composed.Release(t, units, "ovn").LabelReaders
		if test.want != (readers != nil) || test.want && (readers.Component != "ovn-controller" || !slices.Contains(readers.Nodes, "n")) {
			t.Errorf("with %q pods of ovn are replaced for %+v", test.values, readers)
		}
	}
}
