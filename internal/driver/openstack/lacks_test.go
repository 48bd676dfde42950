package openstack

import "testing"

func TestWhatNovaAndNeutronLack(t *testing.T) {
	agent := func(binary, host string, up bool) Agent {
		return Agent{Binary: binary, Host: host, Up: up, Enabled: true}
	}
	compute := func(host string, up bool) Agent { return agent("nova-compute", host, up) }
	for _, test := range []struct {
		name   string
		agents []Agent // beside a conductor and a scheduler
		hosts  []string
		want   string
	}{
		{"no compute nodes", nil, nil, ""},
		{"bare metal alone", []Agent{compute("nova-compute-ironic-0", true)}, nil, ""},
		{"bare metal for a compute node", []Agent{compute("nova-compute-ironic-0", true)}, []string{"w1"}, "no nova-compute is up"},
		{"a node that is called like it", []Agent{compute("nova-compute-ironic-0", true)}, []string{"nova-compute-ironic-0"}, ""},
		{"both", []Agent{compute("nova-compute-ironic-0", true), compute("w1", true)}, []string{"w1"}, ""},
		{"a host by another name", []Agent{compute("compute01", true)}, []string{"w1"}, ""},
		{"the node with a domain", []Agent{compute("w1", false), compute("w2", true)}, []string{"w1.example.org", "w2"}, "nova-compute on w1.example.org is down"},
		{"the host with a domain", []Agent{compute("w1.example.org", false), compute("w2", true)}, []string{"w1", "w2"}, "nova-compute on w1 is down"},
		{"another case", []Agent{compute("W1", false), compute("w2", true)}, []string{"w1", "w2"}, "nova-compute on w1 is down"},
		{"another domain", []Agent{compute("w1.a.org", false), compute("w2", true)}, []string{"w1.b.org", "w2"}, ""},
		{"who knows which", []Agent{compute("w1", false), compute("w2", true)}, []string{"w1.a.org", "w1.b.org", "w2"}, "nova-compute on w1.a.org or w1.b.org is down"},
	} {
		t.Run(test.name, func(t *testing.T) {
			agents := append([]Agent{agent("nova-conductor", "c", true), agent("nova-scheduler", "s", true)}, test.agents...)
			if got := computeLacks(agents, test.hosts); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
	if got := networkLacks([]Agent{agent("ovn-controller", "W1.Example.org", false)}, []string{"w1"}); got != "ovn-controller on w1 is down" {
		t.Errorf("neutron lacks %q", got)
	}
}
