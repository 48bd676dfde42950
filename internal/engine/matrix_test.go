package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/tools/txtar"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// rows are what may come between, by the names that the written matrix has for them.
var rows = []struct {
	name string
	what between
}{
	{"order", hasToWait},
	{"parallelism", runsBeside},
	{"upstream-failure", waitsInVain},
	{"retries", fails},
	{"breakers", rests},
	{"new-commit", seesACommit},
	{"suspension", isSuspended},
	{"brakes", isBraked},
	{"lost-lease", isDisplaced},
}

// matrixDir has the scenarios of the matrix and, as its README.md, the matrix itself.
const matrixDir = "testdata/matrix"

// TestMatrix runs a scenario for each cell of the matrix. In each, what its row is about has to come between an object
// and what its column is about, and that has to be done to the same object in the end, once or again.
func TestMatrix(t *testing.T) {
	for _, row := range rows {
		for _, column := range columns {
			name := row.name + "-" + column
			t.Run(name, func(t *testing.T) {
				archive, err := txtar.ParseFile(filepath.Join(matrixDir, name+".txtar"))
				if err != nil {
					t.Fatal(err)
				}
				w := newWitness()
				synctest.Test(t, func(t *testing.T) { runScenario(t, archive, w) })
				if !w.saw(row.what, column) {
					t.Errorf("nothing that is there for its %s %s; there were %v, and done was %v", column, row.what, w.came, w.done)
				}
			})
		}
	}
}

// saw tells whether something came between an object and what was done to it in the end.
func (w *witness) saw(what between, doing string) bool {
	for a := range w.came[what][doing] {
		if w.done[doing][a] {
			return true
		}
	}
	return false
}

// TestNothingComesBetween is for the witness: where all goes well it has seen nothing come between but others beside it.
func TestNothingComesBetween(t *testing.T) {
	archive := txtar.Parse([]byte(`
-- one --
service.a .v=1
resource.r driver=openstack .v=1 replace=v
resource.gone driver=openstack
-- two --
service.a .v=2
resource.r driver=openstack .v=2 replace=v
-- script --
submit one
settle
submit two
settle
calls create service.a, create resource.r, create resource.gone; update service.a, delete resource.gone, delete resource.r, create resource.r
`))
	w := newWitness()
	synctest.Test(t, func(t *testing.T) { runScenario(t, archive, w) })
	for what := range w.came {
		if what != runsBeside {
			t.Errorf("it %s: %v", what, w.came[what])
		}
	}
	for column, a := range map[string]string{"install": "service.a", "upgrade": "service.a", "delete": "resource.gone", "replace": "resource.r"} {
		if done := w.done[column]; !done[addr.MustParseObject(a)] {
			t.Errorf("of %s, done was %v", column, done)
		}
	}
}

// TestWrittenMatrix wants the written matrix to have a script of its own for each cell, which says of itself what the
// matrix says of the cell, and no script to be in no cell.
func TestWrittenMatrix(t *testing.T) {
	written, err := os.ReadFile(filepath.Join(matrixDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]*txtar.Archive{}
	files, _ := filepath.Glob(filepath.Join(matrixDir, "*.txtar"))
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scripts[strings.TrimSuffix(filepath.Base(file), ".txtar")] = archive
	}
	for _, problem := range misfits(string(written), scripts) {
		t.Error(problem)
	}
}

