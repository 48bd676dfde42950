package resolve_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// TestSensitiveValuesOfSecrets has them beside the objects, so that whoever shows an object cannot show them.
func TestSensitiveValuesOfSecrets(t *testing.T) {
	const text = `
cloud "c" {}
variable "password" {
  default   = "hunter2"
  sensitive = true
}
locals {
  login = { user = sensitive("u"), token = var.password }
}
manifest "m" {
  objects = [
    { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "first" } },
    { apiVersion = "v1", kind = "Secret", metadata = { name = "login" }, stringData = { password = "x-${var.password}", host = "db" }, data = local.login },
  ]
}
`
	m, _, diags := resolveWith(t, text, false, false)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	objects := m.Resources[0].Objects
	if len(objects) != 2 || objects[0].Hidden != nil {
		t.Fatalf("%+v", objects)
	}
	var hidden []string
	for _, h := range objects[1].Hidden {
		hidden = append(hidden, strings.Join(h.Path, ".")+"="+h.Value.Reveal())
	}
	if got := strings.Join(hidden, " "); got != "data.token=hunter2 data.user=u stringData.password=x-hunter2" {
		t.Errorf("hidden: %s", got)
	}
	if shown := fmt.Sprint(objects[1].Content); strings.Contains(shown, "hunter2") || !strings.Contains(shown, "stringData:map[host:db]") {
		t.Errorf("shown: %s", shown)
	}
	if shown := fmt.Sprintf("%+v %#v", objects, objects); strings.Contains(shown, "hunter2") {
		t.Errorf("printed: %s", shown)
	}
}

// TestSealedValuesOfManifests has a configuration that nobody can open taken for valid, with a warning.
func TestSealedValuesOfManifests(t *testing.T) {
	const text = `
cloud "c" {}
manifest "m" {
  objects = { apiVersion = "v1", kind = "Secret", metadata = { name = "login" }, stringData = { password = sops("all.sops.yaml").db.password, host = "db" } }
}
`
	for _, keyed := range []bool{true, false} {
		m, _, diags := resolveWith(t, text, keyed, true)
		if diags.HasErrors() || m == nil || len(m.Resources) != 1 {
			t.Fatalf("keyed %v: %v", keyed, diags)
		}
		var hidden []model.Hidden
		for _, o := range m.Resources[0].Objects {
			hidden = append(hidden, o.Hidden...)
		}
		if len(hidden) != 1 || hidden[0].Value.IsEmpty() == keyed {
			t.Errorf("keyed %v: %+v", keyed, hidden)
		}
	}
}

// TestLinkedDirectoriesOfManifests: what is behind such a link would be taken for removed.
func TestLinkedDirectoriesOfManifests(t *testing.T) {
	files := fstest.MapFS{
		"main.hcl":         {Data: []byte("cloud \"c\" {}\nmanifest \"m\" {\n  directory = \"objects\"\n}\n")},
		"objects/a.yaml":   {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")},
		"objects/b.yaml":   {Data: []byte("../other/b.yaml"), Mode: fs.ModeSymlink},
		"other/b.yaml":     {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n")},
		"objects/sub/more": {Data: []byte("../../other"), Mode: fs.ModeSymlink},
	}
	m, _, diags := resolveTree(t, files)
	told := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return strings.Contains(d.Detail, "which files there are is not known") })
	if m != nil || !told {
		t.Errorf("a linked directory: %v", diags)
	}
	delete(files, "objects/sub/more")
	if m, _, diags := resolveTree(t, files); diags.HasErrors() || len(m.Resources[0].Objects) != 2 {
		t.Errorf("a linked file: %v", diags)
	}
}
