package revision_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/explain"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// canary and quantity are what sensitive variables hold: one of them is in every text, name and number.
const (
	canary   = "canary"
	quantity = "77777"
)

// canaries are sensitive variables, in the forms that places take.
const canaries = `
variable "p" {
  default   = "canary"
  sensitive = true
}
variable "version" {
  default   = "1.0.0-canary"
  sensitive = true
}
variable "address" {
  default   = "https://canary.example.org/v3"
  sensitive = true
}
variable "map" {
  default   = { canary = "x" }
  sensitive = true
}
variable "list" {
  default   = ["canary"]
  sensitive = true
}
variable "size" {
  default   = "77777Gi"
  sensitive = true
}
variable "few" {
  default   = 77777
  sensitive = true
}
variable "three" {
  default   = 3
  sensitive = true
}
variable "yes" {
  default   = true
  sensitive = true
}
variable "drift" {
  default   = "report"
  sensitive = true
}
variable "role" {
  default   = "compute"
  sensitive = true
}
`

const deploys = `
cloud "demo" {
  release = "2026.1"
  region  = "RegionOne"
  charts {
    repository = "oci://registry.example.org/charts"
  }
  openstack {
    cloud = "demo"
  }
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {
    %s
  }
}
`

const reaches = `
cloud "demo" {
  openstack {
    cloud = "demo"
  }
}
`

// shownOf returns all that people and programs are told of a configuration without any server.
func shownOf(t *testing.T, tree fstest.MapFS) (text, summaries string) {
	t.Helper()
	var b strings.Builder
	loaded, found := revision.Load("1", tree, ".", revision.Options{Language: schema.New()})
	if loaded != nil {
		wanted, more := loaded.Compose(compose.Facts{Unlocked: true, Nodes: []string{"n"}})
		found.Diagnostics.Append(more...)
		if wanted != nil {
			for _, format := range report.GraphFormats() {
				graph, err := report.Graph(wanted.Units, format)
				if err != nil {
					t.Fatal(err)
				}
				b.WriteString(graph)
			}
			for i := range wanted.Units {
				u := &wanted.Units[i]
				spec, err := json.Marshal(u.Spec)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "%s %s\n", u.Address, spec)
				if resource, ok := u.Spec.(*unit.Resource); ok {
					fmt.Fprintln(&b, unit.Visible(resource.Desired))
				}
			}
		}
		questions := []string{"cloud"}
		for i := range loaded.Model.Cloud.Services {
			questions = append(questions, loaded.Model.Cloud.Services[i].Address.String())
		}
		for i := range loaded.Model.Profiles {
			questions = append(questions, loaded.Model.Profiles[i].Address.String())
		}
		for i := range loaded.Model.Nodes {
			questions = append(questions, loaded.Model.Nodes[i].Address.String())
		}
		for i := range loaded.Model.Resources {
			questions = append(questions, loaded.Model.Resources[i].Address.String())
		}
		for _, question := range questions {
			answers, err := loaded.Explain(question, "")
			if err != nil {
				fmt.Fprintln(&b, err)
				continue
			}
			if err := explain.Text(&b, answers); err != nil {
				t.Fatal(err)
			}
			document, err := json.Marshal(answers)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(document)
		}
	}
	document, err := json.Marshal(found.Sourced())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found.Diagnostics {
		summaries += d.Summary + "\n"
	}
	return b.String() + found.Text(false) + string(document), summaries
}

// inner is a module with a sensitive output, and an object that is made from what it is given.
const inner = `
variable "given" {
  default = "1"
}
output "kept" {
  value     = "canary"
  sensitive = true
}
project "p" {
  name        = "x"
  description = var.given
}
`

