package main

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// reviewed is a repository with a configuration in force, a cluster, and the flags for both.
type reviewed struct {
	t          *testing.T
	repository *gitserver.Repository
	cluster    *api
	flags      []string
}

func newReviewed(t *testing.T) *reviewed {
	t.Helper()
	r := &reviewed{t: t, repository: gitserver.NewStore(t).Create(t, "cloud"), cluster: &api{}}
	r.repository.Commit(t, map[string]string{"main.hcl": nothing}, "Begin")
	server := httptest.NewServer(r.cluster)
	t.Cleanup(server.Close) // after the watches have ended
	r.flags = flagsFor(t, r.repository, server)
	return r
}

// plan plans a ref, and returns what it says.
func (r *reviewed) plan(ref string, code int, more ...string) string {
	r.t.Helper()
	args := slices.Concat([]string{"plan", "--publish", "--ref=" + ref}, r.flags, more)
	got, out := said(r.t, args...)
	if got != code {
		r.t.Fatalf("planning %s ends with %d, want %d:\n%s", ref, got, code, out)
	}
	return out
}

func (r *reviewed) push(branch, hcl string) string {
	r.t.Helper()
	return r.repository.Commit(r.t, map[string]string{"main.hcl": hcl}, "Change it", gitserver.OnBranch(branch))
}

// pass does one pass.
func (r *reviewed) pass(code int) {
	r.t.Helper()
	if got, out := said(r.t, r.flags...); got != code {
		r.t.Fatalf("the pass ends with %d, want %d:\n%s", got, code, out)
	}
}

// plans are the names of the files of plans.
func (r *reviewed) plans() []string {
	r.t.Helper()
	names := slices.Sorted(maps.Keys(r.repository.Tree(r.t, reports)))
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "plans/") })
}

// file returns a file of the status branch.
func (r *reviewed) file(name string) string {
	r.t.Helper()
	return r.repository.Tree(r.t, reports)[name]
}

const (
	more  = nothing + "node \"w\" {\n  roles = [\"compute\"]\n}\n"
	other = nothing + "locals { a = 1 }\n"
)

