package config

import (
	"io/fs"
	"path"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// FuzzLoad feeds one file of any content: it must neither panic nor take long, whatever it
// holds, and every mistake must have a code and a text.
func FuzzLoad(f *testing.F) {
	for _, text := range killers(30) {
		f.Add([]byte(text))
	}
	f.Add([]byte(valid))
	f.Add([]byte(valid + "moved {\n  from = module.a[\"x\"].network.b[\"y\"]\n  to = network.web\n}\nimport {\n  for_each = {}\n  to = network.web[each.key]\n  id = each.value\n}\nremoved {\n  from = service.heat\n  lifecycle {\n    destroy = false\n  }\n}\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 64<<10 {
			t.Skip("larger than what the bound is about")
		}
		start := processorTime(t)
		cfg, diags := loadText(string(src))
		if used := processorTime(t) - start; used > 2*time.Second {
			t.Errorf("used %v", used)
		}
		if cfg == nil {
			t.Fatal("no configuration at all")
		}
		for _, d := range diags {
			if d.Code == "" || d.Summary == "" {
				t.Errorf("a diagnostic without code or text: %+v", d)
			}
		}
		if cfg.Cloud == nil && len(diags) == 0 {
			t.Error("no cloud and no complaint")
		}
	})
}

// FuzzSources calls modules by any source from any module: nothing outside of the tree is asked for,
// and what is found is a directory that is there.
func FuzzSources(f *testing.F) {
	for _, source := range []string{"./m", "../m", "..", ".", "/etc", "./m/../../..", "git::x", "./m\\n", "./sub/../m/", "", "\u00e9"} {
		f.Add("m", source)
		f.Add("sub/deep", source)
	}
	f.Fuzz(func(t *testing.T, caller, source string) {
		if !fs.ValidPath(caller) || path.Base(caller) == "." {
			t.Skip("not a directory below the root")
		}
		text := someCloud + callOf("a", "./"+caller)
		key := addr.StringKey(source).String() // in brackets, as HCL quotes it
		fsys := fstest.MapFS{
			"main.hcl": {Data: []byte(text)}, "m/m.hcl": {Data: []byte("locals {}\n")},
			caller + "/x.hcl": {Data: []byte("module \"b\" {\n  source = " + key[1:len(key)-1] + "\n}\n")},
		}
		cfg, _ := Load(schema.New(), strict{t, fsys}, ".", DefaultLimits())
		for _, outer := range cfg.Calls {
			if outer.Module == nil {
				continue
			}
			for _, call := range outer.Module.Calls {
				if call.Module == nil {
					continue
				}
				if info, err := fs.Stat(fsys, call.Module.Dir); err != nil || !info.IsDir() {
					t.Errorf("from %q the source %q leads to %q: %v", caller, source, call.Module.Dir, err)
				}
			}
		}
	})
}

// strict fails when a file system is asked for what is no path of it.
type strict struct {
	t *testing.T
	fstest.MapFS
}

func (s strict) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		s.t.Errorf("%q is opened", name)
	}
	return s.MapFS.Open(name)
}
