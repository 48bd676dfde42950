package revision_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// quiet is configuration that nothing else refers to, so that a change of it needs no other file.
func quiet(files fstest.MapFS, n int) fstest.MapFS {
	for i := range n {
		name := string(rune('a'+i/26)) + string(rune('a'+i%26))
		files["quiet/"+name+".hcl"] = &fstest.MapFile{Data: []byte("network \"quiet-" + name + "\" {}\n")}
	}
	return files
}

// TestTriedAgain changes one thing after another, and wants all of it to be tried again, a part, or
// nothing.
func TestTriedAgain(t *testing.T) {
	slow.Test(t)
	const (
		nothing = iota
		part
		whole
	)
	base := func() fstest.MapFS {
		return quiet(fstest.MapFS{
			"cloud.hcl": {Data: []byte(reachOnly)},
			"file.hcl": {Data: []byte(`locals {
  a = file("motd.txt")
  b = fileset("list", "*")
  c = fileexists("flag")
  d = file(".shared/text.hcl")
}
`)},
			"variables.hcl":    {Data: []byte("variable \"site\" {\n  default = \"a\"\n}\nnetwork \"site\" {\n  description = var.site\n}\n")},
			"motd.txt":         {Data: []byte("hello")},
			"other.txt":        {Data: []byte("hello")},
			"list/one":         {},
			".shared/text.hcl": {Data: []byte("not really HCL: {{{")},
			"calls.hcl":        {Data: []byte("module \"m\" {\n  source = \"./modules/m\"\n}\nremoved {\n  from = network.gone\n}\n")},
			"modules/m/m.hcl":  {Data: []byte("network \"m\" {}\n")},
		}, 40)
	}
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for name, c := range map[string]struct {
		change func(fstest.MapFS)
		with   revision.Options
		want   int
	}{
		"nothing":                {change: func(fstest.MapFS) {}, want: nothing},
		"what nobody reads":      {change: func(f fstest.MapFS) { f["other.txt"] = text("bye") }, want: nothing},
		"one file":               {change: func(f fstest.MapFS) { f["quiet/aa.hcl"] = text("network \"quiet-aa\" {\n}\n") }, want: part},
		"a file that is read":    {change: func(f fstest.MapFS) { f["motd.txt"] = text("bye") }, want: whole},
		"a hidden one":           {change: func(f fstest.MapFS) { f[".shared/text.hcl"] = text("other") }, want: whole},
		"files that are listed":  {change: func(f fstest.MapFS) { f["list/two"] = text("") }, want: whole},
		"a file that was absent": {change: func(f fstest.MapFS) { f["flag"] = text("") }, want: whole},
		"a file with values":     {change: func(f fstest.MapFS) { f["kupenstack.hclvars"] = text("site = \"b\"\n") }, want: whole},
		"a value from outside":   {change: func(fstest.MapFS) {}, with: revision.Options{Language: schema.New(), Given: []config.Given{{Name: "site", Text: "b", Origin: "--var site"}}}, want: whole},
		"another key":            {change: func(fstest.MapFS) {}, with: revision.Options{Language: schema.New(), Keys: config.Keys{Identities: redact.NewSecret("AGE-SECRET-KEY")}}, want: whole},
		"a moved block": {change: func(f fstest.MapFS) {
			f["moved.hcl"] = text("moved {\n  from = network.before\n  to   = network.quiet-aa\n}\n")
		}, want: whole},
		"a file of a module": {change: func(f fstest.MapFS) { f["modules/m/m.hcl"] = text("network \"n\" {}\n") }, want: part},
		"what was removed":   {change: func(f fstest.MapFS) { f["quiet/new.hcl"] = text("network \"going\" {}\n") }, want: part},
		"a module": {change: func(f fstest.MapFS) {
			f["quiet/aa.hcl"] = text("module \"n\" {\n  source = \"./quiet/m\"\n}\n")
			f["quiet/m/m.hcl"] = text("locals {}\n")
		}, want: whole},
	} {
		t.Run(name, func(t *testing.T) {
			reader, tried := trials("")
			mustRead(t, reader, "", base())
			before := len(*tried)
			after := base()
			c.change(after)
			c.with.Language = reading.Language
			loaded, found, err := reader.Load(t.Context(), "", after, ".", c.with)
			if err != nil || loaded == nil {
				t.Fatalf("%v\n%s", err, found.Text(false))
			}
			got := nothing
			if len(*tried) > before {
				got = part
				if strings.Contains(strings.Join((*tried)[len(*tried)-1].Read, " "), "quiet/bd.hcl") {
					got = whole
				}
			}
			if got != c.want || len(*tried) > before+1 {
				t.Errorf("%d trials, the last of %q", len(*tried)-before, (*tried)[len(*tried)-1].Read)
			}
		})
	}
}

