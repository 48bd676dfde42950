package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// api is as much of a cluster as it takes to find out who is in charge, and to be in charge for a moment.
type api struct {
	mutex  sync.Mutex
	lease  *coordinationv1.Lease // nil while there is none
	writes []string
	stored map[string]map[string]any // Secrets by path
	keeps  bool                      // the inventory is there for later commands, too
	other  string                    // when set, the namespace of another installation
	noted  string                    // what the namespace has for the id of the installation
	meant  string                    // the cluster that a copy may go on in, as the namespace has it
	uid    string                    // when set, that of the cluster

	asked   chan struct{} // when set, told once that somebody asked for a lease that another one holds
	holds   string        // when set, the first request with this method that changes something is told
	held    chan struct{} // to held, and not answered before
	release chan struct{} // is closed
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("watch") != "" {
		watch(w, r)
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	changes := r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == ""
	if changes {
		a.writes = append(a.writes, r.Method+" "+r.URL.Path)
	}
	if changes && r.Method == a.holds {
		a.holds = ""
		a.mutex.Unlock()
		a.held <- struct{}{}
		<-a.release
		a.mutex.Lock()
	}
	const leases = "/apis/coordination.k8s.io/v1/namespaces/kupenstack-system/leases"
	list := func(kind, version string) map[string]any {
		return map[string]any{"kind": kind, "apiVersion": version, "metadata": map[string]any{"resourceVersion": "1"}, "items": []any{}}
	}
	resource := func(name, kind string, namespaced bool) map[string]any {
		return map[string]any{"name": name, "kind": kind, "namespaced": namespaced, "verbs": []string{"get", "list", "watch"}}
	}
	switch path := r.URL.Path; {
	case path == "/version":
		answer(w, map[string]any{"major": "1", "minor": "34"})
	case path == "/api":
		answer(w, map[string]any{"kind": "APIVersions", "versions": []string{"v1"}})
	case path == "/apis":
		answer(w, map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}})
	case path == "/api/v1":
		answer(w, map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
			resource("secrets", "Secret", true), resource("nodes", "Node", false), resource("namespaces", "Namespace", false),
		}})
	case path == "/api/v1/namespaces/kupenstack-system":
		if r.Method == http.MethodPatch {
			var sent metav1.PartialObjectMetadata
			_ = json.NewDecoder(r.Body).Decode(&sent) // without it nothing is noted
			a.noted = sent.Annotations["kupenstack.io/installation"]
		}
		notes := map[string]any{}
		for name, value := range map[string]string{"installation": a.noted, "take-over": a.meant} {
			if value != "" {
				notes["kupenstack.io/"+name] = value
			}
		}
		answer(w, map[string]any{"kind": "Namespace", "apiVersion": "v1", "metadata": map[string]any{"name": "kupenstack-system", "annotations": notes}})
	case path == "/api/v1/namespaces/kube-system" && a.uid != "":
		answer(w, map[string]any{"kind": "Namespace", "apiVersion": "v1", "metadata": map[string]any{"name": "kube-system", "uid": a.uid}})
	case strings.HasSuffix(path, "/secrets") && r.Method == http.MethodPost:
		a.store(w, r)
	case path == "/api/v1/secrets" && a.other != "" && r.URL.Query().Get("fieldSelector") == "metadata.name=kupenstack-installation":
		found := list("SecretList", "v1")
		found["items"] = []any{map[string]any{"metadata": map[string]any{"name": "kupenstack-installation", "namespace": a.other}}}
		answer(w, found)
	case path == installationPath && r.Method == http.MethodPatch:
		var sent struct{ Data map[string]any }
		_ = json.NewDecoder(r.Body).Decode(&sent) // without it nothing is written
		maps.Copy(a.stored[path]["data"].(map[string]any), sent.Data)
		answer(w, a.stored[path])
	case a.keeps && r.Method == http.MethodPut && a.stored[path] != nil:
		r.URL.Path = path[:strings.LastIndexByte(path, '/')]
		a.store(w, r)
	case strings.HasSuffix(path, "/secrets"):
		found := list("SecretList", "v1")
		selector := r.URL.Query().Get("labelSelector")
		if a.keeps && (strings.HasPrefix(selector, "kupenstack.io/inventory") || selector == "app.kubernetes.io/managed-by=kupenstack" && path == "/api/v1/secrets") {
			found["items"] = a.shards()
		}
		answer(w, found)
	case a.stored[path] != nil:
		answer(w, a.stored[path])
	case path == "/api/v1/nodes":
		answer(w, list("NodeList", "v1"))
	case path == "/api/v1/namespaces":
		answer(w, list("NamespaceList", "v1"))
	case strings.HasPrefix(path, leases) && r.Method != http.MethodGet:
		a.take(w, r.Body)
	case path == leases+"/kupenstack" && a.lease != nil:
		answer(w, a.lease)
		if a.asked != nil {
			close(a.asked)
			a.asked = nil
		}
	default:
		w.WriteHeader(http.StatusNotFound)
		answer(w, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": http.StatusNotFound})
	}
}

