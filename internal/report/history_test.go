package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// results renders one input after the other, each with the history of the one before, and returns
// what the history says in the end.
func results(t *testing.T, inputs ...report.Input) string {
	t.Helper()
	var history []byte
	for _, in := range inputs {
		in.History = history
		next := must(report.Render(in))[report.HistoryFile(in.Now)]
		if !bytes.HasPrefix(next, history) {
			t.Fatalf("the history was rewritten from\n%s\nto\n%s", history, next)
		}
		history = next
	}
	var found []string
	for text := range strings.Lines(string(history)) {
		var l struct{ Result, Commit string }
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		found = append(found, l.Result+" "+l.Commit[:4])
	}
	return strings.Join(found, ", ")
}

func TestHistory(t *testing.T) {
	next := cloud()
	next.Applied.Hash, next.Snapshot.Revision = "5555", "5555"
	unsettled := degraded()
	unsettled.Snapshot.Settled = false
	unsettled.Problems = nil
	failed := degraded()
	failed.Problems = nil
	out := failed
	out.Problems = []string{"the cluster cannot be reached"}
	refused := cloud()
	refused.Snapshot.Refused = bad().Bad.Diagnostics
	tests := []struct {
		name   string
		inputs []report.Input
		want   string
	}{
		{"once", []report.Input{cloud(), cloud()}, "converged 4f1c"},
		{"not before it settled", []report.Input{progressing(), unsettled}, ""},
		{"settled at last", []report.Input{progressing(), cloud(), progressing(), cloud()}, "converged 4f1c"},
		{"failed, then well, then failed", []report.Input{failed, failed, cloud(), failed}, "degraded 4f1c, converged 4f1c"},
		{"what fails later is no result of the commit", []report.Input{cloud(), drifted(), failed}, "converged 4f1c"},
		{"a problem of ours is no result", []report.Input{out}, ""},
		{"bad, once", []report.Input{cloud(), bad(), bad(), next, bad()}, "converged 4f1c, invalid badc, converged 5555"},
		{"refused, once", []report.Input{refused, refused}, "invalid 4f1c"},
		{"nothing yet", []report.Input{{Now: noon, Head: good()}}, ""},
	}
	for _, tt := range tests {
		if got := results(t, tt.inputs...); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestHistoryOfAMonthHasAnEnd(t *testing.T) {
	in := cloud()
	in.History = bytes.Repeat([]byte("a line\n"), 8<<20/7)
	files, _ := report.Render(in)
	if got := files[report.HistoryFile(in.Now)]; len(got) != len(in.History) {
		t.Errorf("%d bytes became %d", len(in.History), len(got))
	}
}

func TestHistoryLine(t *testing.T) {
	in := cloud()
	in.Now = time.Date(2031, 6, 1, 1, 30, 0, 0, time.FixedZone("", 2*3600)) // still May in UTC
	in.Started = in.Now.Add(-90 * time.Second)
	of(&in, "node.one").Phase = engine.PhaseKept
	in.History = []byte(`{"commit":"other"}` + "\nno JSON") // cut off by something
	got := string(must(report.Render(in))["history/2031-05.jsonl"])
	want := `{"commit":"other"}` + "\nno JSON\n" +
		`{"time":"2031-05-31T23:30:00Z","commit":"4f1c0f6d2b7e5c3a9d8e7f6a5b4c3d2e1f0a9b8c","author":"Ada Lovelace \u003cada@example.org\u003e",` +
		`"subject":"three keystones","result":"converged","seconds":90,"units":8,"phases":{"kept":1,"ready":7}}` + "\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	in.Earlier, in.History = []byte(got), nil
	if again, ok := must(report.Render(in))["history/2031-05.jsonl"]; ok {
		t.Errorf("what an earlier file has is recorded again: %s", again)
	}
}
