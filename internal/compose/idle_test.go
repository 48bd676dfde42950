package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// What no chart takes is told also of a profile that nobody uses.
func TestProfilesThatNobodyUses(t *testing.T) {
	complete := composed.Source("ovs", "")
	const bad = "profile \"p\" {\n  service \"nova\" {\n    conf = { n = 99999999999999999999 }\n  }\n}\n"
	for name, c := range map[string]struct {
		config string
		want   []string
	}{
		"idle":            {complete + bad, []string{"main.hcl:51:14 compose.invalid-value"}},
		"below another":   {complete + bad + "profile \"q\" {\n  from = profile.p\n}\n", []string{"main.hcl:51:14 compose.invalid-value"}},
		"used":            {complete + bad + "node \"n\" {\n  roles = [\"compute\"]\n  profile = profile.p\n}\n" + composed.Network, []string{"main.hcl:49:1 compose.slot", "main.hcl:51:14 compose.invalid-value"}},
		"values":          {complete + strings.Replace(bad, "conf", "values", 1), []string{"main.hcl:51:16 compose.invalid-value"}},
		"good":            {complete + strings.Replace(bad, "99999999999999999999", "append([9])", 1), nil},
		"without service": {strings.Replace(complete, "service \"horizon\" { replicas = 2 }", "", 1) + strings.Replace(bad, "nova", "horizon", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, c.config)
			_, diags := compose.Compose(m, ev, compose.Facts{})
			if got := codes(diags); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q: %+v", got, c.want, diags)
			}
		})
	}
}
