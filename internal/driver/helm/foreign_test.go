package helm

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhoseRevisionItIs: the commands of Helm hand on all labels of another revision, and an older program all but those that
// it knows.
func TestWhoseRevisionItIs(t *testing.T) {
	d := &Driver{}
	for name, c := range map[string]struct {
		ours, run      string
		back, returned bool
		foreign        bool
	}{
		"ours":                                   {ours: "1.upgrade.a", run: "upgrade.a"},
		"of an older program":                    {run: "upgrade.a"},
		"of helm upgrade":                        {ours: "7.upgrade.a", run: "upgrade.a", foreign: true},
		"of an older program after ours":         {ours: "7.upgrade.a", run: "upgrade.b"},
		"what we have gone back to":              {ours: "1.return.a", run: "return.a", back: true, returned: true},
		"what an older program has gone back to": {ours: "7.upgrade.a", run: "return.b", back: true, returned: true},
		"of helm upgrade after that":             {ours: "7.return.a", run: "return.a", back: true, foreign: true},
	} {
		v := viewOf(d, release.StatusDeployed, nil, nil)
		v.newest.labels[labelOurs], v.newest.labels[labelRun] = c.ours, c.run
		if c.back {
			v.newest.labels[labelBack] = v.input()
		}
		if v.newest.foreign() != c.foreign || v.outdated() != c.foreign || v.returned() != c.returned {
			t.Errorf("%s: foreign %v, outdated %v, returned %v", name, v.newest.foreign(), v.outdated(), v.returned())
		}
	}
	for ours, want := range map[string]int{"7.upgrade.a": 0, "1.upgrade.a": 1} {
		v := viewOf(d, release.StatusDeployed, nil, nil)
		v.newest.labels[labelOurs], v.newest.labels[labelRun], v.hooks.done = ours, "upgrade.a", true
		if version, why := v.lastGood(); version != want || (why == "") != (want != 0) {
			t.Errorf("after %s an upgrade may go back to revision %d, %s", ours, version, why)
		}
	}
	v := viewOf(d, release.StatusDeployed, nil, nil)
	next := &revision{stored: stored{version: 2, labels: map[string]string{labelRun: v.run(), labelOurs: v.ours(v.run())}}}
	if next.foreign() {
		t.Error("the next one of ours is somebody else's")
	}
}

// archive is what Helm keeps of a release, on a server that answers nothing else.
type archive struct {
	API
	secrets map[string]*corev1.Secret
}

func (a archive) Secret(_ context.Context, _, name string) (*corev1.Secret, error) {
	return a.secrets[name], nil
}

func (archive) Getter(context.Context, string) (Getter, error) { return nil, errors.New("away") }

// generated is a cluster with a Secret that has been changed since a release was installed.
type generated struct{ *shelf }

func (generated) Secret(context.Context, string, string, string) (redact.Secret, bool, error) {
	return redact.NewSecret("canary-newer"), true, nil
}

// TestTypedValuesAreNotKept: a release keeps the generated values that we have installed it with, and none that somebody else has
// typed.
func TestTypedValuesAreNotKept(t *testing.T) {
	digester, err := redact.NewDigester(redact.NewSecret("a key of the digester"))
	if err != nil {
		t.Fatal(err)
	}
	spec := &unit.Release{
		Namespace: "o", Name: "app", Chart: unit.Chart{Name: "app", Repository: "charts", Tree: fstest.MapFS{
			"charts/app/Chart.yaml": {Data: []byte("apiVersion: v2\nname: app\nversion: 1.2.3\n")}, "charts/app/values.yaml": {Data: []byte("auth: {password: password}\n")},
			"charts/app/templates/a.yaml": {Data: []byte("{{ .Values.auth.password }}")},
		}},
		Secrets: []unit.ValueSecret{{Path: []string{"auth", "password"}, Namespace: "o", Name: "generated", Key: "password"}},
	}
	d := &Driver{
		cluster: generated{newShelf()}, charts: newCharts(Options{CacheDir: t.TempDir()}), options: Options{Digester: digester},
		revisions: map[string]*revision{}, rendered: map[string]rendered{},
	}
	source, err := d.charts.find(t.Context(), spec.Chart)
	if err != nil {
		t.Fatal(err)
	}
	labels := func(version string) map[string]string {
		return map[string]string{
			labelSpec: short(digestOfSpec(spec, source)), labelChart: short(source.digest), labelRun: "install.a", labelOurs: version + ".install.a",
		}
	}
	kept := archive{secrets: map[string]*corev1.Secret{"v1": {
		ObjectMeta: metav1.ObjectMeta{Name: "v1", Labels: labels("1")},
		Data:       map[string][]byte{"release": packed(t, []byte(`{"name":"app","info":{"status":"superseded"},"config":{"auth":{"password":"canary-first"}}}`))},
	}}}
	for name, c := range map[string]struct {
		ours string // what the label of the second revision says
		api  API
		want string
	}{
		"ours":                     {"2", kept, "canary-second"},
		"typed":                    {"1", kept, "canary-first"},
		"typed, and ours are gone": {"1", archive{}, "canary-second"},
	} {
		d.api = c.api
		v := viewOf(d, release.StatusDeployed, nil, nil)
		v.name, v.target = "app", unit.Target{Spec: spec}
		v.newest = &revision{
			stored: stored{secret: "v2", version: 2, status: release.StatusDeployed, labels: labels(c.ours)},
			config: map[string]any{"auth": map[string]any{"password": "canary-second"}},
		}
		v.history = []stored{{secret: "v1", version: 1, status: release.StatusSuperseded, labels: labels("1")}, v.newest.stored}
		_ = d.wish(t.Context(), v, spec) // it cannot be rendered on this server
		if got, _ := lookup(v.want.values, []string{"auth", "password"}); got != c.want {
			t.Errorf("%s: the password is %v, want %s", name, got, c.want)
		}
		if shown := v.hide(c.want); shown == c.want {
			t.Errorf("%s: the password is shown", name)
		}
	}
}
