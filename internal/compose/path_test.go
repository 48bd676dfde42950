package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestWhatClosesTheWayToOpenStack: whichever way it is written that nothing of a service would run.
func TestWhatClosesTheWayToOpenStack(t *testing.T) {
	for _, test := range []struct{ rabbitmq, keystone, want string }{
		{"", "", ""},
		{"", "replicas = 1", ""},
		{"", "replicas = 0", "with 0 replicas of api"},
		{"", "replicas = { api = 0 }", "with 0 replicas of api"},
		{"", "values = { pod = { replicas = { api = 0 } } }", "with 0 replicas of api"},
		{"", "replicas = 0\n values = { pod = { replicas = { api = 2 } } }", ""},
		{"", "values = { manifests = { deployment_api = false } }", "with manifests.deployment_api off"},
		{"", "values = { manifests = { deployment_api = null } }", "with manifests.deployment_api off"},
		{"", "values = { manifests = { deployment_api = true, ingress_api = false } }", ""},
		{"replicas = 0", "", ""},
	} {
		m, ev := composed.Text(t, strings.NewReplacer("RABBITMQ", test.rabbitmq, "KEYSTONE", test.keystone).Replace(base))
		units, _ := composed.Warned(t, m, ev, compose.Facts{}) // of the broker without servers
		if got := units["service.keystone"].Closes; got != test.want {
			t.Errorf("%s: got %q", test.keystone, got)
		}
		if got := units["service.rabbitmq"].Closes; got != "" {
			t.Errorf("%s: of the broker it is said: %s", test.rabbitmq, got)
		}
	}
	for service, setting := range map[string]string{"mariadb": "statefulset", "memcached": "statefulset", "keystone": "deployment_api"} {
		m, ev := composed.Text(t, `cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  service "`+service+`" { values = { manifests = { `+setting+` = false } } }
`+others(service)+"}\n")
		if got := composed.Compose(t, m, ev, compose.Facts{})["service."+service].Closes; got != "with manifests."+setting+" off" {
			t.Errorf("%s: got %q", service, got)
		}
	}
}

// others are the services that Keystone is deployed with, but for one.
func others(but string) string {
	blocks := ""
	for _, name := range []string{"mariadb", "rabbitmq", "memcached", "keystone"} {
		if name != but {
			blocks += "  service \"" + name + "\" {}\n"
		}
	}
	return blocks
}
