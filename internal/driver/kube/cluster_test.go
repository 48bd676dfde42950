//go:build beds

package kube_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func TestGuardStopsWhatChanges(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	wanted := ours(object(t, configMap(w.name, "a", "{k: v}")))
	live, err := w.cluster.Apply(w.ctx, kube.Manager, wanted)
	w.must(err)
	offset := w.offset()
	w.refuse.Store(true)
	_, applied := w.cluster.Apply(w.ctx, kube.Manager, wanted)
	_, created := w.cluster.Create(w.ctx, kube.Manager, wanted)
	deleted := w.cluster.Delete(w.ctx, unit.RefOf(wanted.Object), live.GetUID())
	_, put := w.cluster.Shards(w.name).Put(w.ctx, "x", nil, "")
	for _, err := range []error{applied, created, deleted, put} {
		if !errors.Is(err, unit.ErrNotWriter) {
			t.Errorf("got %v", err)
		}
	}
	if _, writes := w.requests(offset); len(writes) > 0 {
		t.Errorf("sent: %q", writes)
	}
	// Looking goes on, dry runs included.
	if unchanged, err := w.cluster.Unchanged(w.ctx, kube.Manager, wanted, live); err != nil || !unchanged {
		t.Errorf("got %v %v", unchanged, err)
	}
	changed := ours(object(t, configMap(w.name, "a", "{k: w}")))
	if unchanged, err := w.cluster.Unchanged(w.ctx, kube.Manager, changed, live); err != nil || unchanged {
		t.Errorf("got %v %v", unchanged, err)
	}
}

// Who else wrote to an object is named with what differs.
func TestWhoElseWrote(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	mine := ours(object(t, configMap(w.name, "a", "{k: v}")))
	by := func(manager string, wanted *unstructured.Unstructured) string {
		t.Helper()
		_, err := w.cluster.Apply(w.ctx, manager, wanted)
		w.must(err)
		live, err := w.cluster.Confirm(w.ctx, unit.RefOf(mine.Object))
		w.must(err)
		wanted = mine.DeepCopy()
		w.must(unstructured.SetNestedField(wanted.Object, "wanted", "data", "k"))
		fields := w.cluster.Compare(wanted, live)
		if len(fields) != 1 {
			t.Fatalf("got %v", fields)
		}
		return fields[0].By
	}
	theirs := mine.DeepCopy()
	w.must(unstructured.SetNestedField(theirs.Object, "theirs", "data", "k"))
	if got := by(kube.Manager, mine); got != "" {
		t.Errorf("before anybody else it was %q", got)
	}
	if got := by("somebody", theirs); got != "somebody" {
		t.Errorf("it was %q", got)
	}
}

func TestUnchangedIsAskedOnce(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	// The server keeps a cluster address of its own, which looks like a difference.
	service := ours(object(t, "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: "+w.name+"}\nspec: {clusterIP: '', ports: [{port: 80}]}"))
	live, err := w.cluster.Apply(w.ctx, kube.Manager, service)
	w.must(err)
	if fields := w.cluster.Compare(service, live); len(fields) != 1 || fields[0].Path != "spec.clusterIP" {
		t.Fatalf("got %v", fields)
	}
	offset := w.offset()
	for range 3 {
		unchanged, err := w.cluster.Unchanged(w.ctx, kube.Manager, service, live)
		if err != nil || !unchanged {
			t.Fatalf("got %v %v", unchanged, err)
		}
	}
	if all, _ := w.requests(offset); len(all) != 1 {
		t.Errorf("asked: %q", all)
	}
}

