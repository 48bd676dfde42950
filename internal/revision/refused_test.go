package revision_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// refusedChanges are two values of each attribute whose change is refused, by where it is. Those of
// resources are the driver's.
func refusedChanges() map[string][2]string {
	return map[string][2]string{
		"cloud.release":              {"2025.2", "2026.1"},
		"cloud.region":               {"here", "there"},
		"cloud.namespace":            {"one", "two"},
		"cloud.network_backend":      {"ovs", "ovn"},
		"cloud.storage_backend":      {"ceph", "lvm"},
		"cloud.service.storage_size": {"5Gi", "6Gi"},
		"cloud.service.storage":      {"pvc", "swift"},
	}
}

// refusedAttributes are the paths of all attributes whose change is refused, but for those of resources, and those of
// TLS and of backends, which are refused of each service and backend that they are about.
func refusedAttributes() []string {
	var paths []string
	var visit func(path string, b *schema.Block)
	visit = func(path string, b *schema.Block) {
		for _, name := range b.Refused() {
			paths = append(paths, path+"."+name)
		}
		for i := range b.Blocks {
			if kind := b.Blocks[i].Kind; kind != "tls" && kind != "backend" {
				visit(path+"."+kind, &b.Blocks[i].Block)
			}
		}
	}
	for _, b := range schema.New().Blocks() {
		if b.Class != schema.ClassResource {
			visit(b.Kind, b)
		}
	}
	return paths
}

// cloudWith is a configuration with one attribute at a path, at line 3 or 5.
func cloudWith(path, expression string) string {
	place, name := path[:strings.LastIndex(path, ".")], path[strings.LastIndex(path, ".")+1:]
	line := fmt.Sprintf("%s = %s", name, expression)
	lines := map[string]string{"cloud": "", "cloud.service": "", place: line}
	release := "release = \"2026.1\""
	if name == "release" {
		release = ""
	}
	service, needs := "mariadb", ""
	if name == "storage" { // which is for images
		service, needs = "glance", "\n  service \"mariadb\" {}\n  service \"rabbitmq\" {}\n  service \"memcached\" {}\n  service \"keystone\" {}"
	}
	return fmt.Sprintf("cloud \"lab\" {\n  %s\n  %s\n  service %q {\n    %s\n  }\n  charts { repository = \"oci://registry.example.org/charts\" }%s\n}\n",
		release, lines["cloud"], service, lines["cloud.service"], needs)
}

func composed(t *testing.T, hcl string) *engine.Revision {
	t.Helper()
	loaded, found := revision.Load("r", fstest.MapFS{"main.hcl": {Data: []byte(hcl)}}, ".", revision.Options{Language: schema.New()})
	if loaded == nil {
		t.Fatal(found.Text(false))
	}
	r, diags := loaded.Compose(compose.Facts{Unlocked: true})
	if r == nil {
		t.Fatal(diags)
	}
	return r
}

// follows returns the plan for a revision while another one is deployed, as far as nothing is seen.
func follows(before, after *engine.Revision) *plan.Plan {
	in := plan.Input{
		Language: schema.New(), Units: after.Units, Removed: after.Removed, Deployment: after.Deployment, Ranges: after.Ranges, Recorded: &before.Deployment,
		Marker: inventory.NewMarker("test", redact.NewSecret("a key")), States: map[addr.Object]*unit.State{}, Hosts: plan.Hosts{None: true},
	}
	for i := range before.Units {
		u := &before.Units[i]
		in.Entries = append(in.Entries, inventory.Entry{
			UID: u.Address.String(), Address: u.Address, Phase: inventory.Owned, Class: u.Class, Locator: u.Spec.Locator(), Fixed: u.Fixed,
		})
	}
	return plan.Make(in)
}

// TestEveryRefusedChangeIsRefused has the plan refuse what the schema, and so the reference, says is
// refused.
func TestEveryRefusedChangeIsRefused(t *testing.T) {
	paths := refusedAttributes()
	if len(paths) != len(refusedChanges()) {
		t.Errorf("the schema refuses changes of %v", paths)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			values, ok := refusedChanges()[path]
			if !ok {
				t.Fatal("no two values of it are known here")
			}
			before, after := composed(t, cloudWith(path, fmt.Sprintf("%q", values[0]))), composed(t, cloudWith(path, fmt.Sprintf("%q", values[1])))
			if refused := follows(before, before).Refused; len(refused) > 0 {
				t.Errorf("nothing changes: %v", refused)
			}
			refused := follows(before, after).Refused
			if len(refused) != 1 {
				t.Fatalf("it changes: %v", refused)
			}
			d, name := refused[0], path[strings.LastIndex(path, ".")+1:]
			if !slices.Contains([]string{string(plan.CodeImmutable), string(plan.CodeUpgrade)}, string(d.Code)) ||
				!strings.HasPrefix(d.Summary, name+" ") || !strings.Contains(d.Summary, fmt.Sprintf("from %q to %q", values[0], values[1])) {
				t.Errorf("got %+v", d)
			}
			if line := map[string]int{"cloud": 3, "cloud.service": 5}[path[:strings.LastIndex(path, ".")]]; d.Subject == nil || d.Subject.Start.Line != line {
				t.Errorf("it points at %v, want line %d", d.Subject, line)
			}
		})
	}
}

