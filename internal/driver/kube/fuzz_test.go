package kube

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// fuzzServer is an API server in the process: it has a ConfigMap, and answers one path with whatever body says.
type fuzzServer struct {
	path string
	body []byte
}

const (
	fuzzedMaps    = "/api/v1/namespaces/n/configmaps"
	fuzzedSecrets = "/api/v1/namespaces/n/secrets"
)

func (s *fuzzServer) RoundTrip(r *http.Request) (*http.Response, error) {
	body := s.body
	if r.URL.Path != s.path {
		body = []byte(map[string]string{
			"/api/v1":            `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true},{"name":"secrets","kind":"Secret","namespaced":true}]}`,
			fuzzedMaps:           `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a","namespace":"n"}}]}`,
			fuzzedMaps + "/a":    `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n"},"data":{"k":"v"}}`,
			fuzzedSecrets:        `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"kupenstack-inventory-entries-0","namespace":"n"},"data":{"inventory":"e30="}}]}`,
			"/api/v1/configmaps": `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}`,
		}[r.URL.Path])
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), Request: r,
	}, nil
}

// FuzzAnswers has an API server answer anything that is no error to whoever asks for kinds, for an object, for names, or for the
// inventory. Whatever it is, an object that is there is not absent, an inventory is not empty, and no list goes on for ever.
func FuzzAnswers(f *testing.F) {
	paths := []string{"/api/v1", fuzzedMaps + "/a", fuzzedMaps, fuzzedSecrets}
	for i := range paths {
		for _, text := range []string{
			``, `null`, `{}`, `[]`, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`, `{"kind":"Status","apiVersion":"v1"}`,
			`{"kind":"APIResourceList","groupVersion":"v1","resources":null}`, `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}`,
			`{"kind":"APIResourceList","groupVersion":"v1","resources":[{}]}`, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n"}}`, `{"kind":"ConfigMap","apiVersion":"v1","metadata":[]}`,
			`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b","namespace":"n"},"data":{"k":"canary"}}`, `{"kind":"ConfigMapList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`,
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"continue":"more"},"items":[]}`, `{"kind":"Other","apiVersion":"x/v1"}`,
			`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b","namespace":"n","resourceVersion":"1"}}`,
			`{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`, `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1","continue":"more"},"items":[]}`,
			`{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[null,{"metadata":{"name":"kupenstack-inventory-entries-0"},"data":{"inventory":7}}]}`,
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1"},"items":[null,{"metadata":{"name":"a","namespace":"n","managedFields":[{"fieldsV1":7}]}}]}`,
		} {
			f.Add(uint8(i), []byte(text))
		}
	}
	ref := unit.ObjectRef{APIVersion: "v1", Kind: "ConfigMap", Namespace: "n", Name: "a"}
	f.Fuzz(func(t *testing.T, n uint8, answer []byte) {
		which := int(n) % len(paths)
		s := &fuzzServer{path: paths[which], body: answer}
		c, err := New(Options{Access: NewAccess(&rest.Config{Host: "http://cluster.example.org", Transport: s}), Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		object, err := c.Confirm(t.Context(), ref)
		switch {
		case object == nil && err == nil && (which != 0 || !isKinds(answer)):
			t.Errorf("what is there is absent by %q", answer)
		}
		if which == 0 {
			return
		}
		names, known := c.names(t.Context(), watchKey{apiVersion: "v1", kind: "ConfigMap", namespace: "n"})
		if which == 2 && known && !names["a"] && !isNames(answer) {
			t.Errorf("names are known by %q", answer)
		}
		shards, err := c.Shards("n").Load(t.Context())
		if empty := err == nil && len(shards) == 0; empty && (which != 3 || !isEmptyOfShards(answer)) {
			t.Errorf("the inventory is empty by %q", answer)
		}
	})
}

// isEmptyOfShards tells whether an answer is a whole list of Secrets, none of which is a part of the inventory.
func isEmptyOfShards(answer []byte) bool {
	list := &unstructured.UnstructuredList{}
	if json.Unmarshal(answer, &list.Object) != nil || list.GetKind() != "SecretList" || list.GetResourceVersion() == "" || list.GetContinue() != "" {
		return false
	}
	items, _ := list.Object["items"].([]any)
	for _, item := range items {
		name, _, _ := unstructured.NestedString(map[string]any{"of": item}, "of", "metadata", "name")
		if strings.HasPrefix(name, shardPrefix) {
			return false
		}
	}
	return true
}

// isKinds tells whether an answer is a list of kinds.
func isKinds(answer []byte) bool {
	var list metav1.APIResourceList
	return json.Unmarshal(answer, &list) == nil && list.Kind == "APIResourceList" && list.GroupVersion == "v1"
}

// isNames tells whether an answer is the last page of a list of objects.
func isNames(answer []byte) bool {
	var list metav1.PartialObjectMetadataList
	return json.Unmarshal(answer, &list) == nil && strings.HasSuffix(list.Kind, "List") && list.Continue == "" && list.ResourceVersion != ""
}

// fuzzedObjects are objects as they are wanted, each of a kind that is looked at in a way of its own.
func fuzzedObjects() []string {
	return []string{
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n","labels":{"l":"1"},"finalizers":["f"]},"data":{"k":"v"}}`,
		`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"n"},"stringData":{"k":"v"}}`,
		`{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"n"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},` +
			`"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"E","value":"1"},{"name":"E","value":"2"}],"ports":[{"containerPort":80}],"resources":{"requests":{"cpu":"1000m"}}}],"tolerations":[{"key":"x"}]}}}}`,
		`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a","namespace":"n"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}],"restartPolicy":"Never"}}}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"n"},"spec":{"containers":[{"name":"c","image":"i"}]}}`,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"a","namespace":"n"},"spec":{"parentRefs":[{"name":"g"}]},"status":{"parents":[]}}`,
		`{"apiVersion":"ceph.rook.io/v1","kind":"CephCluster","metadata":{"name":"a","namespace":"n"},"spec":{}}`,
		`{"apiVersion":"kupenstack.io/v1alpha1","kind":"OpenstackNode","metadata":{"name":"a"},"spec":{}}`,
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a"},"spec":{"group":"g","names":{"kind":"K"}}}`,
		`{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"name":"a","namespace":"n"},"spec":{"secretName":"s"}}`,
	}
}

