//go:build beds

package charts_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/charts"
)

const (
	paths = "testdata/value-paths.json"
	facts = "shared/facts/openstack-helm.json" // beside the checkout
	// updateVariable set in the environment makes TestFactsCopy rewrite the extract.
	updateVariable = "UPDATE_TESTDATA"
)

// chartFacts are what OpenStack-Helm's chart has: value paths with the type of their default.
// Deep maps are cut off and have the type "map".
type chartFacts struct {
	Version string            `json:"chart_version"`
	Paths   map[string]string `json:"value_paths"`
}

func readFacts(t *testing.T, file string) map[string]chartFacts {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]chartFacts{}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if !slices.Contains(charts.Names(), name) {
			delete(all, name)
		}
	}
	return all
}

// has tells whether a key exists. It does when it or a key below it is listed; when it is
// below a listed map or list, which the facts cut off there; or when it chooses an interface
// where the chart has a default for all interfaces, such as host_fqdn_override.public beside
// host_fqdn_override.default. A step that can be any key needs one key that fits.
func (f chartFacts) has(path string) bool {
	steps := strings.Split(path, ".")
	if f.lists(steps) {
		return true
	}
	last := len(steps) - 1
	interfaces := []string{"admin", "internal", "public", "service", "direct", "default"}
	return slices.Contains(interfaces, steps[last]) && f.lists(append(slices.Clone(steps[:last]), "default"))
}

func (f chartFacts) lists(steps []string) bool {
	for listed, kind := range f.Paths {
		known := strings.Split(listed, ".")
		both := min(len(known), len(steps))
		fits := slices.EqualFunc(known[:both], steps[:both], func(known, step string) bool {
			return step == anyKey || step == known
		})
		if fits && (len(known) >= len(steps) || kind == "map" || kind == "list") {
			return true
		}
	}
	return false
}

// TestValues checks that a chart sets no key that OpenStack-Helm's does not have.
func TestValues(t *testing.T) {
	all := readFacts(t, paths)
	for _, name := range charts.Names() {
		t.Run(name, func(t *testing.T) {
			c := load(t, name)
			if c.Metadata.Version != all[name].Version {
				t.Errorf("version %s, OpenStack-Helm's is %s", c.Metadata.Version, all[name].Version)
			}
			for _, path := range leaves(c.Values, "") {
				if !all[name].has(path) {
					t.Errorf("values.yaml has %s, OpenStack-Helm's chart has not", path)
				}
			}
		})
	}
}

// TestTemplates checks the keys that templates name: a chart's own against the chart, those of
// the library, which look before they read, against all charts.
func TestTemplates(t *testing.T) {
	all := readFacts(t, paths)
	for _, name := range charts.Names() {
		for _, path := range templateKeys(t, name) {
			if !all[name].has(path) {
				t.Errorf("a template of %s reads .Values.%s, which OpenStack-Helm's chart does not have", name, path)
			}
		}
	}
	// Keys that OpenStack-Helm's library reads and that have no default, so that no list of
	// defaults has them.
	optional := []string{
		"conf.overrides", "overrides", "endpoints.*.host_fqdn_override.*.host", "endpoints.identity.auth.*.interface",
		"endpoints.oslo_cache.statefulset", // as that of any endpoint
	}
	for _, path := range templateKeys(t, "helm-toolkit") {
		isOptional := func(key string) bool { return path == key || strings.HasPrefix(path, key+".") }
		if slices.ContainsFunc(optional, isOptional) {
			continue
		}
		if !slices.ContainsFunc(charts.Names(), func(name string) bool { return all[name].has(path) }) {
			t.Errorf("the library reads .Values.%s, which no chart of OpenStack-Helm has", path)
		}
	}
}

// templateKeys returns every path below .Values that a chart's templates read.
func templateKeys(t *testing.T, name string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(charts.Dir(), name, "templates", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("templates of %s: %v, %v", name, files, err)
	}
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read, untracked := keysIn(t, string(text))
		if name == "helm-toolkit" { // looks into lists and maps of its own making, into which it copies what it read
			untracked = slices.DeleteFunc(untracked, func(function string) bool { return slices.Contains([]string{"append", "list", "dict"}, function) })
		}
		if len(untracked) > 0 {
			t.Errorf("%s gives parts of the values to %q, and what these read is not known: teach it to the reader", file, untracked)
		}
		found = append(found, read...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func leaves(values map[string]any, prefix string) []string {
	var found []string
	for key, value := range values {
		if below, isMap := value.(map[string]any); isMap && len(below) > 0 {
			found = append(found, leaves(below, prefix+key+".")...)
			continue
		}
		found = append(found, prefix+key)
	}
	slices.Sort(found)
	return found
}

// TestFactsCopy compares the committed extract of the facts with the facts.
func TestFactsCopy(t *testing.T) {
	file := filepath.Join(checkout(t), "..", facts)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no ../%s beside the checkout", facts)
	}
	all := readFacts(t, file)
	for name, known := range readFacts(t, paths) {
		if slices.Contains(beyondFacts(), name) {
			all[name] = known
		}
	}
	extract := encodeFacts(t, all)
	if os.Getenv(updateVariable) != "" {
		if err := os.WriteFile(paths, extract, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(paths)
	if err != nil {
		t.Fatal(err)
	}
	if string(committed) != string(extract) {
		t.Errorf("%s is not the extract of ../%s: run the test with %s=1", paths, facts, updateVariable)
	}
}

// beyondFacts are the charts that the facts do not have: what is known of their keys is of a checkout.
func beyondFacts() []string {
	return []string{"prometheus-blackbox-exporter", "prometheus-kube-state-metrics", "prometheus-node-exporter", "prometheus-process-exporter"}
}

// TestOpenStackHelmPaths compares what is known of the keys of the charts that the facts do not have with a checkout.
func TestOpenStackHelmPaths(t *testing.T) {
	dir := checkoutOfCharts(t)
	all := readFacts(t, paths)
	for _, name := range beyondFacts() {
		c := theirs(t, dir, name)
		found := chartFacts{Version: c.Metadata.Version, Paths: map[string]string{}}
		kinds(c.Values, "", found.Paths)
		if !reflect.DeepEqual(found, all[name]) {
			t.Errorf("%s does not have the keys of %s in the checkout: run the test with %s=1", paths, name, updateVariable)
		}
		all[name] = found
	}
	if os.Getenv(updateVariable) != "" {
		if err := os.WriteFile(paths, encodeFacts(t, all), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// kinds puts the paths of values with the kind of each to others.
func kinds(values map[string]any, prefix string, to map[string]string) {
	for key, value := range values {
		kind := "null"
		switch value := value.(type) {
		case map[string]any:
			if kinds(value, prefix+key+".", to); len(value) > 0 {
				continue
			}
			kind = "map"
		case []any:
			kind = "list"
		case string:
			kind = "string"
		case bool:
			kind = "bool"
		case float64:
			kind = "number"
		}
		to[prefix+key] = kind
	}
}

func encodeFacts(t *testing.T, all map[string]chartFacts) []byte {
	t.Helper()
	encoded, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(encoded, '\n')
}

// checkout returns the directory with go.mod.
func checkout(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}
