package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestCommandsTakeAnotherLanguage: what the commands are given at the top is what all of them go by, down to a kind that
// nobody else knows.
func TestCommandsTakeAnotherLanguage(t *testing.T) {
	zone := schema.Block{
		Kind: "zone", Class: schema.ClassResource, API: "designate", Doc: "To come.",
		Labels: []schema.Label{{Name: "name", Doc: "The name within the configuration.", Format: schema.FormatIdentifier, Example: "shop"}},
		Attributes: []schema.Attribute{
			{Name: "name", Type: cty.String, FromLabel: true, Lookup: true, Doc: "The name."},
			{Name: "email", Type: cty.String, Presence: schema.Required, Example: cty.StringVal("ops@example.org"), Doc: "Who looks after it."},
			{Name: "id", Type: cty.String, Presence: schema.Computed, Lookup: true, Doc: "The id."},
		},
	}
	dir := t.TempDir()
	const text = "cloud \"lab\" {\n  openstack {\n    cloud = \"lab\"\n  }\n}\nzone \"shop\" {\n  email = \"ops@example.org\"\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.hcl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, language := range map[string]*schema.Definition{"with the kind": schema.New(zone), "without": schema.New()} {
		for _, args := range [][]string{{"validate", dir}, {"explain", "zone.shop", "--repo", dir}, {"graph", "--repo", dir}, {"schema"}} {
			var out bytes.Buffer
			c := command(language)
			c.SetArgs(args)
			c.SetOut(&out)
			c.SetErr(&bytes.Buffer{})
			code := codeOf(c.ExecuteContext(t.Context()))
			switch known := name == "with the kind"; {
			case args[0] == "schema":
				if code != exitDone || strings.Contains(out.String(), `"zone"`) != known {
					t.Errorf("%s, %q ends with %d, and it has the kind: %t", name, args, code, !known)
				}
			case known && code != exitDone, !known && code != exitInvalid:
				t.Errorf("%s, %q ends with %d:\n%s", name, args, code, out.String())
			}
		}
	}
}