// The way of a review: its plan is published, planned again, listed by those who report, and removed when it
// is merged or gone. Nothing is changed in the cluster for it.
func TestReview(t *testing.T) {
	slow.Test(t)
	r := newReviewed(t)
	r.cluster.keeps = true
	r.pass(exitDone)
	inForce := r.repository.Hash(t, "refs/heads/main")
	before, writes := r.cluster.changed(), len(r.cluster.writes)

	side := r.push("side", more)
	out := r.plan("side", exitChanges)
	for _, want := range []string{"Plan: ", "The plan is plans/heads~side.md on the branch kupenstack-status.\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	page := r.file("plans/heads~side.md")
	for _, want := range []string{"# Plan of side: ", "blocked", side, inForce, "main.hcl:6", "(heads~side.json)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	published := r.file("plans/heads~side.json")
	head := report.ReadPlanHead([]byte(published))
	if head.Ref != "refs/heads/side" || head.Commit != side || head.InForce != inForce || head.Result != report.PlanChanges || head.Time().IsZero() {
		t.Errorf("the JSON begins with %+v", head)
	}

	first := r.repository.Hash(t, reports)
	out = r.plan("side", exitChanges, "--output=json")
	if r.repository.Hash(t, reports) != first {
		t.Error("the same plan was published again")
	}
	document, _, _ := strings.Cut(out, "The plan is")
	printed := report.ReadPlanHead([]byte(document))
	if document = strings.Replace(document, printed.At, head.At, 1); document != published {
		t.Errorf("published is\n%s\nand printed is\n%s", published, document)
	}

	bad := r.push("broken", nothing+mistake)
	out = r.plan("broken", exitInvalid)
	page = r.file("plans/heads~broken.md")
	for _, want := range []string{bad, "main.hcl:7", "colour", "the configuration has 1 mistake"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	if !strings.Contains(out, "main.hcl:7") || !strings.Contains(r.file("plans/heads~broken.json"), `"valid": false`) {
		t.Errorf("the mistakes are not told:\n%s\n%s", out, r.file("plans/heads~broken.json"))
	}
	merged := r.push("merged", other)
	r.plan("merged", exitDone)
	if after := r.cluster.changed(); !slices.Equal(before, after) || len(r.cluster.writes) != writes {
		t.Errorf("planning wrote %q after %q", r.cluster.writes, before)
	}

	r.pass(exitDone)
	readme := r.file("README.md")
	for _, want := range []string{"[side](plans/heads~side.md)", "[broken](plans/heads~broken.md)", "[merged](plans/heads~merged.md)", "the configuration has 1 mistake", "no changes"} {
		if !strings.Contains(readme, want) {
			t.Errorf("the report has no %q:\n%s", want, readme)
		}
	}
	if strings.Contains(readme, "Somebody else wrote") || len(r.plans()) != 6 {
		t.Errorf("there are %q, and the report says\n%s", r.plans(), readme)
	}

	r.repository.ForcePush(t, "refs/heads/main", merged)
	r.repository.DeleteRef(t, "refs/heads/broken")
	r.pass(exitDone)
	if got := r.plans(); !slices.Equal(got, []string{"plans/heads~side.json", "plans/heads~side.md"}) {
		t.Errorf("there are %q", got)
	}
	if readme := r.file("README.md"); strings.Contains(readme, "broken") || strings.Contains(readme, "heads~merged") || !strings.Contains(readme, "heads~side") {
		t.Errorf("the report is\n%s", readme)
	}
	for _, entry := range r.repository.Log(t, reports)[1:] {
		if len(entry.Parents) > 1 {
			t.Errorf("%s has %d parents", entry.Hash, len(entry.Parents))
		}
	}
}

// A plan that cannot be published is a failure, but that there are mistakes weighs more. What was planned
// is told all the same.
func TestReviewRefused(t *testing.T) {
	r := newReviewed(t)
	r.push("side", more)
	r.push("broken", nothing+mistake)
	r.repository.RejectPushes(t, "nobody may push here")
	if out := r.plan("side", exitFailed); !strings.Contains(out, "node.w") {
		t.Errorf("it does not tell the plan:\n%s", out)
	}
	if out := r.plan("broken", exitInvalid); !strings.Contains(out, "main.hcl:7") || !strings.Contains(out, "the server refused the push") {
		t.Errorf("it does not tell what is wrong:\n%s", out)
	}
}

// Without a place that a plan could go to nothing is planned.
func TestReviewHasNoPlace(t *testing.T) {
	r := newReviewed(t)
	r.push("side", more)
	out := r.plan("side", exitUsage, "--status-branch=")
	if strings.Contains(out, "Plan:") {
		t.Errorf("it planned:\n%s", out)
	}
	r.plan("kupenstack-status", exitUsage)
	if code, out := said(t, "plan", "--publish", "--repo="+t.TempDir(), "--cache-dir="+t.TempDir()); code != exitUsage {
		t.Errorf("a directory ends with %d:\n%s", code, out)
	}
}

// The variable stands for the flag, and without either nothing is published.
func TestPublishByVariable(t *testing.T) {
	slow.Test(t)
	r := newReviewed(t)
	args := append([]string{"plan"}, r.flags...)
	for _, value := range []string{"", "false", "true"} {
		want := 0
		if value != "" {
			t.Setenv("KUPENSTACK_PUBLISH", value)
		}
		if value == "true" {
			want = 2
		}
		code, out := said(t, args...)
		files := 0
		if r.repository.Hash(t, reports) != "" {
			files = len(r.plans())
		}
		if code != exitDone || files != want {
			t.Errorf("with %q it ends with %d, and there are %d files:\n%s", value, code, files, out)
		}
		if r.repository.Hash(t, reports) != "" {
			r.repository.DeleteRef(t, reports)
		}
	}
	_, out := said(t, append(args, "--output=json", "--publish=false")...)
	if !json.Valid([]byte(out)) || strings.Contains(out, "planned") {
		t.Errorf("without --publish it prints\n%s", out)
	}
}
