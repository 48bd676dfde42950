package architecture_test

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/architecture"
)

func TestKinds(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"a comparison", "var a = r.Kind == \"network\"", ":3:9: asks for network"},
		{"the other way round", "var a = \"network\" != r.Address.Kind()", ":3:9: asks for network"},
		{"a case", "func f() {\n\tswitch r.Kind {\n\tcase \"other\", \"network\":\n\t}\n}", ":5:16: asks for network"},
		{"a list", "var a = slices.Contains([]string{\"network\"}, r.Kind)", ":3:34: asks for network"},
		{"a block", "var a = language.Resource(\"network\")", ":3:27: asks for network"},
		{"a name for it", "const kindNetwork = \"network\"", ":3:7: asks for network"},
		{"a type", "var _, a = k.(networkKind)", ":3:12: asks for networkKind"},
		{"an interface", "var _, a = k.(kind)", ""},
		{"another kind of things", "var a = r.Kind == \"Secret\"", ""},
		{"another word", "var a = r.Name == \"network\"", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, "x.go", "package x\n\n"+test.source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			switch got := architecture.Kinds(set, file, []string{"network"}); {
			case test.want == "" && len(got) > 0, test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
				t.Errorf("got %q, want one with %q", got, test.want)
			}
		})
	}
}

// kindly are the sources that are about single kinds, and why what they do is not a word in a block.
func kindly() map[string]string {
	const (
		namespaces = "projects stand for namespaces of Kubernetes"
		quotas     = "a project has the limits of all that is in it"
	)
	return map[string]string{
		"internal/resolve/namespaceprojects.go": namespaces, "internal/compose/namespaceprojects.go": namespaces, "internal/compose/projectnamespaces.go": namespaces,
		"internal/compose/quotas.go": quotas, "internal/plan/quota.go": quotas,
		"internal/compose/selectedhosts.go":   "host aggregates follow labels of nodes",
		"internal/compose/physicalnetwork.go": "networks are in networks of the data centre",
		"internal/compose/trunks.go":          "security groups do not filter trunks with a firewall that Neutron is deployed with",
		"internal/compose/smoketest.go":       "its instance has to wait for the subnets of its network",
		"internal/compose/portaddresses.go":   "a port has addresses of the subnets that there are when it is made",
		"internal/compose/privateimages.go":   "an instance may be in another project than its image",
		"internal/resolve/overlaps.go":        "ranges of subnets cannot overlap in a network or at a router",
		"internal/resolve/volumes.go":         "blocks of two kinds say which instance has a volume",
		"internal/plan/rules.go":              "instances are what runs on nodes that go",
	}
}

// TestKindsAreNamedAtHome: beside the schema, only the sources that are about single kinds name any.
func TestKindsAreNamedAtHome(t *testing.T) {
	language := schema.New()
	kinds := slices.DeleteFunc(language.Kinds(schema.ClassResource), func(kind string) bool { return language.Resource(kind).Cluster })
	excused := kindly()
	for path, source := range product(t) {
		found := architecture.Kinds(source.set, source.file, kinds)
		if len(found) > 0 && excused[path] != "" {
			delete(excused, path)
			continue
		}
		for _, breach := range found {
			t.Error(breach)
		}
	}
	for path := range excused {
		t.Errorf("%s is excused and names no kind", path)
	}
}
