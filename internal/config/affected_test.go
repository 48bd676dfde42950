package config

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// town is some files that refer to each other.
func town() fstest.MapFS {
	return fstest.MapFS{
		"cloud.hcl":   {Data: []byte(valid)},
		"locals.hcl":  {Data: []byte("locals {\n  base = 1\n}\n")},
		"derived.hcl": {Data: []byte("locals {\n  next = local.base + 1\n}\n")},
		"net.hcl":     {Data: []byte("network \"net\" {\n  description = \"${local.next}\"\n}\n")},
		"sub.hcl":     {Data: []byte("subnet \"sub\" {\n  network = network.net\n  cidr    = \"10.0.0.0/24\"\n}\n")},
		"other.hcl":   {Data: []byte("network \"other\" {}\n")},
		"waits.hcl":   {Data: []byte("network \"late\" {\n  depends_on = [network.other]\n}\n")},
	}
}

// city is a town with modules, and statements about what was.
func city() fstest.MapFS {
	files := town()
	for name, text := range map[string]string{
		"calls.hcl":           "module \"edge\" {\n  source = \"./modules/edge\"\n  text   = local.next\n}\nmodule \"spare\" {\n  source = \"./modules/spare\"\n}\n",
		"modules/edge/a.hcl":  "variable \"text\" {}\nmodule \"inner\" {\n  source = \"../inner\"\n}\noutput \"name\" {\n  value = var.text\n}\n",
		"modules/edge/b.hcl":  "locals {\n  base = 3\n}\n",
		"modules/inner/a.hcl": "network \"deep\" {}\n",
		"modules/spare/a.hcl": "network \"spare\" {}\n",
		"uses.hcl":            "network \"uses\" {\n  description = module.edge.name\n}\n",
		"moved.hcl":           "moved {\n  from = network.old\n  to   = network.other\n}\n",
		"imports.hcl":         "import {\n  to = network.late\n  id = \"${local.base}\"\n}\n",
		"removed.hcl":         "removed {\n  from = network.gone\n}\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// TestAffectedByModules is TestAffected for what has modules and statements.
func TestAffectedByModules(t *testing.T) {
	const edge = "calls.hcl modules/edge/a.hcl modules/edge/b.hcl modules/inner/a.hcl modules/spare/a.hcl"
	for name, c := range map[string]struct {
		file, text string
		want       string
	}{
		"far from both":        {"sub.hcl", "subnet \"sub\" {\n  network = network.net\n  cidr    = \"10.0.1.0/24\"\n}\n", "derived.hcl locals.hcl net.hcl sub.hcl"},
		"an input":             {"derived.hcl", "locals {\n  next = 5\n}\n", edge + " derived.hcl locals.hcl net.hcl sub.hcl uses.hcl"},
		"inside a module":      {"modules/inner/a.hcl", "network \"deep\" {\n}\n", edge + " derived.hcl locals.hcl uses.hcl"},
		"a new file in one":    {"modules/spare/b.hcl", "network \"more\" {}\n", edge + " derived.hcl locals.hcl modules/spare/b.hcl"},
		"uses a module":        {"uses.hcl", "network \"uses\" {\n  description = \"x${module.edge.name}\"\n}\n", edge + " derived.hcl locals.hcl uses.hcl"},
		"what a move names":    {"other.hcl", "network \"other\" {\n}\n", "imports.hcl moved.hcl other.hcl waits.hcl locals.hcl"},
		"what was moved":       {"new.hcl", "network \"old\" {}\n", "moved.hcl new.hcl other.hcl"},
		"what was removed":     {"new.hcl", "network \"gone\" {}\n", "new.hcl removed.hcl"},
		"what an import uses":  {"locals.hcl", "locals {\n  base = 2\n}\n", edge + " derived.hcl imports.hcl locals.hcl net.hcl other.hcl sub.hcl uses.hcl waits.hcl"},
		"a call":               {"calls.hcl", "", "all"},
		"a statement":          {"moved.hcl", "", "all"},
		"a call inside":        {"modules/edge/a.hcl", "output \"name\" {\n  value = 1\n}\n", "all"},
		"a new call":           {"new.hcl", "module \"more\" {\n  source = \"./modules/inner\"\n}\n", "all"},
		"a new call at a mark": {"new.hcl", "\xef\xbb\xbfmodule \"more\" {\n  source = \"./modules/inner\"\n}\n", "all"},
		"a new statement":      {"new.hcl", "/**/import/**/{\n  to = network.net\n  id = \"x\"\n}\n", "all"},
		"path.module":          {"uses.hcl", "network \"uses\" {\n  description = path.module\n}\n", edge + " derived.hcl locals.hcl uses.hcl"},
	} {
		t.Run(name, func(t *testing.T) {
			var cache Cache
			cfg, diags := cache.Load(schema.New(), city(), ".", DefaultLimits(), false)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			after := city()
			if after[c.file] = (&fstest.MapFile{Data: []byte(c.text)}); c.text == "" {
				delete(after, c.file)
			}
			changed, ok := cache.Changes(after, ".", DefaultLimits())
			if !ok || len(changed) != 1 {
				t.Fatalf("changes %v, %v", changed, ok)
			}
			affected := cfg.Affected(changed)
			got := "all"
			if affected != nil {
				delete(affected, "cloud.hcl")
				got = strings.Join(slices.Sorted(maps.Keys(affected)), " ")
			}
			want := strings.Fields(c.want)
			if slices.Sort(want); got != strings.Join(want, " ") {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestAffected(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string // "" takes the file away
		want       string
	}{
		"nothing":             {"", "", ""},
		"used by others":      {"locals.hcl", "locals {\n  base = 2\n}\n", "derived.hcl locals.hcl net.hcl sub.hcl"},
		"uses others":         {"sub.hcl", "subnet \"sub\" {\n  network = network.net\n  cidr    = \"10.0.1.0/24\"\n}\n", "derived.hcl locals.hcl net.hcl sub.hcl"},
		"new reference":       {"other.hcl", "network \"other\" {\n  description = local.base\n}\n", "locals.hcl other.hcl waits.hcl"},
		"new file":            {"new.hcl", "network \"new\" {\n  description = network.other.id\n}\n", "new.hcl other.hcl"},
		"file that went away": {"waits.hcl", "", "other.hcl"},
		"gone beneath others": {"net.hcl", "", "derived.hcl locals.hcl sub.hcl"},
	} {
		t.Run(name, func(t *testing.T) {
			var cache Cache
			cfg, diags := cache.Load(schema.New(), town(), ".", DefaultLimits(), false)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			after := town()
			switch {
			case c.text != "":
				after[c.file] = &fstest.MapFile{Data: []byte(c.text)}
			case c.file != "":
				delete(after, c.file)
			}
			changed, ok := cache.Changes(after, ".", DefaultLimits())
			if !ok || (c.file == "") != (len(changed) == 0) {
				t.Fatalf("changes %v, %v", changed, ok)
			}
			affected := cfg.Affected(changed)
			delete(affected, "cloud.hcl") // always in there
			if got := strings.Join(slices.Sorted(maps.Keys(affected)), " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestCache wants a configuration that is partly remembered to be the same as one that is read
// anew, and mistakes to be found again each time.
func TestCache(t *testing.T) {
	var cache Cache
	language := schema.New()
	first, diags := cache.Load(language, town(), ".", DefaultLimits(), false)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	wrong := town()
	wrong["net.hcl"] = &fstest.MapFile{Data: []byte("network \"net\" {\n  nonsense = 1\n}\n")}
	for range 2 {
		if _, diags := cache.Load(language, wrong, ".", DefaultLimits(), false); !hasCode(diags, codeUnknownAttribute) {
			t.Errorf("the mistake was not found: %v", diags)
		}
	}
	second, diags := cache.Load(language, town(), ".", DefaultLimits(), false)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if len(first.Resources) != len(second.Resources) || len(first.Locals) != len(second.Locals) {
		t.Fatalf("%d resources, then %d", len(first.Resources), len(second.Resources))
	}
	for i, b := range second.Resources {
		before := first.Resources[i]
		if b.Address != before.Address || len(b.Attributes) != len(before.Attributes) {
			t.Errorf("%v, then %v", before, b)
		}
		for k, a := range b.Attributes {
			if a != before.Attributes[k] {
				t.Errorf("%s of %s was decoded again", a.Name, b.Address)
			}
		}
	}
}
