package unit_test

import (
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestNodesOfHost(t *testing.T) {
	for _, test := range []struct {
		host  string
		nodes []string
		want  []string
	}{
		{"w1", []string{"w1", "w2"}, []string{"w1"}},
		{"W1", []string{"w1"}, []string{"w1"}},
		{"w1", []string{"W1"}, []string{"W1"}},
		{"w1.example.org", []string{"w1"}, []string{"w1"}},
		{"w1", []string{"w1.example.org"}, []string{"w1.example.org"}},
		{"W1.Example.org", []string{"w1"}, []string{"w1"}},
		{"w1", []string{"w1.a.org", "w1.b.org"}, []string{"w1.a.org", "w1.b.org"}},
		{"w1", []string{"w1.a.org", "w1"}, []string{"w1"}},
		{"w1.a.org", []string{"w1.b.org"}, nil},
		{"w1", []string{"w11", "w"}, nil},
		{"w11.example.org", []string{"w1"}, nil},
		{"w1", nil, nil},
	} {
		if got := unit.NodesOfHost(test.nodes, test.host); !slices.Equal(got, test.want) {
			t.Errorf("%s of %q: %q, want %q", test.host, test.nodes, got, test.want)
		}
	}
}

func TestBareMetalHost(t *testing.T) {
	for host, want := range map[string]bool{
		"nova-compute-ironic-0": true, "nova-compute-ironic-12": true, "nova-compute-ironic-0.ironic-compute.openstack.svc": true,
		"nova-compute-ironic": false, "nova-compute-ironic-a": false, "w1": false, "my-nova-compute-ironic-0": false, "nova-compute-ironic-0x": false,
	} {
		if got := unit.BareMetalHost(host); got != want {
			t.Errorf("%s: %t", host, got)
		}
	}
}
