package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

// HistoryFile is the history file for a time. A file holds what happened in a month, in UTC.
func HistoryFile(t time.Time) string { return "history/" + t.UTC().Format("2006-01") + ".jsonl" }

const (
	// historyMonths is how many files there are at most, and historyBytes how large one becomes: what happens after
	// that in a month is not in it. All are read back when a process begins.
	historyMonths = 24
	historyBytes  = 2 << 20
)

// KeptHistory returns which of the history files of earlier reports stay, so that all reports stay within bounds: the
// newest, of two years.
func KeptHistory(names []string) []string {
	names = slices.Sorted(slices.Values(names))
	return names[max(0, len(names)-historyMonths):]
}

// historyLine is what the history has of a revision.
type historyLine struct {
	Time    string  `json:"time"`
	Commit  string  `json:"commit"`
	Author  string  `json:"author"`
	Subject string  `json:"subject"`
	Result  Verdict `json:"result"`
	// Seconds is how long it took from when the revision was taken up.
	Seconds int                  `json:"seconds"`
	Units   int                  `json:"units"`
	Phases  map[engine.Phase]int `json:"phases,omitempty"`
	Healed  int                  `json:"healed,omitempty"`
	Errors  int                  `json:"errors,omitempty"`
}

// appendHistory returns the history file of this period: what it holds, and a line for a revision
// that settled for the first time, or turned out bad. A revision that settled with a failure gets
// one more line when it comes to a better end.
func appendHistory(in *Input, verdict Verdict, d *document) []byte {
	next, ok := historyOf(in, verdict, d)
	if !ok {
		return in.History
	}
	for _, l := range recordedLines(in, next.Commit) {
		if l.Result == next.Result || l.Result == VerdictConverged || l.Result == VerdictDrifted {
			return in.History
		}
	}
	text, err := json.Marshal(next)
	if err != nil {
		panic(fmt.Sprintf("report: a line of the history has no JSON: %v", err)) // texts and numbers: a bug
	}
	if len(in.History)+len(text) > historyBytes {
		return in.History
	}
	history := slices.Clone(in.History)
	if len(history) > 0 && !bytes.HasSuffix(history, []byte("\n")) {
		history = append(history, '\n')
	}
	return append(append(history, text...), '\n')
}

// historyOf returns the line that the present situation is worth, if it is worth one.
func historyOf(in *Input, verdict Verdict, d *document) (historyLine, bool) {
	l := historyLine{Time: in.Now.UTC().Format(time.RFC3339), Result: verdict}
	var c *commitDoc
	switch {
	case in.Bad != nil:
		c = &d.Bad.Commit
		l.Errors = len(in.Bad.Diagnostics)
	case in.Applied.Hash == "" || in.Snapshot.Revision == "":
		return l, false
	case verdict == VerdictInvalid:
		c = d.Applied
		l.Errors = len(in.Snapshot.Refused)
	case !in.Snapshot.Settled || verdict == VerdictProgressing || len(in.Problems) > 0:
		return l, false
	default:
		c = d.Applied
		l.Units, l.Phases, l.Healed = d.Counts.Units, d.Counts.Phases, d.Counts.Healed
		if !in.Started.IsZero() {
			l.Seconds = max(0, int(in.Now.Sub(in.Started).Round(time.Second)/time.Second))
		}
	}
	l.Commit, l.Author, l.Subject = c.Hash, c.Author, c.Subject
	return l, c.Hash != ""
}

// recordedLine is what is read back of a line: two texts, as anybody may have written it.
type recordedLine struct {
	Commit string  `json:"commit"`
	Result Verdict `json:"result"`
}

// recordedLines returns what the history has of a revision. What is no line of ours is passed over.
func recordedLines(in *Input, hash string) []recordedLine {
	var found []recordedLine
	for _, file := range [][]byte{in.Earlier, in.History} {
		for text := range bytes.Lines(file) {
			var l recordedLine
			if bytes.Contains(text, []byte(hash)) && json.Unmarshal(text, &l) == nil && l.Commit == hash {
				found = append(found, l)
			}
		}
	}
	return found
}

// recorded tells whether the history says that a revision settled.
func recorded(in *Input, hash string) bool {
	return slices.ContainsFunc(recordedLines(in, line(hash, nameText)), func(l recordedLine) bool { return l.Result != VerdictInvalid })
}
