package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestBrokerOfTLSStays: without ssl, or without an authority to check against, clients of the broker send their password to
// whoever answers.
func TestBrokerOfTLSStays(t *testing.T) {
	for written, refused := range map[string]bool{
		`ssl = false`: true, `ssl = "False"`: true, `ssl = null`: true, `ssl_ca_file = ""`: true, `ssl_ca_file = null`: true,
		`ssl = true`: false, `ssl = "yes"`: false, `ssl_ca_file = "/etc/ssl/mine.crt"`: false, `heartbeat_timeout_threshold = 30`: false,
	} {
		source := composed.Without(composed.Secured("ovn", "ceph", issued+noAPIs+bothBackends), "designate", "ironic", "manila", "heat")
		source = strings.Replace(source, "  release ", "  service \"heat\" {\n    values = { conf = { heat = { oslo_messaging_rabbit = { "+written+" } } } }\n  }\n  release ", 1)
		m, ev := composed.Text(t, source)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		if got := diags.HasErrors(); got != refused {
			t.Errorf("%s: refused %t, want %t: %v", written, got, refused, diags)
		}
		for _, d := range diags {
			if d.Severity == diag.Warning && strings.Contains(d.Detail, "oslo_messaging_rabbit") {
				t.Errorf("%s: only warned of: %s", written, d.Detail)
			}
		}
	}
}

// TestClientsOfTLSStay: with a chart that is told to talk plain, jobs log in to the database and the broker as administrators to
// whoever answers.
func TestClientsOfTLSStay(t *testing.T) {
	for written, refused := range map[string]bool{
		`oslo_db = false`: true, `oslo_messaging = false`: true, `oslo_messaging = null`: true, `oslo_db = true`: false,
	} {
		source := composed.Without(composed.Secured("ovn", "ceph", issued+noAPIs+bothBackends), "designate", "ironic", "manila", "heat")
		source = strings.Replace(source, "  release ", "  service \"heat\" {\n    values = { tls = { "+written+" } }\n  }\n  release ", 1)
		m, ev := composed.Text(t, source)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		if got := diags.HasErrors(); got != refused || len(diags) > 0 && !strings.Contains(diags[0].Detail, "in the clear") {
			t.Errorf("%s: refused %t, want %t: %v", written, got, refused, diags)
		}
	}
}
