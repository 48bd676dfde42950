//go:build beds

package helm_test

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/storage"
	storagedriver "helm.sh/helm/v3/pkg/storage/driver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/charts"
)

// store is Helm's own store of the namespace's releases.
func (b *bed) store() *storage.Storage {
	return storage.Init(storagedriver.NewSecrets(b.client.CoreV1().Secrets(b.namespace)))
}

// leave makes the newest revision look as if a process had been killed while it worked on it.
func (b *bed) leave(status release.Status) {
	b.t.Helper()
	last, err := b.store().Last("app")
	if err != nil {
		b.t.Fatal(err)
	}
	last.Info.Status = status
	if err := b.store().Update(last); err != nil {
		b.t.Fatal(err)
	}
}

func TestAReleaseThatWasCutOffIsTakenOver(t *testing.T) {
	tests := []struct {
		status release.Status
		lost   string // what the killed process had not made yet
		want   string
	}{
		{release.StatusPendingInstall, "app-config", "1 failed, 2 deployed"},
		{release.StatusPendingUpgrade, "", "1 failed, 2 deployed"},
		{release.StatusFailed, "app-config", "1 failed, 2 deployed"},
		{release.StatusUninstalling, "app-config", "1 superseded, 2 deployed"},
	}
	for _, tt := range tests {
		t.Run(string(tt.status), func(t *testing.T) {
			b := newBed(t, appChart())
			b.settle()
			b.leave(tt.status)
			if tt.lost != "" {
				if err := b.client.CoreV1().ConfigMaps(b.namespace).Delete(t.Context(), tt.lost, metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			b.restart()
			state, diff := b.observe()
			if state.Ready() || diff.Action != unit.ActionUpdate || !strings.Contains(diff.Reason, string(tt.status)) {
				t.Errorf("seen as %s %q, %+v", state.Health, state.Message, diff)
			}
			b.settle()
			if got := b.revisions(); got != tt.want {
				t.Errorf("revisions: %s, want %s", got, tt.want)
			}
			b.config("app-config")
		})
	}
}

func TestAnUpgradeThatWasCutOffIsTakenOver(t *testing.T) {
	b := newBed(t, appChart())
	b.settle()
	b.change(func(spec *unit.Release) { spec.Values["greeting"] = "second" })
	b.settle()
	first, err := b.store().Get("app", 1)
	if err != nil {
		t.Fatal(err)
	}
	first.Info.Status = release.StatusDeployed
	if err := b.store().Update(first); err != nil {
		t.Fatal(err)
	}
	b.leave(release.StatusPendingUpgrade)
	b.settle()
	if got := b.revisions(); got != "1 superseded, 2 failed, 3 deployed" {
		t.Errorf("revisions: %s", got)
	}
}

func TestWhatIsWrongWithAChartBlocks(t *testing.T) {
	tests := []struct {
		name, file, text, want string
	}{
		{"a template that fails", "templates/bad.yaml", `{{ fail (printf "no %s" .Values.auth.password) }}`, "bad.yaml:1:3"},
		{"a function that is not there", "templates/bad.yaml", "a: 1\nb: {{ nothing }}", "bad.yaml:2"},
		{"no YAML", "templates/bad.yaml", "a: {{ .Values.auth.password }}\n  b: [", "bad.yaml"},
		{"values that are none", "values.yaml", "a: [", "values.yaml"},
		{"no chart", "Chart.yaml", "name: [", "Chart.yaml"},
		{"a schema", "values.schema.json", `{"properties": {"auth": {"properties": {"password": {"type": "string", "maxLength": 3}}}}}`, "password"},
	}
	b := newBed(t, appChart())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := maps.Clone(appChart())
			tree["charts/app/"+tt.file] = file(tt.text)
			b.change(func(spec *unit.Release) { spec.Chart.Tree = tree })
			state, diff := b.observe()
			if diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, tt.want) {
				t.Errorf("%+v", diff)
			}
			if _, err := b.apply(state); !unit.IsBlocked(err) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("apply: %v", err)
			}
		})
	}
	if got := b.revisions(); got != "" {
		t.Errorf("revisions: %s", got)
	}
}

func TestASecretThatIsNotThereYet(t *testing.T) {
	b := newBed(t, appChart())
	b.change(func(spec *unit.Release) {
		spec.Secrets = []unit.ValueSecret{{Path: []string{"auth", "password"}, Namespace: b.namespace, Name: "later", Key: "pw"}}
	})
	state, diff := b.observe()
	if diff.Action != unit.ActionCreate || !strings.Contains(diff.Reason, "later") {
		t.Errorf("%+v", diff)
	}
	if _, err := b.apply(state); err == nil || unit.IsBlocked(err) || !strings.Contains(err.Error(), `later has no key "pw"`) {
		t.Errorf("apply: %v", err)
	}
}

// What the API server refuses comes back with its reason and without the secret.
func TestARefusalShowsNoSecret(t *testing.T) {
	tree := appChart()
	tree["charts/app/templates/bad.yaml"] = file("apiVersion: v1\nkind: Service\nmetadata: {name: bad}\nspec: {type: {{ .Values.auth.password }}, ports: [{port: 80}]}\n")
	b := newBed(t, tree)
	state, _ := b.observe()
	_, err := b.apply(state)
	if err == nil || !strings.Contains(err.Error(), "(sensitive)") {
		t.Errorf("apply: %v", err)
	}
	state, diff := b.observe()
	if state.Health != unit.HealthFailed || diff.Action != unit.ActionUpdate {
		t.Errorf("%+v, %+v", state, diff)
	}
}

func TestAReleaseThatIsTooLargeBlocks(t *testing.T) {
	tree := appChart()
	random := rand.New(rand.NewPCG(1, 2)) // what is random cannot be compressed
	text := make([]byte, 2<<20)
	for i := range text {
		text[i] = byte(random.UintN(256))
	}
	tree["charts/app/large"] = &fstest.MapFile{Data: text}
	b := newBed(t, tree)
	state, _ := b.observe()
	if _, err := b.apply(state); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("apply: %v", err)
	}
}

func TestAChartOfARepository(t *testing.T) {
	dir := t.TempDir()
	if err := charts.Package(dir); err != nil {
		t.Fatal(err)
	}
	requests := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	}))
	defer server.Close()
	b := newBed(t, appChart())
	b.options = func(options *helm.Options) {
		options.Transport, _ = server.Client().Transport.(*http.Transport)
	}
	b.restart()
	locked, err := helm.Lock(t.Context(), helm.Options{CacheDir: t.TempDir(), Transport: server.Client().Transport.(*http.Transport)},
		[]chartlock.Wanted{{Repository: server.URL, Name: "memcached"}})
	if err != nil {
		t.Fatal(err)
	}
	requests = 0
	b.change(func(spec *unit.Release) {
		spec.Chart = unit.Chart{Name: "memcached", Repository: server.URL, Version: locked[0].Version, Digest: locked[0].Digest}
		spec.Values, spec.Secrets = map[string]any{}, nil
	})
	b.observe()
	if requests != 2 {
		t.Errorf("%d requests for an index and a chart", requests)
	}
	b.observe()
	if requests != 2 {
		t.Errorf("the chart was downloaded again: %d requests", requests)
	}
	b.change(func(spec *unit.Release) {
		spec.Chart.Version, spec.Chart.Digest = "99.0.0", "sha256:"+strings.Repeat("0", 64)
	})
	_, err = b.driver.Observe(t.Context(), []unit.Target{b.target})
	if err == nil || !strings.Contains(err.Error(), "memcached 99.0.0 of "+server.URL) {
		t.Errorf("a version that is not there: %v", err)
	}
}
