package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// A pass refuses a commit that nobody has signed who is listed, and a plan of it warns.
func TestVerify(t *testing.T) {
	slow.Test(t)
	r := newReviewed(t)
	ada, list := gitserver.NewKey(t), filepath.Join(t.TempDir(), "signers")
	if err := os.WriteFile(list, []byte("ada@example.org "+ada.AuthorizedKey()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plain := r.flags
	r.flags = append(plain[:len(plain):len(plain)], "--verify="+list, "--signing-key-file="+ada.Path)
	says := func(code int, flags []string, want ...string) {
		t.Helper()
		got, out := said(t, flags...)
		if got != code {
			t.Errorf("%v ends with %d, want %d:\n%s", flags, got, code, out)
		}
		for _, want := range want {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in:\n%s", want, out)
			}
		}
	}
	before := r.cluster.changed()
	says(exitInvalid, r.flags, "error[revision.untrusted]", "is not signed")
	if after := r.cluster.changed(); !slices.Equal(before, after) {
		t.Errorf("it has changed %v", after)
	}
	says(exitDone, append([]string{"plan"}, r.flags...), "warning[revision.untrusted]", "is not signed")

	r.repository.Commit(t, map[string]string{"main.hcl": other}, "Sign", gitserver.SignedBy(ada))
	says(exitDone, append(r.flags, "--verify-history"))
	if commit := r.repository.Raw(t, reports); !strings.Contains(commit, "\ngpgsig -----BEGIN SSH SIGNATURE-----\n") {
		t.Errorf("the report is not signed:\n%s", commit)
	}

	says(exitUsage, append(plain, "--verify-history"))
	says(exitUsage, append(plain, "--signing-key-file="+list))
	says(exitUsage, append(plain, "--verify="+list+".absent"))
}
