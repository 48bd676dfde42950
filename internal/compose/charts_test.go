package compose_test

import (
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// leaves lists the places of a tree that hold something else than maps.
func leaves(values map[string]any, prefix string) []string {
	var found []string
	for key, v := range values {
		if below, ok := v.(map[string]any); ok && len(below) > 0 {
			found = append(found, leaves(below, prefix+key+".")...)
			continue
		}
		found = append(found, prefix+key)
	}
	slices.Sort(found)
	return found
}

// paths are the value paths of OpenStack-Helm's charts: deep maps are cut off there.
func paths(t *testing.T) map[string]map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "test", "charts", "testdata", "value-paths.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts map[string]struct {
		Paths map[string]string `json:"value_paths"`
	}
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	for name, f := range facts {
		all[name] = f.Paths
	}
	return all
}

// sectionOfNova is a section of nova.conf, which the chart writes with all that is given for that file. It has none of its own:
// the rendered file is for test/charts to look at.
const sectionOfNova = "conf.nova.os_vif_ovs."

// isOverride tells of the groups of nodes, which no chart has among its defaults. That they reach DaemonSets is for
// test/charts to look at.
func isOverride(path string) bool {
	return strings.HasPrefix(path, "conf.overrides.") || strings.HasPrefix(path, "overrides.")
}

// known tells whether a chart has a path among its defaults, or takes keys below it freely.
func known(listed map[string]string, path string) bool {
	if kind, ok := listed[path]; ok && kind != "" {
		return true
	}
	for end := strings.LastIndexByte(path, '.'); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if listed[path[:end]] == "map" {
			return true
		}
	}
	return false
}

// TestPathsExist checks that OpenStack-Helm's charts have each path that compose writes. The values
// of our test charts are a part of theirs.
func TestPathsExist(t *testing.T) {
	listed := paths(t)
	if known(listed["nova"], "pod.replica.osapi") || !known(listed["nova"], "pod.replicas.osapi") {
		t.Fatal("the check finds nothing")
	}
	composed.Variants(t, func(t *testing.T, units map[string]unit.Unit) {
		checked := 0
		for _, name := range names(units) {
			r := composed.Release(t, units, name)
			written := leaves(r.Values, "")
			for _, s := range r.Secrets {
				written = append(written, strings.Join(s.Path, "."))
			}
			for _, path := range written {
				checked++
				if !known(listed[name], path) && !strings.HasPrefix(path, "conf.backends.") && !strings.HasPrefix(path, "conf.barbican.") && !strings.HasPrefix(path, "conf.magnum.") && !strings.HasPrefix(path, sectionOfNova) && !isOverride(path) { // of which they take any
					t.Errorf("%s has no %s", name, path)
				}
			}
		}
		if checked < 200 {
			t.Errorf("only %d paths were checked", checked)
		}
	})
}

func names(units map[string]unit.Unit) []string {
	var list []string
	for _, u := range units {
		if r, ok := u.Spec.(*unit.Release); ok {
			list = append(list, r.Name)
		}
	}
	slices.Sort(list)
	return list
}

func TestLockedCharts(t *testing.T) {
	const repository, digest = "oci://registry.example.org/helm", "sha256:0f"
	config := func(services string) string {
		return `cloud "c" {
  release = "2026.1"
  charts {
    repository = "` + repository + `"
    version    = "~> 2026.1"
  }
` + services + "}\n"
	}
	lock := func(constraint string, names ...string) *chartlock.Lock {
		var entries []chartlock.Entry
		for _, name := range names {
			wanted := chartlock.Wanted{Repository: repository, Name: name, Constraint: constraint}
			entries = append(entries, chartlock.Entry{Wanted: wanted, Version: "2026.1.3", Digest: digest})
		}
		return chartlock.New(entries)
	}
	m, ev := composed.Text(t, config("  service \"mariadb\" {}\n  service \"memcached\" { enabled = false }\n"))
	units := composed.Compose(t, m, ev, compose.Facts{Lock: lock("~> 2026.1", "mariadb", "nova")})
	if got, want := composed.Release(t, units, "mariadb").Chart, (unit.Chart{Name: "mariadb", Repository: repository, Version: "2026.1.3", Digest: digest}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}

	two := "  service \"mariadb\" {}\n  service \"memcached\" {}\n"
	for name, c := range map[string]struct {
		services string
		lock     *chartlock.Lock
		want     string // of the detail; "" for nothing
	}{
		"no lock":            {two, nil, "no entry for mariadb and memcached of " + repository + ` with version = "~> 2026.1"`},
		"another constraint": {two, lock("~> 2025.1", "mariadb", "memcached"), "mariadb and memcached"},
		"one is missing":     {two, lock("~> 2026.1", "mariadb"), "no entry for memcached of"},
		"all are there":      {two, lock("~> 2026.1", "mariadb", "memcached"), ""},
		"many": {
			two + "  service \"rabbitmq\" {}\n  service \"openvswitch\" {}\n  service \"keystone\" {}\n  service \"placement\" {}\n  service \"glance\" {}\n",
			nil, "glance, keystone, mariadb, memcached, openvswitch and 2 others of",
		},
		"with another mistake": {strings.Replace(two, "memcached", "keystone", 1), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, config(c.services))
			units, diags := compose.Compose(m, ev, compose.Facts{Lock: c.lock})
			var told []string
			for _, d := range diags {
				if d.Code == "compose.unlocked-chart" {
					told = append(told, d.Detail)
				}
			}
			switch {
			case c.want == "" && len(told) > 0, c.want != "" && (len(told) != 1 || !strings.Contains(told[0], c.want) || units != nil):
				t.Errorf("told %q, want %q", told, c.want)
			}
		})
	}
}
