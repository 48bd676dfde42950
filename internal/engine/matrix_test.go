package engine_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// columns are what is being done.
var columns = [4]string{"install", "upgrade", "delete", "replace"}

// matrix says for everything that may come between, and for each of columns, which scenario of testdata proves how it ends,
// and what its script has to have in it. Where held is set what was to be done is kept from being done.
var matrix = []struct {
	name  string
	shown string
	cells [4]string
	held  bool
}{
	{"order", ";", [4]string{"order", "upgrade-order", "vanished", "replace-chain"}, false},
	{"parallelism", "hold ", [4]string{"order", "upgrade-order", "parallel-going", "parallel-going"}, false},
	{"failure of what it needs", "waits ", [4]string{"failing", "upstream-fails", "vanished", "upstream-fails"}, false},
	{"retries", "fail ", [4]string{"retry", "retry-later", "removed-reasons", "retry-later"}, false},
	{"breakers", "fail ", [4]string{"failing", "rests-and-reopens", "rests-and-reopens", "rests-and-reopens"}, false},
	{"a new commit meanwhile", "hold ", [4]string{"during", "during-later", "during-later", "during-later"}, false},
	{"suspension", "suspend ", [4]string{"suspend-during", "suspend-unit", "suspend-cloud", "suspend-replaced"}, false},
	{"brakes", "blocked", [4]string{"brake-beside", "brake-beside", "brake", "brake-beside"}, true},
	{"a lost lease", "lose-lease", [4]string{"lost-lease", "lost-lease", "lost-lease", "lost-lease"}, false},
}

// TestMatrix wants a scenario for each cell of the matrix, whose script has both in it. That it holds is for TestScenarios
// to prove, which runs them all.
func TestMatrix(t *testing.T) {
	for _, row := range matrix {
		for i, name := range row.cells {
			archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
			if err != nil {
				t.Errorf("%s while it %ss: %v", row.name, columns[i], err)
				continue
			}
			lines := scriptOf(archive)
			if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, row.shown) }) {
				t.Errorf("%s while it %ss: no step of %s has %q", row.name, columns[i], name, row.shown)
			}
			if done := doneBy(lines); !done[columns[i]] && !row.held {
				t.Errorf("%s while it %ss: no calls of %s say that it does", row.name, columns[i], name)
			}
		}
	}
}

// scriptOf returns the steps of a scenario, without what is said about them.
func scriptOf(archive *txtar.Archive) []string {
	var steps []string
	for _, file := range archive.Files {
		if file.Name != "script" {
			continue
		}
		for line := range strings.Lines(string(file.Data)) {
			if !strings.HasPrefix(line, "#") {
				steps = append(steps, strings.TrimSpace(line))
			}
		}
	}
	return steps
}

// doneBy tells which of columns the calls of a script are. What is created again after it was deleted is replaced.
func doneBy(steps []string) map[string]bool {
	done, deleted := map[string]bool{}, map[string]bool{}
	for _, step := range steps {
		calls, ok := strings.CutPrefix(step, "calls ")
		if !ok {
			continue
		}
		for call := range strings.FieldsFuncSeq(calls, func(r rune) bool { return r == ',' || r == ';' }) {
			verb, address, _ := strings.Cut(strings.TrimSpace(call), " ")
			switch verb {
			case "create":
				done["install"] = true
				done["replace"] = done["replace"] || deleted[address]
			case "update":
				done["upgrade"] = true
			case "delete":
				done["delete"], deleted[address] = true, true
			}
		}
	}
	return done
}
