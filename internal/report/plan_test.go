package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

func change(address string, action unit.Action, fields ...unit.Field) plan.Change {
	a := addr.MustParseObject(address)
	return plan.Change{Address: a, Class: unit.ClassResource, Kind: a.Kind(), Action: action, Fields: fields, Range: at("web.hcl", 7)}
}

// planned is a plan with some of everything.
func planned() report.PlanInput {
	created := change(`instance.web["a"]`, unit.ActionCreate)
	for i := range 12 {
		created.Fields = append(created.Fields, unit.Field{Path: fmt.Sprintf("metadata.key%d", i), After: "value"})
	}
	created.Fields = append(created.Fields, unit.Field{Path: "user_data", After: unit.TextSensitive})
	updated := change("network.web", unit.ActionUpdate, unit.Field{Path: "description", Before: "a | b", After: "<b>"}, unit.Field{Path: "mtu", After: "1450"})
	updated.From = addr.MustParseObject("network.office")
	replaced := change("image.debian", unit.ActionReplace, unit.Field{Path: "source", Before: "https://u:hunter21@images.example.org/12", After: "https://images.example.org/13?token=hunter22", Effect: unit.Replace})
	replaced.CreateFirst, replaced.Cost = true, "2 instances use it"
	restarted := change("service.keystone", unit.ActionRestart, unit.Field{Path: "conf.keystone.DEFAULT.debug", Before: "false", After: "true"})
	restarted.Class, restarted.Reason = unit.ClassService, "its settings changed"
	deleted := change("subnet.old", unit.ActionDelete)
	deleted.Reason, deleted.Range = "it is not in the configuration any more", diag.Range{}
	blocked := change("node.two", unit.ActionBlocked)
	blocked.Wanted, blocked.Reason = unit.ActionUpdate, "4 instances run there: move or delete them before its roles change"
	drifted := change("router.edge", unit.ActionNone, unit.Field{Path: "name", Before: "theirs", After: "edge"})
	drifted.Drift, drifted.Wanted = true, unit.ActionUpdate
	warned, over := at("main.hcl", 3), at("main.hcl", 9)
	return report.PlanInput{
		File: "plans/heads~feature~login.md", Repository: "https://git.example.org/cloud.git", Path: "clouds/prod",
		Ref: "refs/heads/feature/login", Commit: good(), InForce: former().Hash, At: noon,
		Plan: &plan.Plan{
			Changes: []plan.Change{replaced, created, updated, blocked, drifted, restarted, deleted, change("project.shop", unit.ActionNone)},
			Warnings: diag.Diagnostics{{
				Severity: diag.Warning, Code: plan.CodeQuota, Summary: "the plan needs more than a quota allows", Subject: &over,
				Detail: "project.shop: of instances the quota allows 3, 3 are in use, and the plan makes 1 more", Hint: "raise it",
			}},
		},
		Found: diag.Sourced{Diagnostics: diag.Diagnostics{{
			Severity: diag.Warning, Code: "language.unused", Summary: "nothing uses local.x", Subject: &warned,
		}}},
		Text: "warning[language.unused]: nothing uses local.x\n  --> main.hcl:3:1\n",
	}
}

func mistaken() report.PlanInput {
	in := planned()
	b := bad().Bad
	in.Plan, in.InForce, in.Text = nil, "", b.Text
	in.Found = diag.Sourced{Diagnostics: b.Diagnostics}
	return in
}

