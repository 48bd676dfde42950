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
		// What breaks a rule between attributes, and what refers to it; and what cannot be imported by its id.
		{Kind: "network", ID: uid("10"), Title: "web", Values: map[string]cty.Value{}},
		{Kind: "subnet", ID: uid("11"), Title: "odd", Values: map[string]cty.Value{
			"network": text(uid("10")), "cidr": text("10.0.0.0/24"), "gateway_ip": text("10.0.0.20"),
			"allocation_pools": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"start": text("10.0.0.10"), "end": text("10.0.0.20")})}),
		}},
		{Kind: "router", ID: uid("12"), Title: "edge", Values: map[string]cty.Value{"subnets": cty.ListVal([]cty.Value{text(uid("11"))})}},
		{Kind: "router", ID: "not an id", Title: "strange", Values: map[string]cty.Value{}},
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
	if m, _ := composed.Text(t, hcl); len(m.Imports) != 10 || result.Unwritable != 4 || !strings.Contains(hcl, "[data.subnet.odd]") {
		t.Errorf("%d imports, %d left out, want 10 and 4:\n%s", len(m.Imports), result.Unwritable, hcl)
	}
}
