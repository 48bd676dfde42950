package export_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestExportOfMoreThanAConfigurationMayHave says so, as no object is to blame.
func TestExportOfMoreThanAConfigurationMayHave(t *testing.T) {
	var many []unit.Live
	for i := range 7000 { // two blocks each
		many = append(many, unit.Live{Kind: "network", ID: uid(fmt.Sprint(i)), Title: fmt.Sprint("n", i), Values: map[string]cty.Value{}})
	}
	_, err := export.Export(schema.New(), many, export.Selection{})
	if refused := (*export.RefusedError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "too large") || !strings.Contains(err.Error(), "--kind") {
		t.Errorf("got %v", err)
	}
}

// TestExportWithoutMany leaves out more objects than a list of mistakes has room for, and than a few such lists have.
func TestExportWithoutMany(t *testing.T) {
	const wrong = 2500
	live := []unit.Live{{Kind: "network", ID: uid("net"), Title: "web", Values: map[string]cty.Value{}}}
	for i := range wrong {
		live = append(live, unit.Live{Kind: "subnet", ID: uid(fmt.Sprint("s", i)), Title: fmt.Sprint("s", i), Values: map[string]cty.Value{
			"network": cty.StringVal(uid("net")), "cidr": cty.StringVal("10.0.0.0/24"), "gateway_ip": cty.StringVal("10.0.0.255"),
		}})
	}
	if result, err := export.Export(schema.New(), live, export.Selection{}); err != nil || result.Objects != 1 || result.Unwritable != wrong {
		t.Errorf("%+v, %v", result.Objects, err)
	}
}

// TestExportWithoutWhatRefersToAnOddID has a network that no block can name: not by its id, and not by its name, as there is
// another one of that. What refers to it is left out alone.
func TestExportWithoutWhatRefersToAnOddID(t *testing.T) {
	live := []unit.Live{
		{Kind: "network", ID: "odd id", Title: "net", Values: map[string]cty.Value{}},
		{Kind: "network", ID: uid("net"), Title: "net", Values: map[string]cty.Value{}},
		{Kind: "router", ID: uid("r"), Title: "fine", Values: map[string]cty.Value{}},
	}
	for i, network := range []string{"odd id", uid("net")} {
		live = append(live, unit.Live{Kind: "subnet", ID: uid(network), Title: fmt.Sprint("s", i), Values: map[string]cty.Value{
			"network": cty.StringVal(network), "cidr": cty.StringVal("10.0.0.0/24"),
		}})
	}
	for name, test := range map[string]struct {
		kinds            []string
		objects, leftOut int
		network          string // of the sound one
	}{
		"with networks":    {nil, 3, 2, "network.net"},
		"without networks": {[]string{"subnet", "router"}, 2, 1, "data.network.net"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := export.Export(schema.New(), live, export.Selection{Kinds: test.kinds})
			var all strings.Builder
			for _, f := range result.Files {
				all.Write(f.Content)
			}
			hcl := all.String()
			if err != nil || result.Objects != test.objects || result.Unwritable != test.leftOut || strings.Contains(hcl, `"s0"`) || !strings.Contains(hcl, `router "fine"`) || !strings.Contains(hcl, "network = "+test.network) {
				t.Errorf("%d exported, %d left out, %v:\n%s", result.Objects, result.Unwritable, err, hcl)
			}
		})
	}
}
