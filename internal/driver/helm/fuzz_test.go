package helm

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// records is an API server that has one revision of a release, and whatever is in its Secret. It knows Deployments and
// namespaces.
type records struct {
	server
	data   []byte
	labels map[string]string
}

func (r *records) Metadata(context.Context, schema.GroupVersionResource, string, string) ([]metav1.PartialObjectMetadata, error) {
	return []metav1.PartialObjectMetadata{{ObjectMeta: r.meta()}}, nil
}

func (r *records) Secret(context.Context, string, string) (*corev1.Secret, error) {
	return &corev1.Secret{ObjectMeta: r.meta(), Data: map[string][]byte{"release": r.data}}, nil
}

func (r *records) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "o", Name: "sh.helm.release.v1.keystone.v1", ResourceVersion: "1", Labels: r.labels}
}

func (r *records) Getter(context.Context, string) (Getter, error) { return kindsKnown{}, nil }

// unwatched watches nothing.
type unwatched struct{}

func (unwatched) Begin(context.Context, string) {}
func (unwatched) Close()                        {}

type kindsKnown struct{ Getter }

func (kindsKnown) ToRESTMapper() (meta.RESTMapper, error) {
	known := meta.NewDefaultRESTMapper(nil)
	known.Add(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, meta.RESTScopeNamespace)
	known.Add(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, meta.RESTScopeRoot)
	return known, nil
}

// packed is the text of a release as Helm stores it.
func packed(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(base64.StdEncoding.EncodeToString(out.Bytes()))
}

// storedRelease is a release of OpenStack-Helm's with hooks, as Helm writes it.
const storedRelease = `{"name":"keystone","info":{"first_deployed":"2026-11-01T10:00:00Z","last_deployed":"2026-11-02T10:00:00Z","deleted":"",` +
	`"description":"Upgrade complete","status":"deployed"},"chart":{"metadata":{"name":"keystone","version":"2026.1.0","apiVersion":"v2",` +
	`"dependencies":[{"name":"helm-toolkit","version":">= 0.1.0"}]},"templates":[{"name":"templates/bin.yaml","data":"e30="}],"values":{"a":1}},` +
	`"config":{"endpoints":{"identity":{"auth":{"admin":{"password":"canary-1"}}}},"conf":{"keystone":{"DEFAULT":{"debug":false}}}},` +
	`"manifest":"---\n# Source: a\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: keystone-api}\nspec: {replicas: 1}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n` +
	`---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: example.org/v1, kind: Thing, metadata: {name: x}}\n",` +
	`"hooks":[{"name":"keystone-bootstrap","kind":"Job","path":"keystone/templates/job.yaml","manifest":"apiVersion: batch/v1\nkind: Job\nmetadata: {name: keystone-bootstrap}\n",` +
	`"events":["post-install","post-upgrade"],"last_run":{"started_at":"","completed_at":"","phase":""},"weight":5,"delete_policies":["before-hook-creation"]}],` +
	`"version":1,"namespace":"o"}`