// watch tells of nothing for as long as somebody listens.
func watch(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		kind := map[string]string{"secrets": "Secret", "nodes": "Node", "namespaces": "Namespace"}[path.Base(r.URL.Path)]
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "BOOKMARK", "object": map[string]any{
			"kind": kind, "apiVersion": "v1",
			"metadata": map[string]any{"resourceVersion": "1", "annotations": map[string]any{metav1.InitialEventsAnnotationKey: "true"}},
		}})
	}
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// store keeps a Secret.
func (a *api) store(w http.ResponseWriter, r *http.Request) {
	var object map[string]any
	if err := json.NewDecoder(r.Body).Decode(&object); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	metadata := object["metadata"].(map[string]any)
	metadata["resourceVersion"], metadata["uid"] = "2", "u"
	if a.stored == nil {
		a.stored = map[string]map[string]any{}
	}
	a.stored[fmt.Sprintf("%s/%v", r.URL.Path, metadata["name"])] = object
	answer(w, object)
}

// shards are the stored Secrets that hold the inventory.
func (a *api) shards() []any {
	found := []any{}
	for _, path := range slices.Sorted(maps.Keys(a.stored)) {
		if strings.Contains(path, "/kupenstack-inventory-") {
			found = append(found, a.stored[path])
		}
	}
	return found
}

// changed are the writes that are none of the lease.
func (a *api) changed() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	var found []string
	for _, write := range a.writes {
		if !strings.Contains(write, "/leases") {
			found = append(found, write)
		}
	}
	return found
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// hold lets somebody hold the lease who renewed it at that time. Who watches it does not see it expire while a
// test takes its time.
func (a *api) hold(who string, renewed time.Time) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	at := metav1.NewMicroTime(renewed)
	a.lease = &coordinationv1.Lease{
		TypeMeta:   metav1.TypeMeta{Kind: "Lease", APIVersion: "coordination.k8s.io/v1"},
		ObjectMeta: metav1.ObjectMeta{Name: "kupenstack", Namespace: "kupenstack-system", ResourceVersion: "1"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &who, LeaseDurationSeconds: new(int32(3600)), AcquireTime: &at, RenewTime: &at},
	}
}

func (a *api) holder() string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return *a.lease.Spec.HolderIdentity
}

// take stores a lease in whatever form it comes.
func (a *api) take(w http.ResponseWriter, body io.Reader) {
	content, err := io.ReadAll(body)
	if err == nil {
		a.lease = &coordinationv1.Lease{}
		_, _, err = scheme.Codecs.UniversalDeserializer().Decode(content, nil, a.lease)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.lease.TypeMeta = metav1.TypeMeta{Kind: "Lease", APIVersion: "coordination.k8s.io/v1"}
	answer(w, a.lease)
}

// flagsFor are those that lead to a repository and a cluster.
func flagsFor(t *testing.T, repository *gitserver.Repository, server *httptest.Server) []string {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "kubeconfig")
	text := "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n" +
		"clusters: [{name: c, cluster: {server: \"" + server.URL + "\"}}]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--repo=file://" + repository.Dir, "--kubeconfig=" + config, "--cache-dir=" + filepath.Join(dir, "cache")}
}

// A pass over a commit with mistakes changes nothing, and has the report name the commit unless somebody
// else is in charge.
func TestPassReportsABrokenCommit(t *testing.T) {
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	bad := repository.Commit(t, map[string]string{"main.hcl": "network \"x\" {\n  colour = \"red\"\n}\n"}, "Break it")
	cluster := &api{}
	server := httptest.NewServer(cluster)
	defer server.Close()
	where := flagsFor(t, repository, server)
	pass := func(more ...string) string {
		t.Helper()
		args := append(slices.Clone(where), more...)
		if code, out := call(t, "", args...); code != exitInvalid {
			t.Fatalf("it ends with %d:\n%s", code, out)
		}
		return repository.Hash(t, reports)
	}

	cluster.hold("kupenstackd_1", time.Now().Add(time.Hour)) // it is alive for as long as the pass takes
	if hash := pass(); hash != "" || len(cluster.writes) > 0 {
		t.Errorf("beside a daemon it reported %s and wrote %q", hash, cluster.writes)
	}
	cluster.hold("", time.Now())
	if hash := pass("--status-branch="); hash != "" || len(cluster.writes) > 0 {
		t.Errorf("without a status branch it reported %s and wrote %q", hash, cluster.writes)
	}
	first := pass()
	if first == "" {
		t.Fatal("it did not report")
	}
	files := repository.Tree(t, reports)
	for name, wants := range map[string][]string{
		"README.md":   {bad[:7], "main.hcl:2", "invalid"},
		"status.json": {bad, `"verdict": "invalid"`, "no revision is in force"},
	} {
		for _, want := range wants {
			if !strings.Contains(files[name], want) {
				t.Errorf("%s has no %q:\n%s", name, want, files[name])
			}
		}
	}
	if holder := cluster.holder(); holder != "" {
		t.Errorf("the lease is left to %v", holder)
	}
	for _, write := range cluster.writes {
		if !strings.Contains(write, "/leases") {
			t.Errorf("it wrote %s", write)
		}
	}
	if again := pass(); again != first {
		t.Errorf("what is reported already is reported again: %s after %s", again, first)
	}
	server.Close()
	repository.Commit(t, map[string]string{"other.hcl": "nonsense {"}, "Break more")
	if hash := pass(); hash != first {
		t.Error("it reported without knowing who is in charge")
	}
}
