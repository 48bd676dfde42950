package compose_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestWrittenKeys: the keys that people wrote, of whatever layer, each where it was written last, and none of ours.
func TestWrittenKeys(t *testing.T) {
	m, ev := composed.Text(t, `cloud "c" {
  release         = "2026.1"
  network_backend = "ovs"
  profile         = profile.base
  charts { repository = "charts" }
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {}
  service "placement" {}
  service "glance" {}
  service "openvswitch" {}
  service "libvirt" {}
  service "neutron" {}
  service "nova" {
    conf   = { nova = { DEFAULT = { a = 1 } }, paste = {} }
    values = {
      pod    = { replicas = { osapi = 2 }, list = [{ a = 1 }] }
      conf   = { logging = null }
      labels = { (join("", ["a", "pi"])) = {} }
    }
  }
}
profile "base" {
  service "nova" {
    conf   = { nova = { DEFAULT = { b = 1 } } }
    values = { pod = { replicas = { osapi = 3 } } }
  }
}
profile "node" {
  service "nova" { conf = { nova = { DEFAULT = { a = 2 } }, nov = { DEFAULT = { a = 2 } } } }
  slot = 1
}
node "a" {
  roles   = ["compute"]
  profile = profile.node
}
node "b" {
  roles   = ["compute"]
  profile = profile.node
}
`+composed.Network)
	units := composed.Compose(t, m, ev, compose.Facts{})
	var got []string
	for _, key := range composed.Release(t, units, "nova").Written {
		got = append(got, fmt.Sprintf("%s at %s as %q", key.Text, key.Range, key.Path))
	}
	want := []string{
		`values.conf at main.hcl:19:7 as ["conf"]`,
		`values.conf.logging at main.hcl:19:18 as ["conf" "logging"]`,
		`conf.nov at main.hcl:31:61 as ["conf" "nov"]`,
		`conf.nov.DEFAULT at main.hcl:31:69 as ["conf" "nov" "DEFAULT"]`,
		`conf.nov.DEFAULT.a at main.hcl:31:81 as ["conf" "nov" "DEFAULT" "a"]`,
		`conf.nova at main.hcl:26:16 as ["conf" "nova"]`,
		`conf.nova.DEFAULT at main.hcl:26:25 as ["conf" "nova" "DEFAULT"]`,
		`conf.nova.DEFAULT.a at main.hcl:16:37 as ["conf" "nova" "DEFAULT" "a"]`,
		`conf.nova.DEFAULT.b at main.hcl:26:37 as ["conf" "nova" "DEFAULT" "b"]`,
		`conf.paste at main.hcl:16:48 as ["conf" "paste"]`,
		`values.labels at main.hcl:20:7 as ["labels"]`,
		`values.labels.api at main.hcl:20:7 as ["labels" "api"]`,
		`values.pod at main.hcl:27:16 as ["pod"]`,
		`values.pod.list at main.hcl:18:44 as ["pod" "list"]`,
		`values.pod.replicas at main.hcl:27:24 as ["pod" "replicas"]`,
		`values.pod.replicas.osapi at main.hcl:27:37 as ["pod" "replicas" "osapi"]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("written are\n%q\nwant\n%q", got, want)
	}
	if written := composed.Release(t, units, "keystone").Written; len(written) > 0 {
		t.Errorf("of a service without settings %v is said to be written", written)
	}
}

// The keys of a chart block are told at its values.
func TestWrittenKeysOfChart(t *testing.T) {
	m, ev := composed.Text(t, `cloud "c" { release = "2026.1" }
chart "app" {
  repository = "charts"
  values     = { conf = { a = { b = 1 } } }
}
`)
	units, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var got []string
	for _, u := range units {
		if r, ok := u.Spec.(*unit.Release); ok {
			for _, key := range r.Written {
				got = append(got, key.Text+" "+key.Range.String())
			}
		}
	}
	if want := []string{"values.conf main.hcl:4:3", "values.conf.a main.hcl:4:3", "values.conf.a.b main.hcl:4:3"}; !slices.Equal(got, want) {
		t.Errorf("written are %q, want %q", got, want)
	}
}
