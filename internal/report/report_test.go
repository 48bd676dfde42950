package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

func scenarios() map[string]func() report.Input {
	return map[string]func() report.Input{
		"converged": cloud, "progressing": progressing, "degraded": degraded, "invalid": bad, "drifted": drifted, "suspended": suspended,
		"unknown": func() report.Input { return report.Input{Version: "1.2.3", Head: good(), Now: noon} },
	}
}

func TestGolden(t *testing.T) {
	for name, input := range scenarios() {
		t.Run(name, func(t *testing.T) {
			files, verdict := report.Render(input())
			if string(verdict) != name {
				t.Errorf("the verdict is %s", verdict)
			}
			folder := filepath.Join("testdata", name)
			if *update {
				rewrite(t, folder, files)
			}
			want := map[string]bool{}
			err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				file := filepath.ToSlash(strings.TrimPrefix(path, folder+string(filepath.Separator)))
				want[file] = true
				if got := files[file]; !bytes.Equal(got, text) {
					t.Errorf("%s is\n%s", file, got)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for file := range files {
				if !want[file] {
					t.Errorf("%s is not among the golden files", file)
				}
			}
		})
	}
}

func rewrite(t *testing.T, folder string, files map[string][]byte) {
	t.Helper()
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	for file, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func statusSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Status()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("status.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("status.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func valid(t *testing.T, s *jsonschema.Schema, text []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Error(err)
	}
}

func TestStatusFitsItsSchema(t *testing.T) {
	s := statusSchema(t)
	for name, input := range scenarios() {
		t.Run(name, func(t *testing.T) {
			files, _ := report.Render(input())
			valid(t, s, files[report.FileStatus])
		})
	}
	// Every word that our own types have is one of the schema's.
	in := drifted()
	phases := []engine.Phase{
		engine.PhaseWaiting, engine.PhaseReconciling, engine.PhaseProgressing, engine.PhaseReady, engine.PhaseFailed, engine.PhaseBlocked,
		engine.PhaseSuspended, engine.PhaseDeleting, engine.PhaseKept, engine.PhaseGone,
	}
	actions := []unit.Action{
		unit.ActionNone, unit.ActionAdopt, unit.ActionCreate, unit.ActionUpdate, unit.ActionRestart, unit.ActionReplace,
		unit.ActionDelete, unit.ActionForget, unit.ActionDeferred, unit.ActionBlocked, unit.ActionUnknown,
	}
	u := of(&in, "network.web")
	u.Attempts, u.Cost = 1, "downtime"
	u.Fields = append(u.Fields, unit.Field{Path: "a", Effect: unit.Replace}, unit.Field{Path: "b", Effect: unit.Refused})
	u.Edges = append(u.Edges, unit.Edge{To: u.Address, Until: unit.Installed, Gate: unit.GateReady}, unit.Edge{To: u.Address, Until: unit.Gone, Gate: unit.GateStart})
	in.Snapshot.Refused = diag.Diagnostics{{Summary: "no"}, {Severity: diag.Warning, Summary: "careful"}}
	for i := range max(len(phases), len(actions)) {
		u.Phase, u.Action, u.Did = phases[i%len(phases)], actions[i%len(actions)], actions[:i]
		files, _ := report.Render(in)
		valid(t, s, files[report.FileStatus])
	}
	for _, verdict := range report.Verdicts() {
		if !bytes.Contains(schema.Status(), []byte(`"`+string(verdict)+`"`)) {
			t.Errorf("the schema does not know the verdict %s", verdict)
		}
	}
	doc, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"verdict": "splendid"}`))
	if s.Validate(doc) == nil {
		t.Error("the schema takes anything")
	}
}

func TestEqualStatesGiveEqualFiles(t *testing.T) {
	for name, input := range scenarios() {
		first, _ := report.Render(input())
		later := input()
		later.Now = noon.AddDate(0, 0, 3)
		later.History = first[report.HistoryFile(noon)]
		later.Snapshot.Settled = later.Snapshot.Settled && name != "converged" // it is being observed
		second, _ := report.Render(later)
		if len(first) != len(second) {
			t.Errorf("%s: %d files, then %d", name, len(first), len(second))
		}
		for file, text := range first {
			if !bytes.Equal(text, second[file]) {
				t.Errorf("%s: %s changed from\n%s\nto\n%s", name, file, text, second[file])
			}
		}
	}
}

func TestAttemptsDoNotChurn(t *testing.T) {
	in := degraded()
	first, _ := report.Render(in)
	of(&in, "service.keystone").Attempts = 700
	second, _ := report.Render(in)
	if !bytes.Equal(first[report.FileStatus], second[report.FileStatus]) {
		t.Error("every failed attempt changes status.json for ever")
	}
}

func TestVerdict(t *testing.T) {
	phase := func(address string, p engine.Phase) func(*report.Input) {
		return func(in *report.Input) { of(in, address).Phase = p }
	}
	drift := func(in *report.Input) { of(in, "network.web").Drift = true }
	unsettled := func(in *report.Input) { in.Snapshot.Settled = false }
	problem := func(in *report.Input) { in.Problems = []string{"x"} }
	refused := func(in *report.Input) { in.Snapshot.Refused = diag.Diagnostics{{Summary: "no"}} }
	wrong := func(in *report.Input) { in.Bad = &report.Bad{Commit: report.Commit{Hash: "b"}} }
	none := func(in *report.Input) { in.Applied = report.Commit{} }
	known := func(in *report.Input) {
		in.Earlier = fmt.Appendf(nil, `{"commit":%q,"result":"converged"}`, good().Hash)
	}
	failed, blocked := phase("node.one", engine.PhaseFailed), phase("node.two", engine.PhaseBlocked)
	waiting := phase("network.web", engine.PhaseWaiting)
	tests := []struct {
		name string
		do   []func(*report.Input)
		want report.Verdict
	}{
		{"all ready", nil, report.VerdictConverged},
		{"kept", []func(*report.Input){phase("node.one", engine.PhaseKept)}, report.VerdictConverged},
		{"gone", []func(*report.Input){phase("node.one", engine.PhaseGone)}, report.VerdictConverged},
		{"suspended", []func(*report.Input){drift, phase("network.web", engine.PhaseSuspended)}, report.VerdictSuspended},
		{"suspended, and others on their way", []func(*report.Input){waiting, phase("node.one", engine.PhaseSuspended)}, report.VerdictProgressing},
		{"suspended, and others blocked", []func(*report.Input){blocked, phase("node.one", engine.PhaseSuspended)}, report.VerdictBlocked},
		{"drift to report", []func(*report.Input){drift}, report.VerdictDrifted},
		{"drift being repaired", []func(*report.Input){drift, phase("network.web", engine.PhaseReconciling)}, report.VerdictProgressing},
		{"waiting", []func(*report.Input){waiting, drift}, report.VerdictProgressing},
		{"deleting", []func(*report.Input){phase("node.one", engine.PhaseDeleting)}, report.VerdictProgressing},
		{"a new revision is not settled yet", []func(*report.Input){unsettled}, report.VerdictProgressing},
		{"an old revision is only observed", []func(*report.Input){unsettled, known}, report.VerdictConverged},
		{"blocked and waiting", []func(*report.Input){blocked, waiting}, report.VerdictBlocked},
		{"failed and blocked", []func(*report.Input){failed, blocked}, report.VerdictDegraded},
		{"a problem", []func(*report.Input){problem, blocked}, report.VerdictDegraded},
		{"no commit yet", []func(*report.Input){none, failed, problem}, report.VerdictUnknown},
		{"nothing taken up yet", []func(*report.Input){func(in *report.Input) { in.Snapshot = engine.Snapshot{} }}, report.VerdictUnknown},
		{"a bad commit, and what was good is well", []func(*report.Input){wrong}, report.VerdictInvalid},
		{"a bad first commit", []func(*report.Input){wrong, none}, report.VerdictInvalid},
		{"refused", []func(*report.Input){refused, failed}, report.VerdictInvalid},
		{"only a warning", []func(*report.Input){func(in *report.Input) {
			in.Snapshot.Refused = diag.Diagnostics{{Severity: diag.Warning}}
		}}, report.VerdictConverged},
	}
	for _, tt := range tests {
		in := cloud()
		for _, do := range tt.do {
			do(&in)
		}
		if _, got := report.Render(in); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestNothingSensitiveIsShown(t *testing.T) {
	in := cloud()
	in.Problems = []string{"clone https://bot:hunter25@git.example.org/x.git: refused"}
	for file, text := range must(report.Render(in)) {
		if found := regexp.MustCompile(`hunter2\d`).Find(text); found != nil {
			t.Errorf("%s shows %s:\n%s", file, found, text)
		}
	}
}

func must(files map[string][]byte, _ report.Verdict) map[string][]byte { return files }

func TestSize(t *testing.T) {
	slow.Test(t)
	s := statusSchema(t)
	big := func(n int, text string) report.Input {
		in := cloud()
		for i := range n {
			u := status(fmt.Sprintf("network.n%d", i), unit.ClassResource, "network", "service.keystone", "network.web")
			u.ID, u.Range = "3f0c2a5e-1111-4222-8333-444455556666", at("networks.hcl", i)
			if text != "" {
				u.Phase, u.Reason, u.Drift, u.Action = engine.PhaseFailed, text, true, unit.ActionUpdate
				for range 600 / n {
					u.Fields = append(u.Fields, unit.Field{Path: text, Before: text, After: text})
					u.Details = append(u.Details, text)
				}
			}
			in.Snapshot.Units = append(in.Snapshot.Units, u)
		}
		return in
	}
	tests := []struct {
		name string
		in   report.Input
		all  bool
	}{
		{"ordinary", big(5000, ""), true},
		{"long texts", big(300, strings.Repeat("é<", 1000)), true},
		{"more than there is room for", big(12000, strings.Repeat("<", 40)), false},
	}
	for _, tt := range tests {
		files, _ := report.Render(tt.in)
		for file, text := range files {
			if len(text) >= 4<<20 || file == report.FileReadme && len(text) > 512<<10 {
				t.Errorf("%s: %s has %d bytes", tt.name, file, len(text))
			}
		}
		valid(t, s, files[report.FileStatus])
		var doc struct {
			Units   []struct{ Address addr.Object } `json:"units"`
			LeftOut int                             `json:"units_left_out"`
		}
		if err := json.Unmarshal(files[report.FileStatus], &doc); err != nil {
			t.Fatal(err)
		}
		if got, want := len(doc.Units)+doc.LeftOut, len(tt.in.Snapshot.Units); got != want || tt.all != (doc.LeftOut == 0) {
			t.Errorf("%s: %d units and %d left out of %d", tt.name, len(doc.Units), doc.LeftOut, want)
		}
	}
}

func TestLargeGraphsAreGrouped(t *testing.T) {
	in := cloud()
	for i := range 80 {
		in.Snapshot.Units = append(in.Snapshot.Units, status(fmt.Sprintf("subnet.n%d", i), unit.ClassResource, "subnet", "network.web"))
	}
	in.Snapshot.Units[len(in.Snapshot.Units)-1].Phase = engine.PhaseFailed
	readme := string(must(report.Render(in))[report.FileReadme])
	for _, want := range []string{`["subnet<br/>79 of 80 ready"]:::failed`, `["service.keystone<br/>ready"]:::ready`, `["nodes<br/>2 of 2 ready"]:::ready`} {
		if !strings.Contains(readme, want) {
			t.Errorf("there is no %s in\n%s", want, readme)
		}
	}
	if strings.Contains(readme, "subnet.n7<br/>") {
		t.Error("single subnets are drawn")
	}
}
