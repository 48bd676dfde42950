//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestEvents has what happens to a cloud told by events of what shows it, where kubectl looks for them, with the rights that
// deploy/ gives the daemon; one that waits for the lease tells nothing.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	w.Deployer(t, "openstack")
	note := "\nmanifest \"note\" {\n  objects    = { apiVersion = \"v1\", kind = \"ConfigMap\", metadata = { name = \"note\", namespace = \"notes\" }, data = { text = \"as written\" } }\n  depends_on = [manifest.space]\n}\n"
	w.Describe(t, "edge.hcl", polledRarely+note)
	good := w.Push(t, "Describe what https://"+world.User+":"+world.Password+"@git.example.org has") // somebody is careless
	p := w.Proxies(t)
	p.StartDaemon(t, "first")
	w.AwaitVerdict(t, converges, "converged", good)
	w.StartDaemon(t, "second")

	// seen are the events, the cloud's and others, as reason and message; each has to be one that kubectl describe finds.
	seen := func() (all []string) {
		events, err := w.Cluster.Client().CoreV1().Events(metav1.NamespaceDefault).List(t.Context(), metav1.ListOptions{FieldSelector: "source=kupenstackd"})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events.Items {
			if of := e.InvolvedObject; of.APIVersion != "kupenstack.io/v1alpha1" || of.UID == "" || of.Namespace != "" || of.Name != "edge" || len(e.Message) > 1024 {
				t.Errorf("an event of %+v: %s", of, e.Message)
			}
			w.NoSecrets(t, "an event", e.Message)
			all = append(all, e.Type+" "+e.Reason+" "+e.Message)
		}
		return all
	}
	await := func(begins string) {
		t.Helper()
		world.Await(t, reacts, func() (bool, string) {
			all := seen()
			return slices.ContainsFunc(all, func(e string) bool { return strings.HasPrefix(e, begins) }), fmt.Sprintf("no event begins with %q: %q", begins, all)
		})
	}
	await(corev1.EventTypeNormal + " RevisionInForce commit " + good[:12] + " (Describe what https://(sensitive)@git.example.org has) is in force")

	patch := []byte(`{"data":{"text":"edited"}}`)
	if _, err := w.Cluster.Client().CoreV1().ConfigMaps("notes").Patch(t.Context(), "note", types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "somebody"}); err != nil {
		t.Fatal(err)
	}
	await(corev1.EventTypeNormal + " DriftRepaired drift of manifest.note was repaired")

	note = strings.Replace(note, "as written", "as written anew", 1)
	w.Describe(t, "edge.hcl", polledRarely+note)
	shownOnce := shownWhileWatchesExpire(t, p, func() string { return w.Push(t, "Write it anew") })
	await(corev1.EventTypeNormal + " RevisionInForce commit " + shownOnce[:12] + " (Write it anew) is in force")

	w.Describe(t, "edge.hcl", polledRarely+note+"\nnonsense \"x\" {}\n")
	bad := w.Push(t, "Break it")
	await(corev1.EventTypeWarning + " RevisionRefused commit " + bad[:12] + " (Break it) is not applied: ")

	before := seen()
	if n := len(slices.DeleteFunc(slices.Clone(before), func(e string) bool { return !strings.Contains(e, shownOnce[:12]+" (") })); n != 1 {
		t.Errorf("that %s is in force is told %d times: %q", shownOnce, n, before)
	}
	polls := time.Now().Add(3 * time.Second) // several, each of which finds the same
	world.Await(t, reacts, func() (bool, string) { return time.Now().After(polls), "" })
	if after := seen(); !slices.Equal(before, after) {
		t.Errorf("while nothing changed events became %q, from %q", after, before)
	}
	// What is looked through for secrets at the end of each test that starts a daemon has them.
	told, err := w.ToldInCluster(t.Context())
	for _, want := range []string{"OpenStackControlPlane edge: map", "OpenStackControlPlane /edge: RevisionInForce: commit " + good[:12], "DriftRepaired", "RevisionRefused"} {
		if err != nil || !strings.Contains(told, want) {
			t.Errorf("what the cluster tells has no %q, %v:\n%s", want, err, told)
		}
	}
	own := w.Conduct(t)[world.Daemon]
	if len(own.Refused) > 0 || own.Used[world.Right{Verb: "create", Resource: "events", Namespace: metav1.NamespaceDefault}] != len(before) {
		t.Errorf("the daemon was refused %q, and wrote of %d events %v", own.Refused, len(before), own.Used)
	}
}

// shownWhileWatchesExpire pushes a commit, and while it is written that this is in force the watch of what shows it expires, and
// the next one is told at once that its version is too old.
func shownWhileWatchesExpire(t *testing.T, p *world.Proxies, push func() string) (commit string) {
	t.Helper()
	const clouds = "/apis/kupenstack.io/v1alpha1/openstackcontrolplanes"
	watches, free := faultproxy.Match{Proxy: p.Kubernetes, Verb: "watch", Path: clouds}, make(chan struct{})
	write := p.Add(faultproxy.Rule{
		Match: faultproxy.Match{Proxy: p.Kubernetes, Verb: "patch", Path: clouds + "/{name}/status"}, Limit: 1,
		Action: faultproxy.Wrap("held", func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-free:
					next.ServeHTTP(w, r)
				case <-r.Context().Done():
					panic(http.ErrAbortHandler)
				}
			})
		}),
	})
	defer write.Remove()
	commit = push()
	world.Await(t, reacts, func() (bool, string) { return write.Fired() == 1, "the status is not written" })
	gone := p.Add(faultproxy.Rule{Match: watches, Limit: 1, Action: faultproxy.AnswerKubernetes(http.StatusGone, metav1.StatusReasonExpired, "too old resource version", 0)})
	defer gone.Remove()
	if p.ExpireWatches(watches) == 0 {
		t.Error("nothing is watched")
	}
	world.Await(t, reacts, func() (bool, string) { return gone.Fired() == 1, "nothing is watched anew" })
	close(free)
	return commit
}
