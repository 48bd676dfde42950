package openstack_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/explain"
	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/reference"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const twoProjects = `
project "shop" {
  name = "PREFIX-shop"
}

project "stall" {
  name = "PREFIX-stall"
}
`

// offices is an address group, with what is written in it besides its name.
func offices(label, inner string) string {
	return twoProjects + `
address_group "` + label + `" {
  name = "PREFIX-offices"
  ` + strings.ReplaceAll(strings.TrimSpace(inner), "\n", "\n  ") + `
}
`
}

// ruled is a security group with a rule that is about an address group.
func ruled(name, group string) string {
	return `
security_group "` + name + `" {
  name    = "PREFIX-` + name + `"
  project = project.shop

  rule {
    direction            = "ingress"
    remote_address_group = ` + group + `.id
  }
}
`
}

// TestBedKindToCome leads a kind that the tree does not have, which is one block and one file, through all of the program: it is
// written, planned, made, left alone, changed, meddled with, found again without records, moved, looked up, explained,
// replaced, lost, taken out, exported, taken over and let go.
func TestBedKindToCome(t *testing.T) {
	t.Parallel()
	sharedCloud(t)
	p := newProgram(t)
	p.tellsMistakes(t)

	hcl := offices("offices", "project = project.shop\naddresses = [\"192.0.2.0/24\", \"198.51.100.0/24\"]") + ruled("web", "address_group.offices")
	p.plans(hcl, "address_group.offices create", "project.shop create", "project.stall create", "security_group.web create")
	p.applies(hcl)
	p.plans(hcl)
	id := p.has("-offices", "", "192.0.2.0/24", "198.51.100.0/24")
	same := func(when string) {
		t.Helper()
		if now := p.has("-offices", "All.", "192.0.2.0/24", "203.0.113.0/24"); now != id {
			t.Errorf("%s: %s was to stay, and there is %s", when, id, now)
		}
	}

	const changed = "project = project.shop\ndescription = \"All.\"\naddresses = [\"203.0.113.0/24\", \"192.0.2.0/24\"]"
	hcl = offices("offices", changed) + ruled("web", "address_group.offices")
	p.plans(hcl, "address_group.offices update addresses description")
	p.applies(hcl)
	same("changed in place")

	at := "v2.0/address-groups/" + id
	request(t, "network", http.MethodPut, at+"/add_addresses", map[string]any{"addresses": []string{"10.0.0.0/8"}})
	request(t, "network", http.MethodPut, at, map[string]any{"address_group": map[string]any{"name": p.prefix + "-else"}})
	p.plans(hcl, "address_group.offices update name addresses")
	p.applies(hcl)
	same("changed by somebody else")

	p.store = &records{shards: map[string]inventory.Shard{}}
	p.plans(hcl)
	p.applies(hcl)
	same("without records")

	const moves = "\nmoved {\n  from = address_group.offices\n  to   = address_group.places\n}\n"
	const looksUp = "\ndata \"address_group\" \"given\" {\n  name    = \"PREFIX-offices\"\n  project = project.shop\n}\n"
	hcl = offices("places", changed) + ruled("web", "address_group.places")
	all := hcl + moves + looksUp + ruled("ssh", "data.address_group.given")
	p.plans(all, "address_group.places move", "security_group.ssh create")
	p.applies(all)
	same("moved")
	p.explained(t, all)
	p.plans(hcl, "security_group.ssh delete")
	p.applies(hcl)

	hcl = offices("places", strings.Replace(changed, "shop", "stall", 1)+"\nlifecycle {\n  create_before_destroy = true\n}") + ruled("web", "address_group.places")
	p.plans(hcl, "address_group.places replace project", "security_group.web update rule")
	p.applies(hcl)
	if now := p.has("-offices", "All.", "192.0.2.0/24", "203.0.113.0/24"); now == id {
		t.Errorf("%s was to be replaced, and is there", now)
	}

	hcl = offices("places", changed)
	p.plans(hcl, "address_group.places replace project", "security_group.web delete")
	p.applies(hcl)
	request(t, "network", http.MethodDelete, "v2.0/address-groups/"+fmt.Sprint(p.group("-offices")["id"]), nil)
	p.plans(hcl, "address_group.places create")
	p.applies(hcl)

	hcl = offices("places", changed) + ruled("web", "address_group.places")
	p.applies(hcl)
	p.plans(twoProjects, "address_group.places delete", "security_group.web delete")
	before := p.fleet.Counts()
	p.applies(twoProjects)
	if n := p.fleet.Counts().Since(before).Total(http.MethodDelete); n != 2 {
		t.Errorf("%d requests to delete, want 2: what is in use is not asked for", n)
	}
	p.exports(t)
}

// tellsMistakes: mistakes in a block are told where they are, and without the kind the block is one.
func (p *program) tellsMistakes(t *testing.T) {
	t.Helper()
	for wrong, says := range map[string]string{
		`addresses = ["192.0.2.0"]`:    "main.hcl:17:16\n",
		`adresses = ["192.0.2.0/24"]`:  `did you mean "addresses"?`,
		"project = project.shop":       "addresses",
		"addresses = network.web.name": "main.hcl:17:15\n",
	} {
		if loaded, said := p.read(offices("offices", wrong)); loaded != nil || !strings.Contains(said, says) {
			t.Errorf("%s: it says %s", wrong, said)
		}
	}
	const one = "cloud \"lab\" {\n  openstack {\n    cloud = \"lab\"\n  }\n}\naddress_group \"a\" {\n  addresses = [\"192.0.2.0/24\"]\n}\n"
	_, found := revision.Load("", fstest.MapFS{"main.hcl": {Data: []byte(one)}}, ".", revision.Options{Language: schema.New()})
	if said := found.Text(false); !strings.Contains(said, `there is no block of the kind "address_group"`) {
		t.Errorf("without the kind it says %s", said)
	}
}

// explained asks where values come from, and reads what is generated from the language.
func (p *program) explained(t *testing.T, hcl string) {
	t.Helper()
	loaded, said := p.read(hcl)
	if loaded == nil {
		t.Fatal(said)
	}
	answers, err := loaded.Explain("address_group.places", "")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := explain.Text(&text, answers); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"All."`, "203.0.113.0/24", "main.hcl:18"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("the explanation has no %s:\n%s", part, text.String())
		}
	}
	generated := reference.New(p.language)
	if page := string(generated.Pages()["address_group.md"]); !strings.Contains(page, `address_group "offices" {`) || !strings.Contains(page, "rules of security groups") {
		t.Errorf("the page of the reference is:\n%s", page)
	}
	if document, err := generated.JSONSchema(); err != nil || !strings.Contains(string(document), `"address_group"`) {
		t.Errorf("the schema for editors has no such kind: %v", err)
	}
}

