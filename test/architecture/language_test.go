package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/architecture"
)

func TestLanguages(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"a call", "import \"" + module + "/schema\"\n\nvar d = schema.New()", ":5:9: a language of its own"},
		{"by another name", "import s \"" + module + "/schema\"\n\nvar d = s.New()", ":5:9: a language of its own"},
		{"the function itself", "import \"" + module + "/schema\"\n\nvar d = schema.New", ":5:9: a language of its own"},
		{"something else of it", "import \"" + module + "/schema\"\n\nvar d schema.Definition", ""},
		{"another package", "import \"example.org/schema\"\n\nvar d = schema.New()", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, "x.go", "package x\n\n"+test.source, 0)
			if err != nil {
				t.Fatal(err)
			}
			switch got := architecture.Languages(set, file); {
			case test.want == "" && len(got) > 0, test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
				t.Errorf("got %q, want one with %q", got, test.want)
			}
		})
	}
}

// TestOneLanguage: each command makes its language once, and nothing below makes another one.
func TestOneLanguage(t *testing.T) {
	tops := 0
	for path, source := range product(t) {
		found := architecture.Languages(source.set, source.file)
		if filepath.Base(path) == "main.go" && strings.HasPrefix(path, "cmd/") {
			tops += len(found)
			if len(found) > 1 {
				t.Errorf("%s makes %d languages", path, len(found))
			}
			continue
		}
		for _, breach := range found {
			t.Error(breach)
		}
	}
	if tops != 2 {
		t.Errorf("%d commands make a language, want 2", tops)
	}
}

// source is a file of the product.
type source struct {
	set  *token.FileSet
	file *ast.File
}

// product are the sources of the commands and of the packages below them, by their paths in the module.
func product(t *testing.T) map[string]source {
	t.Helper()
	root := filepath.Join("..", "..")
	all := map[string]source{}
	for _, dir := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			all[filepath.ToSlash(name)] = source{set, file}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 500 {
		t.Fatalf("only %d sources of the product", len(all))
	}
	return all
}
