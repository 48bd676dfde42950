package world

import (
	"io/fs"
	"maps"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/test/charts"
)

// Files is the configuration as it will be pushed next: the demo of the examples with the charts
// beside it that the tests are to install, changed so far that it fits the test beds.
type Files struct {
	Prefix string // of the names in OpenStack

	content map[string]string
	removed []string
}

// header is the first line of a block whose object has a name in OpenStack that others could have.
var header = regexp.MustCompile(`(?m)^((?:project|network|subnet|router|security_group|flavor|keypair|image) "([^"]+)" \{)$`)

func newFiles(t testing.TB, image, prefix string) *Files {
	t.Helper()
	f := &Files{Prefix: prefix, content: map[string]string{}}
	f.add(t, examples.FS, "demo")
	for name, text := range f.content {
		if !strings.HasSuffix(name, ".hcl") {
			continue
		}
		text = header.ReplaceAllString(text, "$1\n  name = \""+prefix+"$2\"")
		text = regexp.MustCompile(`(?m)^  source +=.*$`).ReplaceAllString(text, `  source = "`+image+`"`)
		text = regexp.MustCompile(`(?m)^  checksum +=.*\n`).ReplaceAllString(text, "")
		text = strings.NewReplacer(`"control-1"`, `"node-1"`, `"worker-1"`, `"node-2"`, `"worker-2"`, `"node-3"`, `"qcow2"`, `"raw"`).Replace(text)
		f.content[name] = text
	}
	tree, err := charts.Tree()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range tree {
		f.content[path.Join("charts", name)] = text
	}
	return f
}

// add copies the files below a directory.
func (f *Files) add(t testing.TB, from fs.FS, dir string) {
	t.Helper()
	err := fs.WalkDir(from, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, name)
		f.content[strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Content returns all files.
func (f *Files) Content() map[string]string { return maps.Clone(f.content) }

// Edit replaces a text in a file, which must have it.
func (f *Files) Edit(t testing.TB, name, old, with string) {
	t.Helper()
	if !strings.Contains(f.content[name], old) {
		t.Fatalf("%s has no %q:\n%s", name, old, f.content[name])
	}
	f.content[name] = strings.Replace(f.content[name], old, with, 1)
}

// Cut takes the block with that first line out of a file.
func (f *Files) Cut(t testing.TB, name, first string) {
	t.Helper()
	text := f.content[name]
	begin := strings.Index(text, first)
	if begin < 0 {
		t.Fatalf("%s has no block %q", name, first)
	}
	indent := first[:len(first)-len(strings.TrimLeft(first, " "))]
	last := "\n" + indent + "}\n"
	end := strings.Index(text[begin:], last)
	if end < 0 {
		t.Fatalf("%s: the block %q has no end", name, first)
	}
	f.content[name] = text[:begin] + text[begin+end+len(last):]
}

// Write sets a whole file.
func (f *Files) Write(name, text string) { f.content[name] = text }

// Remove takes a file away.
func (f *Files) Remove(name string) {
	delete(f.content, name)
	f.removed = append(f.removed, name)
}

// takeRemoved returns the files that were taken away since the last time.
func (f *Files) takeRemoved() []string {
	removed := f.removed
	f.removed = nil
	return removed
}
