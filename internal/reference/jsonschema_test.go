package reference_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/internal/reference"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// compiled returns the JSON Schema ready to be used. Compiling it checks it against the schema of
// its draft.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := reference.New(schema.New()).JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4) // what is written in the document has to count
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if s.DraftVersion != 2020 {
		t.Fatalf("it is of the draft %d", s.DraftVersion)
	}
	return s
}

// TestConfigurationsFit turns every configuration that is known to be good into HCL's JSON syntax
// and wants the schema to take it.
func TestConfigurationsFit(t *testing.T) {
	s := compiled(t)
	for name, text := range configurations(t) {
		t.Run(name, func(t *testing.T) {
			document := toJSON(t, text)
			instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(instance); err != nil {
				t.Errorf("%v\n%s", err, document)
			}
		})
	}
}

// TestMistakesDoNotFit changes good configurations in one place each.
func TestMistakesDoNotFit(t *testing.T) {
	s := compiled(t)
	for name, c := range map[string]struct {
		text string
		good bool
	}{
		"nothing":                    {`{}`, true},
		"a comment":                  {`{"//": "none", "project": {"a": {"//": ["any"]}}}`, true},
		"an unknown kind":            {`{"netwerk": {"a": {}}}`, false},
		"no label":                   {`{"project": {"enabled": true}}`, false},
		"an unknown attribute":       {`{"project": {"a": {"colour": "x"}}}`, false},
		"an output":                  {`{"project": {"a": {"id": "x"}}}`, false},
		"nothing required":           {`{"flavor": {"a": {"vcpus": 1}}}`, false},
		"everything required":        {`{"flavor": {"a": {"vcpus": 1, "ram": 1}}}`, true},
		"null for what is required":  {`{"flavor": {"a": {"vcpus": 1, "ram": null}}}`, false},
		"null for what is not":       {`{"flavor": {"a": {"vcpus": 1, "ram": 1, "disk": null}}}`, true},
		"below its bounds":           {`{"flavor": {"a": {"vcpus": 0, "ram": 1}}}`, false},
		"no whole number":            {`{"flavor": {"a": {"vcpus": 1.5, "ram": 1}}}`, false},
		"an expression":              {`{"flavor": {"a": {"vcpus": "${var.n}", "ram": 1}}}`, true},
		"a text for a number":        {`{"flavor": {"a": {"vcpus": "two", "ram": 1}}}`, false},
		"inside an object":           {`{"project": {"a": {"quota": {"cores": -2}}}}`, false},
		"not in an object":           {`{"project": {"a": {"quota": {"core": 2}}}}`, false},
		"not allowed":                {`{"image": {"a": {"source": "https://example.org/a", "disk_format": "zip"}}}`, false},
		"both of two":                {`{"cloud": {"a": {"openstack": {"cloud": "a", "secret": "a"}}}}`, false},
		"two clouds":                 {`{"cloud": {"a": {}, "b": {}}}`, false},
		"an unknown service":         {`{"cloud": {"a": {"service": {"swift": {}}}}}`, false},
		"a part":                     {`{"cloud": {"a": {"service": {"nova": {"replicas": {"osapi": 2}}}}}}`, true},
		"too many replicas":          {`{"cloud": {"a": {"service": {"nova": {"replicas": {"osapi": 200}}}}}}`, false},
		"a setting of the cloud":     {`{"profile": {"a": {"service": {"nova": {"enabled": true}}}}}`, false},
		"a release":                  {`{"cloud": {"a": {"release": "zed"}}}`, false},
		"a block that stands once":   {`{"cloud": {"a": {"charts": [{"repository": "a"}, {"repository": "b"}]}}}`, false},
		"blocks of one kind":         {`{"security_group": {"a": {"rule": [{"direction": "ingress"}, {"direction": "egress"}]}}}`, true},
		"one block of a kind":        {`{"security_group": {"a": {"rule": {"direction": "ingress"}}}}`, true},
		"what every resource takes":  {`{"project": {"a": {"depends_on": ["service.keystone"], "lifecycle": {"drift": "report"}}}}`, true},
		"what no node takes":         {`{"node": {"a": {"depends_on": ["service.keystone"]}}}`, false},
		"several nodes":              {`{"node": {"a": {"for_each": {"a": 1}, "name": "${each.key}"}}}`, true},
		"several lookups":            {`{"data": {"network": {"a": {"for_each": "${toset([\"a\"])}", "name": "${each.key}", "depends_on": ["service.neutron"]}}}}`, true},
		"no lookup is kept":          {`{"data": {"network": {"a": {"name": "a", "lifecycle": {}}}}}`, false},
		"an output that waits":       {`{"output": {"a": {"value": 1, "depends_on": ["network.a"]}}}`, true},
		"itself and another group":   {`{"security_group": {"a": {"rule": {"direction": "ingress", "self": true, "remote_group": "b"}}}}`, false},
		"an unknown way":             {`{"project": {"a": {"lifecycle": {"drift": "mend"}}}}`, false},
		"a lookup":                   {`{"data": {"network": {"a": {"name": "public"}}}}`, true},
		"a lookup by something else": {`{"data": {"network": {"a": {"mtu": 1500}}}}`, false},
		"any local":                  {`{"locals": {"a": [1, {"b": null}]}}`, true},
	} {
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(instance); (err == nil) != c.good {
			t.Errorf("%s: %s: %v", name, c.text, err)
		}
	}
}

// TestAnnotations wants what JSON Schema has no word for to be there.
func TestAnnotations(t *testing.T) {
	text, err := reference.New(schema.New()).JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Definitions map[string]struct {
			Properties map[string]map[string]any
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		block, attribute, annotation string
		want                         any
	}{
		{"subnet", "cidr", "x-change", "replace"},
		{"cloud", "namespace", "x-change", "refused"},
		{"cloud", "namespace", "default", "openstack"},
		{"instance", "user_data", "x-sensitive", true},
		{"instance", "id", "x-computed", true},
		{"instance", "image", "x-reference", "image"},
		{"flavor", "ram", "x-unit", "MiB"},
		{"subnet", "cidr", "x-format", "cidr"},
		{"project", "name", "x-default-from-label", true},
		{"project", "tags", "x-type", "set(string)"},
	} {
		if got := document.Definitions[c.block].Properties[c.attribute][c.annotation]; got != c.want {
			t.Errorf("%s.%s: %s is %v, want %v", c.block, c.attribute, c.annotation, got, c.want)
		}
	}
	if scope, _ := document.Definitions["cloud.service"].Properties["conf"]["x-scope"].([]any); len(scope) != 2 {
		t.Errorf("the scope of conf is %v", scope)
	}
}

// configurations returns good configurations: those of the reference, and those below examples/.
func configurations(t *testing.T) map[string]string {
	t.Helper()
	found := examplesOfPages(t)
	err := fs.WalkDir(examples.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".hcl" || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(examples.FS, name)
		found["examples/"+name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
