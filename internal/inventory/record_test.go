package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What went along with a service is known to the next process, until the service comes back.
func TestUninstalledServices(t *testing.T) {
	s := newStore()
	i := open(t, s)
	heat, nova := addr.MustParseObject("service.heat"), addr.MustParseObject("service.nova")
	if err := i.SetUninstalled(t.Context(), heat, []string{"users"}); err != nil {
		t.Fatal(err)
	}
	if err := i.SetUninstalled(t.Context(), nova, nil); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(open(t, s).Uninstalled()); got != "map[service.heat:[users] service.nova:[]]" {
		t.Errorf("on record are %s", got)
	}
	if err := i.SetInstalled(t.Context(), heat); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(open(t, s).Uninstalled()); got != "map[service.nova:[]]" {
		t.Errorf("afterwards on record are %s", got)
	}
}

// Roles are known to the next process, and a program that knows of none does not write over them.
func TestRolesOfOurOwnUser(t *testing.T) {
	s := newStore()
	i := open(t, s)
	p, q := unit.Grant{User: "us", Project: "p", Role: "r"}, unit.Grant{User: "us", Project: "q", Role: "r"}
	for _, g := range []unit.Grant{q, p, q} {
		if err := i.AddGrant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	if got := open(t, s).Grants(); s.puts != 2 || !slices.Equal(got, []unit.Grant{p, q}) {
		t.Errorf("after %d writes on record are %v", s.puts, got)
	}
	for _, g := range []unit.Grant{q, p} {
		if !strings.Contains(string(s.shards["deployment"].Data), `"format":3`) {
			t.Errorf("the format does not say so: %s", s.shards["deployment"].Data)
		}
		if err := i.DropGrant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	if got := open(t, s).Grants(); len(got) > 0 || !strings.Contains(string(s.shards["deployment"].Data), `"format":1`) {
		t.Errorf("afterwards on record are %v: %s", got, s.shards["deployment"].Data)
	}
}
