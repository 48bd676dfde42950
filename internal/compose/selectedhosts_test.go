package compose_test

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestHostsOfNodesWithoutCompute has nodes left out that are in the configuration and are to run no instances.
func TestHostsOfNodesWithoutCompute(t *testing.T) {
	t.Parallel()
	m, ev := composed.Text(t, withOneConductor(composed.Source("ovs", ""))+`
node "control" { roles = ["control-plane", "network"] }
node "compute" { roles = ["compute"] }
node "resting" {
  roles    = ["compute"]
  disabled = true
}
host_aggregate "all" {
  node_selector = { "kubernetes.io/os" = "linux" }
}
`)
	linux := map[string]string{"kubernetes.io/os": "linux"}
	for _, u := range composed.Compose(t, m, ev, compose.Facts{Unlocked: true, OpenStackGiven: true, Labels: func([]string) map[string]map[string]string {
		return map[string]map[string]string{"control": linux, "compute": linux, "resting": linux, "other": linux}
	}}) {
		if r, ok := u.Spec.(*unit.Resource); ok && r.Kind == "host_aggregate" {
			want := cty.SetVal([]cty.Value{cty.StringVal("compute"), cty.StringVal("other")})
			if got := r.Desired.GetAttr("hosts"); !got.RawEquals(want) {
				t.Errorf("the hosts are %#v", got)
			}
			return
		}
	}
	t.Error("there is no aggregate")
}

// TestHostsByLabels has an aggregate's hosts be the nodes with its labels, and unknown as long as those are.
func TestHostsByLabels(t *testing.T) {
	t.Parallel()
	const source = `
cloud "demo" {
  openstack { cloud = "x" }
}
host_aggregate "gpu" {
  node_selector = { gpu = "a100", "kubernetes.io/os" = "linux" }
}
host_aggregate "given" {
  hosts = ["node-9"]
}
`
	nodes := map[string]map[string]string{
		"node-1": {"gpu": "a100", "kubernetes.io/os": "linux", "rack": "1"},
		"node-2": {"gpu": "t4", "kubernetes.io/os": "linux"},
		"node-3": {"kubernetes.io/os": "linux"},
		"node-4": {"gpu": "a100", "kubernetes.io/os": "linux"},
	}
	names := func(names ...string) cty.Value {
		set := cty.SetValEmpty(cty.String)
		for i, name := range names {
			if i == 0 {
				set = cty.SetVal([]cty.Value{cty.StringVal(name)})
				continue
			}
			set = cty.SetVal(append(set.AsValueSlice(), cty.StringVal(name)))
		}
		return set
	}
	for _, test := range []struct {
		name  string
		nodes map[string]map[string]string
		want  cty.Value
	}{
		{"some", nodes, names("node-1", "node-4")},
		{"none", map[string]map[string]string{"node-2": nodes["node-2"]}, names()},
		{"unknown", nil, cty.UnknownVal(cty.Set(cty.String))},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var keys []string
			m, ev := composed.Text(t, source)
			units := composed.Compose(t, m, ev, compose.Facts{Labels: func(asked []string) map[string]map[string]string {
				keys = asked
				return test.nodes
			}})
			if !slices.Equal(keys, []string{"gpu", "kubernetes.io/os"}) {
				t.Errorf("the labels that count are %v", keys)
			}
			spec := units["host_aggregate.gpu"].Spec.(*unit.Resource)
			late, diags := spec.Resolve(nil)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			for _, desired := range []cty.Value{spec.Desired, late} {
				if got := desired.GetAttr("hosts"); !got.RawEquals(test.want) {
					t.Errorf("the hosts are %#v, want %#v", got, test.want)
				}
			}
			if got := units["host_aggregate.given"].Spec.(*unit.Resource).Desired.GetAttr("hosts"); !got.RawEquals(names("node-9")) {
				t.Errorf("the hosts that are written are %#v", got)
			}
		})
	}
	m, ev := composed.Text(t, source)
	if got := composed.Compose(t, m, ev, compose.Facts{})["host_aggregate.gpu"].Spec.(*unit.Resource).Desired.GetAttr("hosts"); got.IsKnown() {
		t.Errorf("nobody knows the nodes, but the hosts are %#v", got)
	}
}
