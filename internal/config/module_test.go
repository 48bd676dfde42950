package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const someCloud = "cloud \"c\" {\n  openstack {\n    cloud = \"c\"\n  }\n}\n"

// callOf is a module block.
func callOf(name, source string) string {
	return fmt.Sprintf("module %q {\n  source = %q\n}\n", name, source)
}

// localsOf lists the locals of a module and of those that it calls: dir(a b).
func localsOf(m *Module) string {
	var parts []string
	for _, l := range m.Locals {
		parts = append(parts, l.Name)
	}
	for _, c := range m.Calls {
		if c.Module == nil {
			parts = append(parts, "nothing")
		} else {
			parts = append(parts, localsOf(c.Module))
		}
	}
	return m.Dir + "(" + strings.Join(parts, " ") + ")"
}

func TestFilesBelongToTheNearestModule(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		dir   string
		want  string
	}{
		"below": {
			[]string{"a.hcl", someCloud + callOf("m", "./m") + "locals {\n  a = 1\n}\n", "sub/b.hcl", "locals {\n  b = 1\n}\n", "m/c.hcl", "locals {\n  c = 1\n}\n", "m/deep/d.hcl", "locals {\n  d = 1\n}\n"},
			".", ".(a b m(c d))",
		},
		"beside": {
			[]string{"x/prod/a.hcl", someCloud + callOf("m", "../../lib/m"), "lib/m/c.hcl", callOf("n", "../n"), "lib/n/d.hcl", "locals {\n  d = 1\n}\n", "x/other/e.hcl", "broken"},
			"x/prod", "x/prod(lib/m(lib/n(d)))",
		},
		"called by a module only, and looked at before it": {
			[]string{"a.hcl", someCloud + callOf("z", "./m/z"), "m/z/c.hcl", callOf("a", "../a"), "m/a/d.hcl", "locals {\n  d = 1\n}\n" + callOf("b", "./b"), "m/a/b/e.hcl", "locals {\n  e = 1\n}\n"},
			".", ".(m/z(m/a(d m/a/b(e))))",
		},
		"from a directory of the module that is none itself": {
			[]string{"sub/a.hcl", someCloud + callOf("m", "./m"), "m/c.hcl", "locals {\n  c = 1\n}\n", "sub/m/d.hcl", "locals {\n  d = 1\n}\n"},
			".", ".(d m(c))",
		},
		"above": {
			[]string{"x/prod/a.hcl", someCloud + callOf("m", ".."), "x/c.hcl", "locals {\n  c = 1\n}\n"},
			"x/prod", "x/prod(x(c))",
		},
		"twice": {
			[]string{"a.hcl", someCloud + callOf("m", "./m") + callOf("n", "./x/../m/"), "m/c.hcl", "locals {\n  c = 1\n}\n"},
			".", ".(m(c) m(c))",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, diags := Load(schema.New(), files(c.files...), c.dir, DefaultLimits())
			if len(diags) > 0 {
				t.Fatalf("%+v", diags)
			}
			if got := localsOf(&cfg.Module); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestSourcesThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"absolute":         {[]string{"a.hcl", callOf("m", "/etc")}, "this is absolute"},
		"out of the tree":  {[]string{"a.hcl", callOf("m", "../m")}, "leads out of the repository"},
		"out and in again": {[]string{"a.hcl", callOf("m", "./m/../../m"), "m/b.hcl", ""}, "leads out of the repository"},
		"far out":          {[]string{"a.hcl", callOf("m", strings.Repeat("../", 1000))}, "leads out of the repository"},
		"missing":          {[]string{"a.hcl", callOf("m", "./m")}, `no directory "m"`},
		"empty":            {[]string{"a.hcl", callOf("m", "")}, "begins with ./ or ../"},
		"without dot":      {[]string{"a.hcl", callOf("m", "m"), "m/b.hcl", ""}, "begins with ./ or ../"},
		"a URL":            {[]string{"a.hcl", callOf("m", "https://example.org/m")}, "a directory of this repository"},
		"a git source":     {[]string{"a.hcl", callOf("m", "git::ssh://example.org/m")}, "a directory of this repository"},
		"NUL":              {[]string{"a.hcl", "module \"m\" {\n  source = \"./m\\u0000\"\n}\n"}, "no path"},
		"a file":           {[]string{"a.hcl", callOf("m", "./m.hcl"), "m.hcl", ""}, `"m.hcl" is a file`},
		"no configuration": {[]string{"a.hcl", callOf("m", "./m"), "m/readme", ""}, "no file whose name ends with .hcl"},
		"a number":         {[]string{"a.hcl", "module \"m\" {\n  source = 1\n}\n"}, "text in quotes"},
		"computed":         {[]string{"a.hcl", "module \"m\" {\n  source = \"./${var.x}\"\n}\nvariable \"x\" {}\n", "m/b.hcl", ""}, "text in quotes"},
		"itself":           {[]string{"a.hcl", callOf("m", "./")}, "calls itself"},
		"in a circle": {
			[]string{"a.hcl", callOf("a", "./a"), "a/a.hcl", callOf("b", "../b"), "b/b.hcl", callOf("c", "../c"), "c/c.hcl", callOf("b", "../b")},
			"b (b/b.hcl:1) → c (c/c.hcl:1) → b",
		},
		"back to the root":               {[]string{"a.hcl", callOf("a", "./a"), "a/a.hcl", callOf("up", "..")}, ". (a.hcl:6) → a (a/a.hcl:1) → ."},
		"a module exactly if it is none": {[]string{"a/x.hcl", callOf("a", "./a")}, "modules only as long as they are none"},
	} {
		t.Run(name, func(t *testing.T) {
			pairs := slices.Clone(c.files)
			if pairs[0] == "a.hcl" {
				pairs[1] = someCloud + pairs[1]
			} else {
				pairs = append(pairs, "cloud.hcl", someCloud)
			}
			cfg, diags := Load(schema.New(), files(pairs...), ".", DefaultLimits())
			if !cfg.Faulty || len(diags) != 1 || !strings.Contains(diags[0].Detail+diags[0].Summary, c.want) {
				t.Errorf("got %+v, want one that says %q", diags, c.want)
			}
		})
	}
}

func TestSourcesAreNoLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(outside, "m", "m.hcl"): "locals {}\n",
		filepath.Join(dir, "main.hcl"):       someCloud + callOf("direct", "./direct") + callOf("way", "./way/m"),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"direct": filepath.Join(outside, "m"), "way": outside} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	cfg, diags := Load(schema.New(), os.DirFS(dir), ".", DefaultLimits())
	told := map[string]int{} // by the call, and as what is among the files
	for _, d := range diags {
		told[d.Detail[:strings.Index(d.Detail, " link")]]++
	}
	if want := map[string]int{`"direct" is a`: 2, `"way" is a`: 2}; !maps.Equal(told, want) {
		t.Errorf("diagnostics %+v", diags)
	}
	if _, read := cfg.Source("way/m/m.hcl"); read {
		t.Error("a file behind a link was read")
	}
}

// What two modules say together counts against the same limits as if it were in one.
func TestLimitsHoldForAllModulesTogether(t *testing.T) {
	pairs := []string{"a.hcl", someCloud}
	for i := range 20 {
		pairs[1] += callOf(fmt.Sprintf("m%d", i), fmt.Sprintf("../m%d", i))
		pairs = append(pairs, fmt.Sprintf("m%d/a.hcl", i), numbered("network \"n%d\" {}\n", 10), fmt.Sprintf("m%d/b.hcl", i), "")
	}
	pairs[0] = "root/a.hcl"
	for what, limits := range map[string]func(*Limits){
		"files":  func(l *Limits) { l.Files = 30 },
		"blocks": func(l *Limits) { l.Blocks = 150 },
		"bytes":  func(l *Limits) { l.TotalBytes = 2000 },
	} {
		l := DefaultLimits()
		limits(&l)
		cfg, diags := Load(schema.New(), files(pairs...), "root", l)
		if !hasCode(diags, codeLimit) || !cfg.Faulty {
			t.Errorf("%s: %v", what, short(diags))
		}
	}
	if _, diags := Load(schema.New(), files(pairs...), "root", DefaultLimits()); len(diags) > 0 {
		t.Errorf("within the limits: %+v", diags)
	}
}

// A long chain of modules must not take long, in whichever order their directories are looked at.
func TestManyModules(t *testing.T) {
	for name, next := range map[string]func(i int) int{"upwards": func(i int) int { return i + 1 }, "downwards": func(i int) int { return 1000 - i }} {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{"root/a.hcl": {Data: []byte(someCloud + callOf("m", fmt.Sprintf("../m%04d", next(0))))}}
			for i := range 1000 {
				text := "locals {}\n"
				if i < 999 {
					text = callOf("m", fmt.Sprintf("../m%04d", next(i+1)))
				}
				fsys[fmt.Sprintf("m%04d/a.hcl", next(i))] = &fstest.MapFile{Data: []byte(text)}
			}
			within(t, func() {
				if cfg, _ := Load(schema.New(), fsys, "root", DefaultLimits()); cfg == nil {
					t.Error("no configuration")
				}
			})
		})
	}
}

func TestReferencesToModules(t *testing.T) {
	cfg, diags := Load(schema.New(), files("a.hcl", someCloud+callOf("m", "./m")+`
locals {
  plain    = module.m.out
  key      = module.m["fra"].out.deep
  computed = module.m[local.plain].out
  whole    = [for x in module.m : x.out]
}
`, "m/m.hcl", "output \"out\" {\n  value = 1\n}\n"), ".", DefaultLimits())
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	want := map[string]struct {
		target, attribute string
		computed          bool
	}{
		"plain": {"module.m", "out", false}, "key": {`module.m["fra"]`, "out", false}, "computed": {"module.m", "out", true}, "whole": {"module.m", "", false},
	}
	for _, l := range cfg.Locals {
		w, ref := want[l.Name], l.References[0]
		if _, is := ref.Target.(addr.Module); !is || ref.Target.String() != w.target || ref.Attribute != w.attribute || !ref.Key.IsZero() != w.computed {
			t.Errorf("%s refers to %+v", l.Name, ref)
		}
	}
}