// A sensitive value is shown nowhere, in whatever place it stands: it is hidden, or refused where it would
// be seen.
func TestSensitiveValuesAreNotShown(t *testing.T) {
	service := func(text string) string { return fmt.Sprintf(deploys, text) }
	instead := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("there is no %q to replace", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	inReach := func(text string) string { return instead(reaches, `cloud = "demo"`, text) }
	node := func(text string) string { return service("") + "node \"n\" {\n  " + text + "\n}\n" }
	network := func(text string) string { return reaches + "network \"n\" {\n  " + text + "\n}\n" }
	networks := network("for_each = toset([\"a\"])\n  name = each.key")
	instance := func(text string) string {
		return reaches + "instance \"a\" {\n  image = \"61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11\"\n  flavor = \"f\"\n  " + text + "\n}\n"
	}
	described := func(text string) string {
		return reaches + "project \"a\" {\n  description = " + text + "\n}\n"
	}
	profile := func(text string) string {
		return "profile \"q\" {\n  service \"keystone\" {\n    " + text + "\n  }\n}\n"
	}
	const (
		shown, keys = "sensitive value", "sensitive map"
		useful      = "" // nothing is told
	)
	for name, c := range map[string]struct{ text, want string }{
		"value in conf":           {service(`conf = { keystone = var.p }`), useful},
		"key in conf":             {service(`conf = { keystone = { (var.p) = "x" } }`), keys},
		"key of a secret":         {service(`conf = { keystone = { (var.p) = upper(secret("a", "b")) } }`), keys},
		"keys in values":          {service(`values = { a = { for k in var.list : k => k } }`), keys},
		"map in conf":             {service(`conf = { keystone = var.map }`), keys},
		"conf as a whole":         {service(`conf = var.map`), keys},
		"keys from a function":    {service(`conf = { keystone = zipmap(var.list, [1]) }`), keys},
		"keys of a document":      {service(`conf = { keystone = yamldecode("${var.p}: 1") }`), keys},
		"map in a list":           {service(`conf = { keystone = { a = [{ (var.p) = "x" }] } }`), keys},
		"map in a sensitive list": {service(`conf = { keystone = { a = sensitive([var.map]) } }`), keys},
		"map in an addition":      {service(`conf = { keystone = { a = append([{ (var.p) = "x" }]) } }`), keys},
		"sensitive addition":      {service(`conf = { keystone = { a = append(sensitive([{ (var.p) = "x" }])) } }`), keys},
		"value in an addition":    {service(`conf = { keystone = { a = append([{ x = var.p }]) } }`), useful},
		"list in an addition":     {service(`conf = { keystone = { a = append(var.list) } }`), useful},
		"key in a profile":        {service("") + profile(`conf = { (var.p) = 1 }`), keys},
		"below an addition":       {service(`conf = { a = var.p }`) + profile(`conf = { a = append([1]) }`), "addition to what is no list"},
		"differs by node":         {service(`conf = { keystone = var.p }`) + "node \"n\" {\n  profile = profile.q\n}\n" + profile(`conf = { keystone = { a = 1 } }`), "the same on every node"},
		"replicas":                {service(`replicas = var.three`), shown},
		"replicas of a part":      {service(`replicas = { api = var.three }`), shown},
		"replicas by key":         {service(`replicas = { (var.p) = 1 }`), shown},
		"storage":                 {instead(service(""), `"mariadb" {`, "\"mariadb\" {\n  storage_size = var.size\n"), shown},
		"version":                 {service("version = \"1-${var.p}\""), shown},
		"no version":              {service(`version = var.p`), "invalid value"},
		"charts":                  {instead(service(""), `"oci://registry.example.org/charts"`, "var.address"), shown},
		"version of the charts":   {instead(service(""), `charts"`, "charts\"\n    version = var.version\n"), shown},
		"auth_url":                {inReach(`auth_url = var.address`), shown},
		"entry of clouds.yaml":    {inReach(`cloud = var.p`), shown},
		"Secret with credentials": {inReach(`secret = var.p`), shown},
		"interface":               {inReach(`interface = var.p`), "invalid value"},
		"certificate":             {inReach("cloud = \"demo\"\n    ca = var.p"), "invalid value"},
		"role":                    {node(`roles = [var.role]`), shown},
		"no role":                 {node(`roles = [var.p]`), "invalid value"},
		"roles made sensitive":    {node(`roles = [sensitive("compute"), sensitive(lower("CANARY"))]`), "invalid value"},
		"disabled":                {node(`disabled = var.yes`), shown},
		"name of a node":          {node(`name = var.p`), shown},
		"profile of a node":       {node(`profile = var.p`), shown},
		"nodes":                   {node("for_each = var.map\n  name = each.key"), "sensitive for_each"},
		"metadata":                {instance(`metadata = { a = var.p }`), useful},
		"key of metadata":         {instance(`metadata = { (var.p) = 1 }`), useful},
		"keys of metadata":        {instance(`metadata = { for k in var.list : k => k }`), useful},
		"unknown attribute":       {network("") + "subnet \"a\" {\n  network = network.n\n  cidr = \"10.0.0.0/8\"\n  allocation_pools = [{ (var.p) = 1 }]\n}\n", "unknown attribute"},
		"key of an object":        {networks + "subnet \"a\" {\n  network = network.n[var.p]\n  cidr = \"10.0.0.0/8\"\n}\n", "invalid index"},
		"key of a call":           {described(`module.n[var.p].kept`) + "module \"n\" {\n  for_each = toset([\"a\"])\n  source = \"./m\"\n}\n", "invalid index"},
		"key in depends_on":       {networks + "project \"a\" {\n  depends_on = [network.n[var.p]]\n}\n", "not an address"},
		"for_each":                {network("for_each = toset(var.list)\n  name = each.key"), "sensitive for_each"},
		"key of for_each":         {network("for_each = { (var.p) = 1 }\n  name = each.key"), "sensitive for_each"},
		"element of for_each":     {network("for_each = toset([var.p])\n  name = each.key"), "sensitive for_each"},
		"for_each of a module":    {reaches + "module \"n\" {\n  source = \"./m\"\n  for_each = toset([var.p])\n}\n", "sensitive for_each"},
		"name":                    {network(`name = var.p`), useful},
		"name of a lookup":        {reaches + "data \"network\" \"n\" {\n  name = var.p\n}\n", useful},
		"replace_triggered_by":    {network("lifecycle {\n    replace_triggered_by = [var.p, var.map, { (var.p) = 1 }]\n  }"), useful},
		"drift":                   {network("lifecycle {\n    drift = var.drift\n  }"), shown},
		"no drift":                {network("lifecycle {\n    drift = var.p\n  }"), "invalid value"},
		"prevent_destroy":         {network("lifecycle {\n    prevent_destroy = var.yes\n  }"), shown},
		"id of an import":         {network("") + "import {\n  to = network.n\n  id = var.p\n}\n", "sensitive id"},
		"key of an import":        {networks + "import {\n  to = network.n[var.p]\n  id = \"x\"\n}\n", "not a key"},
		"key of moved":            {network("") + "moved {\n  from = network.m[var.p]\n  to = network.n\n}\n", "not an address"},
		"destroy":                 {reaches + "removed {\n  from = network.m\n  lifecycle {\n    destroy = var.yes\n  }\n}\n", shown},
		"source of a module":      {reaches + "module \"n\" {\n  source = var.p\n}\n", "no such module"},
		"output":                  {described(`module.n.kept`) + "module \"n\" {\n  source = \"./m\"\n}\n", useful},
		"given to a module":       {reaches + "module \"n\" {\n  source = \"./m\"\n  given = var.p\n}\n", useful},
		"key of a dynamic block":  {reaches + "security_group \"n\" {\n  dynamic \"rule\" {\n    for_each = { (var.p) = 1 }\n    content {\n      direction = rule.key\n    }\n  }\n}\n", "sensitive for_each"},
		"in a dynamic block":      {reaches + "security_group \"n\" {\n  dynamic \"rule\" {\n    for_each = [var.p]\n    content {\n      direction = rule.value\n    }\n  }\n}\n", "invalid value"},
		"path":                    {described(`file(var.p)`), "invalid function argument"},
		"directory":               {described(`join("", fileset(var.p, "["))`), "error in function call"},
		"pattern of paths":        {described(`join("", fileset(".", "[${var.p}"))`), "error in function call"},
		"pattern":                 {described(`try(tonumber(var.p), regex(var.p, "x"))`), "error in function call"},
		"path of a template":      {described(`templatefile(var.p, {})`), "invalid function argument"},
		"name in a template":      {described(`templatestring("$${x}", { (var.p) = 1 })`), "error in function call"},
		"no name in a template":   {described(`templatestring("$${x}", { "${var.p} x" = 1 })`), "invalid function argument"},
		"index":                   {described(`{ a = 1 }[var.p]`), "invalid index"},
		"attribute":               {described(`var.map.nothing`), "unsupported attribute"},
		"condition":               {described(`var.p ? 1 : 2`), "incorrect condition type"},
		"the same key twice":      {described(`{ for k in [1, 2] : var.p => k }`), "duplicate object key"},
		"rule":                    {reaches + "variable \"q\" {\n  default = \"canary\"\n  sensitive = true\n  validation {\n    condition = var.q == \"x\"\n    error_message = \"no ${var.q}\"\n  }\n}\n", "invalid value of the variable"},
		"text for a number":       {network(`mtu = var.p`), "wrong type of value"},
		"map for a number":        {network(`mtu = var.map`), "wrong type of value"},
		"number out of range":     {network(`mtu = -var.few`), "invalid value"},
		"no network":              {network("") + "subnet \"s\" {\n  network = network.n\n  cidr = var.p\n}\n", "invalid value"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{"main.hcl": {Data: []byte(canaries + c.text)}}
			if strings.Contains(c.text, "./m") {
				tree["m/m.hcl"] = &fstest.MapFile{Data: []byte(inner)}
			}
			got, summaries := shownOf(t, tree)
			if (summaries == "") != (c.want == useful) || !strings.Contains(summaries, c.want) {
				t.Errorf("it tells %q, want %q", summaries, c.want)
			}
			for _, word := range []string{canary, quantity} {
				if at := strings.Index(got, word); at >= 0 {
					t.Errorf("%q is shown: %s", word, got[max(0, at-200):min(len(got), at+50)])
				}
			}
		})
	}
}

