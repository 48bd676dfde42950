//go:build beds

package charts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/test/charts"
)

// description is the part of what a chart's own template prints for the library in which keys
// of the values stand by name.
type description struct {
	Deployments, StatefulSets, DaemonSets, Jobs, CronJobs, Tests []workload
	Services, Budgets, Objects                                   []struct{ Manifest string }

	Config      map[string]struct{ INI, YAML, JSON, Text string }
	Credentials map[string]string // the user of each section
}

type workload struct {
	Name, Manifest, Node, Depends, Replicas, Upgrades string

	Init, Containers []struct{ Tag, OpenRC, Creates string }
}

// named returns the paths of all values whose keys stand by name in the description.
func (d description) named() []string {
	var found []string
	path := func(key, format string) {
		if key != "" {
			found = append(found, fmt.Sprintf(format, key))
		}
	}
	for _, w := range slices.Concat(d.Deployments, d.StatefulSets, d.DaemonSets, d.Jobs, d.CronJobs, d.Tests) {
		path(w.Manifest, "manifests.%s")
		path(w.Node, "labels.%s.node_selector_key")
		path(w.Depends, "dependencies.static.%s")
		path(w.Replicas, "pod.replicas.%s")
		path(w.Upgrades, "pod.lifecycle.upgrades.daemonsets.%s")
		for _, c := range slices.Concat(w.Init, w.Containers) {
			path(c.Tag, "images.tags.%s")
			path(c.OpenRC, "secrets.identity.%s")
			path(c.Creates, "secrets.identity.%s")
		}
	}
	for _, from := range d.Config {
		for _, key := range []string{from.INI, from.YAML, from.JSON, from.Text} {
			path(key, "conf.%s")
		}
	}
	for _, user := range d.Credentials {
		path(user, "endpoints.identity.auth.%s.password")
	}
	for _, one := range slices.Concat(d.Services, d.Budgets, d.Objects) {
		path(one.Manifest, "manifests.%s")
	}
	return found
}

// describe returns the description that a chart's template prints, its jobs completed as the
// library completes them.
func describe(t *testing.T, c *chart.Chart, values map[string]any) description {
	t.Helper()
	const file = "templates/description.txt"
	print := fmt.Sprintf(`{{ $spec := include "%s.spec" . | fromYaml }}{{ $jobs := list }}`+
		`{{ range $spec.jobs }}{{ $jobs = append $jobs (include "toolkit.job.item" (list $ .) | fromYaml) }}{{ end }}`+
		`{{ $_ := set $spec "jobs" $jobs }}{{ toYaml $spec }}`, c.Name())
	c.Templates = append(c.Templates, &chart.File{Name: file, Data: []byte(print)})
	options := chartutil.ReleaseOptions{Name: c.Name(), Namespace: "openstack", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(c, values, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(c, all)
	if err != nil {
		t.Fatal(err)
	}
	var found description
	if err := yaml.Unmarshal([]byte(files[c.Name()+"/"+file]), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestNamedKeys checks the keys that a template hands to the library by their names, such as
// the dependencies of a pod: OpenStack-Helm's chart has each of them.
func TestNamedKeys(t *testing.T) {
	all := readFacts(t, paths)
	everything := map[string]any{"network": map[string]any{"backend": []any{"openvswitch", "ovn", "sriov"}}}
	for _, name := range charts.Names() {
		t.Run(name, func(t *testing.T) {
			values := map[string]any{}
			if name == "neutron" {
				values = everything
			}
			named := describe(t, load(t, name), values).named()
			least := 5
			if name == withoutToolkit {
				least = 3
			}
			if len(named) < least {
				t.Fatalf("the description names %d keys only: %v", len(named), named)
			}
			for _, path := range named {
				if !all[name].has(path) {
					t.Errorf("the description of %s names %s, which OpenStack-Helm's chart does not have", name, path)
				}
			}
		})
	}
}

// endpointCall matches a look-up in the endpoints with all of its arguments written out.
var endpointCall = regexp.MustCompile(`include "toolkit\.endpoint\.(\w+)" \(list \$?(?:root)?\.? ?"([\w-]+)"(?: "(\w+)")?(?: "(\w+)")?\)`)

// endpointPaths returns what the library reads for a look-up in the endpoints.
func endpointPaths(function, endpoint, by, third string) []string {
	of := "endpoints." + strings.ReplaceAll(endpoint, "-", "_") + "."
	switch function {
	case "port":
		return []string{of + "port." + third + "." + by}
	case "uri":
		return []string{of + "port." + third + "." + by, of + "hosts." + by}
	case "name", "domain", "host":
		return []string{of + "hosts." + by}
	case "setting":
		return []string{of + third}
	case "credentials":
		return []string{of + "auth." + by + ".password"}
	case "database":
		return []string{of + "auth." + by + ".password", of + "port.mysql.internal", of + "path"}
	case "transport":
		return []string{"endpoints.oslo_messaging.auth." + endpoint + ".password"}
	}
	return nil
}

// TestNamedEndpoints checks the endpoints that templates hand to the library by name.
func TestNamedEndpoints(t *testing.T) {
	all := readFacts(t, paths)
	for _, name := range charts.Names() {
		t.Run(name, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(charts.Dir(), name, "templates", "*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("templates: %v, %v", files, err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, call := range endpointCall.FindAllStringSubmatch(string(text), -1) {
					read := endpointPaths(call[1], call[2], call[3], call[4])
					if len(read) == 0 {
						t.Errorf("unknown look-up %s", call[0])
					}
					for _, path := range read {
						if !all[name].has(path) {
							t.Errorf("%s reads .Values.%s, which OpenStack-Helm's chart does not have", call[0], path)
						}
					}
				}
			}
		})
	}
}
