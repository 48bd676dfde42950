//go:build beds

package kube_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
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

// labelledBefore takes a node out that somebody had given the role compute before. What looks as if it had the role is a
// node that was forgotten, which takes instances again.
func (w *world) labelledBefore(d *kube.Driver, told chan addr.Object, node func(name string, labels map[string]string) unit.Target) {
	w.t.Helper()
	w.must(w.patchNode(`{"metadata":{"labels":{"` + unit.ComputeLabel + `":"enabled"}}}`))
	target := node("node-1", map[string]string{unit.ComputeLabel: "enabled"})
	w.converge(d, target, told)
	gone := unit.Target{Address: target.Address, Locator: target.Locator}
	state, err := d.Delete(w.ctx, gone, w.observe(d, gone))
	w.must(err)
	if bearing, err := w.cluster.Bearing(w.ctx, unit.ComputeLabel, "enabled"); err != nil || !state.Gone() || len(bearing) > 0 {
		w.t.Errorf("the role of a node that is gone from the configuration: %+v, on %v, %v", state, bearing, err)
	}
}

func testNodeLabels(t *testing.T, bed *cluster.Cluster) {
	w := newWorld(t, bed)
	d, told := w.driver(nil)
	if names, err := w.cluster.Nodes(w.ctx); err != nil || strings.Join(names, " ") != "node-1 node-2" {
		t.Fatalf("got %v %v", names, err)
	}
	node := func(name string, labels map[string]string) unit.Target {
		return w.target("node", &unit.Node{Name: name, Labels: labels})
	}
	labels := func() map[string]string {
		live, err := w.resource("nodes", "").Get(w.ctx, "node-1", metav1.GetOptions{})
		w.must(err)
		return live.GetLabels()
	}
	w.labelledBefore(d, told, node)
	target := node("node-1", map[string]string{"role/a": "enabled", "role/b": "enabled", "kubernetes.io/hostname": "node-1"})
	if diff := w.compare(d, target); diff.Action != unit.ActionUpdate || len(diff.Fields) != 2 {
		t.Errorf("at first: %+v", diff)
	}
	w.converge(d, target, told)
	if got := labels(); got["role/a"] != "enabled" || got["role/b"] != "enabled" {
		t.Errorf("set: %v", got)
	}
	bear := func(label, value, want string) {
		t.Helper()
		if names, err := w.cluster.Bearing(w.ctx, label, value); err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s=%s is on %v, %v, want %q", label, value, names, err, want)
		}
	}
	bear("role/a", "enabled", "node-1")
	bear("role/a", "other", "")
	// Heartbeats of the kubelet are no news; an edit is.
	const beats = 20
	for i := range beats {
		w.must(w.patchNode(fmt.Sprintf(`{"status":{"images":[{"names":["x"],"sizeBytes":%d}]}}`, i+1), "status"))
	}
	w.must(w.patchNode(`{"metadata":{"labels":{"role/a":"edited","theirs":"x"}}}`))
	heard := 0
	var diff unit.Diff
	w.hears(told, target.Address, func() bool {
		heard++
		diff = w.compare(d, target)
		return diff.Action != unit.ActionNone
	})
	if len(diff.Fields) != 1 || diff.Fields[0] != (unit.Field{Path: "metadata.labels[role/a]", Before: "edited", After: "enabled", By: filepath.Base(os.Args[0])}) {
		t.Errorf("edited: %+v", diff)
	}
	w.converge(d, target, told)
	if heard += len(told); heard > beats/2 {
		t.Errorf("told %d times of %d heartbeats and an edit", heard, beats)
	}
	if names, err := w.cluster.Labelled(w.ctx); err != nil || strings.Join(names, " ") != "node-1" {
		t.Errorf("got %v %v", names, err)
	}

	target = node("node-1", map[string]string{"role/b": "enabled", "theirs": "x"})
	diff = w.compare(d, target)
	if len(diff.Fields) != 2 || !strings.Contains(diff.Fields[1].Beside, strconv.Quote(filepath.Base(os.Args[0]))+" at ") {
		t.Fatalf("removed: %+v", diff)
	}
	diff.Fields[1].Beside = "" // who else wrote to the node, and when
	if diff.Fields[1] != (unit.Field{Path: "metadata.labels[role/a]", Before: "enabled"}) {
		t.Errorf("removed: %+v", diff)
	}
	w.converge(d, target, told)
	if got := labels(); got["role/a"] != "" || got["role/b"] != "enabled" || got["kubernetes.io/hostname"] == "" {
		t.Errorf("removed: %v", got)
	}

	gone := unit.Target{Address: target.Address, Locator: target.Locator}
	state, err := d.Delete(w.ctx, gone, w.observe(d, gone))
	w.must(err)
	if got := labels(); !state.Gone() || got["role/b"] != "" || got["kubernetes.io/hostname"] == "" {
		t.Errorf("deleted: %+v %v", state, got)
	}
	bear("role/b", "enabled", "") // before the watch tells of it

	w.forgotten(d, told, node)

	// A node that is not there is never made; it is heard of when it comes.
	absent := node("node-9", map[string]string{"role/a": "enabled"})
	if diff := w.compare(d, absent); diff.Action != unit.ActionBlocked || diff.Reason != `node "node-9" is not in the cluster` {
		t.Errorf("absent: %+v", diff)
	}
	if _, err := d.Apply(w.ctx, absent, cty.NilVal, unit.State{}); !unit.IsBlocked(err) {
		t.Errorf("absent: %v", err)
	}
	drain(told)
	_, err = w.resource("nodes", "").Create(w.ctx, object(t, "apiVersion: v1\nkind: Node\nmetadata: {name: node-9}"), metav1.CreateOptions{})
	w.must(err)
	w.hears(told, absent.Address, func() bool { return w.compare(d, absent).Action == unit.ActionUpdate })
	// It goes again while we still think it is there.
	state = w.observe(d, absent)
	w.must(w.resource("nodes", "").Delete(w.ctx, "node-9", metav1.DeleteOptions{}))
	if _, err := d.Apply(w.ctx, absent, cty.NilVal, state); err == nil {
		t.Error("the node was made")
	}
	if names, err := w.cluster.Nodes(w.ctx); err != nil || len(names) > 3 {
		t.Errorf("got %v %v", names, err)
	}
	if _, err := w.resource("nodes", "").Get(w.ctx, "node-9", metav1.GetOptions{}); err == nil {
		t.Error("the node is there")
	}
}

