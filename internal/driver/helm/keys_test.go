package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zclconf/go-cty/cty"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// keystoneChart is a chart with a library and a subchart.
func keystoneChart() fstest.MapFS {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"charts/keystone/Chart.yaml":                text("apiVersion: v2\nname: keystone\nversion: 2026.1.0\ndependencies:\n- {name: helm-toolkit, version: '>=0', repository: 'file://../helm-toolkit'}\n- {name: cache, version: 1.0.0, condition: caching.enabled}\n"),
		"charts/keystone/values.yaml":               text("conf: {keystone: {DEFAULT: {}}, probe: {}}\npod: {replicas: {api: 1}}\nmanifests: {deployment_api: true}\ndependencies: {static: {api: {jobs: []}}}\nsecrets: {}\n"),
		"charts/keystone/templates/api.yaml":        text("{{ .Values.pod.replicas.api }}{{ include \"toolkit.labels\" . }}{{ .Files.Get \"notes.txt\" }}{{ toYaml .Values.conf.keystone | b64enc }}{{ range $n, $_ := .Values.secrets }}{{ $n }}{{ end }}{{ .Values.conf.probe.period }}{{ index .Values.dependencies.static \"api\" | toYaml }}"),
		"charts/keystone/notes.txt":                 text("{{ .Values.notes }}"),
		"charts/keystone/charts/cache/Chart.yaml":   text("apiVersion: v2\nname: cache\nversion: 1.0.0\n"),
		"charts/keystone/charts/cache/values.yaml":  text("size: 1\n"),
		"charts/helm-toolkit/Chart.yaml":            text("apiVersion: v2\nname: helm-toolkit\ntype: library\nversion: 1.0.0\n"),
		"charts/helm-toolkit/templates/_labels.tpl": text(`{{ define "toolkit.labels" }}{{ .Values.release_group }}{{ end }}`),
	}
}

// bare is a cluster without Secrets.
type bare struct{ *shelf }

func (bare) Secret(context.Context, string, string, string) (redact.Secret, bool, error) {
	return redact.Secret{}, false, nil
}

// planned is the plan for a keystone with settings, on a cluster without anything: where even the passwords are
// not generated yet.
func planned(t *testing.T, settings string) string {
	t.Helper()
	m, ev := composed.Text(t, fmt.Sprintf(`cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" { %s }
}
variable "token" {
  default   = "canary-token"
  sensitive = true
}
`, settings))
	u := composed.Compose(t, m, ev, compose.Facts{Tree: keystoneChart()})["service.keystone"]
	d := &Driver{
		api: &server{}, cluster: bare{newShelf()}, records: (&watching{}).Watch(secrets(), "", nil), charts: newCharts(Options{CacheDir: t.TempDir()}),
		revisions: map[string]*revision{}, rendered: map[string]rendered{}, index: map[unit.ObjectRef]addr.Object{},
		indexed: map[addr.Object][]unit.ObjectRef{}, releases: map[string]addr.Object{},
	}
	target := unit.Target{Address: u.Address, Spec: u.Spec, Locator: u.Spec.Locator()}
	states, err := d.Observe(t.Context(), []unit.Target{target})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Apply(t.Context(), target, cty.NilVal, states[u.Address])
	var text strings.Builder
	p := plan.Make(plan.Input{Language: schema.New(), Units: []unit.Unit{u}, States: map[addr.Object]*unit.State{u.Address: new(states[u.Address])}, Compare: map[unit.DriverName]plan.Compare{unit.Helm: d.Compare}})
	if err := p.Text(&text); err != nil {
		t.Fatal(err)
	}
	if change := p.Change(u.Address); unit.IsBlocked(err) != (change.Action == unit.ActionBlocked) || unit.IsBlocked(err) && err.Error() != change.Reason {
		t.Errorf("the plan says %s, %q, and a step fails with %v", change.Action, change.Reason, err)
	}
	return text.String()
}

// TestUnknownKeyBlocks wants every key that the chart does not know told at once, where it was written, and before
// anything else is missing.
func TestUnknownKeyBlocks(t *testing.T) {
	text := planned(t, `
    conf   = { keyston = { DEFAULT = { admin_token = var.token } } }
    values = {
      pod           = { replica = { api = var.token } }
      release_group = "x"
      notes         = "x"
      caching       = { enabled = true }
      cache         = { anything = 1 }
      helm-toolkit  = { anything = 1 }
    }
  `)
	want := "reason: nothing in chart keystone reads conf.keyston (main.hcl:8:16), did you mean conf.keystone?; values.pod.replica (main.hcl:10:25), did you mean pod.replicas?\n"
	if !strings.Contains(text, "service.keystone is blocked") || !strings.Contains(text, want) {
		t.Errorf("the plan is\n%s\nwant %s", text, want)
	}
	if strings.Contains(text, "canary-token") {
		t.Errorf("the plan tells a sensitive value:\n%s", text)
	}
}

// What the chart knows goes on, to what is missing next.
func TestKnownKeysPass(t *testing.T) {
	text := planned(t, `values = { pod = { replicas = { api = 2 } }, conf = { keystone = { any = { thing = 1 } } } }`)
	if strings.Contains(text, "nothing in chart") || !strings.Contains(text, "has no key") {
		t.Errorf("the plan is\n%s", text)
	}
}

