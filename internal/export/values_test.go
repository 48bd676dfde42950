package export_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// What clouds hold is a configuration that is valid, without what cannot be written.
func TestExportIsValid(t *testing.T) {
	text := cty.StringVal
	image := func(id, title, disk, container string) unit.Live {
		return unit.Live{Kind: "image", ID: uid(id), Title: title, Values: map[string]cty.Value{"disk_format": text(disk), "container_format": text(container)}}
	}
	live := []unit.Live{
		image("1", "windows", "vhdx", "bare"), image("2", "container", "ploop", "compressed"), image("3", strings.Repeat("long ", 51), "raw", "bare"),
		image("4", strings.Repeat("long ", 51), "raw", "bare"), image("5", "odd", "luks", "bare"),
		{Kind: "identity_service", ID: uid("6"), Values: map[string]cty.Value{"type": text("backup")}},
		{Kind: "identity_endpoint", ID: uid("7"), Values: map[string]cty.Value{
			"service": text(uid("6")), "interface": text("public"), "url": text("http://%(public_bind_host)s:$(public_port)s/v1/%(tenant_id)s"),
		}},
		{Kind: "address_scope", ID: uid("8"), Values: map[string]cty.Value{"ip_version": cty.NumberIntVal(4)}},
		{Kind: "region", ID: "far away", Title: "far away", Values: map[string]cty.Value{}},
		{Kind: "network", ID: uid("9"), Title: "no room", Values: map[string]cty.Value{"mtu": cty.NumberIntVal(0)}},
	}
	result, err := export.Export(schema.New(), live, export.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	hcl := "cloud \"x\" {\n  openstack {\n    cloud = \"x\"\n  }\n}\n"
	for _, f := range result.Files {
		hcl += string(f.Content)
	}
	if m, _ := composed.Text(t, hcl); len(m.Imports) != 8 || result.Unwritable != 2 {
		t.Errorf("%d imports, %d left out, want 8 and 2:\n%s", len(m.Imports), result.Unwritable, hcl)
	}
}