// shop is the id of its project of that name.
func (p *program) shop() string {
	p.t.Helper()
	answer := request(p.t, "identity", http.MethodGet, "projects?name="+p.prefix+"-shop", nil)
	return fmt.Sprint(answer["projects"].([]any)[0].(map[string]any)["id"])
}

// exports exports what somebody has made, takes it over, and lets go of it. As long as it is there, its project stays.
func (p *program) exports(t *testing.T) {
	t.Helper()
	shop := p.shop()
	request(t, "network", http.MethodPost, "v2.0/address-groups", map[string]any{"address_group": map[string]any{
		"name": p.prefix + " ${theirs}", "description": "says \"x\"", "project_id": shop, "addresses": []string{"2001:db8::/32", "10.1.0.0/16"},
	}})
	if err := p.tries("project \"stall\" {\n  name = \"PREFIX-stall\"\n}\n"); err == nil || !strings.Contains(err.Error(), "still has address groups: "+p.prefix) {
		t.Errorf("a project with an address group of others: %v", err)
	}
	d := openstack.NewWithNext(p.options)
	defer d.Close()
	live, refused, err := d.Live(t.Context(), export.Needed(p.language, []string{"address_group"}))
	if err != nil || len(refused) > 0 {
		t.Fatal(refused, err)
	}
	result, err := export.Export(p.language, live, export.Selection{Kinds: []string{"address_group"}, Project: shop})
	if err != nil || result.Objects != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	written := ""
	for _, f := range result.Files {
		written += string(f.Content)
	}
	id := fmt.Sprint(p.group(" ${theirs}")["id"])
	_, to, _ := strings.Cut(written, "to = ")
	address, rest, _ := strings.Cut(to, "\n")
	if !strings.Contains(rest, id) {
		t.Fatalf("it does not import %s:\n%s", id, written)
	}
	p.plans(twoProjects+written, address+" import")
	p.applies(twoProjects + written)
	if now := p.has(" ${theirs}", "says \"x\"", "10.1.0.0/16", "2001:db8::/32"); now != id {
		t.Errorf("%s was to be taken over, and there is %s", id, now)
	}
	forgets := twoProjects + "\nremoved {\n  from = " + address + "\n  lifecycle {\n    destroy = false\n  }\n}\n"
	p.plans(forgets, address+" forget")
	p.applies(forgets)
	if now := fmt.Sprint(p.group(" ${theirs}")["id"]); now != id {
		t.Errorf("%s was to stay, and there is %s", id, now)
	}
}
