package chartkeys_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
)

// played renders as the templates of a small chart would, whose names these do not tell: some of its maps it writes out as a whole,
// one of them encoded, some by computed names, and one only where a switch is on.
func played(values map[string]any) (map[string]string, error) {
	in := func(path ...string) map[string]any {
		at := values
		for _, step := range path {
			at, _ = at[step].(map[string]any)
		}
		return at
	}
	if text, isText := in("secrets")["fails"].(string); isText {
		return nil, errors.New(text)
	}
	sections := ""
	for _, name := range slices.Sorted(maps.Keys(in("conf", "app"))) {
		sections += fmt.Sprintln(name, in("conf", "app")[name])
	}
	out := map[string]string{
		"secret": base64.StdEncoding.EncodeToString([]byte(sections)),
		"static": fmt.Sprint(in("dependencies", "static")["api"], in("secrets")["admin"], in("pod", "mounts", "api")["a"], in("manifests")["deployment_api"]),
	}
	if in("pod", "probes")["enabled"] == true {
		out["probes"] = fmt.Sprint(in("pod", "probes")["api"], in("secrets")["switched"])
	}
	return out, nil
}

// TestIdle tells keys that change nothing, and none that any rendering shows.
func TestIdle(t *testing.T) {
	chart := chartkeys.Chart{
		Defaults: tree(t, `
dependencies: {static: {api: {jobs: [db-sync]}}}
secrets: {admin: x}
pod: {probes: {enabled: false, api: {period: 1}}, mounts: {api: {a: 1}}, never: {limits: 1}}
conf: {app: {DEFAULT: {debug: false}}, oslo: {DEFAULT: {}}, free: {}}
manifests: {deployment_api: true}
`),
		Templates: map[string]string{"a": `{{ .Values.pod.never | toYaml }}{{ .Values.conf.free | toYaml }}{{ include "helm-toolkit.utils.to_oslo_conf" .Values.conf.oslo }}{{ .Values.manifests.named }}`},
		Toolkit:   true,
	}
	k := chartkeys.New(chart)
	for text, want := range map[string]string{
		"dependencies: {static: {apii: {jobs: [a]}}}":              "dependencies.static.apii, did you mean dependencies.static.api?",
		"secrets: {admn: x, adm: y}":                               "secrets.adm, there are: admin; secrets.admn, did you mean secrets.admin?",
		"pod: {mounts: {api: {b: 1}}}":                             "pod.mounts.api.b, there are: a",
		"pod: {mounts: {new: {a: 1}}}":                             "pod.mounts.new, there are: api",
		"pod: {mounts: {new: null}}":                               "pod.mounts.new, there are: api",
		"secrets: {admn: x}\nconf: {app: {any: {more: 1}}}":        "secrets.admn, did you mean secrets.admin?",
		"conf: {app: {any: {thing: 1}, DEFAULT: {other: true}}}":   "", // is seen in what is encoded
		"conf: {oslo: {any: {thing: null}}}":                       "", // the library writes it out
		"conf: {oslo: {any: {thing: {typ: multistring}}}}":         "", // it may be there in another file
		"conf: {app: {any: {more: 1}}}\nsecrets: {adminn: {a: 1}}": "secrets.adminn, did you mean secrets.admin?",
		"pod: {probes: {api: {initial: 1}}}":                       "", // where the switch is on
		"pod: {probes: {enabled: true, api: {initial: 1}}}":        "",
		"pod: {never: {requests: 1}}":                              "", // of what is handed on and never there
		"conf: {free: {any: 1}}":                                   "",
		"secrets: {fails: a}":                                      "", // it is read, as it cannot be rendered
		"secrets: {switched: 1}":                                   "",
		"manifests: {named: true}":                                 "", // a name
		"manifests: {job_db_snc: false}":                           "manifests.job_db_snc, there are: deployment_api, named",
		"dependencies: {static: {api: {jobs: [], services: []}}}":  "",
	} {
		values := tree(t, text)
		paths := pathsOf(values, nil)
		var told []string
		for _, u := range k.Idle(t.Context(), paths, values, played) {
			told = append(told, strings.Join(paths[u.Index], ".")+", "+u.Hint)
		}
		if got := strings.Join(told, "; "); got != want {
			t.Errorf("%s: %q is told, want %q", text, got, want)
		}
	}
	chart.Toolkit = false
	if told := chartkeys.New(chart).Idle(t.Context(), [][]string{{"secrets", "admn"}}, nil, played); told != nil {
		t.Errorf("of a chart of others is told %v", told)
	}
}

// TestIdleOfProfiles gives a value to keys that are not among the values, as what profiles say for their nodes.
func TestIdleOfProfiles(t *testing.T) {
	k := chartkeys.New(chartkeys.Chart{Defaults: tree(t, "conf: {app: {}, b: {a: 1}}"), Toolkit: true})
	paths := [][]string{{"conf", "app", "x"}, {"conf", "app", "x", "y"}, {"conf", "b", "x"}}
	told := k.Idle(t.Context(), paths, tree(t, "conf: {}"), played)
	if len(told) != 1 || told[0].Index != 2 {
		t.Errorf("told are %v", told)
	}
}

