package resolve_test

import (
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// TestUsesOfLookUps: what nobody refers to of what is looked up is not asked for, and all that somebody may is.
func TestUsesOfLookUps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":      {``, nil},
		"by its name":  {`network "web" { project = data.project.shop }`, []string{"id"}},
		"an attribute": {`network "web" { description = "for ${data.project.shop.description}" }`, []string{"description"}},
		"several":      {`network "web" { description = "${data.project.shop.description} ${data.project.shop.quota.cores}" }`, []string{"description", "quota"}},
		"in a list of names": {`flavor "big" {
			public = false
			access = [data.project.shop]
			vcpus  = 1
			ram    = 1
		}`, []string{"id"}},
		"by a function":            {`network "web" { description = lookup(data.project.shop, "description") }`, []string{model.Everything}},
		"through a local":          {"locals { shop = data.project.shop }\n" + `network "web" { description = local.shop.description }`, []string{model.Everything}},
		"an attribute, by a local": {"locals { shop = data.project.shop.quota }\n" + `network "web" { description = "${local.shop.cores}" }`, []string{"quota"}},
		"in what must be": {`network "web" {
			lifecycle {
				replace_triggered_by = [data.project.shop.quota]
			}
		}`, []string{"quota"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _, diags := resolveText(t, reachOnly+"data \"project\" \"shop\" { name = \"shop\" }\n"+c.text, nil)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			for _, r := range m.Resources {
				if r.Kind == "project" && !slices.Equal(r.Uses, c.want) {
					t.Errorf("%q, not %q", r.Uses, c.want)
				}
			}
		})
	}
}