// A port whose number somebody changed is another one to the server, which refuses ours beside it.
func TestPutsBackTheNumberOfAPort(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	service := ours(object(t, "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: "+w.name+"}\nspec: {ports: [{name: api, port: 80}, {name: more, port: 81}]}"))
	made, err := w.cluster.Apply(w.ctx, kube.Manager, service)
	w.must(err)
	services := w.resource("services", w.name)
	patch := []byte(`{"metadata":{"labels":{"theirs":"stays"}},"spec":{"ports":[{"name":"api","port":19999,"protocol":"TCP"},{"name":"more","port":81,"protocol":"TCP"}]}}`)
	theirs, err := services.Patch(w.ctx, "s", types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "somebody"})
	w.must(err)
	if fields := w.cluster.Compare(service, theirs); len(fields) == 0 {
		t.Fatal("nothing differs")
	}
	for range 2 {
		if unchanged, err := w.cluster.Unchanged(w.ctx, kube.Manager, service, theirs); err != nil || unchanged {
			t.Fatalf("got %v %v", unchanged, err)
		}
	}
	_, err = w.cluster.Apply(w.ctx, kube.Manager, service)
	w.must(err)
	now, err := services.Get(w.ctx, "s", metav1.GetOptions{})
	w.must(err)
	ports, _, _ := unstructured.NestedSlice(now.Object, "spec", "ports")
	if fields := w.cluster.Compare(service, now); len(fields) > 0 || len(ports) != 2 || now.GetUID() != made.GetUID() || now.GetLabels()["theirs"] != "stays" {
		t.Errorf("it is %v, differs in %v", now.Object, fields)
	}

	// Once the wish is another one the port goes as well, though we had to write it.
	w.must(unstructured.SetNestedSlice(service.Object, []any{map[string]any{"name": "api", "port": int64(82)}}, "spec", "ports"))
	now, err = w.cluster.Apply(w.ctx, kube.Manager, service)
	w.must(err)
	if ports, _, _ := unstructured.NestedSlice(now.Object, "spec", "ports"); len(ports) != 1 {
		t.Errorf("it has the ports %v", ports)
	}

	// What is twice in the wish itself stays refused.
	w.must(unstructured.SetNestedSlice(service.Object, []any{map[string]any{"name": "api", "port": int64(82)}, map[string]any{"name": "api", "port": int64(83)}}, "spec", "ports"))
	if _, err := w.cluster.Apply(w.ctx, kube.Manager, service); err == nil || !strings.Contains(err.Error(), "Duplicate value") {
		t.Errorf("got %v", err)
	}
}

func TestRefusedCredentials(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	config := w.bed.RESTConfig()
	config.CertData, config.KeyData, config.CertFile, config.KeyFile = nil, nil, "", ""
	config.BearerToken = "wrong"
	c, err := kube.New(kube.Options{Access: kube.NewAccess(config)})
	w.must(err)
	defer c.Close()
	ref := unit.ObjectRef{APIVersion: "v1", Kind: "ConfigMap", Namespace: w.name, Name: "a"}
	_, get := c.Get(w.ctx, ref)
	_, confirm := c.Confirm(w.ctx, ref)
	for _, err := range []error{c.Ping(w.ctx), get, confirm} {
		var refused *kube.RefusedError
		if !errors.As(err, &refused) || refused.Code != 401 || !strings.Contains(err.Error(), "does not accept our credentials") {
			t.Errorf("got %v", err)
		}
	}
	var partial *kube.PartialError
	if !errors.As(get, &partial) || partial.Unknown(ref) == nil {
		t.Errorf("it is not said to be unknown: %v", get)
	}
}

func TestUnreachableClusterIsUnknown(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	config := w.bed.RESTConfig()
	config.Host = "https://127.0.0.1:1"
	c, err := kube.New(kube.Options{Access: kube.NewAccess(config)})
	w.must(err)
	defer c.Close()
	d := kube.NewDriver(c, nil, nil)
	defer d.Close()
	target := w.target("objects", objects(t, configMap(w.name, "a", "{}")))
	states, err := d.Observe(w.ctx, []unit.Target{target})
	if err == nil || states[target.Address].Existence != unit.Unknown {
		t.Errorf("got %v %v", states, err)
	}
	if diff := d.Compare(target, cty.NilVal, states[target.Address]); diff.Action != unit.ActionUnknown {
		t.Errorf("got %+v", diff)
	}
	if _, err := d.Apply(w.ctx, target, cty.NilVal, unit.State{}); err == nil {
		t.Error("it was applied")
	}
}

