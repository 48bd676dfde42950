package resolve

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// counted counts the looks at a tree.
type counted struct {
	fstest.MapFS
	looks int
}

func (c *counted) ReadDir(name string) ([]fs.DirEntry, error) {
	c.looks++
	return c.MapFS.ReadDir(name)
}

func (c *counted) Stat(name string) (fs.FileInfo, error) {
	c.looks++
	return c.MapFS.Stat(name)
}

// TestLooksAreCountedAndKept wants every look at the tree to be done once, and an end of looking.
func TestLooksAreCountedAndKept(t *testing.T) {
	tree := &counted{MapFS: fstest.MapFS{"d/a.txt": {}, "d/e/b.txt": {}}}
	for text, most := range map[string]int{
		`[for i in range(100) : fileset("../../d", "**/${i}*")]`:                  4, // the directory itself, by Stat and ReadDir, and the one in it
		`[for i in range(100) : fileexists("../../d/${i > 50 ? "a" : "b"}.txt")]`: 2,
	} {
		tree.looks = 0
		if _, err := evaluateAt(t, tree, text, nil); err != nil || tree.looks > most {
			t.Errorf("%s: %d looks, %v", text, tree.looks, err)
		}
	}
	wide := fstest.MapFS{}
	for i := range 21_000 {
		wide[fmt.Sprintf("d/%d", i)] = &fstest.MapFile{}
	}
	// What is looked for where nothing is, as a MapFS goes through all that it has for it.
	for text, tree := range map[string]fs.FS{
		`fileset("../../d", "1")`: wide,
		`[for i in range(1000) : [for k in range(25) : fileexists("x/${i}-${k}")]]`:                                           fstest.MapFS{},
		`[for i in range(1000) : [for k in range(25) : can(filemd5("x/${i}-${k}")) ? 1 : fileexists("y/${i}-${k}") ? 1 : 0]]`: fstest.MapFS{},
	} {
		if _, err := evaluateAt(t, tree, text, nil); err == nil || !strings.Contains(err.Error(), "too many files and directories") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
