package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// clouded is a cloud with service blocks, and what stands beside it.
func clouded(services, beside string) string {
	return "cloud \"c\" {\n  release         = \"2026.1\"\n  network_backend = \"ovn\"\n  profile         = profile.base\n  charts { repository = \"charts\" }\n" +
		"  service \"mariadb\" { replicas = 3 }\n  service \"memcached\" {}\n  service \"openvswitch\" {}\n" + services + "}\n" + beside
}

// TestPodSettings has the layers of settings of pods, and what people write over them in values.
func TestPodSettings(t *testing.T) {
	m, ev := composed.Text(t, clouded(`
  service "rabbitmq" {}
  service "keystone" {
    replicas          = 3
    disruption_budget = 2
    log_level         = "debug"
    priority_class    = "low"
    tolerations       = [{ key = "old", operator = "Exists" }, { key = "older", operator = "Exists" }]
    resources         = { api = { requests = { cpu = "500m", memory = "1Gi" }, limits = { cpu = 2 } } }
  }
  service "ovn" { values = { pod = { replicas = { ovn_ovsdb_sb = 5 } } } }
`[1:], `
profile "base" {
  service "keystone" {
    priority_class = "high"
    tolerations    = [{ key = "dedicated", value = "openstack", effect = "NoSchedule" }]
    resources      = { api = { requests = { memory = "2Gi" }, limits = null } }
    values         = { pod = { resources = { jobs = { db_sync = { limits = { cpu = "1" } } } }, affinity = { anti = { type = { default = "" } } } } }
    anti_affinity  = "required"
  }
  service "ovn" { replicas = { ovn_ovsdb_nb = 3 } }
}
`[1:]))
	units := composed.Compose(t, m, ev, compose.Facts{})
	pod, _ := composed.Release(t, units, "keystone").Values["pod"].(map[string]any)
	for path, want := range map[string]string{
		"resources enabled":                  `true`,
		"resources api":                      `{"limits":{"cpu":"2","memory":null},"requests":{"cpu":"500m","memory":"2Gi"}}`,
		"resources jobs db_init":             `null`,
		"resources jobs db_sync":             `{"limits":{"cpu":"1"}}`,
		"tolerations":                        `{"keystone":{"enabled":true,"tolerations":[{"effect":"NoSchedule","key":"dedicated","value":"openstack"}]}}`,
		"priorityClassName":                  `{"keystone_api":"high"}`,
		"affinity":                           `{"anti":{"type":{"default":""}}}`,
		"lifecycle disruption_budget":        `{"api":{"min_available":2}}`,
		"replicas":                           `{"api":3}`,
		"lifecycle termination_grace_period": `null`,
	} {
		if got := compact(at(pod, strings.Fields(path))); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got := at(composed.Release(t, units, "keystone").Values, []string{"conf", "logging", "logger_keystone", "level"}); got != "DEBUG" {
		t.Errorf("the level is %v", got)
	}
	if pod, _ := composed.Release(t, units, "mariadb").Values["pod"].(map[string]any); compact(pod) != `{"replicas":{"server":3}}` {
		t.Errorf("a service of which nothing is said has %s", compact(pod))
	}
	// The databases of OVN keep the number that they have.
	if got := compact(units["service.ovn"].Fixed); got != `{"replicas.ovn_ovsdb_nb":"3","replicas.ovn_ovsdb_sb":"5"}` {
		t.Errorf("what is fixed of OVN is %s", got)
	}
}

// TestLogLevelOfHorizon wants the level where messages come from and where they go: the chart has another one there.
func TestLogLevelOfHorizon(t *testing.T) {
	for _, test := range [][2]string{{"debug", "DEBUG"}, {"error", "ERROR"}} {
		units := composed.Everything(t, "ovs", "", "\nprofile \"base\" {\n  service \"horizon\" { log_level = \""+test[0]+"\" }\n}\n", "  profile = profile.base")
		config := at(composed.Release(t, units, "horizon").Values, []string{"conf", "horizon", "local_settings", "config"})
		if got, want := compact(config), `"log_level":"`+test[1]+`","raw":{"LOGGING[\"handlers\"][\"console\"][\"level\"]":"`+test[1]+`"}`; !strings.Contains(got, want) {
			t.Errorf("with %s the settings are %s", test[0], got)
		}
	}
}

// TestEvenByValues: what values say of those that decide by majority counts, and an even number is told where it is written.
func TestEvenByValues(t *testing.T) {
	for n, want := range map[string]int{"2": 1, "3": 0} {
		m, ev := composed.Text(t, clouded("  service \"ovn\" { values = { pod = { replicas = { ovn_ovsdb_nb = "+n+" } } } }\n", "profile \"base\" {}\n"))
		_, diags := compose.Compose(m, ev, compose.Facts{})
		told := 0
		for _, d := range diags {
			if d.Summary == "no clear majority" && d.Severity == diag.Warning && strings.Contains(d.Detail, "ovn_ovsdb_nb of ovn") {
				told++
			}
		}
		if told != want {
			t.Errorf("%s databases: %v", n, diags)
		}
	}
}

// TestWrongPodSettings are mistakes that only all layers together show.
func TestWrongPodSettings(t *testing.T) {
	for name, test := range map[string]struct{ keystone, rabbitmq, want string }{
		"as many as there are": {"replicas = 2\n disruption_budget = 2", "", "api of keystone runs 2 times, and 2 are to go on"},
		"more than there are":  {"replicas = { api = 1 }\n disruption_budget = { api = 2 }", "", "api of keystone runs 1 times, and 2 are to go on"},
		"of nobody knows what": {"disruption_budget = 1", "", "1 of api of keystone are to go on, and how many there are is not written"},
		"fewer in values":      {"replicas = 3\n disruption_budget = 1\n values = { pod = { replicas = { api = 1 } } }", "", "api of keystone runs 1 times"},
		"not in values":        {"replicas = 1\n disruption_budget = 1\n values = { pod = { lifecycle = { disruption_budget = { api = { min_available = 0 } } } } }", "", ""},
		"fewer":                {"replicas = 3\n disruption_budget = 2", "", ""},
		"none":                 {"disruption_budget = 0", "", ""},
		"one scheduler":        {"", `resources = { server = { limits = { memory = "2Gi" } } }`, "RabbitMQ runs as many schedulers as its limit has processors"},
		"two schedulers":       {"", `resources = { server = { limits = { cpu = 2 } } }`, ""},
	} {
		m, ev := composed.Text(t, clouded("  service \"rabbitmq\" {\n"+test.rabbitmq+"\n}\n  service \"keystone\" {\n"+test.keystone+"\n}\n", "profile \"base\" {}\n"))
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var told []string
		for _, d := range diags {
			told = append(told, d.Detail)
		}
		if got := strings.Join(told, "; "); (test.want == "") != (got == "") || !strings.HasPrefix(got, test.want) || len(told) > 1 {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestPodSettingsReachCharts wants the language to say of no service that it takes a setting that leads to nothing.
func TestPodSettingsReachCharts(t *testing.T) {
	values := map[string]string{
		schema.Tolerations: `[{ key = "a" , operator = "Exists" }]`, schema.PriorityClass: `"a"`, schema.AntiAffinity: `"required"`,
		schema.TopologyKey: `"a"`, schema.LogLevel: `"error"`,
	}
	for setting, value := range values {
		var profile strings.Builder
		for _, name := range schema.TakenBy(setting) {
			profile.WriteString("service \"" + name + "\" {\n" + setting + " = " + value + "\n}\n")
		}
		before := composed.Everything(t, "ovn", "ceph", "profile \"p\" {}\n", "profile = profile.p")
		after := composed.Everything(t, "ovn", "ceph", "profile \"p\" {\n"+profile.String()+"}\n", "profile = profile.p")
		for _, s := range schema.New().Services() {
			changed := compact(composed.Release(t, before, s.Name).Values) != compact(composed.Release(t, after, s.Name).Values)
			if changed != slices.Contains(schema.TakenBy(setting), s.Name) {
				t.Errorf("%s of %s changes its values: %t", setting, s.Name, changed)
			}
		}
	}
}
