package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/internal/export"
)

// TestExportOverAnEarlierOne: with --force files are replaced, unless others of an earlier export would stay beside them, or a
// configuration manages objects, by those files perhaps.
func TestExportOverAnEarlierOne(t *testing.T) {
	network := []convert.File{{Name: "network.hcl", Content: []byte("network \"a\" {}\n")}}
	for name, test := range map[string]struct {
		there   map[string]string
		kinds   []string
		files   []convert.File
		managed int
		refused []string
		says    string // "" is that all is written
	}{
		"nothing there":                  {files: network},
		"the same file":                  {there: map[string]string{"network.hcl": export.Header + "old"}, files: network},
		"a second one":                   {there: map[string]string{"network.hcl": export.Header, "network-2.hcl": export.Header}, files: network, says: "network-2.hcl in "},
		"a kind that has none any more":  {there: map[string]string{"router.hcl": export.Header}, files: network, says: "router.hcl in "},
		"a second one of this kind":      {there: map[string]string{"network-2.hcl": export.Header}, kinds: []string{"network"}, files: network, says: "network-2.hcl in "},
		"of an export of another kind":   {there: map[string]string{"router.hcl": export.Header, "data.hcl": export.Header, "data-2.hcl": export.Header}, kinds: []string{"network"}, files: network},
		"more look-ups than now":         {there: map[string]string{"data-2.hcl": export.Header}, kinds: []string{"network"}, files: append(network, convert.File{Name: "data.hcl"}), says: "data-2.hcl in "},
		"somebody's own":                 {there: map[string]string{"router.hcl": "# ours\n" + export.Header, "network-2.hcl": ""}, files: network},
		"of another name than any of it": {there: map[string]string{"old network.hcl": export.Header, "README.md": export.Header}, files: network},
		"of a kind that is refused":      {there: map[string]string{"user.hcl": export.Header, "user-2.hcl": export.Header}, files: network, refused: []string{"domain", "user"}},
		"that manages objects":           {there: map[string]string{"network.hcl": export.Header + "network \"managed\" {}\n"}, files: network, managed: 1, says: "network.hcl in "},
		"that manages others":            {there: map[string]string{"router.hcl": export.Header}, files: network, managed: 2, says: "manages 2 of the objects by now"},
		"refused ones that manage some":  {there: map[string]string{"user.hcl": export.Header}, files: network, managed: 1, refused: []string{"user"}},
		"somebody's own that manages":    {there: map[string]string{"cloud.hcl": "# ours\n"}, files: network, managed: 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range test.there {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e := &exporting{destination{dir, true}, export.Selection{Kinds: test.kinds}}
			err := e.writeAll(test.files, test.managed, test.refused)
			content, _ := os.ReadFile(filepath.Join(dir, "network.hcl"))
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) || string(content) != test.there["network.hcl"] {
					t.Errorf("%v, and there is %q", err, content)
				}
				return
			}
			if err != nil || string(content) != export.Header+string(network[0].Content) {
				t.Errorf("%v, and there is %q", err, content)
			}
			for name := range test.there {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestExportBesideOneOfOtherKinds: the data blocks stay that the files of other kinds refer to.
func TestExportBesideOneOfOtherKinds(t *testing.T) {
	const (
		office = "data \"network\" \"office\" {\n  name = \"office\"\n}\n"
		shop   = "data \"project\" \"shop\" {\n  name = \"shop\"\n}\n"
		router = "router \"edge\" {\n  external_network = data.network.office\n}\n"
	)
	files := []convert.File{{Name: "port.hcl", Content: []byte("port \"a\" {}\n")}, {Name: "data.hcl", Content: []byte(shop)}}
	for name, test := range map[string]struct {
		there map[string]string
		kinds []string
		want  map[string]string
		says  string
	}{
		"what is needed stays":       {map[string]string{"router.hcl": router, "data.hcl": office}, []string{"port"}, map[string]string{"data.hcl": shop + "\n" + office}, ""},
		"nobody needs it":            {map[string]string{"data.hcl": office}, []string{"port"}, map[string]string{"data.hcl": shop}, ""},
		"only what is replaced does": {map[string]string{"port.hcl": router, "data.hcl": office}, []string{"port"}, map[string]string{"data.hcl": shop}, ""},
		"in another file":            {map[string]string{"router.hcl": router, "data.hcl": shop, "data-2.hcl": office + "\n" + shop}, []string{"port"}, map[string]string{"data.hcl": shop, "data-2.hcl": office}, ""},
		"all kinds":                  {map[string]string{"data.hcl": office}, nil, map[string]string{"data.hcl": shop}, ""},
		"another one of the name":    {map[string]string{"router.hcl": "x = data.project.shop\n", "data.hcl": strings.ReplaceAll(shop, "name =", "id   =")}, []string{"port"}, nil, "data.project.shop of data.hcl is another look-up now"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range test.there {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(export.Header+content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e := &exporting{destination{dir, true}, export.Selection{Kinds: test.kinds}}
			err := e.writeAll(files, 0, nil)
			if test.says != "" {
				if _, written := os.Stat(filepath.Join(dir, "port.hcl")); err == nil || !strings.Contains(err.Error(), test.says) || written == nil {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range test.want {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != export.Header+want {
					t.Errorf("%s: %v\n%s", name, err, got)
				}
			}
		})
	}
}

// TestExportIntoABracketedDirectory: the name of the directory is no pattern.
func TestExportIntoABracketedDirectory(t *testing.T) {
	const office = "data \"network\" \"office\" {\n  name = \"office\"\n}\n"
	const shop = "data \"project\" \"shop\" {\n  name = \"shop\"\n}\n"
	dir := filepath.Join(t.TempDir(), "cloud[1]")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"router.hcl": "router \"edge\" {\n  external_network = data.network.office\n}\n", "data.hcl": office} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(export.Header+content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := &exporting{destination{dir, true}, export.Selection{Kinds: []string{"port"}}}
	if err := e.writeAll([]convert.File{{Name: "port.hcl", Content: []byte("port \"a\" {}\n")}, {Name: "data.hcl", Content: []byte(shop)}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "data.hcl")); err != nil || string(got) != export.Header+shop+"\n"+office {
		t.Errorf("%v\n%s", err, got)
	}
}
