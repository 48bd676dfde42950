package openstack

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/template"
)

// The all: prefix is needed for __init__.py.
//
//go:embed all:templates
var templateFiles embed.FS

const (
	templateRoot  = "templates"
	partialSuffix = ".tmpl"
)

// settings is what the templates see.
type settings struct{ record }

// CloudName is the name of the cloud in the clouds.yaml of a bed.
const CloudName = "testbed"

const (
	region        = "RegionOne"
	serviceUser   = "service-user"
	password      = "secret" // the same in every bed, because the snapshot holds it; nothing listens beyond loopback
	reportSeconds = 3
	downSeconds   = 60
)

func (settings) CloudName() string   { return CloudName }
func (settings) Region() string      { return region }
func (settings) ServiceUser() string { return serviceUser }
func (settings) Password() string    { return password }
func (settings) ReportSeconds() int  { return reportSeconds }
func (settings) DownSeconds() int    { return downSeconds }

// Identity is Keystone's URL.
func (s settings) Identity() string { return s.authURL() }

// Transport is the broker's URL. The password is the one that RabbitMQ gives to guest.
func (s settings) Transport() string {
	return fmt.Sprintf("rabbit://guest:guest@127.0.0.1:%d/", s.Ports.Broker)
}

// Database is the argument of the template of that name.
func (s settings) Database(name string) map[string]string {
	return map[string]string{"Name": name, "Socket": s.socket()}
}

// render writes every template below r.Dir, at the path it has below templates. Partials,
// which end in .tmpl, serve the others.
func render(r record) error {
	root := template.New("").Option("missingkey=error")
	partials, err := fs.Glob(templateFiles, templateRoot+"/*"+partialSuffix)
	if err != nil {
		return err
	}
	if _, err := root.ParseFS(templateFiles, partials...); err != nil {
		return err
	}
	return fs.WalkDir(templateFiles, templateRoot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == partialSuffix {
			return err
		}
		text, err := templateFiles.ReadFile(path)
		if err != nil {
			return err
		}
		page, err := root.New(path).Parse(string(text))
		if err != nil {
			return err
		}
		var result bytes.Buffer
		if err := page.Execute(&result, settings{r}); err != nil {
			return err
		}
		relative, err := filepath.Rel(templateRoot, path)
		if err != nil {
			return err
		}
		target := filepath.Join(r.Dir, relative)
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		return os.WriteFile(target, result.Bytes(), 0o600)
	})
}
