package revision_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestFilesOfImages looks for them from the directory of the configuration.
func TestFilesOfImages(t *testing.T) {
	for _, tc := range []struct{ name, file, detail string }{
		{"there", `"images/boot.img"`, ""},
		{"there, beside the configuration", `"../shared.img"`, ""},
		{"not there", `"boot.img"`, `there is no file "site/boot.img" in this revision`},
		{"a directory", `"images"`, "is a directory"},
		{"too large", `"images/large.img"`, "can have at most"},
		{"out of the repository", `"../../boot.img"`, "leads out of the repository"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := fstest.MapFS{
				"site/main.hcl":         {Data: []byte("cloud \"x\" {\n  openstack {\n    cloud = \"x\"\n  }\n}\nimage \"boot\" {\n  file = " + tc.file + "\n}\n")},
				"site/images/boot.img":  {Data: []byte("boot")},
				"site/images/large.img": {Data: make([]byte, 16<<20+1)},
				"shared.img":            {Data: []byte("shared")},
			}
			loaded, found := revision.Load("abc", tree, "site", revision.Options{Language: schema.New()})
			if tc.detail == "" {
				if loaded == nil {
					t.Errorf("findings:\n%s", found.Text(false))
				}
				return
			}
			if d := found.Diagnostics; loaded != nil || len(d) != 1 || d[0].Code != "revision.content" || d[0].Subject.String() != "site/main.hcl:7:3" ||
				!strings.Contains(d[0].Detail, tc.detail) || d[0].Hint == "" || d[0].Address.String() != "image.boot" {
				t.Errorf("findings:\n%s", found.Text(false))
			}
		})
	}
}

// TestFilesOfKindsToCome: which attribute names a file that becomes what is in an object, its block says.
func TestFilesOfKindsToCome(t *testing.T) {
	language := schema.New(schema.Block{
		Kind: "stack", Class: schema.ClassResource, API: "heat", Doc: "To come.",
		Labels: []schema.Label{{Name: "name", Doc: "The name.", Format: schema.FormatIdentifier, Example: "web"}},
		Attributes: []schema.Attribute{
			{Name: "template", Type: cty.String, Content: true, Doc: "A file of the repository."},
			{Name: "id", Type: cty.String, Presence: schema.Computed, Lookup: true, Doc: "The id."},
		},
	})
	load := func(name string) (*revision.Loaded, revision.Findings) {
		return revision.Load("abc", fstest.MapFS{
			"main.hcl": {Data: []byte("cloud \"x\" {\n  openstack {\n    cloud = \"x\"\n  }\n}\nstack \"web\" {\n  template = \"" + name + "\"\n}\n")},
			"web.yaml": {Data: []byte("resources: {}\n")},
		}, ".", revision.Options{Language: language})
	}
	if loaded, found := load("absent.yaml"); loaded != nil || len(found.Diagnostics) != 1 || found.Diagnostics[0].Code != "revision.content" || found.Diagnostics[0].Subject.String() != "main.hcl:7:3" {
		t.Errorf("findings:\n%s", found.Text(false))
	}
	loaded, found := load("web.yaml")
	if loaded == nil {
		t.Fatal(found.Text(false))
	}
	wanted, diags := loaded.Compose(compose.Facts{})
	if wanted == nil {
		t.Fatal(diags)
	}
	for _, u := range wanted.Units {
		if r, is := u.Spec.(*unit.Resource); is && r.Content != nil {
			if err := r.Content.Check(); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("no unit has the file")
}