// TestIdleLeavesGroupsAlone: no further group of nodes is made up, as a chart may take twice as much for each, and what somebody wrote
// for a group is for programs.
func TestIdleLeavesGroupsAlone(t *testing.T) {
	for text, want := range map[string]int{
		"overrides: {app_app: {labels: {\"rack::one\": {values: {conf: {app: {level: 1}}}}}}}":              0,
		"conf: {overrides: {app_app: {labels: [{label: {key: a, values: [b]}, conf: {app: {level: 1}}}]}}}": 0,
		"overridden: {a: 1}": 1,
	} {
		k := chartkeys.New(chartkeys.Chart{Defaults: tree(t, "conf: {app: {}}\noverrides: {}"), Toolkit: true})
		values, count := tree(t, text), 0
		told := k.Idle(t.Context(), pathsOf(values, nil), values, func(map[string]any) (map[string]string, error) {
			count++
			return map[string]string{}, nil
		})
		if len(told) != want || (count > 0) != (want > 0) {
			t.Errorf("%s: told are %v, after %d renderings", text, told, count)
		}
	}
}

// TestIdleOfSeveral: a key is not idle that changes something with all else as it is, be it beside the map around it or another one
// that does the same.
func TestIdleOfSeveral(t *testing.T) {
	k := chartkeys.New(chartkeys.Chart{Defaults: tree(t, "proxies: {a: {}}\nsecrets: {a: x}"), Toolkit: true})
	render := func(values map[string]any) (map[string]string, error) {
		proxy, _ := values["proxies"].(map[string]any)["own"].(map[string]any)
		secrets, _ := values["secrets"].(map[string]any)
		return map[string]string{"proxy": fmt.Sprint(proxy["cached"] != false), "either": fmt.Sprint(secrets["one"] != nil || secrets["two"] != nil)}, nil
	}
	for text, want := range map[string]int{
		"proxies: {own: {cached: true}}":                      0, // which it is without, and not with false
		"proxies: {own: {cachd: true}}":                       1,
		"proxies: {}\nsecrets: {one: a, two: a}":              0,
		"proxies: {}\nsecrets: {one: a, two: a, three: a}":    1,
		"proxies: {}\nsecrets: {four: a, three: a, five: b}":  3,
		"proxies: {own: {cachd: true}}\nsecrets: {three: []}": 2,
	} {
		values := tree(t, text)
		if told := k.Idle(t.Context(), pathsOf(values, nil), values, render); len(told) != want {
			t.Errorf("%s: told are %v", text, told)
		}
	}
}

// TestIdleIsBounded: however many keys there are, some of which change something, it is not rendered more often than that, and what is
// not decided passes.
func TestIdleIsBounded(t *testing.T) {
	k := chartkeys.New(chartkeys.Chart{Defaults: tree(t, "secrets: {a: 1}"), Toolkit: true})
	inner := map[string]any{}
	for i := range 300 {
		inner[fmt.Sprintf("key%03d", i)] = i
	}
	values := map[string]any{"secrets": inner}
	count := 0
	told := k.Idle(t.Context(), pathsOf(values, nil), values, func(values map[string]any) (map[string]string, error) {
		count++
		even := ""
		for i := 0; i < 300; i += 2 {
			even += fmt.Sprint(values["secrets"].(map[string]any)[fmt.Sprintf("key%03d", i)])
		}
		return map[string]string{"a": even}, nil
	})
	if count > 96 || len(told) >= 150 {
		t.Errorf("%d are told, after %d renderings", len(told), count)
	}
	for _, u := range told {
		if u.Index%2 == 1 { // the first path is that of the map
			t.Errorf("%v is told", u)
		}
	}
}

// TestIdleEndsWithItsContext: a chart is not rendered any more once nobody waits for it, and what is not decided passes.
func TestIdleEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := chartkeys.New(chartkeys.Chart{Defaults: tree(t, "secrets: {a: 1}"), Toolkit: true})
		values := tree(t, "secrets: {b: 1, c: 1}")
		for _, test := range []struct{ takes, ends, most time.Duration }{
			{time.Millisecond, time.Hour, time.Second},
			{time.Second, 3 * time.Second, 4 * time.Second},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), test.ends)
			began := time.Now()
			told := k.Idle(ctx, pathsOf(values, nil), values, func(map[string]any) (map[string]string, error) {
				time.Sleep(test.takes)
				return map[string]string{}, nil
			})
			if took := time.Since(began); took > test.most || (len(told) == 2) != (test.takes < time.Second) {
				t.Errorf("of a chart that takes %v is told %v, after %v", test.takes, told, took)
			}
			cancel()
		}
	})
}

// TestIdleRendersNothingTwice: what everything turned on comes to is remembered, for all keys in doubt, also where a switch cannot be on.
func TestIdleRendersNothingTwice(t *testing.T) {
	k := chartkeys.New(chartkeys.Chart{Defaults: tree(t, "secrets: {a: 1}\none: false\ntwo: false\nthree: false"), Toolkit: true})
	values := tree(t, "secrets: {b: 1, c: 1}")
	rendered := map[string]int{}
	told := k.Idle(t.Context(), pathsOf(values, nil), values, func(values map[string]any) (map[string]string, error) {
		rendered[fmt.Sprint(values)]++
		if values["two"] == true {
			return nil, errors.New("not with two")
		}
		return map[string]string{"a": fmt.Sprint(values["one"])}, nil
	})
	for text, times := range rendered {
		if times > 1 {
			t.Errorf("%d times is rendered %s", times, text)
		}
	}
	if len(told) != 2 || len(rendered) < 8 {
		t.Errorf("told are %v, after %d renderings", told, len(rendered))
	}
}