func TestDeleteOnlyTheOneThatIsMeant(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	live, err := w.cluster.Apply(w.ctx, kube.Manager, object(t, configMap(w.name, "a", "{k: v}")))
	w.must(err)
	ref := unit.RefOf(live.Object)
	w.must(w.cluster.Delete(w.ctx, ref, "another"))
	if !w.exists("configmaps", "a") {
		t.Fatal("another one was deleted")
	}
	if found, err := w.cluster.Get(w.ctx, ref); err != nil || found[ref] == nil {
		t.Errorf("got %v %v", found, err)
	}
	w.must(w.cluster.Delete(w.ctx, ref, live.GetUID()))
	if found, err := w.cluster.Get(w.ctx, ref); err != nil || found[ref] != nil {
		t.Errorf("right after the deletion: %v %v", found, err)
	}
	w.must(w.cluster.Delete(w.ctx, ref, live.GetUID()))
	if err := w.cluster.Delete(w.ctx, ref, ""); err == nil {
		t.Error("deleted without a UID")
	}
}

func TestShards(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	store := w.cluster.Shards("")
	shards, err := store.Load(w.ctx)
	w.must(err)
	if len(shards) > 0 {
		t.Errorf("at first: %v", shards)
	}
	first, err := store.Put(w.ctx, "0a", []byte("one\x00"), "")
	w.must(err)
	if _, err := store.Put(w.ctx, "0a", []byte("two"), ""); !errors.Is(err, kube.ErrConflict) {
		t.Errorf("made twice: %v", err)
	}
	second, err := store.Put(w.ctx, "0a", []byte("three"), first)
	w.must(err)
	if _, err := store.Put(w.ctx, "0a", []byte("four"), first); !errors.Is(err, kube.ErrConflict) {
		t.Errorf("over an old version: %v", err)
	}
	shards, err = store.Load(w.ctx)
	w.must(err)
	if len(shards) != 1 || !bytes.Equal(shards["0a"].Data, []byte("three")) || shards["0a"].Version != second {
		t.Errorf("at last: %v", shards)
	}
}

func TestInstallationIsMadeOnce(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	if _, _, found, err := w.cluster.PeekInstallation(w.ctx); found || err != nil {
		t.Fatalf("at first: %v %v", found, err)
	}
	type result struct{ id, key string }
	results := make(chan result, 4)
	for range 4 {
		go func() {
			id, key, err := w.cluster.Installation(w.ctx)
			if err != nil {
				t.Error(err)
			}
			results <- result{id, key.Reveal()}
		}()
	}
	first := <-results
	if len(first.id) != 36 || len(first.key) != 32 {
		t.Errorf("an id of %d and a key of %d bytes", len(first.id), len(first.key))
	}
	for range 3 {
		if <-results != first {
			t.Error("another installation")
		}
	}
	id, _, found, err := w.cluster.PeekInstallation(w.ctx)
	if err != nil || !found || id != first.id {
		t.Errorf("got %v %v", found, err)
	}
}

// What an installation is known by outlives its Secret, and that of another one is not taken for it.
func TestInstallationIsRemembered(t *testing.T) {
	bed := testbed.Cluster(t)
	w := newWorld(t, bed)
	id, _, err := w.cluster.Installation(w.ctx)
	w.must(err)
	remembers := func(id string, want bool, lost bool) {
		t.Helper()
		if noted, err := w.cluster.Remembers(w.ctx, id); noted != want || errors.Is(err, kube.ErrLost) != lost || !lost && err != nil {
			t.Errorf("%q is noted: %v, error %v", id, noted, err)
		}
	}
	remembers(id, false, false)
	w.must(w.cluster.Note(w.ctx, id))
	remembers(id, true, false)
	remembers("another", false, true)
	remembers("", false, false) // it is there by now
	system := w.name + "-system"
	w.must(bed.Client().CoreV1().Secrets(system).Delete(w.ctx, "kupenstack-installation", metav1.DeleteOptions{}))
	remembers("", false, true)
	w.must(w.cluster.Note(w.ctx, "new")) // as a person writes it
	remembers("", false, false)
}

