package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOriginsOfMistakes wants a mistake in merged settings told where it was written, in whatever layer, and
// once for all nodes that it reaches.
func TestOriginsOfMistakes(t *testing.T) {
	const wide = "340282366920938463463374607431768211456"
	layers := func(cloud, base, site, node string) string {
		return strings.NewReplacer("CLOUD", cloud, "BASE", base, "SITE", site, "NODE", node).Replace(`cloud "c" {
  release = "2026.1"
  profile = profile.site
  charts { repository = "charts" }
  service "memcached" { CLOUD }
}
profile "base" {
  service "memcached" { BASE }
}
profile "site" {
  from = profile.base
  service "memcached" { SITE }
}
profile "node" {
  service "memcached" { NODE }
}
node "a" {
  roles   = ["compute"]
  profile = profile.node
}
node "b" {
  roles   = ["compute"]
  profile = profile.node
}
`)
	}
	for _, test := range []struct{ name, text, where, about, detail string }{
		{"cloud", layers("conf = { a = { n = "+wide+" } }", "conf = { a = { m = 1 } }", "", ""), "main.hcl:5:40", "service.memcached", "conf.a.n of memcached"},
		{"values", layers("values = { a = ["+wide+"] }", "", "values = { b = 1 }", ""), "main.hcl:5:36", "service.memcached", "values.a[0] of memcached"},
		{"base profile", layers("conf = { a = { n = 1 } }", "conf = { a = { n = "+wide+" } }", "conf = { a = { m = 1 } }", ""), "main.hcl:8:40", "profile.base", "conf.a.n of memcached"},
		{"over the base profile", layers("conf = { a = { n = "+wide+" } }", "conf = { a = "+wide+" }", "", ""), "main.hcl:8:34", "profile.base", "conf.a of memcached"},
		{"node", layers("conf = { a = 1 }", "", "", `conf = { "x.y" = `+wide+" }"), "main.hcl:15:34", "profile.node", `conf["x.y"] of memcached`},
		{"an addition", layers("conf = { a = [1] }", "conf = { a = append(["+wide+"]) }", "conf = { a = append([2]) }", ""), "main.hcl:8:34", "profile.base", "conf.a[1] of memcached"},
		{"a profile of nodes", layers("", "", "", "conf = { b = { d = 1, c = 2 } }"), "main.hcl:15:47", "profile.node", "conf.b.c differs on nodes with the profile node"},
	} {
		m, ev := composed.Text(t, test.text)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		// What is wrong beside it, as that this chart lets no node differ, is told as well.
		if len(diags) == 0 || slices.ContainsFunc(diags[1:], func(d diag.Diagnostic) bool { return d.Code == diags[0].Code }) {
			t.Errorf("%s: told %+v", test.name, diags)
			continue
		}
		d := diags[0]
		if d.Subject.String() != test.where || d.Address.String() != test.about || !strings.Contains(d.Detail, test.detail) || d.Hint == "" {
			t.Errorf("%s: told %v in %v: %s (%s)", test.name, d.Subject, d.Address, d.Detail, d.Hint)
		}
	}
}
