package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestVersionsOfBrokerAndDatabase takes the versions that the charts are known to work with, and others where somebody
// said so: for all charts, or with an image.
func TestVersionsOfBrokerAndDatabase(t *testing.T) {
	const head = "cloud \"c\" {\n  release = \"2026.1\"\n  charts {\n    repository = \"charts\"\n    UNKNOWN\n  }\n"
	for _, c := range []struct{ service, written, charts, want string }{
		{"rabbitmq", `version = "4.1"`, "", ""},
		{"rabbitmq", `version = "4.1.3-alpine"`, "", ""},
		{"rabbitmq", `version = "3.13"`, "", ""},
		{"rabbitmq", `version = "4"`, "", ""},
		{"rabbitmq", `version = "4-management"`, "", ""},
		{"rabbitmq", `version = "4.x"`, "", "and not with 4.x"},
		{"rabbitmq", `version = "4.1x"`, "", "and not with 4.1x"},
		{"rabbitmq", `version = "3.12"`, "", "known to work with 3.13, 4.0, 4.1, 4.2 and 4.3 of rabbitmq, and not with 3.12"},
		{"rabbitmq", `version = "4.30"`, "", "and not with 4.30"},
		{"rabbitmq", `version = "5"`, "", "and not with 5"},
		{"rabbitmq", `version = "5"`, "unknown_versions = true", ""},
		{"rabbitmq", "version = \"5\"\n    images = { rabbitmq = \"registry.example.org/rabbitmq:5\" }", "", ""},
		{"mariadb", `version = "11.4"`, "", ""},
		{"mariadb", `version = "11.8"`, "", "the images of the chart have 11.4 of mariadb, and no image is known that the chart could start 11.8 from"},
		{"mariadb", `version = "11.4.8"`, "", "could start 11.4.8 from"},
		{"mariadb", `version = "11.8"`, "unknown_versions = true", "could start 11.8 from"}, // the chart's own image is no other one for that
		{"mariadb", "version = \"11.8\"\n    images = { mariadb = \"registry.example.org/mariadb:11.8-k8s\" }", "", ""},
		{"mariadb", "version = \"11.8\"\n    values = { images = { tags = { mariadb = \"registry.example.org/mariadb:11.8-k8s\" } } }", "", ""},
		{"mariadb", "version = \"11.8\"\n    images = { mariadb = null }", "", "could start 11.8 from"},
	} {
		text := strings.Replace(head, "UNKNOWN", c.charts, 1) + "  service \"" + c.service + "\" {\n    " + c.written + "\n  }\n}\n"
		m, ev := composed.Text(t, text)
		units, diags := compose.Compose(m, ev, compose.Facts{})
		if c.want == "" {
			if diags.HasErrors() {
				t.Errorf("%s with %s: %v", c.service, c.written, diags)
				continue
			}
			for i := range units {
				if u := &units[i]; u.Address.String() == "service."+c.service && (u.Fixed[unit.FixedVersion] == "" || !strings.Contains(c.written, u.Fixed[unit.FixedVersion])) {
					t.Errorf("%s with %s keeps %q", c.service, c.written, u.Fixed[unit.FixedVersion])
				}
			}
			continue
		}
		line := 0
		for _, d := range diags {
			if d.Code == "compose.unknown-version" && strings.Contains(d.Detail, c.want) && d.Hint != "" && d.Subject != nil {
				line = d.Subject.Start.Line
			}
		}
		if line != 8 {
			t.Errorf("%s with %s: %v, want %q at line 8", c.service, c.written, diags, c.want)
		}
	}
	doc := schema.New().Block("cloud").Nested("service").Attribute("version").Doc
	for _, said := range []string{"Of RabbitMQ 3.13 and 4.0 to 4.3 are known", "Of MariaDB 11.4 is known"} {
		if !strings.Contains(doc, said) {
			t.Errorf("the reference does not say %q", said)
		}
	}
}
