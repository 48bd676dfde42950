package config_test

import (
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// FuzzTemplate parses and renders a template of any content.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"Welcome to ${name}", "%{ for n in [1] ~}\n${n}\n%{ endfor }", "${((((1))))}", "$${x} %%{y}", "${", "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 16<<10 {
			t.Skip("larger than what finds anything new")
		}
		budget := config.NewBudget(config.DefaultCosts())
		template, err := config.ParseTemplate(src, "t", config.DefaultLimits(), budget)
		if (template == nil) != (err != nil) {
			t.Fatalf("template %v, error %v", template != nil, err)
		}
		if template != nil {
			if _, faults := template.Expr.Value(config.NewContext(nil, nil, budget)); len(faults) > 0 && faults[0].Error() == "" {
				t.Error("an error without a text")
			}
		}
	})
}

// FuzzValues reads a file with values, and a text as a value.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{"v = 1", "v = [1, \"a\"]\nw = { a = b }", "v {\n}", "v = \"", "[for a in b : c]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 16<<10 {
			t.Skip("larger than what finds anything new")
		}
		tree := fstest.MapFS{"main.hcl": {Data: []byte("cloud \"a\" {\n}\n")}, "kupenstack.hclvars": {Data: src}}
		cfg, _ := config.Load(schema.New(), tree, ".", config.DefaultLimits())
		diags := config.LoadValues(cfg, nil, config.DefaultLimits())
		if diags.HasErrors() != cfg.ValuesPartial {
			t.Errorf("errors %v, and partial is %v", diags, cfg.ValuesPartial)
		}
		if e, err := config.ParseValue(string(src), config.DefaultLimits()); e.IsZero() != (err != nil) {
			t.Errorf("expression %v, error %v", !e.IsZero(), err)
		}
	})
}
