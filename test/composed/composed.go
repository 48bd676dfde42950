package composed

import (
	_ "embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// everything deploys all services; the words in capitals stand for what differs.
//
//go:embed everything.hcl
var everything string

// Load reads and resolves a directory, and fails the test at a mistake.
func Load(t testing.TB, tree fs.FS, dir string) (*model.Model, *resolve.Evaluator) {
	t.Helper()
	cfg, diags := config.Load(schema.New(), tree, dir, config.DefaultLimits())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	m, ev, diags := resolve.Resolve(cfg, nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return m, ev
}

// Text is Load for a configuration of one file, main.hcl.
func Text(t testing.TB, hcl string) (*model.Model, *resolve.Evaluator) {
	t.Helper()
	return Load(t, fstest.MapFS{"main.hcl": {Data: []byte(hcl)}}, ".")
}

// Compose makes the units, by their addresses, and fails the test at a mistake or a warning.
func Compose(t testing.TB, m *model.Model, ev compose.Evaluator, facts compose.Facts) map[string]unit.Unit {
	t.Helper()
	units, warnings := Warned(t, m, ev, facts)
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return units
}

// Warned makes the units, by their addresses, and returns the warnings. It fails the test at a mistake.
func Warned(t testing.TB, m *model.Model, ev compose.Evaluator, facts compose.Facts) (map[string]unit.Unit, diag.Diagnostics) {
	t.Helper()
	units, diags := compose.Compose(m, ev, facts)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	byAddress := map[string]unit.Unit{}
	for _, u := range units {
		byAddress[u.Address.String()] = u
	}
	return byAddress, diags
}

// Demo are the units of the demo's cloud on the nodes of the demo's cluster.
func Demo(t testing.TB) map[string]unit.Unit {
	t.Helper()
	m, ev := Load(t, examples.FS, "demo")
	return Compose(t, m, ev, compose.Facts{Nodes: []string{"control-1", "spare", "worker-1", "worker-2"}})
}

// Source is the configuration of a cloud with all services that it can have. The network is "ovs" or "ovn", the storage
// "ceph", "lvm", or "" for what is there without a backend, which is all but Cinder. Blocks are put into that of the
// cloud.
func Source(network, storage string, blocks ...string) string {
	cinder, adapter, ovn, glance := "", "", "", ` storage_size = "9Gi" `
	if storage == "ceph" {
		glance = "" // where no volume has a size
		adapter = "\n" + `  service "ceph-adapter-rook" {}`
	}
	if network == "ovn" { // else the line is empty
		ovn = `  service "ovn" {}`
	}
	if storage != "" {
		storage = `storage_backend = "` + storage + `"`
		cinder = "\n" + `  service "cinder" { replicas = { api = 2, scheduler = 2, volume = 1, backup = 1 } }`
	}
	return strings.NewReplacer("NETWORK", network, "STORAGE", storage, "OVN", ovn, "CINDER", cinder, "ADAPTER", adapter, "GLANCE", glance, "BLOCKS", strings.Join(append([]string{""}, blocks...), "\n")).Replace(everything)
}

// Storing is a configuration like [Source] that says where Glance keeps images.
func Storing(source, storage string) string {
	said := fmt.Sprintf("service \"glance\" { storage = %q }", storage)
	return strings.NewReplacer(`service "glance" { storage_size = "9Gi" }`, said, `service "glance" {}`, said).Replace(source)
}

// Without is a configuration like [Source] without some services that take a line each.
func Without(source string, services ...string) string {
	lines := strings.SplitAfter(source, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return slices.ContainsFunc(services, func(s string) bool { return strings.HasPrefix(line, `  service "`+s+`" `) })
	}), "")
}

// Secured is [Source] with TLS inside, and without the services that cannot be beside it.
func Secured(network, storage, tls string, blocks ...string) string {
	return Without(Source(network, storage, append(blocks, "  tls {\n"+tls+"\n  }")...), "magnum", "octavia", "skyline")
}

// WithBackends is [Source] with blocks in that of Cinder, and so many pods that look after volumes.
func WithBackends(storage string, pods int, backends string, blocks ...string) string {
	const written = "replicas = { api = 2, scheduler = 2, volume = 1, backup = 1 }"
	replicas := fmt.Sprintf("\n    replicas = { api = 2, scheduler = 2, volume = %d, backup = 1 }\n%s\n  ", pods, backends)
	return strings.Replace(Source("ovs", storage, blocks...), written, replicas, 1)
}

// Network is a node to add to [Source] beside those that instances run on: for what there is on nodes with the role network.
const Network = "node \"network-1\" {\n  roles = [\"network\"]\n}\n"

// Nodes are n nodes with roles to add to [Source], with so many profiles between them that configure services for
// their nodes, and [Network].
func Nodes(n, profiles int, roles string, services ...string) string {
	var text strings.Builder
	for p := range profiles {
		fmt.Fprintf(&text, "profile \"p%d\" {\n  slot = %d\n", p, p+1)
		for _, s := range services {
			fmt.Fprintf(&text, "  service %q {\n    conf = { %s = { DEFAULT = { workers = %d } } }\n  }\n", s, s, p)
		}
		text.WriteString("}\n")
	}
	for i := range n {
		fmt.Fprintf(&text, "node \"worker-%d\" {\n  roles   = %s\n  profile = profile.p%d\n}\n", i, roles, i%profiles)
	}
	text.WriteString(Network)
	return text.String()
}

// Everything are the units of [Source], and of what is added to it, to the cloud and beside it.
func Everything(t testing.TB, network, storage, added string, blocks ...string) map[string]unit.Unit {
	t.Helper()
	m, ev := Text(t, Source(network, storage, blocks...)+added)
	return Compose(t, m, ev, compose.Facts{})
}

// Variants runs a check over Everything on every backend.
func Variants(t *testing.T, check func(t *testing.T, units map[string]unit.Unit)) {
	for _, network := range []string{"ovs", "ovn"} {
		for _, storage := range []string{"", "ceph", "lvm"} {
			t.Run(network+" "+storage, func(t *testing.T) { check(t, Everything(t, network, storage, "")) })
		}
	}
}

// Release is the release of a service, which must be there.
func Release(t testing.TB, units map[string]unit.Unit, service string) *unit.Release {
	t.Helper()
	r, ok := units["service."+service].Spec.(*unit.Release)
	if !ok {
		t.Fatalf("there is no release %s", service)
	}
	return r
}
