package report_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// FuzzForeign has the last report, the history and a plan on the branch be anything: anybody who may write to it may
// have written them. Whatever they are, they decide nothing, they mean nothing where they are shown, and soon there is
// nothing new to tell.
func FuzzForeign(f *testing.F) {
	in := degraded()
	of(&in, "service.keystone").Did = []unit.Action{unit.ActionCreate, unit.ActionUpdate}
	of(&in, "service.keystone").Healed = []unit.Field{{Path: "data.nova.conf", Before: "a|b", After: "c"}}
	files, _ := report.Render(in)
	last, history := files[report.FileStatus], files[report.HistoryFile(noon)]
	plan := []byte(`{"planned":{"ref":"refs/heads/x","commit":"0123456789abcdef","at":"2031-05-17T12:00:00Z","result":"changes","summary":"1 to create"}}`)
	f.Add(true, last, history, plan)
	f.Add(false, last, history, plan)
	f.Add(true, last[:len(last)/2], []byte(`{"commit":"`+good().Hash+`","result":"converged"}`), []byte(`{"planned":7}`))
	for _, text := range []string{
		`null`, `[]`, `{"units":[null]}`, `{"applied":{"hash":"` + good().Hash + `"},"units":[{"address":"service.keystone","did":["create"],"healed":[{"path":"<b>|\u001b[1m\n# x","after":"https://u:p@h"}]}]}`,
		`{"applied":{"hash":"` + good().Hash + `"},"units":[{"address":"service.keystone","phase":"ready","last_good":"\n## x","first_bad":"a|b` + "`" + `"}],"commits":[{"hash":"a|b` + "`" + `","author":"<i>","time":"x"}]}`,
		`{"foreign":{"hash":"<b>","subject":"[l](x)","time":"9999-99-99"},"units_left_out":-1,"nodes":[{"address":"node.one","agents":{"nova":[{"binary":"\n# x"}],"x":null}}]}`,
		`{"remembered":[{"address":"\u202ea","last_good":"x"},{"address":"","first_bad":"y"}]}`,
	} {
		f.Add(true, []byte(text), []byte(text), []byte(text))
		f.Add(false, []byte(text), []byte("\n\n"+text+"\n"+text), []byte(`{"planned":`+text+`}`))
	}
	f.Fuzz(func(t *testing.T, looked bool, last, history, plan []byte) {
		input := func() report.Input {
			in := degraded()
			in.Agents, in.Foreign, in.Last, in.History = nil, report.Commit{}, last, history
			in.Plans = []report.OpenPlan{{Ref: "refs/heads/x", File: "plans/heads~x.md", Head: report.ReadPlanHead(plan)}}
			if !looked {
				in.Snapshot = engine.Snapshot{}
			}
			return in
		}
		first, verdict := report.Render(input())
		without := input()
		without.Last = nil
		if _, alone := report.Render(without); verdict != alone {
			t.Errorf("by the last report the verdict is %s instead of %s", verdict, alone)
		}
		for file, text := range first {
			switch {
			case strings.HasSuffix(file, ".json") && !json.Valid(text):
				t.Errorf("%s is no JSON:\n%s", file, text)
			case file == report.HistoryFile(noon):
				if rest, ok := bytes.CutPrefix(text, history); !ok || bytes.Count(rest, []byte("\n")) > 2 {
					t.Errorf("the history became %q", text)
				}
				continue
			}
			report.CheckHarmless(t, file, string(text))
		}
		if again, _ := report.Render(input()); !maps.EqualFunc(first, again, bytes.Equal) {
			t.Error("the same gives another report")
		}
		next := func(files map[string][]byte) map[string][]byte {
			in := input()
			in.Last, in.History = files[report.FileStatus], files[report.HistoryFile(noon)]
			after, _ := report.Render(in)
			return after
		}
		second := next(first) // is by a report of ours
		for file, text := range next(second) {
			if !bytes.Equal(second[file], text) {
				t.Errorf("with nothing new %s became\n%s\nafter\n%s", file, text, second[file])
			}
		}
	})
}
