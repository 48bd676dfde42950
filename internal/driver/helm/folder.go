package helm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/ignore"
)

const (
	// maxEntries bounds the files and directories of a chart in a folder. The largest of OpenStack-Helm has some
	// hundreds.
	maxEntries = 20_000
	// maxLinked bounds how deep links to directories may lead into each other.
	maxLinked = 4
)

// folder are the files of a chart by their names, in order.
type folder []*loader.BufferedFile

// reader is a walk through the files of a chart, with what it has come by.
type reader struct {
	tree          fs.FS
	entries, size int
	found         folder
}

// readFolder reads all files below a directory once, and in the place of links what they lead to: the tree
// follows none that leads out of it. What is no file, such as a submodule, is an error.
func readFolder(tree fs.FS, at string) (folder, error) {
	r := &reader{tree: tree}
	err := r.walk(at, "", 0)
	return r.found, err
}

// walk reads a directory, whose files are named from there.
func (r *reader) walk(at, name string, links int) error {
	return fs.WalkDir(r.tree, at, func(file string, entry fs.DirEntry, err error) error {
		if r.entries++; r.entries > maxEntries {
			return fmt.Errorf("it has more than %d files and directories", maxEntries)
		}
		if err != nil || entry.IsDir() {
			return err
		}
		here := path.Join(name, strings.TrimPrefix(strings.TrimPrefix(file, at), "/"))
		info, err := fs.Stat(r.tree, file)
		switch {
		case err != nil:
			return err
		case info.IsDir() && links >= maxLinked:
			return fmt.Errorf("%s: symbolic links lead too deep", file)
		case info.IsDir(): // by a link, or it would be walked through anyway
			below, err := fs.ReadDir(r.tree, file)
			for i := 0; i < len(below) && err == nil; i++ {
				err = r.walk(path.Join(file, below[i].Name()), path.Join(here, below[i].Name()), links+1)
			}
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is neither a file nor a directory", file)
		}
		if info.Size() > int64(maxChart-r.size) {
			return fmt.Errorf("it is larger than %d MiB", maxChart>>20)
		}
		data, err := fs.ReadFile(r.tree, file)
		if err != nil {
			return err
		}
		r.size += len(data)
		r.found = append(r.found, &loader.BufferedFile{Name: here, Data: data})
		return nil
	})
}

// digest covers the names and contents of all files.
func (f folder) digest() string {
	sum := sha256.New()
	for _, file := range f {
		fmt.Fprintf(sum, "%d /%s %d ", len(file.Name)+1, file.Name, len(file.Data)) // a hash never returns an error
		sum.Write(file.Data)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// files returns those that Helm takes for the chart: all that .helmignore does not leave out.
func (f folder) files() ([]*loader.BufferedFile, error) {
	rules := ignore.Empty()
	for _, file := range f {
		if file.Name != ignore.HelmIgnore {
			continue
		}
		parsed, err := ignore.Parse(bytes.NewReader(file.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ignore.HelmIgnore, err)
		}
		rules = parsed
	}
	rules.AddDefaults()
	left := map[string]bool{".": false} // directories that are left out, with what is in them
	var leaves func(dir string) bool
	leaves = func(dir string) bool {
		known, ok := left[dir]
		if !ok {
			known = leaves(path.Dir(dir)) || rules.Ignore(dir, kind{directory: true})
			left[dir] = known
		}
		return known
	}
	var taken []*loader.BufferedFile
	for _, file := range f {
		if !leaves(path.Dir(file.Name)) && !rules.Ignore(file.Name, kind{}) {
			taken = append(taken, &loader.BufferedFile{Name: file.Name, Data: bytes.TrimPrefix(file.Data, []byte("\xef\xbb\xbf"))})
		}
	}
	return taken, nil
}

// kind is all that the rules of .helmignore ask of a file but its name.
type kind struct {
	fs.FileInfo
	directory bool
}

func (k kind) IsDir() bool { return k.directory }

func buffered(loaded *chart.Chart) []*loader.BufferedFile {
	files := make([]*loader.BufferedFile, 0, len(loaded.Raw))
	for _, file := range loaded.Raw {
		files = append(files, &loader.BufferedFile{Name: file.Name, Data: file.Data})
	}
	return files
}
