package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// ruleTexts are the rules of a desired security group, in short.
func ruleTexts(t *testing.T, desired cty.Value) string {
	t.Helper()
	var all []string
	for it := desired.GetAttr("rule").ElementIterator(); it.Next(); {
		_, rule := it.Element()
		text := ""
		for _, name := range []string{"direction", "protocol", "port_min", "remote_cidr", "remote_group", "description"} {
			v, _ := rule.GetAttr(name).Unmark()
			switch {
			case v.IsNull():
			case !v.IsKnown():
				text += " ?"
			case v.Type() == cty.Number:
				text += " " + v.AsBigFloat().Text('f', -1)
			default:
				text += " " + v.AsString()
			}
		}
		all = append(all, strings.TrimSpace(text))
	}
	return strings.Join(all, "; ")
}

func TestDynamicBlocks(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"a list", `
dynamic "rule" {
  for_each = [80, 443]
  content {
    direction   = "ingress"
    protocol    = "tcp"
    port_min    = rule.value
    description = "no ${rule.key}"
  }
}`, "ingress tcp 80 no 0; ingress tcp 443 no 1"},
		{"a set", `
dynamic "rule" {
  for_each = toset(["tcp", "icmp"])
  content {
    direction = rule.key == rule.value ? "ingress" : "egress"
    protocol  = rule.value
  }
}`, "ingress icmp; ingress tcp"},
		{"a map under another name, beside plain blocks", `
rule { direction = "egress" }
dynamic "rule" {
  for_each = { dns = 53, ssh = 22 }
  iterator = port
  content {
    direction   = "ingress"
    protocol    = "tcp"
    port_min    = port.value
    description = port.key
  }
}
rule {
  direction = "ingress"
  protocol  = "icmp"
}`, "egress; ingress tcp 53 dns; ingress tcp 22 ssh; ingress icmp"},
		{"nothing", `
dynamic "rule" {
  for_each = []
  content { direction = rule.value }
}`, ""},
		{"objects, and each of the resource", `
for_each = { a = ["10.0.0.0/8", "192.0.2.0/24"] }
name     = each.key
dynamic "rule" {
  for_each = [for cidr in each.value : { cidr = cidr, direction = "ingress" }]
  content {
    direction   = rule.value.direction
    remote_cidr = rule.value.cidr
    description = each.key
  }
}`, "ingress 10.0.0.0/8 a; ingress 192.0.2.0/24 a"},
		{"an iterator with the name of a kind", `
dynamic "rule" {
  for_each = ["tcp"]
  iterator = network
  content {
    direction = "ingress"
    protocol  = network.value
  }
}`, "ingress tcp"},
		{"a for expression hides the iterator", `
dynamic "rule" {
  for_each = ["tcp"]
  content {
    direction   = "ingress"
    description = join(",", [for rule in ["x", "y"] : rule])
  }
}`, "ingress x,y"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, _ := mustResolve(t, reachOnly+"security_group \"web\" {\n"+test.body+"\n}\n", nil)
			if got := ruleTexts(t, m.Resources[0].Desired); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestDynamicBlocksFollowOutputs has the number of blocks known at load, and what is in them later.
func TestDynamicBlocksFollowOutputs(t *testing.T) {
	m, e := mustResolve(t, reachOnly+`
locals {
  peers = { a = security_group.peer["a"].id, b = security_group.peer["b"].id }
}
security_group "peer" {
  for_each = toset(["a", "b", "c"])
  name     = each.key
}
security_group "web" {
  dynamic "rule" {
    for_each = local.peers
    content {
      direction    = "ingress"
      remote_group = rule.value
    }
  }
  dynamic "rule" {
    for_each = ["a"]
    content {
      direction    = "egress"
      remote_group = security_group.peer[rule.value].id
    }
  }
}
`, nil)
	web := m.Resource(object("security_group.web"))
	if got := ruleTexts(t, web.Desired); got != "ingress ?; ingress ?; egress ?" {
		t.Errorf("at load: %s", got)
	}
	if got := strings.Join(edges(web), " "); got != `security_group.peer["a"] security_group.peer["b"]` {
		t.Errorf("it depends on %s", got)
	}
	outputs := map[addr.Object]cty.Value{}
	for _, key := range []string{"a", "b"} {
		outputs[object(fmt.Sprintf("security_group.peer[%q]", key))] = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("id-" + key)})
	}
	desired, diags := e.Desired(web.Address, outputs)
	if got := ruleTexts(t, desired); got != "ingress id-a; ingress id-b; egress id-a" || len(diags) > 0 {
		t.Errorf("later: %s %v", got, diags)
	}
}

