package resolve_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const canary = "canary-5f1e9d"

// sealedTree is a configuration with encrypted files, of which all.sops.yaml holds canaries.
func sealedTree(t *testing.T, text string) (fstest.MapFS, redact.Secret) {
	t.Helper()
	read := func(name string) []byte {
		content, err := os.ReadFile("../sops/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	return fstest.MapFS{
		"main.hcl": {Data: []byte(text)}, "all.sops.yaml": {Data: read("all.yaml")}, "pgp.sops.yaml": {Data: read("pgp.yaml")}, "all.sops.json": {Data: read("all.json")},
	}, redact.NewSecret(string(read("age.txt")))
}

func resolveWith(t *testing.T, text string, keyed, optional bool) (*model.Model, *resolve.Evaluator, diag.Diagnostics) {
	t.Helper()
	tree, key := sealedTree(t, text)
	cfg, diags := config.Load(schema.New(), tree, ".", config.DefaultLimits())
	cfg.Keys.Optional = optional
	if keyed {
		cfg.Keys.Identities = key
	}
	m, e, more := resolve.Resolve(cfg, nil)
	diags.Append(more...)
	var b strings.Builder
	if err := (&diag.Printer{Source: cfg.Source}).Print(&b, diags); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "canary") {
		t.Errorf("a diagnostic tells a secret:\n%s", b.String())
	}
	return m, e, diags
}

func TestSecretStaysReference(t *testing.T) {
	m, e, diags := resolveWith(t, reachOnly+`
locals {
  token = secret("web", "token")
}
instance "web" {
  image     = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  flavor    = "f"
  user_data = "token=${local.token} other=${upper(secret("other/api", "key"))}"
  metadata  = { plain = "x", token = local.token }
  lifecycle { replace_triggered_by = [secret("web", "seed")] }
}
`, false, false)
	if m == nil {
		t.Fatal(diags)
	}
	r := m.Resource(addr.MustParseObject("instance.web"))
	token, key := model.SecretRef{Name: "web", Key: "token"}, model.SecretRef{Namespace: "other", Name: "api", Key: "key"}
	seed := model.SecretRef{Name: "web", Key: "seed"}
	if got := fmt.Sprint(model.SecretsIn(r.Desired, r.Triggers)); got != fmt.Sprint([]model.SecretRef{seed, token, key}) {
		t.Errorf("the secrets are %s", got)
	}
	if r.Desired.GetAttr("user_data").IsKnown() {
		t.Error("user_data is known at load")
	}
	known := map[model.SecretRef]redact.Secret{token: redact.NewSecret(canary), key: redact.NewSecret("k")}
	late, triggers, diags := e.Revealed(r.Address, nil, known)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	data, marks := late.GetAttr("user_data").Unmark()
	if data.AsString() != "token="+canary+" other=K" || !has(marks, model.Sensitive) {
		t.Errorf("user_data is %#v", late.GetAttr("user_data"))
	}
	if got := fmt.Sprint(unit.Visible(late)); strings.Contains(got, canary) || !strings.Contains(got, "plain:x") {
		t.Errorf("shown is %s", got)
	}
	if triggers.IsWhollyKnown() {
		t.Error("what a Secret that is missing triggers is known")
	}
	known[seed] = redact.NewSecret("s")
	if _, triggers, _ = e.Revealed(r.Address, nil, known); !triggers.IsWhollyKnown() {
		t.Error("a trigger stays unknown")
	}
	again, _ := e.Desired(r.Address, nil)
	if !again.RawEquals(r.Desired) {
		t.Error("without Secrets the late value is another one than the early one")
	}
}

func TestSecretInSettings(t *testing.T) {
	m, _, diags := resolveWith(t, cloudWithService(`
    conf = {
      nova = { api = { key = local.key }, list = ["a", secret("n", "in-list")] }
      none = true ? null : secret("n", "k")
      more = append([secret("n", "added")])
    }
    values = { a = { b = secret("elsewhere/n", "k") } }
`)+`
locals { key = secret("n", "k") }
`, false, false)
	if m == nil {
		t.Fatal(diags)
	}
	s := m.Service("nova")
	key, _ := model.Part(s.Conf, "nova", "api", "key")
	want := cty.UnknownVal(cty.String).RefineNotNull().WithMarks(cty.NewValueMarks(model.Sensitive, model.SecretRef{Name: "n", Key: "k"}))
	if !key.RawEquals(want) {
		t.Errorf("the key is %#v", key)
	}
	if got := len(model.SecretsIn(s.Conf, s.Values)); got != 4 {
		t.Errorf("there are %d secrets in %#v", got, s.Conf)
	}
}

func cloudWithService(settings string) string {
	return `cloud "test" {
  release = "2026.1"
  region  = "RegionOne"
  charts { repository = "oci://registry.example.org/charts" }
  service "nova" {` + settings + `  }
}
`
}

