//go:build beds

package charts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"sigs.k8s.io/yaml"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/test/charts"
)

func renderer(t *testing.T, dir, name string) func(map[string]any) (map[string]string, error) {
	return func(values map[string]any) (map[string]string, error) {
		c := theirs(t, dir, name)
		if err := chartutil.ProcessDependenciesWithMerge(c, values); err != nil {
			return nil, err
		}
		v, err := chartutil.ToRenderValues(c, values, chartutil.ReleaseOptions{Name: name, Namespace: "openstack", Revision: 1, IsInstall: true}, chartutil.DefaultCapabilities)
		if err != nil {
			return nil, err
		}
		return engine.Engine{}.Render(c, v)
	}
}

func TestZMeasure(t *testing.T) {
	dir := checkoutOfCharts(t)
	_ = chart.Chart{}
	names := charts.Names()
	if os.Getenv("ZCHART") != "" {
		names = strings.Fields(os.Getenv("ZCHART"))
	}
	total := map[string][4]int{}
	for _, name := range names {
		c := theirs(t, dir, name)
		data, _ := os.ReadFile(filepath.Join(dir, name, "values.yaml"))
		var values map[string]any
		_ = yaml.Unmarshal(data, &values)
		k := helm.KeysOf(c)
		began := time.Now()
		base, err := renderer(t, dir, name)(map[string]any{})
		if err != nil {
			t.Logf("%s: base fails %v", name, err)
		}
		once := time.Since(began)
		again, _ := renderer(t, dir, name)(map[string]any{})
		for f := range base {
			if base[f] != again[f] {
				t.Logf("%s: %s differs", name, f)
			}
		}
		var mistyped [][]string
		v := map[string]any{}
		for _, path := range pathsIn(c.Values, nil) {
			key := path[len(path)-1]
			if len(key) < 4 {
				continue
			}
			wrong := key[:len(key)-2] + key[len(key)-1:]
			p := append(slices.Clone(path[:len(path)-1]), wrong)
			var x any = c.Values
			skip := false
			for i, s := range path {
				m, _ := x.(map[string]any)
				if _, has := m[wrong]; has && i == len(path)-1 {
					skip = true
				}
				x = m[s]
			}
			if skip || wrong == key {
				continue
			}
			mistyped = append(mistyped, p)
			if x == nil { x = "probe" }
			at := v
			for _, s := range p[:len(p)-1] {
				m, ok := at[s].(map[string]any)
				if !ok {
					m = map[string]any{}
					at[s] = m
				}
				at = m
			}
			at[wrong] = x
		}
		told := unknown(k, mistyped, v)
		n := 0
		render := func(values map[string]any) (map[string]string, error) {
			n++
			return renderer(t, dir, name)(values)
		}
		var rest [][]string
		for _, p := range mistyped {
			if !slices.Contains(told, strings.Join(p, ".")) {
				rest = append(rest, p)
			}
		}
		began = time.Now()
		idle := map[string]bool{}
		hints := map[string]string{}
		for _, p := range rest { // singly
			if os.Getenv("ZSINGLY") == "" { break }
			one := map[string]any{}
			var x any = v
			for _, s := range p { m, _ := x.(map[string]any); x = m[s] }
			at := one
			for _, s := range p[:len(p)-1] { m := map[string]any{}; at[s] = m; at = m }
			at[p[len(p)-1]] = x
			for _, u := range k.Idle([][]string{p}, one, render) { idle[strings.Join(p, ".")] = true; hints[strings.Join(p, ".")] = u.Hint }
		}
		if os.Getenv("ZSINGLY") == "" {
			for _, u := range k.Idle(rest, v, render) { idle[strings.Join(rest[u.Index], ".")] = true; hints[strings.Join(rest[u.Index], ".")] = u.Hint }
		}
		var still []string
		for _, p := range rest {
			class := p[0]
			if p[0] == "pod" && len(p) > 1 { class += "." + p[1] }
			if p[0] == "conf" && len(p) > 2 { class = "conf.x" }
			if !idle[strings.Join(p, ".")] {
				still = append(still, strings.Join(p, "."))
				x := total[class]; x[1]++; total[class] = x
			}
			x := total[class]; x[0]++; total[class] = x
		}
		t.Logf("%s: once %v; %d mistyped, %d pass the first look, %d both; %d renderings in %v", name, once, len(mistyped), len(rest), len(still), n, time.Since(began))
		if os.Getenv("ZSHOW") != "" {
			for _, s := range still { if !strings.HasPrefix(s, "conf.") || strings.Count(s, ".") < 3 { fmt.Println("  pass", name, s) } }
			for s := range idle { fmt.Println("  idle", name, s, "|", hints[s]) }
		}
	}
	for class, n := range total { t.Logf("%-40s %5d %5d", class, n[0], n[1]) }
}
