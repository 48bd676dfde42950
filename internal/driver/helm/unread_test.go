package helm

import (
	"strings"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestValuesOfARevisionThatCannotBeRead: after somebody else has made a revision, the one of ours before it tells which generated
// values the release keeps. Where that cannot be read, and they may be others, nothing is taken for them.
func TestValuesOfARevisionThatCannotBeRead(t *testing.T) {
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
		api: archive{secrets: map[string]*corev1.Secret{"v1": {ObjectMeta: metav1.ObjectMeta{Name: "v1"}, Data: map[string][]byte{"release": []byte("torn")}}}},
	}
	fresh, err := d.prepare(t.Context(), unit.Target{}, spec, nil, redact.NewMasker())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		values  string // the label of ours
		blocked bool
	}{
		"with the values of now": {fresh.labels[labelValues], false},
		"with others":            {"others", true},
	} {
		v := viewOf(d, release.StatusDeployed, nil, nil)
		v.name, v.target, v.want = "app", unit.Target{Spec: spec}, nil
		labels := map[string]string{labelRun: "install.a", labelOurs: "1.install.a", labelSpec: fresh.labels[labelSpec], labelChart: fresh.labels[labelChart], labelValues: c.values}
		v.newest = &revision{
			stored: stored{secret: "v2", version: 2, status: release.StatusDeployed, labels: labels}, // typed: it has the labels of the one before
			config: map[string]any{"auth": map[string]any{"password": "canary-typed"}},
		}
		v.history = []stored{{secret: "v1", version: 1, status: release.StatusSuperseded, labels: labels}, v.newest.stored}
		_ = d.wish(t.Context(), v, spec) // it cannot be rendered on this server
		if blocked := strings.Contains(v.blocked, "revision 1 cannot be read from Secret o/v1"); blocked != c.blocked {
			t.Errorf("%s: blocked %q", name, v.blocked)
		}
		if c.blocked {
			continue
		}
		if got, _ := lookup(v.want.values, []string{"auth", "password"}); got != "canary-newer" {
			t.Errorf("%s: the password is %v", name, got)
		}
		if note := v.unreadNote(); !strings.Contains(note, "revision 1 cannot be read") {
			t.Errorf("%s: it is told %q", name, note)
		}
	}
}
