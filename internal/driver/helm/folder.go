package helm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/ignore"
)

// folder is what lies in a chart's directory, in order.
type folder []entry

// entry is a file or a directory, by its path below the chart's.
type entry struct {
	name string
	info fs.FileInfo
	data []byte
}

// readFolder reads every regular file of a chart once.
func readFolder(tree fs.FS, at string) (folder, error) {
	var found folder
	size := 0
	err := fs.WalkDir(tree, at, func(file string, e fs.DirEntry, err error) error {
		if err != nil || file == at {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		one := entry{name: strings.TrimPrefix(file, at+"/"), info: info}
		if e.Type().IsRegular() {
			if one.data, err = fs.ReadFile(tree, file); err != nil {
				return err
			}
		}
		if size += len(one.data); size > maxChart {
			return fmt.Errorf("it is larger than %d MiB", maxChart>>20)
		}
		found = append(found, one)
		return nil
	})
	return found, err
}

// digest covers the names and contents of all files.
func (f folder) digest() string {
	sum := sha256.New()
	for _, one := range f {
		if one.info.Mode().IsRegular() {
			fmt.Fprintf(sum, "%d /%s %d ", len(one.name)+1, one.name, len(one.data)) // a hash never returns an error
			sum.Write(one.data)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// files returns the files that Helm takes for the chart: those that .helmignore does not leave out.
func (f folder) files() ([]*loader.BufferedFile, error) {
	rules := ignore.Empty()
	for _, one := range f {
		if one.name != ignore.HelmIgnore {
			continue
		}
		parsed, err := ignore.Parse(bytes.NewReader(one.data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ignore.HelmIgnore, err)
		}
		rules = parsed
	}
	rules.AddDefaults()
	var taken []*loader.BufferedFile
	left := "" // the directory that was left out last, with what is in it
	for _, one := range f {
		switch {
		case left != "" && strings.HasPrefix(one.name, left):
		case one.info.IsDir():
			if rules.Ignore(one.name, one.info) {
				left = one.name + "/"
			}
		case rules.Ignore(one.name, one.info):
		case !one.info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is no regular file", one.name)
		default:
			taken = append(taken, &loader.BufferedFile{Name: one.name, Data: bytes.TrimPrefix(one.data, []byte("\xef\xbb\xbf"))})
		}
	}
	return taken, nil
}
