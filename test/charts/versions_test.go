//go:build beds

package charts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestVersionsOfOpenStackHelm has OpenStack-Helm's charts of broker and database rendered with a version: RabbitMQ's server
// and its management are of it, and MariaDB's server is what the chart has, which is of the version that is known.
func TestVersionsOfOpenStackHelm(t *testing.T) {
	dir := checkoutOfCharts(t)
	images := func(service, block string) []string {
		m, ev := composed.Text(t, "cloud \"c\" {\n  release = \"2026.1\"\n  charts {\n    repository = \"charts\"\n  }\n  service \""+service+"\" {\n    "+block+"\n  }\n}\n")
		var found []string
		for _, document := range renderedBy(t, theirs(t, dir, service), composed.Release(t, composed.Compose(t, m, ev, compose.Facts{}), service)) {
			for line := range strings.Lines(document) {
				if _, image, is := strings.Cut(strings.TrimSpace(line), "image: "); is {
					found = append(found, strings.Trim(image, `"`))
				}
			}
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	usual, chosen := images("rabbitmq", ""), images("rabbitmq", `version = "4.1"`)
	for _, image := range []string{"docker.io/rabbitmq:4.1", "docker.io/rabbitmq:4.1-management"} {
		if slices.Contains(usual, image) || !slices.Contains(chosen, image) {
			t.Errorf("with a version rabbitmq runs %q, without %q", chosen, usual)
		}
	}
	for _, image := range chosen {
		if strings.Contains(image, "/rabbitmq:") && !strings.Contains(image, ":4.1") {
			t.Errorf("with a version rabbitmq runs %s as well", image)
		}
	}
	chart := theirs(t, dir, "mariadb")
	series := unit.Series(strings.TrimPrefix(chart.Metadata.AppVersion, "v"))
	if usual, chosen := images("mariadb", ""), images("mariadb", `version = "`+series+`"`); len(chosen) == 0 || !slices.Equal(usual, chosen) {
		t.Errorf("with version = %q mariadb runs %q, without %q", series, chosen, usual)
	}
}
