package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

const installationPath = "/api/v1/namespaces/kupenstack-system/secrets/kupenstack-installation"

// id is that of the installation as its Secret has it, "" without one.
func (a *api) id(t *testing.T) string {
	t.Helper()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	secret := a.stored[installationPath]
	if secret == nil {
		return ""
	}
	id, err := base64.StdEncoding.DecodeString(fmt.Sprint(secret["data"].(map[string]any)["id"]))
	if err != nil {
		t.Fatal(err)
	}
	return string(id)
}

// An installation whose Secret is lost is never made anew in silence: a person has to say so.
func TestLostInstallation(t *testing.T) {
	slow.Test(t)
	store := gitserver.NewStore(t)
	for i, c := range []struct {
		name string
		lose func(a *api)
		lost string // what the message tells of it; "" when nothing is
	}{
		{"nothing", func(*api) {}, ""},
		{"the note, as older ones have none", func(a *api) { a.noted = "" }, ""},
		{"the Secret", func(a *api) { delete(a.stored, installationPath) }, "the annotation kupenstack.io/installation of the namespace tells"},
		{"all Secrets", func(a *api) { clear(a.stored) }, "the annotation kupenstack.io/installation of the namespace tells"},
		{"the Secret and the note", func(a *api) { delete(a.stored, installationPath); a.noted = "" }, "kupenstack-inventory-"},
		{"the Secret, for that of another one", func(a *api) { a.noted = "another" }, "is not that of the installation another"},
	} {
		repository := store.Create(t, fmt.Sprint("cloud-", i))
		repository.Commit(t, map[string]string{"main.hcl": nothing}, "Begin")
		cluster := &api{keeps: true}
		server := httptest.NewServer(cluster)
		where := flagsFor(t, repository, server)
		if code, out := call(t, "", where...); code != exitDone || cluster.noted == "" || cluster.noted != cluster.id(t) {
			t.Fatalf("the first pass ends with %d, the namespace has %q:\n%s", code, cluster.noted, out)
		}
		// What a real inventory would have.
		cluster.stored["/api/v1/namespaces/kupenstack-system/secrets/kupenstack-inventory-00"] = map[string]any{
			"kind": "Secret", "apiVersion": "v1", "metadata": map[string]any{"name": "kupenstack-inventory-zz", "namespace": "kupenstack-system", "resourceVersion": "1"},
			"data": map[string]any{"inventory": base64.StdEncoding.EncodeToString([]byte(`{}`))},
		}
		first := cluster.noted
		if c.lost == "" {
			delete(cluster.stored, "/api/v1/namespaces/kupenstack-system/secrets/kupenstack-inventory-00")
		}
		c.lose(cluster)
		before, noted := cluster.id(t), cluster.noted
		cluster.writes = nil
		if c.lost == "" {
			if code, out := call(t, "", where...); code != exitDone || cluster.noted != first || cluster.id(t) != first {
				t.Errorf("%s: a pass ends with %d, and %s became %s:\n%s", c.name, code, first, cluster.noted, out)
			}
			server.Close()
			continue
		}
		for _, args := range [][]string{where, append([]string{"plan"}, where...)} {
			if code, out := call(t, "", args...); code != exitBlocked || out != "" {
				t.Errorf("%s: %q ends with %d:\n%s", c.name, args[0], code, out)
			}
		}
		if len(cluster.writes) > 0 || cluster.id(t) != before || cluster.noted != noted {
			t.Errorf("%s: it wrote %q", c.name, cluster.writes)
		}
		err := ping(t, where)
		for _, want := range []string{c.lost, "restore the Secret", "kubectl annotate namespace kupenstack-system kupenstack.io/installation=new --overwrite"} {
			if !errors.Is(err, kube.ErrLost) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the daemon is told %v, want %q", c.name, err, want)
			}
		}
		// It begins anew when that is asked for. The branch has the report of the installation that was lost.
		cluster.noted = "new"
		delete(cluster.stored, "/api/v1/namespaces/kupenstack-system/secrets/kupenstack-inventory-00")
		if code, out := call(t, "", append(where, "--status-branch=anew")...); code != exitDone || cluster.noted == "new" || cluster.noted != cluster.id(t) {
			t.Errorf("%s: anew it ends with %d, the namespace has %q:\n%s", c.name, code, cluster.noted, out)
		}
		server.Close()
	}
}

// ping is what a daemon asks before it is ready.
func ping(t *testing.T, where []string) error {
	t.Helper()
	var o options
	at := slices.IndexFunc(where, func(arg string) bool { return strings.HasPrefix(arg, "--kubeconfig=") })
	o.Kubeconfig, o.Namespace = strings.TrimPrefix(where[at], "--kubeconfig="), "kupenstack-system"
	o.APIConcurrency = 1
	system, err := wire.Open(&o.Flags, "test", guard.Rights{}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer system.Close()
	system.Start(t.Context())
	return system.Ping(t.Context())
}