// FuzzRelease has the Secret of a release hold anything, packed as Helm packs it or not. Whatever it is, the release is
// there or nobody knows: it is absent never, and what cannot be read is told without what it holds.
func FuzzRelease(f *testing.F) {
	f.Add(true, []byte(storedRelease))
	f.Add(false, packed(f, []byte(storedRelease)))
	f.Add(false, packed(f, []byte(storedRelease))[:300])
	f.Add(true, []byte(storedRelease[:400]))
	for _, text := range []string{
		``, `null`, `[]`, `{}`, `{"info":null}`, `{"info":{}}`, `{"info":{"status":"deployed"},"hooks":[null]}`,
		`{"info":{"status":"deployed"},"chart":{"metadata":{"dependencies":[null]}}}`, `{"info":{"status":"uninstalling"},"hooks":[{"events":["pre-delete"],"manifest":"a: &a [*a]"}]}`,
		`{"info":{"status":"failed"},"manifest":"kind: ConfigMap\nmetadata: []"}`, `{"info":{"status":"deployed"},"manifest":"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]"}`,
		`{"info":{"status":"deployed"},"manifest":"kind: List\nitems: [null, 1, {kind: Pod, metadata: {namespace: 1, name: [], annotations: x, labels: {a: 1}}}]"}`,
	} {
		f.Add(true, []byte(text))
	}
	address, err := addr.ParseObject("service.keystone")
	if err != nil {
		f.Fatal(err)
	}
	target := unit.Target{Address: address, Locator: unit.Locator{Kind: unit.KindRelease, Namespace: "o", Name: "keystone"}}
	labels := map[string]string{"owner": "helm", "name": "keystone", "version": "1", "status": "deployed", labelRun: "install.run", labelSpec: "1"}
	f.Fuzz(func(t *testing.T, pack bool, data []byte) {
		text := string(data)
		if pack {
			data = packed(t, data)
		}
		observe := func() (unit.State, error) {
			api := &records{data: data, labels: labels}
			d := &Driver{
				api: api, cluster: newShelf(simple("apps/v1", "Deployment", "keystone-api", 1)), scopes: newScopes(api), records: unwatched{}, answers: newAnswers(Options{}),
				revisions: map[string]*revision{}, rendered: map[string]rendered{}, index: map[unit.ObjectRef]addr.Object{}, indexed: map[addr.Object][]unit.ObjectRef{}, releases: map[string]addr.Object{},
			}
			states, err := d.Observe(t.Context(), []unit.Target{target})
			return states[address], err
		}
		state, err := observe()
		switch {
		case state.Existence == unit.Absent:
			t.Errorf("a release with a revision is absent: %v", err)
		case state.Existence == unit.Unknown && err == nil:
			t.Error("it is not known, and nobody says why")
		}
		if _, err := decode(data); err != nil && strings.Contains(text, "canary-1") && strings.Contains(err.Error(), "canary-1") {
			t.Errorf("it is told what it holds: %v", err)
		}
		if again, errAgain := observe(); !reflect.DeepEqual(again, state) || (errAgain == nil) != (err == nil) {
			t.Errorf("it was %+v (%v), and is %+v (%v)", state, err, again, errAgain)
		}
	})
}

// FuzzProgress has the record of hooks hold anything. What is no record of the run counts for nothing, and what is read
// is written as it was.
func FuzzProgress(f *testing.F) {
	for _, text := range []string{
		`{"run":"upgrade.x","hooks":{"pre-upgrade Job o/prepare":{"stage":"running","attempt":2,"message":"m"}},"finished":["pre-upgrade"],"failures":3,"cause":"c","good":4,"ended":"2026-11-02T10:00:00Z","proven":true}`,
		`{"run":"upgrade.x","hooks":null}`, `{"run":"upgrade.x","hooks":{"pre-upgrade Job o/prepare":{"stage":"failed","attempt":-9223372036854775808}},"failures":-1,"good":-7}`,
		`{"run":"install.y"}`, `{"run":"upgrade.x","ended":"never"}`, `null`, `[]`, ``, `{"run":`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const run = "upgrade.x"
		object := func(text string) *unstructured.Unstructured {
			return &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{progressKey: text}}}
		}
		p := readProgress(object(text), run)
		if p.Run != run || p.Hooks == nil {
			t.Fatalf("of another run, or without hooks: %+v", p)
		}
		written, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again := readProgress(object(string(written)), run)
		rewritten, err := json.Marshal(again)
		if err != nil || !bytes.Equal(rewritten, written) {
			t.Errorf("%s became %s: %v", written, rewritten, err)
		}
		if whole := recorded(object(text)); whole.Run == run && whole.Failures != p.Failures && whole.Hooks != nil {
			t.Errorf("two readings of one record: %+v and %+v", whole, p)
		}
		for _, event := range []release.HookEvent{release.HookPreUpgrade, release.HookPostUpgrade} {
			if p.finished(event) && !p.begun(event) {
				t.Errorf("%s is finished and was not begun", event)
			}
		}
		for _, record := range p.Hooks {
			if wait := pause(record.Attempt); wait < firstRetry || wait > lastRetry+lastRetry/5 {
				t.Errorf("after attempt %d it waits %s", record.Attempt, wait)
			}
		}
	})
}
