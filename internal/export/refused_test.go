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

// TestExportWithoutMany leaves out more objects than a list of mistakes has room for.
func TestExportWithoutMany(t *testing.T) {
	const wrong = 600
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