// An installation says in which cluster it is from its beginning on; one of an older program once that is noted, and a
// copy once a person means it.
func TestInstallationIsOfItsCluster(t *testing.T) {
	bed := testbed.Cluster(t)
	w := newWorld(t, bed)
	here, err := w.cluster.ClusterID(w.ctx)
	w.must(err)
	id, _, err := w.cluster.Installation(w.ctx)
	w.must(err)
	says := func(of string) {
		t.Helper()
		found, err := w.cluster.Look(w.ctx)
		w.must(err)
		if here == "" || found.Cluster != of || found.ID != id || found.Key.IsEmpty() {
			t.Errorf("it is in %q here, and says %q", here, found.Cluster)
		}
	}
	resides := func(of string, settled, copied bool) {
		t.Helper()
		if got, err := w.cluster.Resides(w.ctx, of); got != settled || errors.Is(err, kube.ErrCopied) != copied || !copied && err != nil {
			t.Errorf("of %q: settled %v, error %v", of, got, err)
		}
	}
	says(here)
	resides(here, true, false)
	resides("", false, false)
	resides("another", false, true)
	system := w.name + "-system"
	patch := func(data string) {
		t.Helper()
		_, err := bed.Client().CoreV1().Secrets(system).Patch(w.ctx, "kupenstack-installation", types.MergePatchType, []byte(data), metav1.PatchOptions{})
		w.must(err)
	}
	patch(`{"data":{"cluster":null}}`)
	w.must(w.cluster.Settle(w.ctx))
	says(here)
	patch(`{"stringData":{"cluster":"another"}}`)
	says("another")
	_, err = bed.Client().CoreV1().Namespaces().Patch(w.ctx, system, types.MergePatchType, []byte(`{"metadata":{"annotations":{"kupenstack.io/take-over":"`+here+`"}}}`), metav1.PatchOptions{})
	w.must(err)
	resides("another", false, false)
	w.must(w.cluster.Settle(w.ctx))
	says(here)
	w.must(bed.Client().CoreV1().Secrets(system).Delete(w.ctx, "kupenstack-installation", metav1.DeleteOptions{}))
	w.must(w.cluster.Settle(w.ctx))
	if found, err := w.cluster.Look(w.ctx); found != nil || err != nil {
		t.Errorf("a Secret without a key was made: %v, %v", found, err)
	}
}

func TestExplainAWorkload(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	text := fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: %s}\nspec: {replicas: 2, selector: {matchLabels: {app: x}}, "+
		"template: {metadata: {labels: {app: x}, annotations: {%q: %s}}, spec: {containers: [{name: api, image: 'registry.test/api:1'}]}}}",
		w.name, cluster.AnnotationBehave, cluster.BehaveImagePull)
	live, err := w.cluster.Apply(w.ctx, kube.Manager, object(t, text))
	w.must(err)
	ref := unit.RefOf(live.Object)
	const want = "container api waits: ImagePullBackOff registry.test/api:1 (2 pods, such as d-"
	var got []string
	for look := time.Tick(100 * time.Millisecond); len(got) != 1 || !strings.HasPrefix(got[0], want); { // pods are not watched
		select {
		case <-look:
			got = w.cluster.Explain(w.ctx, ref, nil).Causes
		case <-w.ctx.Done():
			t.Fatalf("got %q", got)
		}
	}
	if health, _ := w.cluster.Health(live); health != unit.HealthProgressing {
		t.Errorf("health %q", health)
	}
}
