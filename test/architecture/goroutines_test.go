package architecture_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/architecture"
)

func TestGoroutines(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"a statement", "func f() {\n\tgo f()\n}", ":4: a go statement"},
		{"a group", "import \"sync\"\n\ntype t struct{ sync.WaitGroup }", ":5: a sync.WaitGroup"},
		{"an errgroup", "import \"golang.org/x/sync/errgroup\"\n\nvar g errgroup.Group", ":3: golang.org/x/sync/errgroup"},
		{"a timer", "import \"time\"\n\nvar t = time.AfterFunc(1, f)", ":5: an AfterFunc"},
		{"an end", "func f(ctx context.Context) {\n\tdefer context.AfterFunc(ctx, func() {})()\n}", ":4: an AfterFunc"},
		{"a timer of ours", "var t = time.AfterFunc(1, contain.Callback(f))", ""},
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

// What is read of tenants, servers and files may be anywhere: a panic in a goroutine that nobody contains would tell it.
func TestGoroutinesOfTheProduct(t *testing.T) {
	excused := 0
	for path, source := range product(t) {
		found := architecture.Goroutines(source.set, source.file)
		if strings.HasPrefix(path, "internal/contain/") { // which starts them
			excused += len(found)
			continue
		}
		for _, breach := range found {
			t.Error(breach)
		}
	}
	if excused == 0 {
		t.Error("nothing in package contain starts a goroutine: the rule sees none")
	}
}
