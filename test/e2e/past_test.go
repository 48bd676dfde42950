//go:build beds

package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// recordVariable names the kupenstackd of an older program, for [TestStateOfAnOlderProgram] to write into a file beside the
// others what that leaves in a cluster, in place of reading them. Files are named by the day of the program, added to, and never changed to
// please a newer one: that has to read what is stored in clusters.
const (
	recordVariable = "KUPENSTACK_RECORD_PAST"
	pastFiles      = "testdata/past/*.yaml"

	shownGroup = "kupenstack.io"
)

// pastCloud is what the older programs were given. It is never changed, as what they wrote is of it.
const pastCloud = `cloud "prod" {
  release   = "2026.1"
  region    = "RegionOne"
  namespace = "openstack"

  charts {
    repository = "charts"
  }

  service "memcached" {}
}

profile "dense" {
  service "nova" {
    conf = { nova = { DEFAULT = { cpu_allocation_ratio = 1 } } }
  }
}

node "node-1" {
  roles   = ["control-plane", "compute"]
  profile = profile.dense
}

manifest "notes" {
  objects = [
    { apiVersion = "v1", kind = "Namespace", metadata = { name = "notes" } },
    { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "one", namespace = "notes" }, data = { text = "one" } },
  ]
}
`

// TestStateOfAnOlderProgram has a daemon start in clusters in which older programs have left all that they write there: what they
// recorded, the four kinds that show how things stand, a release, labels of a node and a manifest. It takes all of that
// over: each object is the one that was there, the revisions of the release stand, nothing is on record twice or not any more, and
// conditions that say the same keep their times. After that it does its work with them, to the end of them.
func TestStateOfAnOlderProgram(t *testing.T) {
	if old := os.Getenv(recordVariable); old != "" {
		recordPast(t, old)
		return
	}
	t.Parallel()
	files, err := filepath.Glob(pastFiles)
	if err != nil || len(files) == 0 {
		t.Fatal("nothing is kept of older programs", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := newPast(t)
			p.restore(t, text)
			p.takeOver(t)
		})
	}
}

// past is a cluster in which an older program was at work.
type past struct {
	*world.World
	client   dynamic.Interface
	restored []*unstructured.Unstructured
}

func newPast(t *testing.T) *past {
	t.Helper()
	w := world.WithoutOpenStack(t)
	w.Describe(t, "cloud.hcl", pastCloud)
	client, err := dynamic.NewForConfig(w.Cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return &past{World: w, client: client}
}

// of returns where objects of a kind are, once the server has that kind.
func (p *past) of(t *testing.T, object *unstructured.Unstructured) dynamic.ResourceInterface {
	t.Helper()
	var mapping *meta.RESTMapping
	world.Await(t, reacts, func() (bool, string) {
		groups, err := restmapper.GetAPIGroupResources(p.Cluster.Client().Discovery())
		if err != nil {
			return false, err.Error()
		}
		kind := object.GroupVersionKind()
		mapping, err = restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(kind.GroupKind(), kind.Version)
		return err == nil, fmt.Sprint(err)
	})
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return p.client.Resource(mapping.Resource).Namespace(object.GetNamespace())
	}
	return p.client.Resource(mapping.Resource)
}

// recordPast has the older program do its work, and writes what it leaves.
func recordPast(t *testing.T, old string) {
	t.Helper()
	p := newPast(t)
	p.Daemon = old
	commit := p.Push(t, "Describe the cloud")
	daemon := p.StartDaemon(t, "old")
	p.AwaitVerdict(t, converges, "converged", commit)
	world.Await(t, reacts, func() (bool, string) {
		for _, object := range p.left(t) {
			if kind := object.GetKind(); object.GroupVersionKind().Group == shownGroup && kind != "OpenStackCloudConfigurationProfile" && len(conditions(object)) == 0 {
				return false, kind + " " + object.GetName() + " says nothing yet"
			}
		}
		return true, ""
	})
	if err := daemon.Stop(t.Context(), reacts); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, object := range p.left(t) {
		content, err := yaml.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n" + string(content))
	}
	if err := os.MkdirAll(filepath.Dir(pastFiles), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(pastFiles), "recorded.yaml"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// leftKinds are the resources that a daemon writes to, by where objects of them are, in the order in which they can be made.
func leftKinds() []schema.GroupVersionResource {
	return []schema.GroupVersionResource{
		{Version: "v1", Resource: "namespaces"},
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
		{Group: "kupenstack.io", Version: "v1alpha1", Resource: "openstackcloudconfigurationprofiles"},
		{Group: "kupenstack.io", Version: "v1alpha1", Resource: "openstackcontrolplanes"},
		{Group: "kupenstack.io", Version: "v1alpha1", Resource: "openstacknodes"},
		{Group: "kupenstack.io", Version: "v1alpha1", Resource: "openstackservices"},
		{Version: "v1", Resource: "nodes"},
		{Version: "v1", Resource: "serviceaccounts"},
		{Version: "v1", Resource: "secrets"},
		{Version: "v1", Resource: "configmaps"},
		{Version: "v1", Resource: "services"},
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Group: "apps", Version: "v1", Resource: "statefulsets"},
	}
}

// left are the objects that a program has written to, as the server has them, without what is of this server alone.
func (p *past) left(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for _, resource := range leftKinds() {
		list, err := p.client.Resource(resource).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			object := &list.Items[i]
			wrote := func(f metav1.ManagedFieldsEntry) bool {
				return strings.HasPrefix(f.Manager, "kupenstack") || f.Manager == "helm"
			}
			if !slices.ContainsFunc(object.GetManagedFields(), wrote) {
				continue
			}
			object.SetManagedFields(slices.DeleteFunc(object.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return !wrote(f) }))
			for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp"} {
				unstructured.RemoveNestedField(object.Object, "metadata", field)
			}
			if object.GroupVersionKind().Group != shownGroup {
				unstructured.RemoveNestedField(object.Object, "status")
			}
			if object.GetKind() == "Node" {
				delete(object.Object, "spec")
			}
			for _, field := range []string{"clusterIP", "clusterIPs"} {
				unstructured.RemoveNestedField(object.Object, "spec", field)
			}
			all = append(all, object)
		}
	}
	return all
}

