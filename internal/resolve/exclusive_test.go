package resolve_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

const subnetWith = reachOnly + `
variable "gw" {
  type    = string
  default = null
}
data "network" "public" {
  name = "public"
}
network "web" {}
security_group "other" {}
subnet "web" {
  network = network.web
  cidr    = "10.0.0.0/24"
`

// TestAttributesThatExcludeEachOther has null count as not written, and one message for all that is.
func TestAttributesThatExcludeEachOther(t *testing.T) {
	rules := func(of, content string) string {
		return "}\nsecurity_group \"web\" {\ndynamic \"rule\" {\nfor_each = " + of + "\ncontent {\ndirection = \"ingress\"\n" + content + "\n}\n}\n"
	}
	const choice = "remote_cidr = rule.value.cidr\nremote_group = rule.value.group\nself = rule.value.self"
	for _, test := range []struct{ name, body, want string }{
		{"chosen by a variable", "gateway_ip = var.gw\nno_gateway = var.gw == null ? true : null", ""},
		{"null as it is", "gateway_ip = null\nno_gateway = true", ""},
		{"both", "gateway_ip = \"10.0.0.1\"\nno_gateway = false", "no_gateway cannot be written beside gateway_ip, which is at main.hcl:"},
		{"one that is wrong besides", "gateway_ip = \"10.0.0.\"\nno_gateway = true", "no_gateway cannot be written beside gateway_ip"},
		{"not known yet", "gateway_ip = data.network.public.description\nno_gateway = true", ""},
		{"not known yet, and never null", "gateway_ip = \"1${data.network.public.description}\"\nno_gateway = true", "no_gateway cannot be written beside gateway_ip"},
		{"chosen for each rule", rules(`[{ cidr = "10.0.0.0/8", group = null, self = null }, { cidr = null, group = security_group.other.id, self = null }, { cidr = null, group = null, self = true }]`, choice), ""},
		{"two in one of the rules", rules(`[{ cidr = "10.0.0.0/8", group = null, self = null }, { cidr = "10.0.0.0/8", group = null, self = true }]`, choice), "self cannot be written beside remote_cidr"},
		{"a group and a range", rules(`[1]`, "remote_cidr = \"10.0.0.0/8\"\nremote_group = security_group.other"), "remote_group cannot be written beside remote_cidr"},
		{"all three", rules(`[1]`, "remote_cidr = \"10.0.0.0/8\"\nremote_group = security_group.other\nself = true"), "self cannot be written beside remote_cidr, which is at main.hcl:25, and remote_group, which is at main.hcl:26"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, diags := resolveText(t, subnetWith+test.body+"\n}\n", nil)
			var got []string
			for _, d := range diags {
				if d.Code == "resolve.conflict" {
					got = append(got, d.Detail)
				}
			}
			switch {
			case test.want == "" && len(diags) > 0:
				t.Errorf("told: %v", diags)
			case test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
				t.Errorf("got %q of %v, want %q once", got, diags, test.want)
			}
		})
	}
}

// TestConflictAtTheSecondStage has it told once the values are known that decide it.
func TestConflictAtTheSecondStage(t *testing.T) {
	_, e := mustResolve(t, subnetWith+"gateway_ip = data.network.public.description\nno_gateway = true\n}\n", nil)
	for _, test := range []struct {
		known cty.Value
		want  bool
	}{{cty.StringVal("10.0.0.1"), true}, {cty.NullVal(cty.String), false}} {
		outputs := map[addr.Object]cty.Value{object("data.network.public"): cty.ObjectVal(map[string]cty.Value{"description": test.known})}
		_, diags := e.Desired(object("subnet.web"), outputs)
		if got := diags.HasErrors() && diags[0].Code == "resolve.conflict" && len(diags) == 1; got != test.want || !test.want && len(diags) > 0 {
			t.Errorf("%#v: %v", test.known, diags)
		}
	}
}