// TestIdleKeyBlocks wants the keys told that no name in a template decides about, and that change nothing in what comes out; none
// of what is inside of such a key, and none that the chart takes whatever its name is, in plain text or in Secrets.
func TestIdleKeyBlocks(t *testing.T) {
	text := planned(t, `
    conf   = { probe = { peroid = 5 }, keystone = { database = { max_retries = -1 } } }
    values = {
      dependencies = { static = { apii = { jobs = [var.token] } } }
      secrets      = { anything = var.token }
    }
  `)
	want := "reason: nothing in chart keystone reads conf.probe.peroid (main.hcl:8:26), did you mean conf.probe.period?; values.dependencies.static.apii (main.hcl:10:35), did you mean dependencies.static.api?\n"
	if !strings.Contains(text, want) {
		t.Errorf("the plan is\n%s\nwant %s", text, want)
	}
	if strings.Contains(text, "canary-token") {
		t.Errorf("the plan tells a sensitive value:\n%s", text)
	}
}

// TestIdleKeysOfTwoPlaces tells a key at each place where it is written, and nothing of what was interrupted, which is looked at
// anew.
func TestIdleKeysOfTwoPlaces(t *testing.T) {
	is, err := newCharts(Options{CacheDir: t.TempDir()}).find(t.Context(), unit.Chart{Name: "keystone", Repository: "charts", Tree: keystoneChart()})
	if err != nil {
		t.Fatal(err)
	}
	spec := &unit.Release{Chart: unit.Chart{Name: "keystone"}}
	for _, where := range []string{"one", "two"} {
		spec.Written = append(spec.Written, unit.WrittenKey{Path: []string{"conf", "probe", "peroid"}, Text: where})
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if err := is.knows(interrupted, spec); !errors.Is(err, context.Canceled) || unit.IsBlocked(err) {
		t.Errorf("what was interrupted says %v", err)
	}
	other := &unit.Release{Name: "other", Chart: spec.Chart, Written: spec.Written}
	if told, err := is.unknown(t.Context(), time.Nanosecond, other); err != nil || len(told) > 0 {
		t.Errorf("of what takes too long is told %v, %v", told, err)
	}
	const want = "nothing in chart keystone reads one, did you mean conf.probe.period?; two, did you mean conf.probe.period?"
	if err := is.knows(t.Context(), spec); err == nil || err.Error() != want {
		t.Errorf("told %v", err)
	}
}

// TestIdleKeysThatTookTooLong: that there was no time to look at keys says nothing of them. They are looked at again by who has no
// limit, and after a while by who has one; not before that, as each look takes its time.
func TestIdleKeysThatTookTooLong(t *testing.T) {
	is, err := newCharts(Options{CacheDir: t.TempDir()}).find(t.Context(), unit.Chart{Name: "keystone", Repository: "charts", Tree: keystoneChart()})
	if err != nil {
		t.Fatal(err)
	}
	spec := &unit.Release{Chart: unit.Chart{Name: "keystone"}, Written: []unit.WrittenKey{{Path: []string{"conf", "probe", "peroid"}}}}
	for name, looks := range map[string][]struct {
		limit time.Duration
		later bool // than it counts
		told  int
	}{
		"with a limit": {{time.Nanosecond, false, 0}, {judgeLimit, false, 0}, {judgeLimit, true, 1}, {time.Nanosecond, true, 1}},
		"without one":  {{time.Nanosecond, false, 0}, {0, false, 1}, {time.Nanosecond, false, 1}},
		"once more":    {{time.Nanosecond, false, 0}, {time.Nanosecond, true, 0}, {judgeLimit, false, 0}},
	} {
		is.judged = nil
		for n, look := range looks {
			for id, judged := range is.judged {
				if look.later && !judged.until.IsZero() {
					judged.until = judged.until.Add(-judgeAgain)
					is.judged[id] = judged
				}
			}
			if told, err := is.unknown(t.Context(), look.limit, spec); err != nil || len(told) != look.told {
				t.Errorf("%s: look %d tells %v, want %d: %v", name, n+1, told, look.told, err)
			}
		}
	}
}

// A revision that was made with an unknown key stays as it is: only another one is held back.
func TestWhatIsInstalledIsNotHeldBack(t *testing.T) {
	spec, is := &unit.Release{Name: "a"}, &source{digest: "digest"}
	r := &revision{stored: stored{status: release.StatusDeployed, labels: map[string]string{labelSpec: short(spec.Digest()), labelChart: "digest"}}}
	if !r.consistsOf(spec, is) || r.consistsOf(&unit.Release{Name: "b"}, is) || r.consistsOf(spec, &source{digest: "other"}) || (*revision)(nil).consistsOf(spec, is) {
		t.Error("what a revision consists of is not seen")
	}
}

func TestManyUnknownKeys(t *testing.T) {
	tree := keystoneChart()
	is, err := newCharts(Options{CacheDir: t.TempDir()}).find(t.Context(), unit.Chart{Name: "keystone", Repository: "charts", Tree: tree})
	if err != nil {
		t.Fatal(err)
	}
	spec := &unit.Release{Chart: unit.Chart{Name: "keystone"}}
	for i := range 12 {
		spec.Written = append(spec.Written, unit.WrittenKey{Path: []string{fmt.Sprint("wrong", i)}, Text: fmt.Sprint("values.wrong", i)})
	}
	err = is.knows(t.Context(), spec)
	if !unit.IsBlocked(err) || !strings.HasSuffix(err.Error(), "; and 2 more") || strings.Count(err.Error(), "values.wrong") != 10 {
		t.Errorf("told %v", err)
	}
	spec.Written = nil
	if err := is.knows(t.Context(), spec); err != nil {
		t.Errorf("of nothing is told %v", err)
	}
}

// A chart that takes values out of another one has keys that nobody sees in its own.
func TestImportedValuesAreNotKnown(t *testing.T) {
	c := &chart.Chart{
		Metadata: &chart.Metadata{Name: "a", Dependencies: []*chart.Dependency{{Name: "b", ImportValues: []any{"data"}}}},
		Values:   map[string]any{"a": 1},
	}
	if KeysOf(c) != nil {
		t.Error("its keys are said to be known")
	}
}
