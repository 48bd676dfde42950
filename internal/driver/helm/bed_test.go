//go:build beds

package helm_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

var (
	_ engine.Driver = (*helm.Driver)(nil)
	_ helm.Cluster  = wired{}
)

// patience bounds what a test waits for in all.
const patience = 5 * time.Minute

// canary is the secret value that must never be shown.
const canary = "c4n4ry-Tr0ub4dor-7f1e"

// bed is a release on the real API server.
type bed struct {
	t         testing.TB
	server    *cluster.Cluster
	client    kubernetes.Interface
	cluster   *kube.Cluster
	driver    *helm.Driver
	namespace string
	agent     string
	cache     string
	woken     chan struct{}
	target    unit.Target
	tree      fstest.MapFS
	options   func(*helm.Options)
	rendered  atomic.Int32 // how often a chart was
}

// newBed makes a namespace with the Secret of the canary, and a target for a chart.
func newBed(t testing.TB, tree fstest.MapFS) *bed {
	t.Helper()
	return newBedOn(t, testbed.Cluster(t), tree)
}

func newBedOn(t testing.TB, server *cluster.Cluster, tree fstest.MapFS) *bed {
	t.Helper()
	b := &bed{t: t, server: server, client: server.Client(), tree: tree, cache: t.TempDir(), woken: make(chan struct{}, 1)}
	namespace, err := b.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "helm-"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.namespace = namespace.Name
	b.agent = "helm-test-" + b.namespace
	t.Cleanup(func() {
		if err := b.client.CoreV1().Namespaces().Delete(context.WithoutCancel(t.Context()), b.namespace, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete the namespace: %v", err)
		}
	})
	b.setSecret(canary)
	if b.cluster, err = kube.New(kube.Options{Access: kube.NewAccess(server.RESTConfig()), UserAgent: b.agent}); err != nil {
		t.Fatal(err)
	}
	b.cluster.Start(t.Context())
	t.Cleanup(b.cluster.Close)
	b.restart()
	b.target = unit.Target{
		Address: addr.MustParseObject("service.keystone"), UID: "uid-1", Mark: "mark-1", Fresh: true,
		Spec: &unit.Release{
			Namespace: b.namespace, Name: "app",
			Chart:   unit.Chart{Name: "app", Repository: "charts", Tree: tree},
			Values:  map[string]any{"replicas": int64(1), "greeting": "hello", "big": int64(1000000)},
			Secrets: []unit.ValueSecret{{Path: []string{"auth", "password"}, Namespace: b.namespace, Name: "source", Key: "password"}},
		},
	}
	b.target.Locator = b.target.Spec.Locator()
	return b
}

// restart puts a new driver in the place of the old one, as after a kill.
func (b *bed) restart() {
	b.t.Helper()
	b.driver = b.newDriver(wired{b.cluster})
}

func (b *bed) newDriver(on helm.Cluster) *helm.Driver {
	b.t.Helper()
	digester, err := redact.NewDigester(redact.NewSecret("a key of the digester"))
	if err != nil {
		b.t.Fatal(err)
	}
	options := helm.Options{
		CacheDir: b.cache, Digester: digester, Rendered: func() { b.rendered.Add(1) },
		Notify: func(...addr.Object) {
			select {
			case b.woken <- struct{}{}:
			default:
			}
		},
	}
	if b.options != nil {
		b.options(&options)
	}
	driver, err := helm.New(on, options)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(driver.Close)
	return driver
}

func (b *bed) setSecret(value string) {
	b.t.Helper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "source", Namespace: b.namespace, Labels: map[string]string{"app.kubernetes.io/managed-by": "kupenstack"}}, StringData: map[string]string{"password": value},
	}
	secrets := b.client.CoreV1().Secrets(b.namespace)
	if _, err := secrets.Create(b.t.Context(), secret, metav1.CreateOptions{}); err == nil {
		return
	}
	if _, err := secrets.Update(b.t.Context(), secret, metav1.UpdateOptions{}); err != nil {
		b.t.Fatal(err)
	}
}

// change gives the target a specification that differs.
func (b *bed) change(edit func(*unit.Release)) {
	spec := *b.target.Spec.(*unit.Release)
	values := map[string]any{}
	for key, value := range spec.Values {
		values[key] = value
	}
	spec.Values = values
	edit(&spec)
	b.target.Spec = &spec
}

