package compose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestAddresses: where a server is to answer elsewhere than its clients look for it, that is told where it is written.
func TestAddresses(t *testing.T) {
	for _, test := range []struct{ service, values, want string }{
		{"keystone", `identity = { hosts = { internal = "id-api" } }`, "endpoints.identity.hosts.internal"},
		{"keystone", `identity = { hosts = { internal = "keystone-api" } }`, ""},
		{"keystone", `identity = { hosts = { public = "id.example.org" } }`, ""},
		{"keystone", `identity = { port = { api = { service = 5001 } } }`, "endpoints.identity.port.api.internal"},
		{"keystone", `identity = { auth = { admin = { username = "boss" } } }`, "endpoints.identity.auth.admin.username"},
		{"mariadb", `oslo_db = { port = { mysql = { default = 3307 } } }`, "endpoints.oslo_db.port.mysql.default"},
		{"mariadb", `oslo_db = { port = { mysql = { default = 3306 }, wsrep = { default = 4 } } }`, ""},
		{"rabbitmq", `oslo_messaging = { port = { amqp = { default = 5673 } } }`, "endpoints.oslo_messaging.port.amqp.default"},
		{"rabbitmq", `oslo_messaging = { auth = { user = { username = "boss" } } }`, "endpoints.oslo_messaging.auth.admin.username"},
		{"memcached", `oslo_cache = { port = { memcache = { default = 11212 } } }`, "endpoints.oslo_cache.port.memcache.default"},
		{"keystone", `identity = { auth = { admin = { region_name = "Two" } } }`, "region in its block"},
		{"glance", `identity = { auth = { admin = { region_name = "Two" } } }`, "region in its block"},
		{"glance", `identity = { auth = { admin = { region_name = "RegionOne" } } }`, ""},
		{"horizon", `identity = { auth = { admin = { region_name = "Two" } } }`, ""}, // it is in no catalogue
		{"skyline", `identity = { auth = { admin = { region_name = "Two" } } }`, ""},
		{"nova", `oslo_db = { hosts = { default = "elsewhere" } }`, ""}, // a client may have another one
	} {
		source := composed.Source("ovs", "", "  profile = profile.written") +
			fmt.Sprintf("profile \"written\" {\n  service %q {\n    values = { endpoints = { %s } }\n  }\n}\n", test.service, test.values)
		m, ev := composed.Text(t, source)
		_, told := compose.Compose(m, ev, compose.Facts{})
		if test.want == "" {
			if len(told) > 0 {
				t.Errorf("%s: %s: %v", test.service, test.values, told)
			}
			continue
		}
		if len(told) != 1 || told[0].Severity != diag.Warning || !strings.Contains(told[0].Hint, test.want) ||
			!strings.Contains(strings.Split(source, "\n")[told[0].Subject.Start.Line-1], "values = {") {
			t.Errorf("%s: %s: %v, want a warning with %s", test.service, test.values, told, test.want)
		}
	}
	tellsSensitive(t)
	agreed := "profile \"written\" {\n"
	for _, service := range []string{"memcached", "keystone", "horizon", "glance"} {
		agreed += fmt.Sprintf("  service %q {\n    values = { endpoints = { oslo_cache = { port = { memcache = { default = 11212 } } } } }\n  }\n", service)
	}
	few := "cloud \"c\" {\n  release = \"2026.1\"\n  profile = profile.written\n  charts { repository = \"charts\" }\n"
	for _, service := range []string{"mariadb", "rabbitmq", "memcached", "keystone", "horizon", "glance"} {
		few += fmt.Sprintf("  service %q {}\n", service)
	}
	m, ev := composed.Text(t, few+"}\n"+agreed+"}\n")
	if _, told := compose.Compose(m, ev, compose.Facts{}); len(told) > 0 {
		t.Errorf("where all agree: %v", told)
	}
}

// tellsSensitive has the same told of what nobody may see, which may be right.
func tellsSensitive(t *testing.T) {
	t.Helper()
	for _, test := range []struct {
		port string
		want bool
	}{{"3306", false}, {"3307", true}, {`"3306"`, false}} {
		m, ev := composed.Text(t, composed.Source("ovs", "", "  profile = profile.written")+"variable \"port\" {\n  default   = "+test.port+"\n  sensitive = true\n}\n"+
			"profile \"written\" {\n  service \"mariadb\" {\n    values = { endpoints = { oslo_db = { port = { mysql = { default = var.port } } } } }\n  }\n}\n")
		_, told := compose.Compose(m, ev, compose.Facts{})
		if test.want != (len(told) == 1) || len(told) > 1 || test.want && (!strings.Contains(told[0].Detail, "of mariadb is (sensitive), ") || strings.Contains(told[0].Error(), "3307")) {
			t.Errorf("with a sensitive %s: %v", test.port, told)
		}
	}
}
