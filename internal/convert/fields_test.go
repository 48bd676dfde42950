package convert_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// documented reads FIELDS.md: the paths of fields by the heading above them, "" for every kind.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("FIELDS.md")
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string][]string{}
	heading := ""
	for line := range strings.Lines(string(text)) {
		if after, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(after)
		}
		cell := regexp.MustCompile("^\\| (`.*?) \\|").FindStringSubmatch(line)
		if cell == nil {
			continue
		}
		for _, path := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell[1], -1) {
			fields[heading] = append(fields[heading], path[1])
		}
	}
	return fields
}

// document writes a document of a kind with one field in it, and a name.
func document(kind, version, path, value string) string {
	text := fmt.Sprintf("apiVersion: %s\nkind: %s\n", version, kind)
	if !strings.HasPrefix(path, "metadata.") {
		text += "metadata: {name: a}\n"
	} else if path != "metadata.name" {
		text += "metadata: {name: a, " + strings.TrimPrefix(path, "metadata.") + ": " + value + "}\n"
		return text
	} else {
		return text + "metadata: {name: a}\n"
	}
	switch path {
	case "apiVersion", "kind":
		return text
	}
	parts := strings.Split(path, ".")
	if parts[len(parts)-1] == "nodes" || len(parts) > 1 && parts[1] == "nodes" {
		return text + "spec: {nodes: [{name: b, " + strings.Join(parts[2:], ".") + ": " + value + "}]}\n"
	}
	open := ""
	for _, part := range parts[1:] {
		open += "{" + part + ": "
	}
	return text + parts[0] + ": " + open + value + strings.Repeat("}", len(parts)-1) + "\n"
}

// TestFieldsAreDocumented holds FIELDS.md against the code, both ways: no field of the tables is
// unknown, and none that an error lists as known is missing there.
func TestFieldsAreDocumented(t *testing.T) {
	fields := documented(t)
	kinds := 0
	for heading, paths := range fields {
		kind, version, ok := strings.Cut(strings.TrimSuffix(heading, ")"), " (")
		if !ok {
			continue
		}
		kinds++
		paths = append(slices.Clone(paths), fields[""]...)
		parents := map[string][]string{}
		for _, path := range paths {
			for _, value := range []string{"{}", `"a"`} {
				if path == "spec.nodes.name" {
					break // every node of this test has one
				}
				result := convert.Convert(schema.New(), []convert.File{{Name: "in.yaml", Content: []byte(document(kind, version, path, value))}}, convert.DefaultLimits())
				for _, d := range result.Diagnostics {
					if d.Code == "convert.unknown-field" {
						t.Errorf("%s of %s is documented, and unknown: %v", path, kind, d)
					}
				}
			}
			for parts := strings.Split(path, "."); len(parts) > 1; parts = parts[:len(parts)-1] {
				parent := strings.Join(parts[:len(parts)-1], ".")
				parents[parent] = append(parents[parent], parts[len(parts)-1])
			}
		}
		for parent, children := range parents {
			if parent == "spec" && kind == "OVNNetwork" {
				continue
			}
			for _, name := range knownBelow(t, kind, version, parent) {
				_, service := schema.New().Service(name)
				if !slices.Contains(children, name) && !slices.Contains(children, "nova") && !service {
					t.Errorf("%s.%s of %s is known, and not documented", parent, name, kind)
				}
				if parent == "spec" && service && !slices.Contains(children, "nova") {
					t.Errorf("services of %s are not documented", kind)
				}
			}
		}
	}
	if kinds != 4 {
		t.Errorf("FIELDS.md has tables of %d kinds", kinds)
	}
}

// knownBelow asks for a field that nothing is like, and returns those that the error lists. The
// services are documented with the fields of one of them.
func knownBelow(t *testing.T, kind, version, parent string) []string {
	t.Helper()
	if parent == "spec.nova" || parent == "spec.mariadb" || parent == "spec.glance" || parent == "spec.neutron" || parent == "spec.keystone" || parent == "spec.cinder" {
		return nil // TestFieldsOfServices
	}
	text := document(kind, version, parent+".qqqqqqqqqqqqqqqqqq", "1")
	result := convert.Convert(schema.New(), []convert.File{{Name: "in.yaml", Content: []byte(text)}}, convert.DefaultLimits())
	for _, d := range result.Diagnostics {
		if d.Code == "convert.unknown-field" {
			_, names, _ := strings.Cut(d.Hint, "there are: ")
			return strings.Split(names, ", ")
		}
	}
	t.Errorf("any field can be written below %s of %s:\n%s\n%v", parent, kind, text, result.Diagnostics)
	return nil
}

// TestFieldsOfServices does the same for the fields of services.
func TestFieldsOfServices(t *testing.T) {
	const kupenstack, operator = "kupenstack.io/v1alpha1", "openstack.k8s.io/v1alpha1"
	for _, c := range []struct{ kind, version, service, want string }{
		{"OpenStackCloudConfigurationProfile", kupenstack, "nova", "conf, disable, disabled, enabled, replicas"},
		{"OpenStackCloudConfigurationProfile", kupenstack, "keystone", "conf, disable, replicas"},
		{"OpenStackControlPlane", operator, "nova", "conf, disable, disabled, enabled, replicas, storageSize"},
		{"OpenStackControlPlane", operator, "glance", "conf, disable, disabled, enabled, replicas, storageSize, storageType"},
		{"OpenStackControlPlane", operator, "neutron", "conf, disable, disabled, enabled, mechanism, replicas, storageSize"},
	} {
		text := document(c.kind, c.version, "spec."+c.service+".qqqqqqqqqqqqqqqqqq", "1")
		result := convert.Convert(schema.New(), []convert.File{{Name: "in.yaml", Content: []byte(text)}}, convert.DefaultLimits())
		if len(result.Diagnostics) == 0 || !slices.ContainsFunc(strings.Split(fmt.Sprint(result.Diagnostics[len(result.Diagnostics)-1].Hint), "\n"), func(hint string) bool { return hint == "there are: "+c.want }) {
			t.Errorf("%s of %s: %+v", c.service, c.kind, result.Diagnostics)
		}
	}
}

// TestHomeless fails when the language gets what a conversion says it does not have.
func TestHomeless(t *testing.T) {
	for _, kind := range []string{"dataplane"} {
		if schema.New().Block("cloud").Nested(kind) != nil || schema.New().Block(kind) != nil {
			t.Errorf("the language has %s blocks now: convert what the YAML says of it, and mend FIELDS.md", kind)
		}
	}
}