// restore puts into the cluster what a program has left in another one, with what was written by whom.
func (p *past) restore(t *testing.T, text []byte) {
	t.Helper()
	for _, document := range strings.Split(string(text), "---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			t.Fatal(err)
		}
		if len(object.Object) == 0 {
			continue
		}
		p.put(t, object)
		p.restored = append(p.restored, object)
	}
}

// put makes an object, or adds to the one that is there what was written to it.
func (p *past) put(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	of, writers := p.of(t, object), object.GetManagedFields()
	made := object.DeepCopy()
	made.SetManagedFields(nil)
	live, err := of.Create(t.Context(), made, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		if live, err = of.Get(t.Context(), object.GetName(), metav1.GetOptions{}); err != nil {
			t.Fatal(err)
		}
		writers = append(live.GetManagedFields(), writers...)
		live.SetLabels(joined(live.GetLabels(), object.GetLabels()))
		live.SetAnnotations(joined(live.GetAnnotations(), object.GetAnnotations()))
		live, err = of.Update(t.Context(), live, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
	if status, says := object.Object["status"]; says {
		live.Object["status"] = status
		if _, err = of.UpdateStatus(t.Context(), live, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"managedFields": writers}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.Patch(t.Context(), object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

func joined(a, b map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// takeOver has the program of today go on.
func (p *past) takeOver(t *testing.T) {
	t.Helper()
	was := map[*unstructured.Unstructured]*unstructured.Unstructured{}
	for _, object := range p.restored {
		was[object] = p.get(t, object)
	}
	commit := p.Push(t, "Describe the cloud")
	p.StartDaemon(t, "new")
	p.AwaitVerdict(t, converges, "converged", commit)
	same := 0
	for _, object := range p.restored {
		is, before := p.get(t, object), was[object]
		if is == nil || is.GetUID() != before.GetUID() {
			t.Errorf("%s %s is not the one that was there", object.GetKind(), object.GetName())
			continue
		}
		now := conditions(is)
		for kind, then := range conditions(object) {
			if now[kind] == nil || now[kind]["status"] != then["status"] {
				continue // a program of today may say something else
			}
			if same++; now[kind]["lastTransitionTime"] != then["lastTransitionTime"] {
				t.Errorf("%s %s: the condition %s has another time: %v, and was %v", object.GetKind(), object.GetName(), kind, now[kind], then)
			}
		}
	}
	if same == 0 {
		t.Error("of all conditions none says what it said before, so that their times prove nothing")
	}
	if r := p.Run(t, reacts, "plan"); r.Code != 0 {
		t.Errorf("there is still something to do: %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}

	// It is ours: what somebody changes is put back, and what is taken out goes.
	configs := p.Cluster.Client().CoreV1().ConfigMaps("notes")
	if _, err := configs.Patch(t.Context(), "one", types.MergePatchType, []byte(`{"data":{"text":"edited"}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	world.Await(t, reacts, func() (bool, string) {
		one, err := configs.Get(t.Context(), "one", metav1.GetOptions{})
		return err == nil && one.Data["text"] == "one", fmt.Sprint(one.Data, err)
	})
	p.Files.Cut(t, "cloud.hcl", `node "node-1" {`)
	p.Files.Cut(t, "cloud.hcl", `manifest "notes" {`)
	p.AwaitVerdict(t, converges, "converged", p.Push(t, "Take a node and a manifest out"))
	for _, object := range p.restored {
		is := p.get(t, object)
		switch in, kind := object.GetNamespace(), object.GetKind(); {
		case in == "notes" && is != nil:
			t.Errorf("%s %s is still there", kind, object.GetName())
		case in == "notes", object.GetName() == "notes":
		case is == nil:
			t.Errorf("%s %s is gone", kind, object.GetName())
		case kind == "Node" && is.GetLabels()["openstack-compute-node"] != "":
			t.Errorf("the node still has the labels %v", is.GetLabels())
		}
	}
}

// get returns an object as it is, nil where it is not there.
func (p *past) get(t *testing.T, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	live, err := p.of(t, object).Get(t.Context(), object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return live
}

// conditions are what an object says, by type.
func conditions(object *unstructured.Unstructured) map[string]map[string]any {
	all := map[string]map[string]any{}
	list, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, one := range list {
		condition, _ := one.(map[string]any)
		all[fmt.Sprint(condition["type"])] = condition
	}
	return all
}
