//go:build beds

package kube_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

var _ engine.Driver = (*kube.Driver)(nil)

// world is a connection of one test, with a name that no other test has.
type world struct {
	t       *testing.T
	ctx     context.Context
	bed     *cluster.Cluster
	admin   dynamic.Interface // somebody else
	cluster *kube.Cluster
	name    string
	agent   string
	refuse  atomic.Bool
}

func newWorld(t *testing.T, bed *cluster.Cluster) *world {
	t.Helper()
	name := "kube-" + strings.ToLower(rand.Text()[:12])
	admin, err := dynamic.NewForConfig(bed.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	w := &world{t: t, ctx: ctx, bed: bed, admin: admin, name: name, agent: "kupenstack-test-" + name}
	w.cluster = w.connect()
	t.Cleanup(func() {
		w.cluster.Close()
		cancel()
	})
	return w
}

func (w *world) connect() *kube.Cluster {
	w.t.Helper()
	c, err := kube.New(kube.Options{
		Access: kube.NewAccess(w.bed.RESTConfig()), SystemNamespace: w.name + "-system", UserAgent: w.agent, Log: zerolog.Nop(),
		Guard: func() error {
			if w.refuse.Load() {
				return unit.ErrNotWriter
			}
			return nil
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	c.Start(w.ctx)
	return c
}

// driver returns a driver and the units that it told of.
func (w *world) driver(recoverer kube.Recoverer) (*kube.Driver, chan addr.Object) {
	told := make(chan addr.Object, 1000)
	d := kube.NewDriver(w.cluster, recoverer, func(units ...addr.Object) {
		for _, u := range units {
			told <- u
		}
	})
	w.t.Cleanup(d.Close)
	return d, told
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// namespace makes the test's namespace.
func (w *world) namespace() string {
	w.t.Helper()
	_, err := w.resource("namespaces", "").Create(w.ctx, object(w.t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+w.name+"}"), metav1.CreateOptions{})
	w.must(err)
	return w.name
}

func (w *world) resource(name, namespace string) dynamic.ResourceInterface {
	gvr := schema.GroupVersionResource{Version: "v1", Resource: name}
	if parts := strings.SplitN(name, ".", 2); len(parts) == 2 {
		gvr = schema.GroupVersionResource{Group: parts[1], Version: "v1", Resource: parts[0]}
	}
	if namespace == "" {
		return w.admin.Resource(gvr)
	}
	return w.admin.Resource(gvr).Namespace(namespace)
}

// requests returns how many requests of ours the server has answered since an offset.
func (w *world) requests(since int64) (all, writes []string) {
	w.t.Helper()
	events, _, err := w.bed.Events(since)
	w.must(err)
	for _, event := range events {
		if event.UserAgent != w.agent {
			continue
		}
		line := event.Verb + " " + event.URI
		all = append(all, line)
		switch event.Verb {
		case "get", "list", "watch":
		default:
			writes = append(writes, line)
		}
	}
	return all, writes
}

func (w *world) offset() int64 {
	w.t.Helper()
	offset, err := w.bed.AuditOffset()
	w.must(err)
	return offset
}

func (w *world) address(kind string) addr.Object {
	w.t.Helper()
	address, err := addr.NewObject(addr.Module{}, addr.Managed, kind, w.name, addr.Key{})
	w.must(err)
	return address
}

func (w *world) target(kind string, spec unit.Spec) unit.Target {
	w.t.Helper()
	return unit.Target{Address: w.address(kind), Spec: spec, Locator: spec.Locator()}
}

func (w *world) observe(d *kube.Driver, target unit.Target) unit.State {
	w.t.Helper()
	states, err := d.Observe(w.ctx, []unit.Target{target})
	w.must(err)
	return states[target.Address]
}

func (w *world) compare(d *kube.Driver, target unit.Target) unit.Diff {
	w.t.Helper()
	return d.Compare(target, cty.NilVal, w.observe(d, target))
}

// converge applies until nothing is left to do.
func (w *world) converge(d *kube.Driver, target unit.Target, told chan addr.Object) unit.State {
	w.t.Helper()
	state := w.observe(d, target)
	for d.Compare(target, cty.NilVal, state).Action != unit.ActionNone || !state.Installed {
		var err error
		state, err = d.Apply(w.ctx, target, cty.NilVal, state)
		// A definition counts as established a moment before the API server serves its kind.
		if unknown := (*kube.UnknownKindError)(nil); !errors.As(err, &unknown) {
			w.must(err)
		}
		if state.Installed {
			continue
		}
		select {
		case <-told:
		case <-time.After(max(state.After, 100*time.Millisecond)):
		case <-w.ctx.Done():
			w.t.Fatalf("it did not converge: %+v", state)
		}
		state = w.observe(d, target)
	}
	return state
}

// hears waits until the driver tells of a unit and seen is true. What was told may still be about
// the test's own last write.
func (w *world) hears(told chan addr.Object, address addr.Object, seen func() bool) {
	w.t.Helper()
	for {
		select {
		case u := <-told:
			if u == address && seen() {
				return
			}
		case <-w.ctx.Done():
			w.t.Fatalf("nobody told of %s", address)
		}
	}
}

// drifts waits until the driver tells of a unit and sees a difference, and returns it.
func (w *world) drifts(told chan addr.Object, d *kube.Driver, target unit.Target) (diff unit.Diff) {
	w.t.Helper()
	w.hears(told, target.Address, func() bool {
		diff = w.compare(d, target)
		return diff.Action != unit.ActionNone
	})
	return diff
}

// drain empties what was told so far.
func drain(told chan addr.Object) {
	for {
		select {
		case <-told:
		default:
			return
		}
	}
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	content, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(content); err != nil {
		t.Fatal(err)
	}
	return o
}

// ours gives an object our label.
func ours(o *unstructured.Unstructured) *unstructured.Unstructured {
	o.SetLabels(map[string]string{kube.LabelManagedBy: kube.ManagedBy})
	return o
}

func objects(t *testing.T, texts ...string) *unit.Objects {
	t.Helper()
	set := &unit.Objects{}
	for _, text := range texts {
		set.Items = append(set.Items, object(t, text).Object)
	}
	return set
}

func configMap(namespace, name, data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: " + namespace + "}\ndata: " + data
}

// releases is a recoverer over values by release.
type releases map[string]string

func (r releases) Recover(_ context.Context, use unit.CredentialUse) (redact.Secret, bool, error) {
	value, ok := r[use.Release]
	switch value {
	case "unreachable":
		return redact.Secret{}, false, errors.New("the release cannot be read")
	case "unrecorded":
		return redact.Secret{}, false, nil
	}
	return redact.NewSecret(value), ok, nil
}

func (r releases) Remains(_ context.Context, namespace, release string) (unit.ObjectRef, bool, error) {
	object := unit.ObjectRef{APIVersion: "apps/v1", Kind: "StatefulSet", Namespace: namespace, Name: release + "-server"}
	return object, r[release] == "unrecorded", nil
}
