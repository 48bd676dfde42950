package export

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// What is written is read as any other configuration: some rules are about several attributes, or about several blocks, and
// one object that breaks one must not have all the others refused.

// mostRounds is how often objects are left out, as what is left may be refused in turn.
const mostRounds = 100

// RefusedError says that what would be exported is no valid configuration, whatever single objects are left out.
type RefusedError struct{ says string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("what is in this cloud does not make a valid configuration: %s; export single kinds with --kind, or a project with --project", e.says)
}

// key is an object.
type key struct{ kind, id string }

// place is where the blocks of an object begin.
type place struct {
	file string
	line int
	of   key
}

// mistaken reads files, and returns the objects that are refused, and the first thing that is said about any; "" where the
// files are valid. Without objects it is about none.
func mistaken(language *schema.Definition, files []File, places []place) (objects map[key]bool, says string) {
	if len(files) == 0 {
		return nil, ""
	}
	tree, err := treeOf(append([]File{{"cloud.hcl", []byte("cloud \"exported\" {\n  openstack {\n    cloud = \"exported\"\n  }\n}\n")}}, files...))
	if err != nil {
		return nil, err.Error()
	}
	cfg, diags := config.Load(language, tree, ".", config.DefaultLimits())
	m, ev, more := resolve.Resolve(cfg, nil)
	diags.Append(more...)
	if m != nil {
		_, more = compose.Compose(m, ev, compose.Facts{OpenStackGiven: true})
		diags.Append(more...)
	}
	objects = map[key]bool{}
	for _, d := range diags {
		if d.Severity != diag.Error {
			continue
		}
		if says == "" {
			says = fmt.Sprintf("%s: %s", d.Error(), d.Detail)
		}
		if of, ok := objectAt(places, d.Subject); ok && d.Code != config.CodeLimit { // which is of all together
			objects[of] = true
		}
	}
	return objects, says
}

// objectAt is the object whose blocks a range is in.
func objectAt(places []place, at *diag.Range) (of key, ok bool) {
	if at == nil {
		return of, false
	}
	for _, p := range places { // in the order of their lines
		if p.file == at.File && p.line <= at.Start.Line {
			of, ok = p.of, true
		}
	}
	return of, ok
}

// treeOf is a tree with files that are nowhere else: the one of an archive in memory.
func treeOf(files []File) (fs.FS, error) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, f := range files {
		into, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := into.Write(f.Content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
}
