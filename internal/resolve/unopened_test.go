package resolve_test

import (
	"os"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// However often an encrypted file is used, what keeps it from being opened is told once, with what to do
// about it.
func TestUnopenedIsToldOnce(t *testing.T) {
	const text = `cloud "c" {
  openstack { cloud = "x" }
}
locals {
  guarded = try(sops("all.sops.yaml").db.user, "none")
  broken  = local.password
  text    = templatestring("$${sops(\"all.sops.yaml\").db.password}", {})
  another = sops("./all.sops.yaml").db.port
  other   = sops("all.sops.json").list
}
project "p" {
  description = "${sops("all.sops.yaml").multi} and ${sops("all.sops.yaml").multi}"
}
locals {
  password = sops("all.sops.yaml").db.password
}
`
	tree, key := sealedTree(t, text)
	other, err := os.ReadFile("../sops/testdata/other.txt")
	if err != nil {
		t.Fatal(err)
	}
	damaged := strings.ReplaceAll(string(tree["all.sops.yaml"].Data), "ENC[AES256_GCM,data:", "ENC[AES256_GCM,data:AAAA")
	for name, c := range map[string]struct {
		identities, yaml string
		files            int
		detail, hint     string
	}{
		"no key":          {"", "", 2, "no age identity is given", "--sops-age-key-file, or the variable"},
		"other key":       {string(other), "", 2, "the age identities that were given are others", "sops updatekeys"},
		"no file of keys": {"-----", "", 1, "there are no age identities in it", "age-keygen"},
		"damaged":         {key.Reveal(), damaged, 1, "", "as it was last encrypted"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, _ := sealedTree(t, text)
			if c.yaml != "" {
				tree["all.sops.yaml"].Data = []byte(c.yaml)
			}
			cfg, diags := config.Load(schema.New(), tree, ".", config.DefaultLimits())
			cfg.Keys.Identities = redact.NewSecret(c.identities)
			_, _, more := resolve.Resolve(cfg, nil)
			diags.Append(more...)
			if len(diags) != c.files {
				t.Errorf("told %d times, want %d: %v", len(diags), c.files, diags)
			}
			for _, d := range diags {
				if d.Summary != "encrypted file cannot be opened" || !strings.Contains(d.Detail, c.detail) || !strings.Contains(d.Hint, c.hint) || d.Subject.File != "main.hcl" {
					t.Errorf("%v: %s: %s", d, d.Detail, d.Hint)
				}
			}
		})
	}
}
