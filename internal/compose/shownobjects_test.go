package compose_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// items are the objects of a unit.
func items(t *testing.T, units map[string]unit.Unit, address string) []map[string]any {
	t.Helper()
	spec, is := units[address].Spec.(*unit.Objects)
	if !is {
		t.Fatalf("%s is no set of objects", address)
	}
	return spec.Items
}

const shownCloud = `cloud "prod" {
  release = "2026.1"
  region  = "RegionOne"
  charts { repository = "charts" }
  profile = profile.Base_A
  service "mariadb" {}
  service "rabbitmq" { version = "4.2" }
  service "memcached" {}
  service "keystone" {}
  service "glance" { enabled = false }
}
variable "password" {
  type      = string
  sensitive = true
  default   = "canary-variable"
}
profile "Base_A" {
  service "keystone" {
    replicas = 2
    conf = { keystone = {
      DEFAULT  = { debug = true, password = var.password, url = "http://x:${sensitive("canary-url")}@y" }
      database = { user = sensitive("canary-value") }
      list     = [sensitive("canary-element"), secret("rabbit", "url")]
    } }
    values = { extra = { token = sensitive("canary-token") } }
  }
}
profile "two" {
  from = [profile.Base_A]
}
`

func TestShownObjects(t *testing.T) {
	m, ev := composed.Text(t, shownCloud)
	units := composed.Compose(t, m, ev, compose.Facts{Unlocked: true})

	services := map[string]string{}
	for _, o := range items(t, units, "system.services") {
		services[unit.RefOf(o).Name] = compact(o["spec"])
	}
	for name, want := range map[string]string{
		"glance":   `{"enabled":false}`,
		"mariadb":  `{"chart":{"name":"mariadb"},"enabled":true}`,
		"rabbitmq": `{"chart":{"name":"rabbitmq"},"enabled":true,"version":"4.2"}`,
		"keystone": `{"chart":{"name":"keystone"},"dependsOn":["service.mariadb","service.memcached","service.rabbitmq"],"enabled":true,"release":"2026.1"}`,
	} {
		if services[name] != want {
			t.Errorf("%s is shown as %s", name, services[name])
		}
	}
	if len(services) != 5 {
		t.Errorf("there are %v", services)
	}

	cloud := items(t, units, "system.controlplane")
	if got, want := compact(cloud[0]["spec"]), `{"name":"prod","namespace":"openstack","networkBackend":"ovs","region":"RegionOne","release":"2026.1"}`; len(cloud) != 1 || got != want {
		t.Errorf("the cloud is shown as %s", got)
	}

	profiles := items(t, units, "system.profiles")
	if len(profiles) != 2 {
		t.Fatalf("there are %v", profiles)
	}
	base, two := profiles[0]["spec"].(map[string]any), profiles[1]["spec"].(map[string]any)
	if got, want := compact(base), `{"name":"Base_A","services":{"keystone":{"conf":{"keystone":{"DEFAULT":{"debug":true,"password":"(sensitive)","url":"(sensitive)"},`+
		`"database":{"user":"(sensitive)"},"list":["(sensitive)","(sensitive)"]}},"replicas":2,"values":{"extra":{"token":"(sensitive)"}}}}}`; got != want {
		t.Errorf("the profile is shown as %s", got)
	}
	if got, want := compact(two), `{"basis":"Base_A","from":["Base_A"],"name":"two"}`; got != want {
		t.Errorf("the other profile is shown as %s", got)
	}

	// All objects of the group belong to units that nothing waits for, and none tells a secret.
	for address, u := range units {
		spec, is := u.Spec.(*unit.Objects)
		if !is {
			continue
		}
		for _, o := range spec.Items {
			ref := unit.RefOf(o)
			if problems := validation.IsDNS1123Subdomain(ref.Name); ref.IsShown() && len(problems) > 0 {
				t.Errorf("%s: %v", ref, problems)
			}
			if ref.IsShown() && strings.Contains(compact(o)+fmt.Sprintf("%+v", o), "canary") {
				t.Errorf("%s shows a secret: %v", address, o)
			}
		}
	}
	for address, u := range units {
		for _, e := range u.Edges {
			if to := e.To.String(); to == "system.services" || to == "system.controlplane" || to == "system.profiles" {
				t.Errorf("%s waits for what is only shown", address)
			}
		}
	}
}

// Profiles are bounded as the configuration of nodes is.
func TestSettingsOfProfilesAreBounded(t *testing.T) {
	m, ev := composed.Text(t, `cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  service "mariadb" {}
  service "rabbitmq" {}
}
profile "p" {
  service "mariadb" {
    conf = { my = { text = [for i in range(900) : format("%0900d", i)] } }
  }
  service "rabbitmq" {
    conf = { small = { n = 1 } }
  }
}
`)
	units, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true})
	if got := codes(diags); diags.HasErrors() || len(got) != 1 || got[0] != "main.hcl:1:1 compose.node-status" || !strings.Contains(diags[0].Detail, "mariadb") {
		t.Fatal(diags)
	}
	for _, u := range units {
		if u.Address.String() != "system.profiles" {
			continue
		}
		spec := u.Spec.(*unit.Objects).Items[0]["spec"]
		if got, want := compact(spec), `{"name":"p","services":{"mariadb":"(too large to be shown here)","rabbitmq":{"conf":{"small":{"n":1}}}}}`; got != want {
			t.Errorf("%.300s", got)
		}
	}
}