// TestTLSIsFixed has the plan refuse that a service which is deployed begins or ceases to speak TLS, or has another
// authority. Its image may change, and what is deployed later speaks what the block says then.
func TestTLSIsFixed(t *testing.T) {
	cloud := func(services, tls string) string {
		return "cloud \"lab\" {\n  release = \"2026.1\"\n  charts { repository = \"oci://registry.example.org/charts\" }\n  " + tls + "\n" +
			"  service \"mariadb\" {}\n  service \"rabbitmq\" {}\n  service \"memcached\" {}\n  service \"keystone\" {}\n" + services + "}\n"
	}
	const one, other = `tls { issuer = { name = "one" } }`, `tls { issuer = { name = "other" } }`
	const glance = "  service \"glance\" {}\n"
	for name, c := range map[string]struct{ before, after, want string }{
		"the same":         {cloud("", one), cloud("", one), ""},
		"on":               {cloud("", ""), cloud("", one), `4 tls of keystone cannot change from nothing to "ClusterIssuer/one"`},
		"off":              {cloud("", one), cloud("", ""), `8 tls of keystone cannot change from "ClusterIssuer/one" to nothing`},
		"another issuer":   {cloud("", one), cloud("", other), `4 tls of keystone cannot change from "ClusterIssuer/one" to "ClusterIssuer/other"`},
		"without a name":   {cloud(glance, one), cloud(glance, "tls {\n issuer = { name = \"one\" }\n services = [\"glance\"]\n}"), `4 tls of keystone cannot change from "ClusterIssuer/one" to nothing`},
		"another image":    {cloud("", one), cloud("", "tls {\n issuer = { name = \"one\" }\n image = \"r.example/nginx:1\"\n}"), ""},
		"one more service": {cloud("", one), cloud(glance, one), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, d := range follows(composed(t, c.before), composed(t, c.after)).Refused {
				got += fmt.Sprintf("%d %s", d.Subject.Start.Line, d.Summary)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestRefusalsShowNothingSensitive: a refusal says what was and what is wanted, and both are kept in the
// inventory as they are. So no such attribute takes a sensitive value, and nothing quotes the one that is
// tried.
func TestRefusalsShowNothingSensitive(t *testing.T) {
	for path, values := range refusedChanges() {
		for _, value := range []string{values[0], "2031.1", "canary-77aa01", "77001Gi"} {
			for name, hcl := range map[string]string{
				"a function": cloudWith(path, fmt.Sprintf("sensitive(%q)", value)),
				"a variable": cloudWith(path, "var.v") + fmt.Sprintf("variable \"v\" {\n  default   = %q\n  sensitive = true\n}\n", value),
				"a part":     cloudWith(path, fmt.Sprintf("\"${sensitive(%q)}\"", value)),
			} {
				loaded, found := revision.Load("r", fstest.MapFS{"main.hcl": {Data: []byte(hcl)}}, ".", revision.Options{Language: schema.New()})
				if loaded != nil || !found.Diagnostics.HasErrors() {
					t.Errorf("%s takes the sensitive value of %s", path, name)
				}
				for _, d := range found.Diagnostics {
					if value != values[0] && strings.Contains(d.Summary+d.Detail+d.Hint, value) {
						t.Errorf("%s, %s: it is told: %+v", path, name, d)
					}
					if value == values[0] && d.Summary != "sensitive value" {
						t.Errorf("%s, %s: %+v", path, name, d)
					}
				}
			}
		}
	}
}

// TestMembersKeepTheirNumber: what is a cluster by itself, or one of several that decide by majority, is not made the other.
func TestMembersKeepTheirNumber(t *testing.T) {
	cloud := func(replicas string) *engine.Revision {
		return composed(t, "cloud \"lab\" {\n  release = \"2026.1\"\n  network_backend = \"ovn\"\n  service \"openvswitch\" {}\n  service \"ovn\" {\n    "+replicas+
			"\n  }\n  charts { repository = \"oci://registry.example.org/charts\" }\n}\n")
	}
	none, one := cloud(""), cloud("replicas = { ovn_ovsdb_nb = 1, ovn_northd = 1 }")
	three := cloud("replicas = {\n ovn_northd = 2\n ovn_ovsdb_nb = 3 }")
	if refused := slices.Concat(follows(none, one).Refused, follows(one, none).Refused); len(refused) > 0 {
		t.Errorf("the chart's own number is refused: %v", refused)
	}
	for _, other := range []*engine.Revision{none, one} {
		refused := follows(other, three).Refused
		if len(refused) != 1 || refused[0].Summary != "replicas.ovn_ovsdb_nb of ovn cannot change from \"1\" to \"3\"" || refused[0].Subject.Start.Line != 8 {
			t.Errorf("refused is %v", refused)
		}
	}
}