func TestSecretMistakes(t *testing.T) {
	in := func(value string) string { return cloudWithService("\n    conf = { a = { b = " + value + " } }\n") }
	for name, c := range map[string]struct{ text, want, where string }{
		"part of a text":      {in(`"x ${secret("n", "k")}"`), "part of a value from a Secret", "main.hcl:6"},
		"through a function":  {in(`upper(secret("n", "k"))`), "part of a value from a Secret", "main.hcl:6"},
		"through a local":     {in(`local.x`) + "locals { x = \"${secret(\"n\", \"k\")}!\" }\n", "part of a value from a Secret", "main.hcl:6"},
		"compared":            {in(`secret("n", "k") == "x"`), "part of a value from a Secret", "main.hcl:6"},
		"its length":          {in(`length(secret("n", "k"))`), "part of a value from a Secret", "main.hcl:6"},
		"at load":             {strings.Replace(in("1"), `"RegionOne"`, `secret("n", "k")`, 1), "value of a Secret", "main.hcl:3"},
		"shown":               {in(`nonsensitive(secret("n", "k"))`), "", "main.hcl:6"},
		"bad name":            {in(`secret("N!", "k")`), "", "main.hcl:6"},
		"bad namespace":       {in(`secret("A/n", "k")`), "", "main.hcl:6"},
		"bad key":             {in(`secret("n", "a/b")`), "", "main.hcl:6"},
		"sensitive name":      {in(`secret(sensitive("n"), "k")`), "", "main.hcl:6"},
		"key of for_each":     {in("1") + "project \"p\" {\n  for_each = toset([secret(\"n\", \"k\")])\n  name = each.key\n}\n", "sensitive for_each", "main.hcl:10"},
		"encrypted for PGP":   {in(`sops("pgp.sops.yaml").a`), "encrypted file cannot be opened", "main.hcl:6"},
		"no such file":        {in(`sops("none.sops.yaml").a`), "invalid function argument", "main.hcl:6"},
		"not encrypted":       {in(`sops("main.hcl").a`), "encrypted file cannot be opened", "main.hcl:6"},
		"index of a canary":   {in(`{ a = 1 }[sops("all.sops.yaml").db.password]`), "", "main.hcl:6"},
		"number of a canary":  {in(`sops("all.sops.yaml").db.password + 1`), "", "main.hcl:6"},
		"function of one":     {in(`jsondecode(sops("all.sops.yaml").db.password)`), "", "main.hcl:6"},
		"template of one":     {in(`templatestring("$${jsondecode(sops(\"all.sops.yaml\").db.password)}", {})`), "", "main.hcl:6"},
		"allowed values":      {strings.Replace(in("1"), `"RegionOne"`, "\"R\"\n  network_backend = sops(\"all.sops.yaml\").db.password", 1), "invalid value", "main.hcl:4"},
		"wrong type":          {strings.Replace(in("1"), "    conf", "    replicas = sops(\"all.sops.yaml\").db.password\n    conf", 1), "", "main.hcl:6"},
		"key of for_each too": {in("1") + "project \"p\" {\n  for_each = toset([sops(\"all.sops.yaml\").db.password])\n  name = each.key\n}\n", "sensitive for_each", "main.hcl:10"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, diags := resolveWith(t, c.text, true, false)
			if len(diags) == 0 || !diags.HasErrors() {
				t.Fatalf("there is no error: %v", diags)
			}
			if got := fmt.Sprintf("%s:%d", diags[0].Subject.File, diags[0].Subject.Start.Line); got != c.where || c.want != "" && diags[0].Summary != c.want {
				t.Errorf("%s: %s: %s", got, diags[0].Summary, diags[0].Detail)
			}
		})
	}
}

const withSealed = `
    conf = { nova = { api = sops("all.sops.yaml").db } }
`

func TestSOPS(t *testing.T) {
	users := "project \"p\" {\n  for_each    = { for u in sops(\"all.sops.json\").list : \"a\" => u... }\n  name        = each.key\n  description = sops(\"all.sops.yaml\").multi\n}\n"
	text := strings.Replace(cloudWithService(withSealed), "  charts", "  openstack { cloud = \"x\" }\n  charts", 1) + users
	m, _, diags := resolveWith(t, text, true, false)
	if m == nil {
		t.Fatal(diags)
	}
	password, _ := model.Part(m.Service("nova").Conf, "nova", "api", "password")
	if v, marks := password.Unmark(); v.AsString() != "canary-db-password" || !has(marks, model.Sensitive) {
		t.Errorf("the password is %#v", password)
	}
	if got := fmt.Sprint(unit.Visible(m.Service("nova").Conf), unit.Visible(m.Resources[0].Desired)); strings.Contains(got, "canary") || strings.Contains(got, "first line") {
		t.Errorf("shown is %s", got)
	}

	_, _, diags = resolveWith(t, text, false, false)
	if !diags.HasErrors() || !strings.Contains(diags[0].Hint, "--sops-age-key-file") || !strings.Contains(diags[0].Detail, "age1") {
		t.Errorf("without a key: %v", diags)
	}

	m, _, diags = resolveWith(t, text, false, true)
	if m == nil || len(diags) != 2 || diags[0].Severity != diag.Warning || diags[0].Code != "resolve.sealed" {
		t.Fatalf("where the key is optional: %v", diags)
	}
	password, _ = model.Part(m.Service("nova").Conf, "nova", "api", "password")
	if v, _ := password.Unmark(); v.IsKnown() || v.Type() != cty.String || !password.HasMark(model.Sensitive) {
		t.Errorf("without a key the password is %#v", password)
	}
	port, _ := model.Part(m.Service("nova").Conf, "nova", "api", "port")
	if v, _ := port.Unmark(); v.Type() != cty.Number {
		t.Errorf("the port is %#v", port)
	}
}

func has(marks cty.ValueMarks, mark any) bool {
	_, ok := marks[mark]
	return ok
}
