package reference_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/reference"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// examplesOfPages returns every block of HCL that is shown in the reference, by page and number.
func examplesOfPages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	fence := regexp.MustCompile("(?s)```hcl\n(.*?)```")
	for name, page := range reference.New(schema.New()).Pages() {
		for i, m := range fence.FindAllSubmatch(page, -1) {
			found[fmt.Sprintf("%s/%d", strings.TrimSuffix(name, ".md"), i)] = string(m[1])
		}
	}
	if len(found) < 2*len(schema.New().Kinds()) {
		t.Fatalf("there are only %d examples", len(found))
	}
	return found
}

// TestExamplesLoad loads and evaluates each example, beside the least of what it refers to.
func TestExamplesLoad(t *testing.T) {
	for name, text := range examplesOfPages(t) {
		t.Run(name, func(t *testing.T) {
			if formatted := hclwrite.Format([]byte(text)); string(formatted) != text {
				t.Errorf("it is not in the canonical layout; got\n%s\nwant\n%s", text, formatted)
			}
			files := fstest.MapFS{
				"example.hcl": &fstest.MapFile{Data: []byte(text)},
				"rest.hcl":    &fstest.MapFile{Data: []byte(rest(text))},
				// What the example of a manifest names.
				"manifests/storage.yaml":         &fstest.MapFile{Data: []byte("apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n")},
				"manifests/policies/policy.yaml": &fstest.MapFile{Data: []byte("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: none}\n")},
			}
			if strings.Contains(text, `"./modules/edge"`) { // where the example of a call leads to
				files["modules/edge/edge.hcl"] = &fstest.MapFile{Data: []byte("locals {}\n")}
			}
			if strings.HasPrefix(text, "output ") { // which has its place in a module only
				files["modules/edge/edge.hcl"], files["example.hcl"] = files["example.hcl"], &fstest.MapFile{Data: []byte("module \"edge\" {\n  source = \"./modules/edge\"\n}\n")}
			}
			cfg, diags := config.Load(schema.New(), files, ".", config.DefaultLimits())
			m, _, more := resolve.Resolve(cfg, nil)
			if diags = append(diags, more...); len(diags) > 0 || m == nil {
				var out strings.Builder
				printer := diag.Printer{Source: cfg.Source}
				if err := printer.Print(&out, diags.Sorted()); err != nil {
					t.Fatal(err)
				}
				t.Errorf("%s\nbeside\n%s", out.String(), rest(text))
			}
		})
	}
}

// rest returns a cloud, if the text has none, and the blocks that the text refers to.
func rest(text string) string {
	definition := schema.New()
	renderer := reference.New(definition)
	var out strings.Builder
	if !strings.HasPrefix(text, "cloud ") {
		out.WriteString("cloud \"rest\" {\n  release = \"2026.1\"\n  charts {\n    repository = \"charts\"\n  }\n  service \"keystone\" {}\n  service \"nova\" {}\n}\n")
	}
	if strings.HasPrefix(text, "moved ") || strings.HasPrefix(text, "removed ") {
		text = regexp.MustCompile(`(?m)^ *from .*$`).ReplaceAllString(text, "") // that is gone
	}
	reference := regexp.MustCompile(`\b([a-z_]+)\.([a-z_-]+)\b`)
	var done []string
	var add func(text string)
	add = func(text string) {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			b := definition.Block(m[1])
			if b == nil || slices.Contains(done, m[0]) || b.Class != schema.ClassResource && b.Class != schema.ClassProfile {
				continue
			}
			done = append(done, m[0])
			block := renderer.Example(b, true)
			head, body, _ := strings.Cut(block, "{")
			if strings.Contains(text, m[0]+"[each.key]") {
				body = "\n  for_each = { a = 1 }\n  name = each.key\n" + body
			}
			block = head[:strings.Index(head, `"`)] + fmt.Sprintf("%q {", m[2]) + body
			out.WriteString(block)
			add(block)
		}
	}
	add(text)
	return out.String()
}
