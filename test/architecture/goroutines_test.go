package architecture_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/architecture"
)

func TestGoroutines(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"a statement", "func f() {\n\tgo f()\n}", ":4: a go statement"},
		{"a group", "import \"sync\"\n\ntype t struct{ sync.WaitGroup }", ":5: a sync.WaitGroup"},
		{"an errgroup", "import \"golang.org/x/sync/errgroup\"\n\nvar g errgroup.Group", ":3: golang.org/x/sync/errgroup"},
		{"ours", "func f(g interface{ Go(func()) }) { g.Go(func() {}) }", ""},
		{"a lock", "import \"sync\"\n\nvar m sync.Mutex", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, "x.go", "package x\n\n"+test.source, 0)
			if err != nil {
				t.Fatal(err)
			}
			switch got := architecture.Goroutines(set, file); {
			case test.want == "" && len(got) > 0, test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
				t.Errorf("got %q, want one with %q", got, test.want)
			}
		})
	}
}

// A driver reads what tenants and servers have named: a panic in a goroutine of its own would tell that.
func TestGoroutinesOfDrivers(t *testing.T) {
	root := filepath.Join("..", "..")
	read := 0
	err := filepath.WalkDir(filepath.Join(root, "internal", "driver"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		read++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, breach := range architecture.Goroutines(set, file) {
			t.Error(breach)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 50 {
		t.Fatalf("only %d sources of drivers", read)
	}
}