// A user, a password or a token in an address is refused, and not repeated.
func TestCredentialsInAddressesAreNotShown(t *testing.T) {
	const user, nothing = "without user and password", "nothing behind its path"
	charts := fmt.Sprintf(deploys, "")
	for name, c := range map[string]struct{ text, want string }{
		"charts":   {strings.Replace(charts, `oci://registry`, `oci://u:canary@registry`, 1), user},
		"token":    {regexp.MustCompile(`oci://registry[^"]*`).ReplaceAllString(charts, `https://host/x?token=canary`), nothing},
		"of git":   {regexp.MustCompile(`oci://registry[^"]*`).ReplaceAllString(charts, `git+https://host/x?ref=main&token=canary`), "nothing but ?ref=NAME"},
		"auth_url": {strings.Replace(reaches, `cloud = "demo"`, `auth_url = "https://canary@host/v3"`, 1), user},
		"local":    {strings.Replace(reaches, `cloud = "demo"`, `auth_url = local.url`, 1) + "locals {\n  url = \"https://u:canary@host/v3\"\n}\n", user},
	} {
		t.Run(name, func(t *testing.T) {
			got, summaries := shownOf(t, fstest.MapFS{"main.hcl": {Data: []byte(c.text)}})
			if !strings.Contains(summaries, "invalid value") || !strings.Contains(got, c.want) || !strings.Contains(got, "main.hcl") || strings.Contains(got, canary) {
				t.Errorf("it tells: %s", got)
			}
		})
	}
}
