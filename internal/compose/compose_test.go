package compose_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/examples"
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shown is a unit as the golden files have it: secrets as references, resources without what the
// schema says of them.
func shown(u unit.Unit) map[string]any {
	line := map[string]any{"class": u.Class}
	var edges []string
	for _, e := range u.Edges {
		edges = append(edges, string(e.Gate)+" when "+e.To.String()+" is "+string(e.Until)+strings.TrimSuffix(" for "+e.Part, " for "))
	}
	if len(edges) > 0 {
		line["edges"] = edges
	}
	if u.PreventDestroy {
		line["preventDestroy"] = true
	}
	if u.Drift != "" {
		line["drift"] = u.Drift
	}
	switch spec := u.Spec.(type) {
	case *unit.Release:
		secrets := map[string]string{}
		for _, s := range spec.Secrets {
			secrets[strings.Join(s.Path, ".")] = s.Namespace + "/" + s.Name + "#" + s.Key
		}
		line["release"] = map[string]any{
			"name": spec.Namespace + "/" + spec.Name, "chart": spec.Chart, "openstack": spec.OpenStackRelease,
			"values": spec.Values, "secrets": secrets,
		}
	case *unit.Resource:
		line["resource"] = map[string]any{"kind": spec.Kind, "lookup": spec.Lookup, "region": spec.Region, "desired": unit.Visible(spec.Desired)}
	case *unit.Credentials:
		keys := map[string][]string{}
		for _, k := range spec.Keys {
			for _, use := range k.Uses {
				keys[k.Key] = append(keys[k.Key], use.Release+": "+strings.Join(use.Path, "."))
			}
		}
		line["credentials"] = map[string]any{"name": spec.Namespace + "/" + spec.Name, "keys": keys}
	default:
		line[string(spec.Driver())] = spec
	}
	return line
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"demo", "minimal", "ha", "ceph", "rook", "tls", "external", "profiles"} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Load(t, examples.FS, name)
			units, diags := compose.Compose(m, ev, compose.Facts{Nodes: []string{"control-1", "node-1", "worker-1", "worker-2"}})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			all := map[string]any{}
			for _, u := range units {
				all[u.Address.String()] = shown(u)
			}
			got, err := yaml.Marshal(all)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("%s differs; go test -run TestGolden -update shows how in git diff", file)
			}
		})
	}
}

func TestDeterministicAndSorted(t *testing.T) {
	m, ev := composed.Load(t, examples.FS, "demo")
	facts := compose.Facts{Nodes: []string{"worker-2", "control-1"}}
	first, diags := compose.Compose(m, ev, facts)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if !slices.IsSortedFunc(first, func(a, b unit.Unit) int { return a.Address.Compare(b.Address) }) {
		t.Error("units are not sorted by address")
	}
	for range 5 {
		again, _ := compose.Compose(m, ev, facts)
		for i := range first {
			if first[i].Spec.Digest() != again[i].Spec.Digest() || !slices.Equal(first[i].Edges, again[i].Edges) {
				t.Fatalf("%s is another one each time", first[i].Address)
			}
		}
	}
	for _, u := range first {
		if !slices.IsSortedFunc(u.Edges, func(a, b unit.Edge) int { return a.To.Compare(b.To) }) {
			t.Errorf("edges of %s are not sorted", u.Address)
		}
	}
}

func TestEveryEdgeLeadsToAUnit(t *testing.T) {
	units := composed.Demo(t)
	for address, u := range units {
		for _, e := range u.Edges {
			if _, ok := units[e.To.String()]; !ok {
				t.Errorf("%s waits for %s, which is no unit", address, e.To)
			}
		}
	}
}

