package export_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

var update = flag.Bool("update", false, "write the golden files anew")

// uid is an id as OpenStack has them.
func uid(short string) string {
	return fmt.Sprintf("00000000-0000-4000-8000-%012x", short)
}

// cloud is a small one with everything that makes a difference to how it is written.
func cloud() []unit.Live {
	text := cty.StringVal
	list := func(texts ...string) cty.Value {
		var all []cty.Value
		for _, s := range texts {
			all = append(all, text(s))
		}
		return cty.ListVal(all)
	}
	rule := func(values map[string]cty.Value) cty.Value {
		all := map[string]cty.Value{"direction": text("ingress"), "ethertype": text("IPv4")}
		for _, name := range []string{"protocol", "remote_cidr", "remote_group", "description"} {
			all[name] = cty.NullVal(cty.String)
		}
		for _, name := range []string{"port_min", "port_max"} {
			all[name] = cty.NullVal(cty.Number)
		}
		for name, v := range values {
			all[name] = v
		}
		return cty.ObjectVal(all)
	}
	return []unit.Live{
		{Kind: "project", ID: uid("p1"), Title: "shop", Values: map[string]cty.Value{"id": text(uid("p1")), "name": text("shop"), "description": text("costs ${5} and %{6}")}},
		{Kind: "project", ID: uid("p2"), Title: "other", Values: map[string]cty.Value{}},
		{Kind: "network", ID: uid("n1"), Title: "web net", Project: uid("p1"), Values: map[string]cty.Value{
			"project": text(uid("p1")), "admin_state_up": cty.True, "shared": cty.False, "mtu": cty.NumberIntVal(1400), "description": text(""),
			"tags": cty.SetVal([]cty.Value{text("b"), text("a")}), "provider_segmentation_id": cty.NullVal(cty.Number),
		}},
		{Kind: "network", ID: uid("n2"), Title: "web net", Project: uid("p1"), Values: map[string]cty.Value{"project": text(uid("p1"))}},
		{Kind: "network", ID: uid("n3"), Title: "1.public", Project: uid("p2"), Values: map[string]cty.Value{"project": text(uid("p2")), "external": cty.True}},
		{Kind: "network", ID: uid("n4"), Title: "ours", Project: uid("p1"), Managed: true, Values: map[string]cty.Value{"project": text(uid("p1"))}},
		{Kind: "subnet", ID: uid("s1"), Title: "web", Project: uid("p1"), Values: map[string]cty.Value{
			"project": text(uid("p1")), "network": text(uid("n1")), "cidr": text("10.0.0.0/24"), "gateway_ip": text("10.0.0.1"), "no_gateway": cty.False,
			"allocation_pools": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"start": text("10.0.0.10"), "end": text("10.0.0.20")})}), "ip_version": cty.NumberIntVal(4),
		}},
		{Kind: "subnet", ID: uid("s2"), Title: "inner", Project: uid("p1"), Values: map[string]cty.Value{
			"project": text(uid("p1")), "network": text(uid("n4")), "cidr": text("10.0.1.0/24"), "gateway_ip": cty.NullVal(cty.String), "no_gateway": cty.True,
		}},
		{Kind: "router", ID: uid("r1"), Title: "edge", Project: uid("p1"), Values: map[string]cty.Value{"project": text(uid("p1")), "external_network": text(uid("n3")), "subnets": list(uid("s1"), uid("gone"))}},
		{Kind: "security_group", ID: uid("g1"), Title: "web", Project: uid("p1"), Values: map[string]cty.Value{"project": text(uid("p1")), "rule": cty.ListVal([]cty.Value{
			rule(map[string]cty.Value{"remote_group": text(uid("g1"))}),
			rule(map[string]cty.Value{"protocol": text("tcp"), "port_min": cty.NumberIntVal(80), "port_max": cty.NumberIntVal(80), "ethertype": text("IPv6")}),
			rule(map[string]cty.Value{"remote_group": text(uid("g2"))}),
		})}},
		{Kind: "security_group", ID: uid("g2"), Title: "default", Project: uid("p1"), Incidental: true, Values: map[string]cty.Value{"project": text(uid("p1"))}},
		{Kind: "security_group", ID: uid("g3"), Title: "default", Project: uid("p2"), Incidental: true, Values: map[string]cty.Value{"project": text(uid("p2"))}},
		{Kind: "rbac_policy", ID: uid("y1"), Title: "with other", Project: uid("p1"), Values: map[string]cty.Value{
			"object_type": text("network"), "object": text(uid("n1")), "action": text("access_as_shared"), "target": text(uid("p2")),
		}},
		{Kind: "rbac_policy", ID: uid("y2"), Title: "with all", Project: uid("p1"), Values: map[string]cty.Value{
			"object_type": text("address_group"), "object": text(uid("gone")), "action": text("access_as_shared"), "target": text("*"),
		}},
		{Kind: "flavor", ID: uid("f1"), Title: "m1.small", Values: map[string]cty.Value{
			"vcpus": cty.NumberIntVal(1), "ram": cty.NumberIntVal(64), "extra_specs": cty.MapVal(map[string]cty.Value{"hw:cpu_policy": text("shared"), "a": text("b")}),
		}},
		{Kind: "image", ID: uid("i1"), Title: "debian", Project: uid("p2"), Values: map[string]cty.Value{"project": text(uid("p2")), "disk_format": text("qcow2"), "container_format": text("bare")}},
		{Kind: "instance", ID: uid("v1"), Title: "web", Project: uid("p1"), Values: map[string]cty.Value{
			"project": text(uid("p1")), "image": text(uid("i1")), "flavor": text(uid("f1")), "networks": list(uid("n1")), "keypair": text("ops"), "addresses": list("10.0.0.11"), "host": text("h"),
		}},
		{Kind: "keypair", ID: "ops", Title: "ops", Values: map[string]cty.Value{"public_key": text("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v")}},
	}
}