func plannings() map[report.PlanResult]func() report.PlanInput {
	with := func(change func(*report.PlanInput)) func() report.PlanInput {
		return func() report.PlanInput {
			in := planned()
			in.Found, in.Text, in.Plan.Warnings = diag.Sourced{}, "", nil
			change(&in)
			return in
		}
	}
	return map[report.PlanResult]func() report.PlanInput{
		report.PlanChanges: planned,
		report.PlanInvalid: mistaken,
		report.PlanRefused: with(func(in *report.PlanInput) {
			in.Plan.Refused = diag.Diagnostics{{Code: plan.CodeEmpty, Summary: "the configuration asks for nothing", Detail: "Nothing is deleted for that.", Hint: "check the path"}}
			in.Plan.Changes = in.Plan.Changes[6:7]
		}),
		report.PlanIncomplete: with(func(in *report.PlanInput) {
			in.Plan.Changes = []plan.Change{change("network.web", unit.ActionUnknown)}
			in.Plan.Changes[0].Reason = "OpenStack cannot be reached"
		}),
		report.PlanBlocked: with(func(in *report.PlanInput) { in.Plan.Changes = in.Plan.Changes[3:4] }),
		report.PlanUnchanged: with(func(in *report.PlanInput) {
			in.Plan.Changes, in.InForce, in.Path = in.Plan.Changes[7:], "", "."
		}),
	}
}