func TestNumbersStayWhole(t *testing.T) {
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				walk(path+"."+key, inner)
			}
		case []any:
			for _, inner := range v {
				walk(path, inner)
			}
		case nil, bool, string, int64:
		case float64: // which OpenStack-Helm wants of ports alone
			if !strings.Contains(path, ".endpoints.") || !strings.Contains(path, ".port.") || v != math.Trunc(v) {
				t.Errorf("%s is %v", path, v)
			}
		default:
			t.Errorf("%s is a %T", path, v)
		}
	}
	for address, u := range composed.Demo(t) {
		switch spec := u.Spec.(type) {
		case *unit.Release:
			walk(address, spec.Values)
		case *unit.Objects:
			for _, item := range spec.Items {
				walk(address, item)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	units := composed.Demo(t)
	web := units[`instance.web["a"]`].Spec.(*unit.Resource)
	if web.Desired.GetAttr("image").IsKnown() {
		t.Fatal("the image is known before it exists")
	}
	if web.Block == nil || web.Block.Attribute("flavor") == nil {
		t.Error("the instance has no schema")
	}
	if _, diags := web.Resolve(nil); len(diags) > 0 {
		t.Error(diags)
	}
	m, ev := composed.Load(t, examples.FS, "external")
	public := composed.Compose(t, m, ev, compose.Facts{})["data.network.public"].Spec.(*unit.Resource)
	if !public.Lookup || public.Block.Attribute("external") != nil && public.Block.Attribute("external").Presence == schema.Computed {
		t.Errorf("a lookup has the block of a lookup: %+v", public)
	}
}

func TestExternalNeedsNoCluster(t *testing.T) {
	m, ev := composed.Load(t, examples.FS, "external")
	for address, u := range composed.Compose(t, m, ev, compose.Facts{Nodes: []string{"node-1"}}) {
		if u.Class != unit.ClassResource {
			t.Errorf("%s in a cloud that deploys nothing", address)
		}
	}
}

func TestDisabledServiceHasNoUnit(t *testing.T) {
	m, ev := composed.Text(t, `cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" { enabled = false }
}`)
	units := composed.Compose(t, m, ev, compose.Facts{})
	if _, ok := units["service.memcached"]; ok {
		t.Error("a disabled service has a unit")
	}
	if len(units) != 7 { // the namespace, the definitions, what is shown of services and cloud, the credentials
		t.Errorf("%d units", len(units))
	}
}

func TestChartPlaces(t *testing.T) {
	tree := fstest.MapFS{}
	for repository, wantTree := range map[string]bool{"charts": true, "oci://registry.example.org/helm": false} {
		m, ev := composed.Text(t, `cloud "c" {
  release = "2026.1"
  charts {
    repository = "`+repository+`"
    version    = "~> 2026.1"
  }
  service "mariadb" {}
}`)
		chart := composed.Release(t, composed.Compose(t, m, ev, compose.Facts{Tree: tree, Unlocked: true}), "mariadb").Chart
		if (chart.Tree != nil) != wantTree || chart.Repository != repository || chart.Version != "~> 2026.1" || chart.Name != "mariadb" {
			t.Errorf("%s: %+v", repository, chart)
		}
	}
}

func TestDigestsHaveNoSecrets(t *testing.T) {
	for address, u := range composed.Demo(t) {
		if r, ok := u.Spec.(*unit.Release); ok {
			for _, s := range r.Secrets {
				if at(r.Values, s.Path) != nil {
					t.Errorf("%s has a value at %v, which is a secret's place", address, s.Path)
				}
			}
		}
		if u.Spec.Digest() == "" {
			t.Errorf("%s has no digest", address)
		}
	}
}

func at(values map[string]any, path []string) any {
	var v any = values
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

func compact(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func codes(diags diag.Diagnostics) []string {
	var list []string
	for _, d := range diags {
		line := string(d.Code)
		if d.Subject != nil {
			line = d.Subject.String() + " " + line
		}
		list = append(list, line)
	}
	return list
}

func object(t *testing.T, s string) addr.Object {
	t.Helper()
	return addr.MustParseObject(s)
}
