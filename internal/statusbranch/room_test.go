package statusbranch_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// Git has no branch below the name of another one: the push would fail with what the server makes of that.
func TestHasRoomBesideTheWatchedBranch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		watched, status, want string
	}{
		"beside":                  {"main", "main-status", ""},
		"in the same folder":      {"clouds/prod", "clouds/status", ""},
		"below":                   {"main", "main/status", `the status branch "main/status" cannot be beside the branch "main": Git has no branch below the name of another one; give --status-branch another name, such as main-status; if main is a tag, give it as --ref refs/tags/main`},
		"far below, by full name": {"refs/heads/main", "refs/heads/main/of/status", `give --status-branch another name, such as main-of-status`},
		"above":                   {"clouds/prod", "clouds", `the status branch "clouds" cannot be beside the branch "clouds/prod": Git has no branch below the name of another one; give --status-branch another name, such as clouds-status; if clouds/prod is a tag`},
		"a tag":                   {"refs/tags/main", "main/status", ""},
		"no branch of Git's":      {"", "HEAD", `"HEAD" is no name for the status branch`},
		"no branch, by full name": {"main", "refs/heads/HEAD", `"HEAD" is no name for the status branch`},
		"like a flag":             {"main", "-status", `"-status" is no name for the status branch`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			watched, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: "https://git.example.org/cloud.git", Ref: test.watched, CacheDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			_, err = statusbranch.New(watched, statusbranch.Options{Branch: test.status})
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// Which branch is the default one, and which others there are, only the server knows.
func TestHasRoomBesideAllBranches(t *testing.T) {
	t.Parallel()
	over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
		b.repo.Commit(t, map[string]string{"a": "a"}, "Another branch", gitserver.OnBranch("review/one"))
		for status, other := range map[string]string{"main/status": "main", "review": "review/one", "review/one/status": "review/one"} {
			b.options.Branch = status
			_, err := b.open(t).Publish(t.Context(), report("README.md", "one"), "Report", nil)
			if err == nil || !strings.Contains(err.Error(), `the status branch "`+status+`" cannot be beside the branch "`+other+`"`) {
				t.Errorf("%s: got %v", status, err)
			}
			if _, _, err := b.open(t).Read(t.Context()); err == nil {
				t.Errorf("%s: it was read", status)
			}
		}
		if got := b.counts(); got.Push != 0 {
			t.Error("it pushed")
		}
		b.options.Branch = "review/status"
		publish(t, b.open(t), report("README.md", "one"))
	})
}
