package resolve_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// A circle of thousands is told in a few lines.
func TestLongCircles(t *testing.T) {
	const n = 3000
	var locals, profiles, moves strings.Builder
	locals.WriteString("locals {\n")
	for i := range n {
		next := (i + 1) % n
		fmt.Fprintf(&locals, "  l%d = local.l%d\n", i, next)
		fmt.Fprintf(&profiles, "profile \"p%d\" {\n  from = \"p%d\"\n}\n", i, next)
		if i < 900 {
			fmt.Fprintf(&moves, "moved {\n  from = network.n%d\n  to   = network.n%d\n}\n", i, (i+1)%900)
		}
	}
	locals.WriteString("}\n")
	for name, text := range map[string]string{"locals": locals.String(), "profiles": profiles.String(), "moves": moves.String()} {
		t.Run(name, func(t *testing.T) {
			cfg, diags := config.Load(schema.New(), fstest.MapFS{"main.hcl": {Data: []byte(reachOnly + text)}}, ".", config.DefaultLimits())
			_, _, more := resolve.Resolve(cfg, nil)
			if diags.Append(more...); len(diags) != 1 || len(diags[0].Detail) > 1000 || !strings.Contains(diags[0].Detail, " more … → ") {
				t.Errorf("told %d times: %.3000s", len(diags), diags)
			}
			for _, d := range diags {
				t.Log(d.Detail)
			}
		})
	}
}