// TestMisfits has the written matrix wrong in each way that there is.
func TestMisfits(t *testing.T) {
	right := func() (lines []string, scripts map[string]*txtar.Archive) {
		scripts = map[string]*txtar.Archive{}
		for _, row := range rows {
			lines = append(lines, "## "+row.name)
			for _, column := range columns {
				name := row.name + "-" + column
				lines = append(lines, fmt.Sprintf("- [%s](%s.txtar): It is so of %s.", column, name, name))
				scripts[name] = txtar.Parse([]byte("It is so\nof " + name + ".\n-- script --\nexpect " + name + "\n"))
			}
		}
		return lines, scripts
	}
	for _, test := range []struct {
		name  string
		wrong func(lines []string, scripts map[string]*txtar.Archive)
		want  []string
	}{
		{"nothing", func([]string, map[string]*txtar.Archive) {}, nil},
		{"a cell is not there", func(lines []string, _ map[string]*txtar.Archive) { lines[1] = "" }, []string{"the matrix does not have order-install"}},
		{"a script is not there", func(_ []string, scripts map[string]*txtar.Archive) { delete(scripts, "order-delete") }, []string{"there is no script order-delete"}},
		{"a script is in two cells", func(lines []string, _ map[string]*txtar.Archive) {
			lines[2] = "- [upgrade](order-install.txtar): It is so of order-upgrade."
		}, []string{"order-install is the script of order-install and of order-upgrade"}},
		{"a script is another cell's", func(lines []string, _ map[string]*txtar.Archive) {
			lines[1] = "- [install](other.txtar): It is so of order-install."
		}, []string{"other is the script of order-install"}},
		{"a script is a copy", func(_ []string, scripts map[string]*txtar.Archive) {
			scripts["brakes-install"].Files = scripts["order-install"].Files
		}, []string{"brakes-install and order-install are the same script"}},
		{"a script is in no cell", func(_ []string, scripts map[string]*txtar.Archive) { scripts["another"] = txtar.Parse(nil) }, []string{"another is a script for no cell"}},
		{"a cell is there twice", func(lines []string, _ map[string]*txtar.Archive) { lines[0] += "\n" + lines[1] }, []string{"order-install is there twice"}},
		{"a cell is of no row", func(lines []string, _ map[string]*txtar.Archive) {
			lines[0] = "## weather\n- [install](weather-install.txtar): It rains.\n" + lines[0]
		}, []string{"weather-install is no cell"}},
		{"a script says something else", func(_ []string, scripts map[string]*txtar.Archive) {
			scripts["order-install"].Comment = []byte("Not so.")
		}, []string{"of order-install the matrix says\nIt is so of order-install.\nand the script says\nNot so."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines, scripts := right()
			test.wrong(lines, scripts)
			if got := misfits(strings.Join(lines, "\n"), scripts); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// cell is a line of the written matrix: the name of a column with a script, and what that proves.
var cell = regexp.MustCompile(`^- \[(\w+)\]\(([^)]+)\.txtar\): (.+)$`)

// misfits tells what is wrong with a written matrix.
func misfits(written string, scripts map[string]*txtar.Archive) []string {
	var problems []string
	says := map[string]string{} // by rows and columns
	of := map[string]string{}   // by scripts
	row := ""
	for line := range strings.Lines(written) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			row, _, _ = strings.Cut(title, ":")
		}
		m := cell.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := row + "-" + m[1]
		switch other, taken := of[m[2]]; {
		case says[name] != "":
			problems = append(problems, name+" is there twice")
		case taken:
			problems = append(problems, fmt.Sprintf("%s is the script of %s and of %s", m[2], other, name))
		case m[2] != name:
			problems = append(problems, fmt.Sprintf("%s is the script of %s", m[2], name))
		}
		says[name], of[m[2]] = m[3], name
	}
	var cells []string
	for _, row := range rows {
		for _, column := range columns {
			cells = append(cells, row.name+"-"+column)
		}
	}
	for _, name := range cells {
		archive := scripts[name]
		switch {
		case says[name] == "":
			problems = append(problems, "the matrix does not have "+name)
		case archive == nil:
			problems = append(problems, "there is no script "+name)
		default:
			if comment := strings.Join(strings.Fields(string(archive.Comment)), " "); comment != says[name] {
				problems = append(problems, fmt.Sprintf("of %s the matrix says\n%s\nand the script says\n%s", name, says[name], comment))
			}
		}
	}
	steps := map[string]string{}
	for name, archive := range scripts {
		if !slices.Contains(cells, name) {
			problems = append(problems, name+" is a script for no cell")
		}
		same := string(txtar.Format(&txtar.Archive{Files: archive.Files}))
		if other := steps[same]; other != "" {
			problems = append(problems, fmt.Sprintf("%s and %s are the same script", min(name, other), max(name, other)))
		}
		steps[same] = name
	}
	for name := range says {
		if !slices.Contains(cells, name) {
			problems = append(problems, name+" is no cell")
		}
	}
	slices.Sort(problems)
	return problems
}