func TestGoldenPlans(t *testing.T) {
	for result, input := range plannings() {
		page, document := report.RenderPlan(input())
		for file, text := range map[string][]byte{string(result) + ".md": page, string(result) + ".json": document} {
			file = filepath.Join("testdata", "plans", file)
			if *update {
				if err := os.WriteFile(file, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || !bytes.Equal(text, want) {
				t.Errorf("%s is\n%s", file, text)
			}
		}
		head := report.ReadPlanHead(document)
		if head.Result != result || head.Ref != "refs/heads/feature/login" || head.Commit != good().Hash || !head.Time().Equal(noon) {
			t.Errorf("the head of %s is %+v", result, head)
		}
		if !json.Valid(document) || regexp.MustCompile(`hunter2\d`).Match(append(page, document...)) {
			t.Errorf("%s is no JSON, or tells a secret:\n%s\n%s", result, document, page)
		}
	}
}

// Where nothing has to be hidden or cut, the file is what the command prints.
func TestPlanIsWhatIsPrinted(t *testing.T) {
	for result, input := range plannings() {
		in := input()
		if _, document := report.RenderPlan(in); result != report.PlanChanges && !bytes.Equal(document, report.PlanJSON(in)) {
			t.Errorf("%s is\n%s\nand printed is\n%s", result, document, report.PlanJSON(in))
		}
	}
}

// Only the time of a plan that is made again is another one.
func TestPlansDifferInTimeAlone(t *testing.T) {
	in := planned()
	page, document := report.RenderPlan(in)
	in.At = in.At.Add(time.Hour)
	laterPage, laterDocument := report.RenderPlan(in)
	if bytes.Equal(page, laterPage) || bytes.Equal(document, laterDocument) {
		t.Error("the time is not told")
	}
	in.At = report.ReadPlanHead(document).Time()
	samePage, sameDocument := report.RenderPlan(in)
	if !bytes.Equal(page, samePage) || !bytes.Equal(document, sameDocument) {
		t.Error("the time that a plan tells does not give the same plan")
	}
}

// However much a plan has, its files have a bound, and say what they leave out.
func TestPlanSize(t *testing.T) {
	slow.Test(t)
	long := strings.Repeat("é<", 2000)
	many := func(n, fields int, text string) report.PlanInput {
		in := planned()
		in.Plan = &plan.Plan{Changes: []plan.Change{change("project.shop", unit.ActionNone)}}
		for i := range n {
			c := change(fmt.Sprintf("network.n%d", i), unit.ActionUpdate)
			c.Reason = text
			for range fields {
				c.Fields = append(c.Fields, unit.Field{Path: "a", Before: text, After: text})
			}
			in.Plan.Changes = append(in.Plan.Changes, c)
		}
		return in
	}
	wrong := mistaken()
	for range 800 {
		wrong.Found.Diagnostics = append(wrong.Found.Diagnostics, diag.Diagnostic{Summary: long})
	}
	wrong.Text = strings.Repeat(long+"\n", 800)
	for name, test := range map[string]struct {
		in                           report.PlanInput
		changes, fields, diagnostics bool // are left out
	}{
		"ordinary":     {in: many(500, 3, "web")},
		"long texts":   {in: many(300, 1, long)},
		"many fields":  {in: many(30, 3000, "web"), fields: true},
		"many changes": {in: many(9000, 1, strings.Repeat("<", 50)), changes: true},
		"mistakes":     {in: wrong, diagnostics: true},
	} {
		t.Run(name, func(t *testing.T) {
			page, document := report.RenderPlan(test.in)
			if len(page) > 512<<10 || len(document) > 3<<20 {
				t.Errorf("the page has %d bytes, the JSON %d", len(page), len(document))
			}
			head := report.ReadPlanHead(document)
			if test.changes != (head.ChangesLeftOut > 0) || test.fields != (head.FieldsLeftOut > 0) || test.diagnostics != (head.DiagnosticsLeftOut > 0) {
				t.Errorf("left out is %+v", head)
			}
			var read struct {
				Changes   []json.RawMessage `json:"changes"`
				Unchanged int               `json:"unchanged"`
			}
			if err := json.Unmarshal(document, &read); err != nil {
				t.Fatal(err)
			}
			if test.in.Plan != nil && (len(read.Changes)+head.ChangesLeftOut != len(test.in.Plan.Changes)-1 || read.Unchanged != 1) {
				t.Errorf("%d changes, %d left out, %d unchanged of %d", len(read.Changes), head.ChangesLeftOut, read.Unchanged, len(test.in.Plan.Changes))
			}
			if test.in.Plan != nil && len(test.in.Plan.Changes) > 300 && !strings.Contains(string(page), "more in [heads~feature~login.json](heads~feature~login.json)") {
				t.Errorf("the page does not say that it is not all:\n%s", page[len(page)-500:])
			}
		})
	}
}

// The list of plans believes nothing that was read of a file.
func TestOpenPlans(t *testing.T) {
	in := cloud()
	in.Plans = []report.OpenPlan{
		{Ref: "refs/heads/feature/login", File: "plans/heads~feature~login.md", Head: report.PlanHead{Commit: good().Hash, Result: report.PlanChanges, Summary: "2 to create"}},
		{Ref: "refs/pull/7/head", File: "plans/pull~7~head.md", Head: report.PlanHead{Commit: "](javascript:alert(1))", Result: "<script>", Summary: "<script>\n|x|"}},
		{Ref: "refs/heads/|`<b>", File: "plans/b~~00.md", Head: report.PlanHead{Result: report.PlanInvalid, Summary: "<script>\n|x|"}},
	}
	files, _ := report.Render(in)
	valid(t, statusSchema(t), files[report.FileStatus])
	_, list, _ := strings.Cut(string(files[report.FileReadme]), "## Open plans\n")
	list, _, _ = strings.Cut(list, "\n## ")
	const want = "\nWhat reviews would change, as it was found when each was planned.\n\n" +
		"| Ref | Commit | What it does |\n| --- | --- | --- |\n" +
		"| [feature/login](plans/heads~feature~login.md) | `4f1c0f6d2b7e` | 2 to create |\n" +
		"| [refs/pull/7/head](plans/pull~7~head.md) | | not known: its file cannot be read |\n" +
		"| [\\|\\`&lt;b&gt;](plans/b~~00.md) | | the configuration has &lt;script&gt; \\|x\\| |\n"
	if list != want {
		t.Errorf("the list is\n%s\nwant\n%s", list, want)
	}
	for range 300 {
		in.Plans = append(in.Plans, in.Plans[0])
	}
	files, _ = report.Render(in)
	valid(t, statusSchema(t), files[report.FileStatus])
	if !strings.Contains(string(files[report.FileReadme]), "And 103 more in the directory [plans](plans).") {
		t.Error("the list does not say how many more there are")
	}
}
