package charts

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/repo"
)

// all: because the names of templates that print nothing begin with "_".
//
//go:embed all:charts
var embedded embed.FS

const (
	root    = "charts"
	library = "helm-toolkit"
)

// CheckoutVariable names a directory with the charts of OpenStack-Helm, such as a checkout of its
// repository, for the tests that install or render these.
const CheckoutVariable = "OSH_CHARTS"

// Names returns the names of the charts that can be installed, sorted. The library that they
// are made of is not one of them.
func Names() []string {
	entries, err := embedded.ReadDir(root)
	if err != nil {
		panic(err) // the directory is part of the binary
	}
	var names []string
	for _, entry := range entries {
		if entry.Name() != library {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names
}

// Dir returns the directory with the sources of all charts, the library included, in the
// checkout that the calling binary was built from. Dependencies are not unpacked there.
func Dir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), root)
}

// Tree returns the sources of the charts that Names lists and of their library, each in a directory of
// its name: those of the checkout where [CheckoutVariable] names one, and ours elsewhere.
func Tree() (map[string]string, error) {
	dir := cmp.Or(os.Getenv(CheckoutVariable), Dir())
	files := map[string]string{}
	for _, name := range append(Names(), library) {
		err := filepath.WalkDir(filepath.Join(dir, name), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(dir, file)
			files[filepath.ToSlash(relative)] = string(content)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read chart %s: %w", name, err)
		}
	}
	return files, nil
}

// Load returns a chart with its library, ready to be installed. Every call returns a new one:
// Helm's actions change the chart that they get.
func Load(name string) (*chart.Chart, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("no test chart is named %q", name)
	}
	loaded, err := load(name)
	if err != nil {
		return nil, err
	}
	toolkit, err := load(library)
	if err != nil {
		return nil, err
	}
	loaded.SetDependencies(toolkit)
	return loaded, nil
}

// Package writes every chart as NAME-VERSION.tgz into dir, and an index.yaml with relative
// addresses. A web server that serves dir is then a chart repository.
func Package(dir string) error {
	for _, name := range Names() {
		loaded, err := Load(name)
		if err != nil {
			return err
		}
		if _, err := chartutil.Save(loaded, dir); err != nil {
			return fmt.Errorf("package chart %s: %w", name, err)
		}
	}
	index, err := repo.IndexDirectory(dir, "")
	if err != nil {
		return fmt.Errorf("index the charts in %s: %w", dir, err)
	}
	index.SortEntries()
	return index.WriteFile(filepath.Join(dir, "index.yaml"), 0o644)
}

func load(name string) (*chart.Chart, error) {
	base := path.Join(root, name)
	var files []*loader.BufferedFile
	err := fs.WalkDir(embedded, base, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(file)
		if err != nil {
			return err
		}
		files = append(files, &loader.BufferedFile{Name: file[len(base)+1:], Data: data})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read chart %s: %w", name, err)
	}
	loaded, err := loader.LoadFiles(files)
	if err != nil {
		return nil, fmt.Errorf("load chart %s: %w", name, err)
	}
	return loaded, nil
}