// TestModulesAreTried changes a module outside of the configuration's directory.
func TestModulesAreTried(t *testing.T) {
	tree := func(text string) fstest.MapFS {
		return fstest.MapFS{
			"prod/cloud.hcl": {Data: []byte(reachOnly + "module \"m\" {\n  source = \"../m\"\n}\n")},
			"m/m.hcl":        {Data: []byte("network \"n\" {\n  description = " + text + "\n}\n")},
		}
	}
	reader, tried := trials("")
	for i, step := range []struct {
		text   string
		trials int
	}{{`"a"`, 1}, {`"a"`, 1}, {`"b"`, 2}, {`file("m.txt")`, 3}, {`"b"`, 4}} {
		loaded, found, err := reader.Load(t.Context(), "", tree(step.text), "prod", reading)
		if err != nil || (loaded == nil) != strings.HasPrefix(step.text, "file") {
			t.Fatalf("%v\n%s", err, found.Text(false))
		}
		if len(*tried) != step.trials {
			t.Errorf("step %d: %d trials, want %d", i, len(*tried), step.trials)
		}
	}
}

// TestGivenValuesReachTheChild has a value from outside that costs too much where it is used.
func TestGivenValuesReachTheChild(t *testing.T) {
	reader, _ := trials("")
	files := single("variable \"n\" {\n  default = 1\n}\nlocals {\n  a = distinct(flatten([for i in range(var.n) : [for b in range(500) : i * 500 + b]]))\n}\n").files
	mustRead(t, reader, "", files)
	reader.Runner.Limits.CPU /= 20
	loaded, found, err := reader.Load(t.Context(), "", files, ".", revision.Options{Language: reading.Language, Given: []config.Given{{Name: "n", Text: "20", Origin: "--var n"}}})
	if err != nil || loaded != nil || !strings.Contains(found.Text(false), "confine.time") {
		t.Errorf("%v\n%s", err, found.Text(false))
	}
}

// TestReplaceIsDecodedOnce reads a list of expressions twice by the same reader: decoding changes an
// expression, which the revision before still uses.
func TestReplaceIsDecodedOnce(t *testing.T) {
	reader, _ := trials("")
	files := quiet(fstest.MapFS{
		"cloud.hcl": {Data: []byte(reachOnly)},
		"net.hcl":   {Data: []byte("locals {\n  g = 1\n}\nnetwork \"n\" {\n  lifecycle {\n    replace_triggered_by = [upper(\"a${local.g}\"), [for x in range(3) : x]]\n  }\n}\n")},
	}, 10)
	first := mustRead(t, reader, "", files)
	files["quiet/aa.hcl"] = &fstest.MapFile{Data: []byte("network \"quiet-aa\" {\n}\n")}
	second := mustRead(t, reader, "", files)
	for i := range first.Model.Resources {
		a, b := first.Model.Resources[i], second.Model.Resources[i]
		if a.Address != b.Address || !a.Desired.RawEquals(b.Desired) || fmt.Sprintf("%#v", a.Triggers) != fmt.Sprintf("%#v", b.Triggers) {
			t.Errorf("%s: %#v, then %#v", a.Address, a.Triggers, b.Triggers)
		}
	}
}
