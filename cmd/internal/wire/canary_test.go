//go:build beds

package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/explain"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	secretive = `cloud "test" {
  release = "2026.1"
  charts { repository = "oci://registry.example.org/charts" }
  service "memcached" {
    conf   = { memcached = { given = var.password, sealed = local.sealed, kept = local.kept } }
    values = { both = "${var.password} ${local.sealed}" }
  }
}
variable "password" {
  type      = string
  sensitive = true
}
locals {
  sealed = sops("all.sops.yaml").db.password
  kept   = secret("web", "token")
}
`
	webServer = `
instance "web" {
  image     = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  flavor    = "f"
  user_data = "${var.password} ${local.sealed} ${local.kept}"
  metadata  = { given = upper(var.password), sealed = local.sealed, kept = "kept: ${local.kept}" }
  lifecycle { replace_triggered_by = [local.kept, var.password] }
}
`
)

// canaries is how the values that must not be seen may look: as they are, in capitals, and in base64.
func canaries() []string { return []string{"canary", "CANARY", "Y2FuYXJ5", "NhbmFye"} }

// hidden fails when a text has one of the values.
func hidden(t *testing.T, what, text string) {
	t.Helper()
	if text == "" {
		t.Errorf("%s is empty, which shows nothing", what)
	}
	for _, canary := range canaries() {
		if at := strings.Index(text, canary); at >= 0 {
			t.Errorf("%s has %q: %s", what, canary, text[max(0, at-200):min(len(text), at+50)])
		}
	}
}

// readSecretive reads a configuration with the values at hand.
func readSecretive(t *testing.T, text string) (*revision.Loaded, revision.Findings) {
	t.Helper()
	content := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("../../../internal/sops/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	tree := fstest.MapFS{"main.hcl": {Data: []byte(text)}, "all.sops.yaml": {Data: content("all.yaml")}}
	return revision.Load("", tree, ".", revision.Options{
		Language: schema.New(),
		Given:    []config.Given{{Name: "password", Text: "canary-given", Origin: "--var password"}},
		Keys:     config.Keys{Identities: redact.NewSecret(string(content("age.txt")))},
	})
}

// TestCanaries takes values that nobody may see, from an encrypted file, from a Secret and of a variable
// that is sensitive, all the way through what the commands print and publish.
func TestCanaries(t *testing.T) {
	loaded, found := readSecretive(t, secretive+webServer)
	if loaded == nil {
		t.Fatal(found.Text(false))
	}
	wanted, diags := loaded.Compose(compose.Facts{OpenStackGiven: true, Unlocked: true})
	if wanted == nil {
		t.Fatal(diags)
	}
	p := planOf(t, wanted)
	var text bytes.Buffer
	if err := p.Text(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "instance.web") || !strings.Contains(text.String(), "user_data") {
		t.Errorf("the plan has no instance:\n%s", text.String())
	}
	hidden(t, "the plan", text.String())
	document, err := p.JSON(found.Sourced(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hidden(t, "the plan for programs", string(document))
	published(t, report.PlanInput{Plan: p, Found: found.Sourced(), Text: found.Text(false)}, "user_data")
	files, _ := report.Render(report.Input{Version: "1", Model: loaded.Model, Snapshot: snapshotOf(wanted, p), Now: time.Unix(0, 0), Started: time.Unix(0, 0)})
	for name, content := range files {
		hidden(t, "the report's "+name, string(content))
	}
	for _, address := range []string{"cloud", "service.memcached", "instance.web"} {
		answers, err := loaded.Explain(address, "")
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := explain.Text(&b, answers); err != nil {
			t.Fatal(err)
		}
		hidden(t, "the explanation of "+address, b.String())
		forPrograms, err := json.Marshal(answers)
		if err != nil {
			t.Fatal(err)
		}
		hidden(t, "the same for programs", string(forPrograms))
	}
}

// planOf plans to create everything, with the value of the Secret at hand.
func planOf(t *testing.T, wanted *engine.Revision) *plan.Plan {
	t.Helper()
	driver := openstack.New(openstack.Options{Language: schema.New()})
	t.Cleanup(driver.Close)
	create := func(unit.Target, cty.Value, unit.State) unit.Diff { return unit.Diff{Action: unit.ActionCreate} }
	marker := inventory.NewMarker("test", redact.NewSecret("a key that is long enough"))
	in := plan.Input{
		Language: schema.New(), Units: wanted.Units, Deployment: wanted.Deployment, Ranges: wanted.Ranges, Marker: marker, Hosts: plan.Hosts{None: true},
		States:  map[addr.Object]*unit.State{},
		Compare: map[unit.DriverName]plan.Compare{unit.OpenStack: driver.Compare, unit.Kubernetes: create, unit.Helm: create},
	}
	for i := range wanted.Units {
		u, state := &wanted.Units[i], unit.State{Existence: unit.Absent}
		resource, is := u.Spec.(*unit.Resource)
		if !is {
			in.States[u.Address] = new(state)
			continue
		}
		state.Secrets = map[model.SecretRef]redact.Secret{}
		for _, ref := range resource.Secrets {
			state.Secrets[ref] = redact.NewSecret("canary-kept")
		}
		in.States[u.Address] = new(state)
		desired, diags := plan.Desired(plan.Revealed(u, state), func(addr.Object) cty.Value { return cty.NilVal })
		plain, _ := desired.UnmarkDeep()
		if shown := fmt.Sprintf("%#v", plain); len(diags) > 0 || strings.Count(shown, "canary") != 5 || !strings.Contains(shown, "CANARY") {
			t.Fatalf("this is not about the values: %v, %s", diags, shown)
		}
		entry, err := json.Marshal(inventory.Entry{Address: u.Address, Applied: plan.Applied(u, desired), Sensitive: plan.Sensitive(desired, marker)})
		if err != nil {
			t.Fatal(err)
		}
		hidden(t, "the inventory", string(entry))
	}
	return plan.Make(in)
}

// snapshotOf is how things stand while all of a plan is still to be done.
func snapshotOf(wanted *engine.Revision, p *plan.Plan) engine.Snapshot {
	s := engine.Snapshot{Revision: "1", Admitted: true}
	for i := range wanted.Units {
		u := &wanted.Units[i]
		c := p.Change(u.Address)
		s.Units = append(s.Units, engine.UnitStatus{
			Address: u.Address, Class: u.Class, Kind: u.Spec.Locator().Kind, Phase: engine.PhaseWaiting, Edges: u.Edges,
			Action: c.Action, Fields: c.Fields, Reason: c.Reason, Cost: c.Cost, Range: u.Range,
		})
	}
	return s
}

// TestCanariesInFindings makes mistakes with the same values. That of the Secret is not known yet, so
// most of these are none then.
func TestCanariesInFindings(t *testing.T) {
	mistakes := []string{
		"%s + 1", "tonumber(%s)", "{ a = 1 }[%s]", "[1][%s]", `regex("(", %s)`, "jsondecode(%s)", "file(%s)", "templatefile(%s, {})", "cidrsubnet(%s, 8, 1)",
		"tomap(%s)", "%s.attribute", "%s ? 1 : 2", "parseint(%s, 10)", "formatdate(%s, \"\")", "one([%[1]s, %[1]s])", `yamldecode("[${%s}")`,
	}
	text := secretive
	for i, mistake := range mistakes {
		for name, value := range map[string]string{"given": "var.password", "sealed": "local.sealed", "kept": "local.kept"} {
			text += fmt.Sprintf("network \"%s%d\" {\n  description = %s\n}\n", name, i, fmt.Sprintf(mistake, value))
		}
	}
	loaded, found := readSecretive(t, text)
	if n := len(found.Diagnostics); loaded != nil || n < 2*len(mistakes) {
		t.Errorf("%d findings:\n%s", n, found.Text(false))
	}
	hidden(t, "what is said", found.Text(false))
	document, err := json.Marshal(found.Sourced())
	if err != nil {
		t.Fatal(err)
	}
	hidden(t, "the same for programs", string(document))
	published(t, report.PlanInput{Found: found.Sourced(), Text: found.Text(false)}, "main.hcl")
}

// published fails when the files of a published plan have one of the values, or not what they have to tell.
func published(t *testing.T, in report.PlanInput, tells string) {
	t.Helper()
	in.Ref, in.File = "refs/heads/side", "plans/heads~side.md"
	page, document := report.RenderPlan(in)
	for what, text := range map[string]string{"the published page": string(page), "the published JSON": string(document)} {
		hidden(t, what, text)
		if !strings.Contains(text, tells) {
			t.Errorf("%s does not tell %q:\n%s", what, tells, text)
		}
	}
}
