package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestPlansTellNothingThatTheClusterKnows has each text of a plan quote a secret of another driver's than the one that says it,
// with what JSON and terminals write in other ways: no output has it, and whatever it was in is told all the same.
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
			p := &planning{options: newOptions(nil)}
			p.output = form
			if known {
				p.Masker.Add(redact.NewSecret(secret))
			}
			said := output(t, func() {
				var code exit
				err := p.tell(t.Context(), made(), errors.New(quoted("unseen")), revision.Findings{Diagnostics: findings("found")})
				if !errors.As(err, &code) || code != exitFailed {
					t.Errorf("%s ends with %v", form, err)
				}
			})
			if shown := strings.Contains(said, "canary"); shown == known {
				t.Errorf("as %s, with the secret known %t:\n%s", form, known, said)
			}
			for _, where := range told {
				if known && !strings.Contains(said, where+" says 500: the login with "+redact.Mask+" was refused") {
					t.Errorf("as %s, %s is not told:\n%s", form, where, said)
				}
			}
		}
	}
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