// FuzzObjects has an object that is wanted be anything as it is there: what somebody wrote, with the marks of whoever.
// Whatever it is, the same is said of it twice, nothing that is secret is shown, and one that is there is not absent.
func FuzzObjects(f *testing.F) {
	wants := fuzzedObjects()
	for i, text := range wants {
		f.Add(uint8(i), []byte(text))
	}
	for _, text := range []string{
		`{"metadata":{"managedFields":[{"manager":"kubectl","operation":"Update","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{}}},{"manager":"kupenstack-nodes","operation":"Apply","fieldsV1":{"f:metadata":{"f:labels":{"f:a":{}}}}}],` +
			`"labels":{"a":"1"},"annotations":{"kupenstack.io/unit":"objects.x","kupenstack.io/applied":"0","kubectl.kubernetes.io/last-applied-configuration":"{}"}},"data":{"k":"secret-canary"}}`,
		`{"metadata":{"managedFields":[null,7,{"manager":7,"fieldsV1":[]}],"annotations":{"a":1},"labels":[],"finalizers":[{}],"deletionTimestamp":"x","generation":"1"},"spec":7,"status":[],"data":[]}`,
		`{"spec":{"template":{"spec":{"containers":[null,{"name":7},{"name":"c","env":[{"name":"E"},{}],"ports":[7]}],"tolerations":{}}},"selector":[],"replicas":"1","parentRefs":[7,null]},"status":{"conditions":[null,{"type":7,"status":"True"},{"type":"Failed","status":"True","message":"secret-canary"}],"failed":-1,"phase":7,"parents":[null,{"conditions":[7]}],"replicas":1.5}}`,
		`{"status":{"conditions":[{"type":"Ready","status":"False","message":"secret-canary"}],"phase":"Failed","message":"secret-canary","observedGeneration":3}}`,
	} {
		for i := range wants {
			f.Add(uint8(i), []byte(text))
		}
	}
	address, err := addr.ParseObject("objects.x")
	if err != nil {
		f.Fatal(err)
	}
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret("secret-canary"))
	f.Fuzz(func(t *testing.T, n uint8, text []byte) {
		var want, there map[string]any
		if err := json.Unmarshal([]byte(wants[int(n)%len(wants)]), &want); err != nil {
			t.Fatal(err)
		}
		live := &unstructured.Unstructured{Object: map[string]any{}}
		if json.Unmarshal(text, &there) != nil || there == nil {
			return
		}
		there["apiVersion"], there["kind"] = want["apiVersion"], want["kind"]
		whole, err := json.Marshal(there)
		if err != nil || live.UnmarshalJSON(whole) != nil { // which reads numbers as the client does
			return
		}
		once := strip(live.DeepCopy())
		if twice := strip(once.DeepCopy()); !reflect.DeepEqual(once.Object, twice.Object) {
			t.Errorf("stripped once it is %v, twice %v", once.Object, twice.Object)
		}
		if !sameContent(once, once) || !sameWish(once, once) {
			t.Error("it differs from itself")
		}
		c := &Cluster{masker: masker, log: zerolog.Nop()}
		told := func() string {
			health, message := c.Health(once)
			fields := c.Compare(&unstructured.Unstructured{Object: want}, once)
			status := c.compareStatus(&unstructured.Unstructured{Object: want}, once)
			return fmt.Sprintf("%s %q %+v %+v %+v", health, message, fields, status, sayingOf(once))
		}
		first := told()
		if again := told(); again != first {
			t.Errorf("it is told\n%s\nand then\n%s", first, again)
		}
		shown, _, _ := strings.Cut(first, " {Status:") // what sayingOf reads is ours, or is written over
		if strings.Contains(shown, "secret-canary") {
			t.Errorf("a secret is shown: %s", first)
		}
		stateOf(t, c, address, want, once)
	})
}

