package statusbranch_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// as opens the branch for a cloud.
func (b *bed) as(t *testing.T, path, installation string) *statusbranch.Branch {
	t.Helper()
	other := *b
	other.options.Path = path
	other.options.Installation = func(context.Context) (string, error) { return installation, nil }
	return other.open(t)
}

// refused wants neither a report nor a reading because of another cloud, and the branch as it was.
func (b *bed) refused(t *testing.T, branch *statusbranch.Branch, says ...string) {
	t.Helper()
	before, pushes := b.repo.Hash(t, ref), b.counts().Push
	_, err := branch.Publish(t.Context(), report("README.md", "refused"), "Report", nil)
	_, _, readErr := branch.Read(t.Context())
	for _, err := range []error{err, readErr} {
		if taken := (*statusbranch.TakenError)(nil); !errors.As(err, &taken) {
			t.Fatalf("got %v", err)
		}
		for _, text := range append(says, "branch kupenstack-status", "--status-branch of its own", "delete the branch kupenstack-status") {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("it does not say %q: %v", text, err)
			}
		}
	}
	if b.repo.Hash(t, ref) != before || b.counts().Push != pushes {
		t.Error("it pushed")
	}
}

func TestLeavesTheReportOfAnotherCloud(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		prod, ext := b.as(t, "clouds/prod", "one"), b.as(t, "clouds/ext", "two")
		publish(t, prod, report("README.md", "prod"))
		b.refused(t, ext, `"clouds/prod"`, `"clouds/ext"`, "moved to another --path")
		publish(t, b.as(t, "clouds/prod/", "one"), report("README.md", "prod again"))
		same(t, b.tree(t), map[string]string{"README.md": "prod again"})

		// The same configuration for another cluster, or for one that has nothing yet.
		b.refused(t, b.as(t, "clouds/prod", "two"), `the installation "one"`, `this is the installation "two"`, "took the place of that one")
		b.refused(t, b.as(t, "clouds/prod", ""), `"one"`, "a cluster without any")

		// Without the branch it is anybody's, and then the other's no more.
		b.repo.DeleteRef(t, ref)
		publish(t, ext, report("README.md", "ext"))
		same(t, b.tree(t), map[string]string{"README.md": "ext"})
		b.refused(t, prod, `"clouds/ext"`)

		b.options.Branch = "status-prod"
		publish(t, b.as(t, "clouds/prod", "one"), report("README.md", "prod"))
	})
}

func TestLeavesTheReportOfAFasterCloud(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		b.repo.RaceNextPush(map[string]string{statusbranch.Manifest: `{"version": 1, "of": {"path": "clouds/ext"}, "files": []}`}, "Faster", gitserver.OnBranch("kupenstack-status"))
		_, err := b.as(t, "clouds/prod", "one").Publish(t.Context(), report("README.md", "prod"), "Report", nil)
		if taken := (*statusbranch.TakenError)(nil); !errors.As(err, &taken) {
			t.Errorf("got %v", err)
		}
		same(t, b.tree(t), map[string]string{})
	})
}

// TestTakesOverWhatSaysNoOwner: a branch of an older program, one that a cluster wrote to before anything was
// installed there, and one whose note nobody can read.
func TestTakesOverWhatSaysNoOwner(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]string{
		"older": "", "before the installation": `"of": {"path": "clouds/prod"}, `, "too long": `"of": {"path": "` + strings.Repeat("x", 5000) + `"}, `,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over(t, []string{"http"}, func(t *testing.T, b *bed) {
				b.repo.Commit(t, map[string]string{
					statusbranch.Manifest: `{"version": 1, ` + of + `"files": ["README.md", "old.md"]}`, "README.md": "old", "old.md": "old",
				}, "Before", gitserver.OnBranch("kupenstack-status"))
				branch := b.as(t, "clouds/prod", "one")
				if _, _, err := branch.Read(t.Context()); err != nil {
					t.Fatal(err)
				}
				publish(t, branch, report("README.md", "new"))
				b.refused(t, b.as(t, "clouds/prod", "two"), `"one"`)
				var list struct {
					Of map[string]string `json:"of"`
				}
				if err := json.Unmarshal([]byte(b.repo.Tree(t, ref)[statusbranch.Manifest]), &list); err != nil || list.Of["path"] != "clouds/prod" || list.Of["installation"] != "one" {
					t.Errorf("the manifest says %v, %v", list.Of, err)
				}
			})
		})
	}
}

// TestUnknownInstallation: that it cannot be found out does not mean that there is none, and once found it
// is known without the cluster.
func TestUnknownInstallation(t *testing.T) {
	t.Parallel()
	over(t, []string{"http"}, func(t *testing.T, b *bed) {
		broken := errors.New("no answer")
		b.options.Installation = func(context.Context) (string, error) { return "one", broken }
		branch := b.open(t)
		if _, err := branch.Publish(t.Context(), report("README.md", "one"), "Report", nil); !errors.Is(err, broken) || b.counts().Push != 0 {
			t.Errorf("got %v", err)
		}
		broken = nil
		publish(t, branch, report("README.md", "one"))
		broken = errors.New("no answer")
		publish(t, branch, report("README.md", "two"))
	})
}

func TestPlanBesideTheReportOfAnotherCloud(t *testing.T) {
	t.Parallel()
	over(t, []string{"http"}, func(t *testing.T, b *bed) {
		commit := b.repo.Commit(t, map[string]string{"cloud.hcl": "cloud {}\n"}, "Change", gitserver.OnBranch("change"))
		planned := statusbranch.Plan{
			Ref: "refs/heads/change", Commit: commit, At: time.Unix(1_700_000_000, 0), Message: "Plan",
			Render: func(time.Time) (page, document []byte) { return []byte("page"), []byte("{}") },
		}
		publish(t, b.as(t, "clouds/prod", "one"), report("README.md", "prod"))
		b.options.Path = "clouds/ext"
		_, err := b.open(t).PublishPlan(t.Context(), planned)
		if taken := (*statusbranch.TakenError)(nil); !errors.As(err, &taken) {
			t.Errorf("got %v", err)
		}
		// Which cluster it is planned with is nobody's concern: the report stays that of its own.
		b.options.Path = "clouds/prod"
		if result, err := b.open(t).PublishPlan(t.Context(), planned); err != nil || !result.Changed {
			t.Errorf("got %+v, %v", result, err)
		}
		publish(t, b.as(t, "clouds/prod", "one"), report("README.md", "prod again"))
	})
}
