package main

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// TestCloudsOfOneRepository: each of them needs a status branch of its own, and finds out when it has none.
func TestCloudsOfOneRepository(t *testing.T) {
	slow.Test(t)
	repository := gitserver.NewStore(t).Create(t, "clouds")
	repository.Commit(t, map[string]string{"clouds/prod/main.hcl": nothing, "clouds/ext/main.hcl": nothing}, "Begin")
	flags := map[string][]string{}
	for _, cluster := range []string{"one", "two"} {
		server := httptest.NewServer(&api{})
		t.Cleanup(server.Close) // after the watches have ended
		flags[cluster] = flagsFor(t, repository, server)
	}
	pass := func(cluster string, want int, says string, more ...string) {
		t.Helper()
		before := repository.Hash(t, reports)
		code, out := said(t, slices.Concat(flags[cluster], more)...)
		if code != want || !strings.Contains(out, says) {
			t.Errorf("with the cluster %s and %q it ends with %d, want %d and %q:\n%s", cluster, more, code, want, says, out)
		}
		if want != exitDone && repository.Hash(t, reports) != before {
			t.Errorf("with the cluster %s and %q it wrote over the other's report", cluster, more)
		}
	}
	const alone = "give each cloud a --status-branch of its own"
	pass("one", exitDone, "", "--path=clouds/prod")
	pass("two", exitFailed, "this is not in the report", "--path=clouds/ext")
	pass("two", exitFailed, alone, "--path=clouds/ext")
	pass("two", exitFailed, alone, "--path=clouds/prod")
	pass("one", exitDone, "", "--path=clouds/prod")
	pass("two", exitDone, "", "--path=clouds/ext", "--status-branch=status-ext")
	pass("two", exitDone, "", "--path=clouds/ext", "--status-branch=status-ext")
}
