package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// TestPlansTellNothingThatTheClusterKnows has each text of a plan quote a secret of another driver's than the one that says it,
// with what JSON and terminals write in other ways: no output has it, nor what is published, and whatever it was in is told all the same.
func TestPlansTellNothingThatTheClusterKnows(t *testing.T) {
	const secret = "canary-<\"of\">\n\x7fa-plan"
	quoted := func(where string) string { return where + " says 500: the login with " + secret + " was refused" }
	findings := func(where string) diag.Diagnostics {
		return diag.Diagnostics{{Severity: diag.Warning, Code: "a.b", Summary: quoted(where + "-summary"), Detail: quoted(where + "-detail"), Hint: quoted(where + "-hint")}}
	}
	made := func() *plan.Plan {
		return &plan.Plan{
			Changes: []plan.Change{{
				Address: addr.MustParseObject("service.glance"), Action: unit.ActionUnknown, Reason: quoted("reason"), Cost: quoted("cost"), Suspended: quoted("waits"),
				Fields: []unit.Field{{Path: quoted("path"), Before: quoted("before"), After: quoted("after")}},
			}},
			Warnings: findings("quota"),
		}
	}
	told := []string{"reason", "cost", "waits", "path", "before", "after", "quota-summary", "quota-detail", "quota-hint", "found-summary", "found-detail", "found-hint", "unseen"}
	for _, form := range []string{outputText, outputJSON} {
		for _, known := range []bool{false, true} {
			repository := gitserver.NewStore(t).Create(t, "cloud")
			repository.Commit(t, map[string]string{"main.hcl": nothing}, "Begin")
			for _, publish := range []bool{false, true} {
				p := &planning{options: newOptions(nil)}
				p.output = form
				if known {
					p.Masker.Add(redact.NewSecret(secret))
				}
				if publish {
					p.review = reviewOf(t, repository)
				}
				said := map[string]string{}
				said["it says"] = output(t, func() {
					var code exit
					err := p.tell(t.Context(), made(), errors.New(quoted("unseen")), revision.Findings{Diagnostics: findings("found")})
					if !errors.As(err, &code) || code != exitFailed {
						t.Errorf("%s ends with %v", form, err)
					}
				})
				if publish {
					tree := repository.Tree(t, reports)
					said["the page"], said["the JSON beside it"] = tree[p.review.base.File], tree[strings.TrimSuffix(p.review.base.File, ".md")+".json"]
				}
				for what, text := range said {
					plain := strings.NewReplacer("\\", "").Replace(text) // Markdown has some of it escaped
					if shown := strings.Contains(plain, "canary"); shown == known {
						t.Errorf("as %s, with the secret known %t, published %t, %s\n%s", form, known, publish, what, text)
					}
					for _, where := range told {
						if where == "unseen" && what != "it says" {
							continue // which is why the command failed, and not what a pass would do
						}
						if known && !strings.Contains(plain, where+" says 500: the login with "+redact.Mask+" was refused") {
							t.Errorf("as %s, published %t, %s is not told: %s\n%s", form, publish, where, what, text)
						}
					}
				}
			}
		}
	}
}

// reviewOf is that of what is in a repository.
func reviewOf(t *testing.T, repository *gitserver.Repository) *review {
	t.Helper()
	flags := wire.Flags{Repo: "file://" + repository.Dir, CacheDir: t.TempDir(), StatusBranch: reports, Path: "."}
	source, err := flags.Source(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newReview(&flags, source)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := newest(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	r.of(tree)
	return r
}

// output returns what a call says on both of the process's outputs.
func output(t *testing.T, call func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = file, file
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	call()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
