package inventory_test

import (
	"fmt"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
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
