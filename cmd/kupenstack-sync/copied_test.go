package main

import (
	"encoding/base64"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// cluster is the one that the installation says it is in.
func (a *api) cluster(t *testing.T) string {
	t.Helper()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	text, _ := a.stored[installationPath]["data"].(map[string]any)["cluster"].(string)
	of, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(of)
}

// What a backup brings into a second cluster changes nothing, and says what to do, until a person means it to go on there.
func TestCopiedInstallation(t *testing.T) {
	slow.Test(t)
	repository := gitserver.NewStore(t).Create(t, "cloud")
	repository.Commit(t, map[string]string{"main.hcl": nothing}, "Begin")
	cluster := &api{keeps: true, uid: "first"}
	server := httptest.NewServer(cluster)
	defer server.Close()
	where := flagsFor(t, repository, server)
	pass := func(what string, want int) {
		t.Helper()
		if code, out := call(t, "", where...); code != want {
			t.Fatalf("%s: a pass ends with %d:\n%s", what, code, out)
		}
	}
	pass("the first", exitDone)
	if of := cluster.cluster(t); of != "first" {
		t.Errorf("the installation says it is in the cluster %q", of)
	}
	delete(cluster.stored[installationPath]["data"].(map[string]any), "cluster")
	pass("one of an older program", exitDone)
	if of := cluster.cluster(t); of != "first" {
		t.Errorf("an older installation says it is in the cluster %q", of)
	}
	cluster.writes = nil
	pass("restored into the same cluster", exitDone)

	cluster.uid, cluster.writes = "second", nil
	for _, meant := range []string{"", "third"} {
		cluster.meant = meant
		for _, args := range [][]string{where, append([]string{"plan"}, where...)} {
			if code, out := call(t, "", args...); code != exitBlocked || out != "" {
				t.Errorf("%q in another cluster ends with %d:\n%s", args[0], code, out)
			}
		}
		err := ping(t, where)
		if !errors.Is(err, kube.ErrCopied) || !strings.Contains(err.Error(), "kubectl annotate namespace kupenstack-system kupenstack.io/take-over=second --overwrite") {
			t.Errorf("the daemon is told %v", err)
		}
	}
	if len(cluster.writes) > 0 || cluster.cluster(t) != "first" {
		t.Errorf("it wrote %q", cluster.writes)
	}

	cluster.meant = "second"
	pass("meant to go on", exitDone)
	if of := cluster.cluster(t); of != "second" {
		t.Errorf("what goes on says it is in the cluster %q", of)
	}
	cluster.uid = "first" // and so the one before is the copy
	pass("back in the first", exitBlocked)
}
