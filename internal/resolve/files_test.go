package resolve

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// repository is a tree with one configuration in clouds/prod.
func repository() fstest.MapFS {
	tree := fstest.MapFS{
		"clouds/prod/a.txt":         {Data: []byte("a")},
		"clouds/prod/d/b.yaml":      {Data: []byte("b")},
		"clouds/prod/d/e/c.yaml":    {Data: []byte("c")},
		"clouds/prod/d/[x].yaml":    {Data: []byte("x")},
		"clouds/prod/link.txt":      {Data: []byte("../../shared/s.txt"), Mode: fs.ModeSymlink},
		"shared/s.txt":              {Data: []byte("shared")},
		".git/config":               {Data: []byte("token")},
		"modules/other":             {Mode: fs.ModeIrregular},
		"clouds/prod/binary":        {Data: []byte{0xff, 0}},
		"clouds/prod/large":         {Data: make([]byte, maxFile+1)},
		"clouds/prod/list.tpl":      {Data: []byte("%{ for n in names ~}\n- ${upper(n)}\n%{ endfor ~}\n")},
		"clouds/prod/wrap.tpl":      {Data: []byte("${names}")},
		"clouds/prod/nested.tpl":    {Data: []byte(`${templatefile("wrap.tpl", { names = [] })}`)},
		"clouds/prod/broken.tpl":    {Data: []byte("one\n${ names")},
		"clouds/prod/failing.tpl":   {Data: []byte("one\n${ tonumber(name) }")},
		"clouds/prod/deep.tpl":      {Data: []byte("${" + strings.Repeat("(", 100_000))},
		"clouds/prod/directive.tpl": {Data: []byte(strings.Repeat("%{ if true }", 1000) + strings.Repeat("%{ endif }", 1000))},
		"clouds/prod/doubling.tpl":  {Data: []byte(strings.Repeat("${name}${name}", 1000))},
		"clouds/prod/huge.tpl":      {Data: []byte(strings.Repeat("x", 256<<10+1))},
		"clouds/prod/file.tpl":      {Data: []byte(`${file("a.txt")}`)},
	}
	for i := range 9 {
		tree[fmt.Sprintf("clouds/prod/big/%d", i)] = &fstest.MapFile{Data: make([]byte, maxFile)}
	}
	return tree
}

func evaluateAt(t *testing.T, tree fs.FS, text string, variables map[string]cty.Value) (cty.Value, error) {
	t.Helper()
	return valueOf(t, text, toolboxIn(tree, "clouds/prod"), variables)
}