func (b *bed) observe() (unit.State, unit.Diff) {
	b.t.Helper()
	states, err := b.driver.Observe(b.t.Context(), []unit.Target{b.target})
	if err != nil {
		b.t.Fatalf("observe: %v", err)
	}
	state := states[b.target.Address]
	diff := b.driver.Compare(b.target, cty.NilVal, state)
	b.innocent(fmt.Sprintf("%+v %+v", state, diff))
	return state, diff
}

// innocent fails the test when a text shows the secret.
func (b *bed) innocent(text string) {
	b.t.Helper()
	if strings.Contains(text, canary) {
		b.t.Fatalf("the secret is shown: %s", text)
	}
}

func (b *bed) apply(state unit.State) (unit.State, error) {
	b.t.Helper()
	after, err := b.driver.Apply(b.t.Context(), b.target, cty.NilVal, state)
	if err != nil {
		b.innocent(err.Error())
	}
	return after, err
}

// until takes steps as the engine does until a condition holds, and returns the state then.
func (b *bed) until(what string, reached func(unit.State, unit.Diff) bool) unit.State {
	b.t.Helper()
	deadline := time.After(patience)
	for {
		state, diff := b.observe()
		if reached(state, diff) {
			return state
		}
		if diff.Action.Changes() && !diff.Waits {
			if _, err := b.apply(state); err != nil && unit.RetryAfter(err) == 0 {
				b.t.Logf("apply: %v", err)
			} else {
				continue
			}
		}
		select {
		case <-b.woken:
		case <-time.After(300 * time.Millisecond):
		case <-deadline:
			b.t.Fatalf("not %s in time: %s %q, diff %+v, details %q", what, state.Health, state.Message, diff, state.Details)
		}
	}
}

// settle takes steps until nothing is left to do.
func (b *bed) settle() unit.State {
	b.t.Helper()
	return b.until("settled", func(state unit.State, diff unit.Diff) bool { return state.Ready() && diff.Action == unit.ActionNone })
}

func (b *bed) config(name string) *corev1.ConfigMap {
	b.t.Helper()
	object, err := b.client.CoreV1().ConfigMaps(b.namespace).Get(b.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return object
}

// revisions returns the statuses of the release's revisions, by version.
func (b *bed) revisions() string {
	b.t.Helper()
	list, err := b.client.CoreV1().Secrets(b.namespace).List(b.t.Context(), metav1.ListOptions{LabelSelector: "owner=helm"})
	if err != nil {
		b.t.Fatal(err)
	}
	var found []string
	for version := 1; version <= 20; version++ {
		for _, secret := range list.Items {
			if secret.Labels["version"] == fmt.Sprint(version) {
				found = append(found, fmt.Sprintf("%d %s", version, secret.Labels["status"]))
			}
		}
	}
	return strings.Join(found, ", ")
}

// created returns the names of objects of a kind that were created, in order, as the API server's
// audit log has them.
func (b *bed) created(resource string) []string {
	b.t.Helper()
	var names []string
	for _, event := range b.requests(0) {
		if event.Verb == "create" && event.Object.Resource == resource && event.Code == 201 {
			names = append(names, event.Object.Name)
		}
	}
	return names
}

// requests returns what the driver asked of the API server since an offset.
func (b *bed) requests(since int64) []cluster.Event {
	b.t.Helper()
	events, _, err := b.server.Events(since)
	if err != nil {
		b.t.Fatal(err)
	}
	var ours []cluster.Event
	for _, event := range events {
		if event.UserAgent == b.agent {
			ours = append(ours, event)
		}
	}
	return ours
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// remove takes the steps of a deletion until nothing is left.
func (b *bed) remove() {
	b.t.Helper()
	deadline := time.After(patience)
	target := b.target
	target.Spec = nil
	state := unit.State{}
	for {
		var err error
		if state, err = b.driver.Delete(b.t.Context(), target, state); err != nil {
			b.t.Fatalf("delete: %v", err)
		}
		if state.Gone() {
			return
		}
		select {
		case <-b.woken:
		case <-time.After(300 * time.Millisecond):
		case <-deadline:
			b.t.Fatalf("not gone in time: %+v", state)
		}
	}
}
