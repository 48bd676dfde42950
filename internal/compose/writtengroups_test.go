package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestWrittenGroups: groups that people write for a chart count, and what profiles set and is lost by them is told.
func TestWrittenGroups(t *testing.T) {
	const lost = "what profiles set is left away"
	for _, test := range []struct{ service, written, want string }{
		{"nova", `conf = { overrides = { nova_compute = { labels = [] } } }`, lost},
		{"nova", `conf = { overrides = { nova_compute = null } }`, lost},
		{"nova", `conf = { overrides = { nova_compute = { hosts = [{ name = "w1", conf = {} }] } } }`, lost},
		{"nova", `conf = { overrides = { nova_compute = { hosts = [{ name = "w2", conf = {} }] } } }`, ""},
		{"nova", `conf = { overrides = { nova_compute = { hosts = [{ name = "h9", conf = {} }] } } }`, ""},
		{"libvirt", `values = { overrides = { libvirt_libvirt = { labels = { "x::y" = { values = {} } } } } }`, ""},
		{"libvirt", `values = { overrides = { libvirt_libvirt = { labels = { "kupenstack-slot::1" = { values = {} } } } } }`, lost},
		{"libvirt", `values = { overrides = null }`, lost},
	} {
		added := "profile \"all\" {\n  service \"" + test.service + "\" {\n    " + test.written + "\n  }\n}\n" +
			"profile \"m\" {\n  slot = 1\n  service \"" + test.service + "\" {\n    conf = { x = { DEFAULT = { debug = true } } }\n  }\n}\n" +
			"node \"w1\" {\n  roles   = [\"compute\"]\n  profile = profile.m\n}\nnode \"w2\" {\n  roles = [\"compute\"]\n}\n" + composed.Network
		m, ev := composed.Text(t, composed.Source("ovs", "", "profile = profile.all")+added)
		_, warnings := composed.Warned(t, m, ev, compose.Facts{})
		var told []string
		for _, d := range warnings {
			told = append(told, d.Summary)
		}
		if got := strings.Join(told, ", "); got != test.want {
			t.Errorf("%s: %q, want %q", test.written, got, test.want)
		}
	}
}

// TestValuesWinOverNodes: what values have in the configuration of all nodes is over what profiles of nodes set, which is told where
// it is something else.
func TestValuesWinOverNodes(t *testing.T) {
	added := "profile \"all\" {\n  service \"nova\" {\n    conf   = { nova = { DEFAULT = { a = 2 } } }\n    values = { conf = { nova = { DEFAULT = { a = ALL } }, logging = {} } }\n  }\n}\n" +
		"profile \"m\" {\n  slot = 1\n  service \"nova\" {\n    conf = { nova = { DEFAULT = { a = OWN, b = 7 } } }\n  }\n}\n" +
		"node \"w1\" {\n  roles   = [\"compute\"]\n  profile = profile.m\n}\n" +
		"variable \"one\" {\n  default   = 1\n  sensitive = true\n}\n" + composed.Network
	const list, deep = "[{ x = 1 }]", "{ x = { y = 1 } }"
	for _, test := range []struct {
		all, own string
		want     int
	}{
		{"1", "2", 0}, // 2 is what all nodes have by conf
		{"1", "3", 1},
		{"1", "1", 0},
		{"1", "\"1\"", 1},
		{"null", "null", 0},
		{"null", "1", 1},
		{list, list, 0},
		{list, "[]", 1},
		{deep, deep, 0},
		{deep, "{ x = 1 }", 1},
		{"var.one", "1", 0},
		{"1", "var.one", 0},
		{"var.one", "var.one", 0},
		{"var.one", "3", 1},
		{"3", "var.one", 1},
	} {
		m, ev := composed.Text(t, composed.Source("ovs", "", "profile = profile.all")+strings.NewReplacer("OWN", test.own, "ALL", test.all).Replace(added))
		units, told := composed.Warned(t, m, ev, compose.Facts{})
		labels := at(composed.Release(t, units, "nova").Values, strings.Split("conf.overrides.nova_compute.labels", ".")).([]any)
		if got := compact(labels[0].(map[string]any)["conf"]); got != `{"nova":{"DEFAULT":{"b":7}}}` {
			t.Errorf("with %+v, the nodes have %s", test, got)
		}
		if len(told) != test.want || test.want > 0 && (told[0].Summary != "what profiles set is left away" || !strings.Contains(told[0].Detail, "conf.nova.DEFAULT.a")) {
			t.Errorf("with %+v: %v", test, told)
		}
	}
}

// TestWrittenKeysOfGroups: what is said of groups of nodes is for the chart, and what is inside of them for programs.
func TestWrittenKeysOfGroups(t *testing.T) {
	added := "profile \"all\" {\n  service \"nova\" {\n    conf = { overrides = { nova_compute = { hostz = [], labels = { x = 1 } } } }\n  }\n}\n"
	m, ev := composed.Text(t, composed.Source("ovs", "", "profile = profile.all")+added)
	units, _ := composed.Warned(t, m, ev, compose.Facts{})
	var keys []string
	for _, key := range composed.Release(t, units, "nova").Written {
		if key.Path[0] == "conf" && len(key.Path) > 1 && key.Path[1] == "overrides" {
			keys = append(keys, strings.Join(key.Path, "."))
		}
	}
	const at = "conf.overrides.nova_compute"
	if got, want := strings.Join(keys, " "), "conf.overrides "+at+" "+at+".hostz "+at+".labels"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
