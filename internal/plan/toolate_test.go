package plan_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// What is asked for once a service is gone does not happen, so it is refused.
func TestCleanUpThatComesTooLate(t *testing.T) {
	heat := addr.MustParseObject("service.heat")
	for _, c := range []struct {
		name        string
		uninstalled map[addr.Object][]string
		entries     []inventory.Entry
		want        string
	}{
		{"never there", nil, nil, ""},
		{"gone with all of it", map[addr.Object][]string{heat: {"database", "messaging", "users"}}, nil, ""},
		{"gone with a part of it", map[addr.Object][]string{heat: {"users"}}, nil, "Database of clean_up cannot go with it any more"},
		{"gone without", map[addr.Object][]string{heat: {}}, nil, "Database, users of clean_up cannot go with it any more"},
		{"there again", map[addr.Object][]string{heat: {}}, []inventory.Entry{{Address: heat}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			where := diag.Range{File: "main.hcl"}
			p := plan.Make(plan.Input{
				Language: schema.New(), Removed: map[addr.Object]bool{heat: true}, CleanUps: map[addr.Object][]string{heat: {"database", "users"}},
				Uninstalled: c.uninstalled, Entries: c.entries, Ranges: map[string]diag.Range{plan.FixedAt("service.heat", "clean_up"): where},
			})
			if c.want == "" {
				if len(p.Refused) > 0 {
					t.Errorf("refused: %v", p.Refused)
				}
				return
			}
			if len(p.Refused) != 1 || p.Refused[0].Code != plan.CodeTooLate || *p.Refused[0].Subject != where || !strings.Contains(p.Refused[0].Detail, c.want) || !strings.Contains(p.Refused[0].Hint, "enable the service again") {
				t.Errorf("refused: %+v", p.Refused)
			}
		})
	}
}
