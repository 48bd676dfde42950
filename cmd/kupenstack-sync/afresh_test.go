package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/await"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// joining is a cluster that a node joins once come is closed.
type joining struct {
	api
	come chan struct{}
}

func (j *joining) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path.Base(r.URL.Path) != "nodes" || r.URL.Query().Get("watch") == "" {
		j.api.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	tell := func(event string, metadata map[string]any) {
		_ = json.NewEncoder(w).Encode(map[string]any{"type": event, "object": map[string]any{"kind": "Node", "apiVersion": "v1", "metadata": metadata}})
		_ = http.NewResponseController(w).Flush()
	}
	tell("BOOKMARK", map[string]any{"resourceVersion": "1", "annotations": map[string]any{metav1.InitialEventsAnnotationKey: "true"}})
	select {
	case <-j.come:
	case <-r.Context().Done():
		return
	}
	tell("ADDED", map[string]any{"name": "worker", "uid": "u", "resourceVersion": "2", "labels": map[string]any{"rack": "1"}})
	<-r.Context().Done()
}

// TestNewestOfTheCluster: a node joined while a pass waited for the lease, and there was no push. Whoever was in charge has taken
// the node up; the pass must not take it away again.
func TestNewestOfTheCluster(t *testing.T) {
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	repository.Commit(t, map[string]string{"main.hcl": nothing + "host_aggregate \"a\" {\n  node_selector = { rack = \"1\" }\n}\n"}, "Begin")
	cluster := &joining{come: make(chan struct{})}
	server := httptest.NewServer(cluster)
	t.Cleanup(server.Close) // after the watches have ended
	p := open(t, repository, server, func() error { return nil })
	wanted, err := p.tracker.Poll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if before := desired(wanted); strings.Contains(before, "worker") {
		t.Fatalf("it is there before it has joined: %s", before)
	}
	close(cluster.come)
	await.Until(t, "the node", func() bool {
		facts, err := p.system.Facts(t.Context())
		return err == nil && len(facts.Nodes) > 0
	})
	newest, err := p.newest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if newest.ID != wanted.ID || !strings.Contains(desired(newest), "worker") {
		t.Errorf("what it takes up of %s leaves out the node that joined: %s", newest.ID, desired(newest))
	}
}

// desired is what the units of a revision want.
func desired(r *engine.Revision) string {
	var found []string
	for _, u := range r.Units {
		if resource, ok := u.Spec.(*unit.Resource); ok {
			found = append(found, fmt.Sprintf("%s %#v", u.Address, resource.Desired))
		}
	}
	return strings.Join(found, "\n")
}

// admitted is a ledger.
type admitted struct{ id string }

func (a *admitted) Admitted(context.Context) (string, error) { return a.id, nil }
func (a *admitted) Admit(context.Context, string) error      { return nil }

// TestNewestInForce: whoever was in charge while a pass waited has admitted the newest commit. Should the brakes refuse it of the
// pass, that must not go back to the commit before.
func TestNewestInForce(t *testing.T) {
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	first := repository.Commit(t, map[string]string{"main.hcl": nothing}, "Begin")
	second := repository.Commit(t, map[string]string{"main.hcl": nothing + "locals { a = 1 }\n"}, "Go on")
	server := httptest.NewServer(&api{})
	t.Cleanup(server.Close) // after the watches have ended
	p := open(t, repository, server, func() error { return nil })
	ledger := &admitted{id: first}
	p.tracker.Ledger = ledger
	wanted, err := p.tracker.Poll(t.Context())
	if err != nil || wanted == nil || wanted.ID != second || wanted.Fallback == nil || wanted.Fallback.ID != first {
		t.Fatalf("wanted is %+v, error %v", wanted, err)
	}
	ledger.id = second
	newest, err := p.newest(t.Context())
	if err != nil || newest == nil || newest.ID != second || newest.Fallback != nil {
		t.Errorf("it takes up %+v, error %v", newest, err)
	}
}