func TestDynamicBlocksAreBounded(t *testing.T) {
	slow.Test(t)
	group := func(objects, elements int) string {
		return reachOnly + fmt.Sprintf(`
security_group "web" {
  for_each = toset([for n in range(%d) : tostring(n)])
  name     = each.key
  dynamic "rule" {
    for_each = range(%d)
    content { direction = "ingress" }
  }
}
`, objects, elements)
	}
	mustResolve(t, group(5, 1000), nil)
	if _, _, diags := resolveText(t, group(60, 1000), nil); len(diags) != 1 || diags[0].Code != "resolve.too-large" {
		t.Errorf("60,000 blocks: %v", diags)
	}
}

// TestCrowdedBlocksAreToldOnce: however many blocks come after the one that is too much.
func TestCrowdedBlocksAreToldOnce(t *testing.T) {
	slow.Test(t)
	groups := func(objects, elements, dynamics int) string {
		text := reachOnly
		for n := range objects {
			rules := strings.Repeat(fmt.Sprintf("  dynamic \"rule\" {\n    for_each = range(%d)\n    content { direction = \"ingress\" }\n  }\n", elements), dynamics)
			text += fmt.Sprintf("security_group \"g%d\" {\n%s}\n", n, rules)
		}
		return text
	}
	for _, test := range []struct {
		name, text, summary string
		want                int
	}{
		{"in all", groups(60, 1000, 1), "too many blocks in all", 1},
		{"in one", groups(1, 600, 4), "too many blocks", 1},
		{"in two", groups(2, 600, 4), "too many blocks", 2},
	} {
		_, _, diags := resolveText(t, test.text, nil)
		if len(diags) != test.want {
			t.Errorf("%s: told %v", test.name, diags)
		}
		for _, d := range diags {
			if d.Code != "resolve.too-large" || d.Summary != test.summary || d.Hint == "" {
				t.Errorf("%s: told %+v", test.name, d)
			}
		}
	}
}

// Dynamic blocks of a module are made for each instance of it, from what that is given, at both stages.
func TestDynamicBlocksInModules(t *testing.T) {
	m, e := mustResolveTree(t, tree("main.hcl", `
security_group "peer" {}
module "web" {
  source   = "./edge"
  for_each = { a = [80], b = [443, 22], c = [] }
  ports    = each.value
  peer     = security_group.peer.id
}
`, "edge/edge.hcl", `
variable "ports" {}
variable "peer" {}
locals {
  offset = 8000
}
security_group "g" {
  name = "g"
  dynamic "rule" {
    for_each = { for p in var.ports : tostring(p) => p }
    content {
      direction    = "ingress"
      protocol     = "tcp"
      port_min     = rule.value + local.offset
      remote_group = var.peer
      description  = rule.key
    }
  }
  dynamic "rule" {
    for_each = var.ports
    iterator = port
    content {
      direction    = "egress"
      protocol     = "udp"
      port_min     = port.value
      remote_group = security_group.inner[port.key].id
    }
  }
}
security_group "inner" {
  for_each = toset([for n in range(length(var.ports)) : tostring(n)])
  name     = each.key
}
`))
	outputs := map[addr.Object]cty.Value{object("security_group.peer"): cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("peer-id")})}
	for key, want := range map[string][2]string{
		"a": {"ingress tcp 8080 ? 80; egress udp 80 ?", "ingress tcp 8080 peer-id 80; egress udp 80 ?"},
		"b": {"ingress tcp 8022 ? 22; ingress tcp 8443 ? 443; egress udp 443 ?; egress udp 22 ?", "ingress tcp 8022 peer-id 22; ingress tcp 8443 peer-id 443; egress udp 443 ?; egress udp 22 ?"},
		"c": {"", ""},
	} {
		r := m.Resource(object(fmt.Sprintf("module.web[%q].security_group.g", key)))
		if r == nil {
			t.Fatalf("there are %v", addresses(m))
		}
		if got := ruleTexts(t, r.Desired); got != want[0] {
			t.Errorf("%s at load: got %s, want %s", key, got, want[0])
		}
		late, diags := e.Desired(r.Address, outputs)
		if got := ruleTexts(t, late); got != want[1] || len(diags) > 0 {
			t.Errorf("%s later: got %s, want %s %v", key, got, want[1], diags)
		}
	}
	checkEdges(t, m, map[string][]string{
		`module.web["a"].security_group.g`: {"security_group.peer", `module.web["a"].security_group.inner["0"]`},
		`module.web["b"].security_group.g`: {"security_group.peer", `module.web["b"].security_group.inner["0"]`, `module.web["b"].security_group.inner["1"]`},
		`module.web["c"].security_group.g`: {},
	})
}
