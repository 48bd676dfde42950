package engine_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// columns are what is being done, and what a scenario shows that it was.
var columns = [4]struct{ name, shown string }{{"install", "create "}, {"upgrade", "update "}, {"delete", "delete "}, {"replace", "replace"}}

// matrix says for everything that may come between, and for each of columns, which scenario of testdata proves how it ends,
// and what that has to have in it.
var matrix = []struct {
	name  string
	shown string
	cells [4]string
}{
	{"order", ";", [4]string{"order", "upgrade-order", "vanished", "replace-chain"}},
	{"parallelism", "hold ", [4]string{"order", "upgrade-order", "parallel-going", "parallel-going"}},
	{"failure of what it needs", "waits ", [4]string{"failing", "upstream-fails", "vanished", "upstream-fails"}},
	{"retries", "fail ", [4]string{"retry", "retry-later", "removed-reasons", "retry-later"}},
	{"breakers", "fail ", [4]string{"failing", "rests-and-reopens", "rests-and-reopens", "rests-and-reopens"}},
	{"a new commit meanwhile", "hold ", [4]string{"during", "during-later", "during-later", "during-later"}},
	{"suspension", "suspend ", [4]string{"suspend-during", "suspend-unit", "suspend-cloud", "suspend-replaced"}},
	{"brakes", "blocked", [4]string{"brake-beside", "brake-beside", "brake", "brake-beside"}},
	{"a lost lease", "lose-lease", [4]string{"lost-lease", "lost-lease", "lost-lease", "lost-lease"}},
}

// TestMatrix wants a scenario for each cell of the matrix, which has both in it. That it holds is for TestScenarios to
// prove, which runs them all.
func TestMatrix(t *testing.T) {
	for _, row := range matrix {
		for i, name := range row.cells {
			archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
			if err != nil {
				t.Errorf("%s while it %ss: %v", row.name, columns[i].name, err)
				continue
			}
			text := string(txtar.Format(archive))
			for _, shown := range []string{row.shown, columns[i].shown} {
				if !strings.Contains(text, shown) {
					t.Errorf("%s while it %ss: there is no %q in %s", row.name, columns[i].name, shown, name)
				}
			}
		}
	}
}