func TestExport(t *testing.T) {
	for name, by := range map[string]export.Selection{
		"all":       {},
		"project":   {Project: "shop"},
		"instances": {Kinds: []string{"instance", "subnet"}, Project: uid("p1")},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := export.Export(schema.New(), cloud(), by)
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for _, f := range result.Files {
				all.WriteString("# " + f.Name + "\n" + string(f.Content) + "\n")
			}
			m, _ := composed.Text(t, "cloud \"x\" {\n  openstack {\n    cloud = \"x\"\n  }\n}\n"+all.String())
			if len(m.Imports) != result.Objects {
				t.Errorf("%d import blocks for %d objects", len(m.Imports), result.Objects)
			}
			golden := filepath.Join("testdata", name+".hcl")
			if *update {
				if err := os.WriteFile(golden, []byte(all.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || string(want) != all.String() {
				t.Errorf("%v, got\n%s\nwant\n%s", err, all.String(), want)
			}
		})
	}
}

// TestWhatIsOutOfSightIsLookedUpByItsID does so as nothing else finds it.
func TestWhatIsOutOfSightIsLookedUpByItsID(t *testing.T) {
	all := cloud()
	for i := range all {
		all[i].Concealed = all[i].Kind == "image"
	}
	result, err := export.Export(schema.New(), all, export.Selection{Kinds: []string{"instance"}})
	if err != nil {
		t.Fatal(err)
	}
	last := result.Files[len(result.Files)-1]
	if text := string(last.Content); last.Name != "data.hcl" || !strings.Contains(text, "data \"image\" \"debian\" {\n  id = \""+uid("i1")) {
		t.Errorf("%s is\n%s", last.Name, text)
	}
}

func TestExportOfAProjectThatIsNotMeant(t *testing.T) {
	twice := append(cloud(), unit.Live{Kind: "project", ID: uid("p3"), Title: "shop"})
	for wanted, want := range map[string]string{"nobody's": "no project with the name or id", "shop": "several projects"} {
		if _, err := export.Export(schema.New(), twice, export.Selection{Project: wanted}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
}

func TestNeeded(t *testing.T) {
	got := strings.Join(export.Needed(schema.New(), []string{"subnet", "router"}), " ")
	for _, want := range []string{"subnet", "router", "network", "project"} {
		if !strings.Contains(" "+got+" ", " "+want+" ") {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "flavor") {
		t.Errorf("got %s", got)
	}
}

// TestManyOfAKind: a file stays within the size that a configuration may have, and what is in several is taken as one
// configuration.
func TestManyOfAKind(t *testing.T) {
	var many []unit.Live
	for i := range 1500 {
		many = append(many, unit.Live{Kind: "network", ID: uid(fmt.Sprint(i)), Title: fmt.Sprintf("customer-%d-network", i), Project: uid("p1"), Values: map[string]cty.Value{
			"project": cty.StringVal(uid("p1")), "mtu": cty.NumberIntVal(1450), "description": cty.StringVal(strings.Repeat("somebody's ", 18)), "port_security_enabled": cty.True,
			"tags": cty.SetVal([]cty.Value{cty.StringVal("a"), cty.StringVal(fmt.Sprint(i))}),
		}})
	}
	written := func() (export.Result, fstest.MapFS) {
		result, err := export.Export(schema.New(), many, export.Selection{Kinds: []string{"network"}})
		if err != nil {
			t.Fatal(err)
		}
		tree := fstest.MapFS{"cloud.hcl": {Data: []byte("cloud \"x\" {\n  openstack {\n    cloud = \"x\"\n  }\n}\n")}}
		for _, f := range result.Files {
			tree[f.Name] = &fstest.MapFile{Data: f.Content}
		}
		return result, tree
	}
	result, tree := written()
	if len(result.Files) < 3 || result.Files[0].Name != "network.hcl" || result.Files[1].Name != "network-2.hcl" {
		t.Errorf("%d files", len(result.Files))
	}
	if m, _ := composed.Load(t, tree, "."); len(m.Imports) != len(many) || result.Objects != len(many) {
		t.Errorf("%d import blocks, %d objects", len(m.Imports), result.Objects)
	}
	slices.Reverse(many)
	if _, again := written(); !reflect.DeepEqual(tree, again) {
		t.Error("another order makes other files")
	}
}
