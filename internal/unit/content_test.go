package unit_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestContent(t *testing.T) {
	tree := fstest.MapFS{
		"site/images/boot.img": {Data: []byte("boot")},
		"site/large.img":       {Data: make([]byte, 16<<20+1)},
		"site/most.img":        {Data: make([]byte, 16<<20)},
		"site/pipe":            {Mode: fs.ModeNamedPipe},
	}
	for name, want := range map[string]string{
		"images/boot.img":  "",
		"most.img":         "",
		"images":           "is a directory",
		"pipe":             "no file",
		"large.img":        "can have at most 16777216",
		"images/other.img": `there is no file "site/images/other.img" in this revision`,
	} {
		c := unit.NewContent(tree, "site", name)
		sum, err := c.Sum()
		again, _ := c.Sum()
		if want == "" && (err != nil || !strings.HasPrefix(sum, "sha512:") || sum != again) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %v", name, sum, err)
		}
		if checked := c.Check(); (checked == nil) != (want == "") {
			t.Errorf("%s: %v", name, checked)
		}
	}
	one, two := unit.NewContent(tree, "site", "images/boot.img"), unit.NewContent(tree, "site", "most.img")
	first, err := one.Sum()
	if second, problem := two.Sum(); first == second || err != nil || problem != nil {
		t.Errorf("two files have the digests %q and %q, %v, %v", first, second, err, problem)
	} else if a, b := (&unit.Resource{Kind: "image", Content: one}), (&unit.Resource{Kind: "image", Content: two}); a.Digest() == b.Digest() {
		t.Error("another file under the same path would be taken for what somebody else changed")
	}
}

// standsFor is a tree in which files are there and cannot be opened, as pointers to Git LFS.
type standsFor struct{ fstest.MapFS }

func (s standsFor) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".lfs") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("its content is elsewhere")}
	}
	return s.MapFS.Open(name)
}

// TestContentThatIsElsewhere: that only a pointer is there is told before anything is to be made of it.
func TestContentThatIsElsewhere(t *testing.T) {
	tree := standsFor{fstest.MapFS{"boot.lfs": {Data: []byte("version x\n")}, "boot.img": {Data: []byte("boot")}, "empty.img": {}}}
	if err := unit.NewContent(tree, ".", "boot.lfs").Check(); err == nil || err.Error() != `the file "boot.lfs" cannot be read: its content is elsewhere` {
		t.Error(err)
	}
	for _, name := range []string{"boot.img", "empty.img"} {
		if err := unit.NewContent(tree, ".", name).Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