// stateOf looks at the object as part of a set, of a node, and of a Secret.
func stateOf(t *testing.T, c *Cluster, address addr.Object, want map[string]any, live *unstructured.Unstructured) {
	t.Helper()
	node := &nodeLabels{cluster: c, name: "a", spec: &unit.Node{Name: "a", Labels: map[string]string{"a": "1"}}}
	state, err := node.state(t.Context(), objects{node.ref(): live})
	if err != nil || state.Existence != unit.Present {
		t.Errorf("a node that is there: %+v, %v", state, err)
	}
	if diff := node.compare(state); diff.Action == unit.ActionUnknown {
		t.Errorf("a node that is known: %+v", diff)
	}
	set := newObjectSet(c, newTroubles(), unit.Target{Address: address}, &unit.Objects{Items: []map[string]any{want}})
	item := set.items[0]
	if set.done(item, live) || set.ours(live) || item.applied(live) {
		return
	}
	seen := &seenObjects{there: objects{item.ref: live}, digest: set.digest}
	diff := set.compare(unit.State{Existence: unit.Present, Observed: seen})
	if diff.Action != unit.ActionAdopt && len(diff.Fields) > 0 {
		t.Errorf("what somebody else made is taken for ours: %+v", diff)
	}
	for key, there := range valuesOf(live) {
		if value, found, err := secretValue(live, key); there && err == nil && (!found || value.IsEmpty()) {
			t.Errorf("the value %q is there and has none", key)
		}
	}
}