// forgotten has a node keep its labels once it is forgotten, and show no more that they are ours, until a block has it again.
func (w *world) forgotten(d *kube.Driver, told chan addr.Object, node func(string, map[string]string) unit.Target) {
	w.t.Helper()
	target := node("node-2", map[string]string{"role/f": "enabled"})
	shows := func(when, want string) { // once the watch tells of it
		w.t.Helper()
		for look := time.Tick(50 * time.Millisecond); ; {
			names, err := w.cluster.Labelled(w.ctx)
			w.must(err)
			if strings.Join(names, " ") == want {
				break
			}
			select {
			case <-look:
			case <-w.ctx.Done():
				w.t.Fatalf("%s: ours are %v", when, names)
			}
		}
		live, err := w.resource("nodes", "").Get(w.ctx, "node-2", metav1.GetOptions{})
		w.must(err)
		if live.GetLabels()["role/f"] != "enabled" || len(live.GetManagedFields()) == 0 {
			w.t.Errorf("%s: it has the labels %v", when, live.GetLabels())
		}
	}
	w.converge(d, target, told)
	shows("made", "node-2")
	for range 2 {
		w.must(d.Disown(w.ctx, unit.Target{Address: target.Address, Locator: target.Locator}))
	}
	shows("forgotten", "")
	if state := w.observe(d, target); state.Owned {
		w.t.Errorf("forgotten: %+v", state)
	}
	if diff := w.compare(d, target); diff.Action != unit.ActionAdopt {
		w.t.Errorf("forgotten: %+v", diff)
	}
	w.converge(d, target, told)
	shows("with a block again", "node-2")
	gone := unit.Target{Address: target.Address, Locator: target.Locator}
	if state, err := d.Delete(w.ctx, gone, w.observe(d, gone)); err != nil || !state.Gone() {
		w.t.Errorf("deleted: %+v, %v", state, err)
	}
	if names, err := w.cluster.Bearing(w.ctx, "role/f", "enabled"); err != nil || len(names) > 0 {
		w.t.Errorf("deleted: %v bear the label, %v", names, err)
	}
}
