package helm

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
)

// TestSchemasThatLeadElsewhere has charts with schemas that refer to a server and to files, which nobody may ask for.
func TestSchemasThatLeadElsewhere(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte("true"))
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(file, []byte("true"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ schema, refused string }{
		"a server":                    {`{"properties": {"a": {"$ref": "` + server.URL + `/a.json"}}}`, server.URL + "/a.json"},
		"a part of what a server has": {`{"allOf": [{"$ref": "` + server.URL + `/a.json#/$defs/b"}]}`, server.URL + "/a.json"},
		"a base":                      {`{"$id": "` + server.URL + `/", "items": {"$ref": "b.json"}}`, server.URL + "/b.json"},
		"a language":                  {`{"$schema": "` + server.URL + `/language.json"}`, server.URL + "/language.json"},
		"a dynamic one":               {`{"$schema": "https://json-schema.org/draft/2020-12/schema", "items": {"$dynamicRef": "` + server.URL + `/d.json#x"}}`, server.URL + "/d.json"},
		"a file":                      {`{"$ref": "file://` + file + `"}`, file},
		"a file beside it":            {`{"$ref": "other.json"}`, "file:///other.json"},
		"another scheme":              {`{"$ref": "ftp://example.org/a.json"}`, "ftp://example.org/a.json"},
		"nothing that compiles":       {`{"type": 7, "$ref": "` + server.URL + `/a.json"}`, schemaFile},
		"no JSON":                     {`{`, schemaFile},
		"itself":                      {`{"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"type": "string"}}}`, ""},
		"itself by its address":       {`{"$id": "https://example.org/s.json", "properties": {"a": {"$ref": "https://example.org/s.json#/$defs/b"}}, "$defs": {"b": {}}}`, ""},
		"a part with an address":      {`{"$id": "https://example.org/s.json", "$ref": "t.json", "$defs": {"t": {"$id": "t.json"}}}`, ""},
		"a language that is known":    {`{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"b": {"$ref": "http://json-schema.org/draft-07/schema#"}}, "$ref": "#/definitions/b"}`, ""},
		"a name":                      {`{"$ref": "urn:example:a"}`, ""},
	} {
		of := func(name string) []*loader.BufferedFile {
			return []*loader.BufferedFile{
				{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: " + name + "\nversion: 1.0.0\n")},
			}
		}
		schema := &loader.BufferedFile{Name: schemaFile, Data: []byte(c.schema)}
		below := &loader.BufferedFile{Name: "charts/inner/" + schemaFile, Data: schema.Data}
		for where, s := range map[string]*source{
			"app/" + schemaFile:              {files: append(of("app"), schema)},
			"app/charts/inner/" + schemaFile: {files: append(of("app"), &loader.BufferedFile{Name: "charts/inner/Chart.yaml", Data: of("inner")[0].Data}, below)},
			"inner/" + schemaFile:            {files: of("app"), dependencies: []*source{{files: append(of("inner"), schema)}}},
		} {
			t.Run(name+" in "+where, func(t *testing.T) {
				made, err := s.chart()
				switch {
				case c.refused == "" && (err != nil || made == nil):
					t.Errorf("refused: %v", err)
				case c.refused != "" && (err == nil || !strings.HasPrefix(err.Error(), where+": ") || !strings.Contains(err.Error(), c.refused)):
					t.Errorf("got %v", err)
				}
			})
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the server was asked %d times", n)
	}
}