func TestFiles(t *testing.T) {
	tree := repository()
	for text, want := range map[string]string{
		`file("a.txt")`: `"a"`, `file("./d/../a.txt")`: `"a"`, `file("../../shared/s.txt")`: `"shared"`, `file("link.txt")`: `"shared"`,
		`filebase64("binary")`: `"/wA="`, `fileexists("a.txt")`: `true`, `fileexists("b.txt")`: `false`, `fileexists("link.txt")`: `true`,
		`fileset(".", "*.txt")`: `["a.txt", "link.txt"]`, `fileset("d", "**/*.yaml")`: `["[x].yaml", "b.yaml", "e/c.yaml"]`,
		`fileset("d", "*.yaml")`: `["[x].yaml", "b.yaml"]`, `fileset("./d", "**")`: `["[x].yaml", "b.yaml", "e/c.yaml"]`,
		`fileset("d", "{b,e/c}.yaml")`: `["b.yaml", "e/c.yaml"]`, `fileset("d", "[a-c].yaml")`: `["b.yaml"]`, `fileset("d", "[!b]*.yaml")`: `["[x].yaml"]`,
		`fileset("d", "\\[?\\].yaml")`: `["[x].yaml"]`, `fileset("d", "e/**/c.yaml")`: `["e/c.yaml"]`, `fileset("none", "*")`: `[]`, `fileset("d", "b")`: `[]`,
		`fileset("../../shared", "s.*")`:                                `["s.txt"]`,
		`templatefile("list.tpl", { names = ["a", "b"] })`:              `"- A\n- B\n"`,
		`templatefile("wrap.tpl", { names = [1, 2] })`:                  `[1, 2]`,
		`templatefile("wrap.tpl", tomap({ names = "x" }))`:              `"x"`,
		`templatefile("file.tpl", {})`:                                  `"a"`,
		`[for n in ["x", "y"] : templatefile("wrap.tpl", {names = n})]`: `["x", "y"]`,
	} {
		got, err := evaluateAt(t, tree, text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		expected, _ := evaluateAt(t, nil, want, nil)
		if got.Type().IsSetType() {
			var names, wanted []string
			for _, v := range got.AsValueSlice() {
				names = append(names, v.AsString())
			}
			for _, v := range expected.AsValueSlice() {
				wanted = append(wanted, v.AsString())
			}
			slices.Sort(names)
			if !slices.Equal(names, wanted) {
				t.Errorf("%s = %q, want %q", text, names, wanted)
			}
			continue
		}
		if !got.RawEquals(expected) {
			t.Errorf("%s = %#v, want %s", text, got, want)
		}
	}
}

func TestFilesRefuse(t *testing.T) {
	slow.Test(t)
	tree := repository()
	for text, want := range map[string]string{
		`file("/etc/passwd")`:                                `"/etc/passwd" begins at the top of a file system`,
		`file("../../../etc/passwd")`:                        `"../../../etc/passwd" leads out of the repository`,
		`file("../..")`:                                      `"." is a directory`,
		`file("")`:                                           "the path is empty",
		`file("a\u0000.txt")`:                                `"a\x00.txt" is not a path`,
		`file("../../.git/config")`:                          "what Git keeps for itself",
		`file("../../.GIT/config")`:                          "what Git keeps for itself",
		`file("d")`:                                          `"clouds/prod/d" is a directory`,
		`file("a.tx")`:                                       `there is no file "clouds/prod/a.tx" in this revision; did you mean "a.txt"?`,
		`file("binary")`:                                     "not text in UTF-8",
		`file("large")`:                                      "1048577 bytes, and a file can have at most 1048576",
		`[for i in range(9) : filemd5("big/${i}")]`:          "more than 8388608 bytes together",
		`fileexists("d")`:                                    "is a directory",
		`fileexists("../../../x")`:                           "leads out of the repository",
		`fileset("../../modules", "*")`:                      `"modules/other" is a submodule of Git`,
		`fileset("../../..", "*")`:                           "leads out of the repository",
		`fileset(".", "../*")`:                               "leads out of the directory",
		`fileset(".", "/etc/*")`:                             "leads out of the directory",
		`fileset(".", "a/../../*")`:                          "leads out of the directory",
		`fileset(".", "[a")`:                                 "not complete",
		`fileset(".", "{a")`:                                 "not complete",
		`fileset(".", "")`:                                   "from 1 to 4096 bytes",
		`templatefile("wrap.tpl", {})`:                       `the template uses "names" (clouds/prod/wrap.tpl:1), and there is no such key`,
		`templatefile("wrap.tpl", { name = 1 })`:             `did you mean "name"?`,
		`templatefile("wrap.tpl", ["a"])`:                    "must be a map or an object",
		`templatefile("wrap.tpl", { "a-b c" = 1 })`:          "cannot be the name of a value",
		`templatefile("nested.tpl", {})`:                     "clouds/prod/nested.tpl:1",
		`templatestring("$${templatestring(\"\", {})}", {})`: "a template cannot render another one",
		`templatefile("broken.tpl", {})`:                     "clouds/prod/broken.tpl:2",
		`templatefile("failing.tpl", { name = "x" })`:        "clouds/prod/failing.tpl:2",
		`templatefile("deep.tpl", {})`:                       "there can be at most 64",
		`templatefile("directive.tpl", {})`:                  "there can be at most 64",
		`templatefile("huge.tpl", {})`:                       "at most 262144 bytes",
		`templatefile("none.tpl", {})`:                       "there is no file",
		`templatefile("doubling.tpl", { name = join("", [for i in range(1000) : "${i}00000000"]) })`:                              "",
		`regexall("(a{1000}){1}.{1000}", join("", [for i in range(1000) : "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]))`: "too large",
		`pow(10, 1000)`: "no such number", `log(-1, 2)`: "no such number", `pow(-1, 0.5)`: "no such number",
		`uuidv5("x", "y")`: "dns, url", `timecmp("x", "2026-01-31T12:00:00Z")`: "no time", `textencodebase64("é", "US-ASCII")`: "", `textencodebase64("a", "x")`: "no encoding",
		`matchkeys(["a"], ["b", "c"], ["b"])`: "same number", `formatdate("YYYY", "x")`: "", `timeadd("x", "1h")`: "",
	} {
		_, err := evaluateAt(t, tree, text, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestLinksOutOfTheTree reads a directory of this machine, as for --repo with a path.
func TestLinksOutOfTheTree(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(inside, "top"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"absolute": filepath.Join(outside, "secret"), "up": "../../" + filepath.Base(outside) + "/secret", "circle": "circle"} {
		if err := os.Symlink(target, filepath.Join(inside, "top", name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for _, text := range []string{`file("top/absolute")`, `file("top/up")`, `file("top/circle")`, `fileexists("top/up")`, `templatefile("top/up", {})`, `fileset("top", "up")`} {
		v, err := valueOf(t, text, toolbox(root.FS()), nil)
		if err == nil {
			t.Errorf("%s = %#v", text, v)
		}
		if said := fmt.Sprint(err); strings.Contains(said, "hunter2") || !strings.Contains(said, "top/") {
			t.Errorf("%s: %s", text, said)
		}
	}
}

// TestFilesAtBothStages renders a template whose values are known only later.
func TestFilesAtBothStages(t *testing.T) {
	tree := fstest.MapFS{
		"clouds/prod/main.hcl": {Data: []byte(`
cloud "test" {
  openstack {
    cloud = "test"
  }
}
network "web" {
  description = file("${path.module}/../about.txt")
}
project "dev" {
  description = templatefile("${path.root}/net.tpl", { id = network.web.id })
}
`)},
		"clouds/about.txt":    {Data: []byte("all webs")},
		"clouds/prod/net.tpl": {Data: []byte("in ${id}")},
	}
	cfg, diags := config.Load(schema.New(), tree, "clouds/prod", config.DefaultLimits())
	m, e, more := Resolve(cfg, nil)
	if diags.Append(more...); len(diags) > 0 {
		t.Fatal(diags)
	}
	described := func(v cty.Value) cty.Value { return v.GetAttr("description") }
	for _, r := range m.Resources {
		switch got := described(r.Desired); {
		case r.Address.Kind() == "network" && !got.RawEquals(cty.StringVal("all webs")), r.Address.Kind() == "project" && got.IsKnown():
			t.Errorf("%s: %#v", r.Address, got)
		}
	}
	outputs := map[addr.Object]cty.Value{addr.MustParseObject("network.web"): cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("n-1")})}
	late, diags := e.Desired(addr.MustParseObject("project.dev"), outputs)
	if len(diags) > 0 || !described(late).RawEquals(cty.StringVal("in n-1")) {
		t.Errorf("%#v, %v", late, diags)
	}
}

func TestUnknownFunctions(t *testing.T) {
	for call, want := range map[string]string{"cidrsubnt(1)": `did you mean "cidrsubnet"?`, "uuid()": "another value each time", "[for i in [1] : uper(i)]": `did you mean "upper"?`} {
		tree := fstest.MapFS{"main.hcl": {Data: []byte("cloud \"test\" {\n  openstack {\n    cloud = \"test\"\n  }\n}\nlocals {\n  a = " + call + "\n}\n")}}
		cfg, _ := config.Load(schema.New(), tree, ".", config.DefaultLimits())
		_, _, diags := Resolve(cfg, nil)
		if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return strings.Contains(d.Hint, want) }) {
			t.Errorf("%s: %+v", call, diags)
		}
	}
}

// TestLinkedDirectoriesOfFileSets: of what is behind such a link nobody would know that it is there, and what was made of it would
// be taken for removed.
func TestLinkedDirectoriesOfFileSets(t *testing.T) {
	tree := fstest.MapFS{
		"data/a.txt":        {Data: []byte("a")},
		"data/sub/b.txt":    {Data: []byte("b")},
		"data/link":         {Data: []byte("../other"), Mode: fs.ModeSymlink},
		"data/sub/link":     {Data: []byte("../../other"), Mode: fs.ModeSymlink},
		"data/c.txt":        {Data: []byte("../other/c.txt"), Mode: fs.ModeSymlink},
		"other/c.txt":       {Data: []byte("c")},
		"clouds/prod/c.hcl": {},
	}
	for pattern, want := range map[string]string{
		"*.txt":          "a.txt c.txt",
		"sub/*.txt":      "sub/b.txt",
		"?/**":           "",
		"**":             "data/link",
		"**/*.txt":       "data/link",
		"*/*.txt":        "data/link",
		"./link/*":       "data/link",
		"sub/**":         "data/sub/link",
		"sub/*/*.txt":    "data/sub/link",
		"{link,x}/*.txt": "data/link",
	} {
		got, err := evaluateAt(t, tree, fmt.Sprintf("fileset(%q, %q)", "../../data", pattern), nil)
		if strings.HasPrefix(want, "data/") {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q is a link to a directory", want)) {
				t.Errorf("%s: %v, %v", pattern, got, err)
			}
			continue
		}
		var names []string
		if err == nil {
			for _, v := range got.AsValueSlice() {
				names = append(names, v.AsString())
			}
		}
		slices.Sort(names)
		if strings.Join(names, " ") != want || err != nil {
			t.Errorf("%s: %q, %v", pattern, names, err)
		}
	}
}

// TestManyLinksOfAFileSet: a beginning of a pattern is made once, as it may be long, and there may be thousands of links.
func TestManyLinksOfAFileSet(t *testing.T) {
	above := newBeginnings("{" + strings.Repeat("[a-z]*,", 500) + "}x/?/b")
	if made := testing.AllocsPerRun(1, func() {
		for i := range 1000 {
			if above.reaches(fmt.Sprintf("L%d", i)) || above.reaches(fmt.Sprintf("L%d/m", i)) {
				t.Fatal("a link that no file of the pattern is below is reached")
			}
		}
	}); made > 50_000 || len(above.of) != 2 {
		t.Errorf("%v allocations for %d beginnings", made, len(above.of))
	}
}
