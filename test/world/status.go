package world

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Status is what status.json of the status branch says, as far as tests ask.
type Status struct {
	Verdict string `json:"verdict"`
	Applied struct {
		Hash string `json:"hash"`
	} `json:"applied"`
	Head struct {
		Hash string `json:"hash"`
	} `json:"head"`
	Units []Unit `json:"units"`
}

// Unit is one unit of it.
type Unit struct {
	Address string   `json:"address"`
	Phase   string   `json:"phase"`
	Reason  string   `json:"reason"`
	ID      string   `json:"id"`
	Waits   []string `json:"waits"`
	Needs   []Need   `json:"needs"`
	Healed  []Field  `json:"healed"`
}

// Field is a difference that was found.
type Field struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Need is what a unit depends on.
type Need struct {
	To    string `json:"to"`
	Until string `json:"until"` // installed or ready
	Gate  string `json:"gate"`  // start or ready: what waits
	Part  string `json:"part"`  // the service whose part of it is enough
}

// Unit returns a unit by its address, or nil.
func (s *Status) Unit(address string) *Unit {
	for i := range s.Units {
		if s.Units[i].Address == address {
			return &s.Units[i]
		}
	}
	return nil
}

// Status returns a file of the status branch, "" when there is none. Tests ask again and again, so that
// Git is asked only for what was not read yet: a commit's files do not change.
func (w *World) Status(t testing.TB, name string) string {
	t.Helper()
	tip, err := os.ReadFile(filepath.Join(w.Repository.Dir, "refs", "heads", StatusBranch))
	if err != nil { // no report yet, or Git has packed its refs
		text, _ := w.Repository.File(t, "refs/heads/"+StatusBranch, name)
		return text
	}
	of := strings.TrimSpace(string(tip)) + ":" + name
	w.mu.Lock()
	text, known := w.reports[of]
	w.mu.Unlock()
	if known {
		return text
	}
	text, _ = w.Repository.File(t, strings.TrimSpace(string(tip)), name)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reports[of] = text
	return text
}

// ReadStatus returns the newest report; false before the first.
func (w *World) ReadStatus(t testing.TB) (Status, bool) {
	t.Helper()
	var s Status
	text := w.Status(t, "status.json")
	if text == "" {
		return s, false
	}
	w.mu.Lock()
	newest := w.newest
	w.mu.Unlock()
	if text == newest.text { // who waits looks many times a second, and reports are large
		return newest.says, true
	}
	w.NoSecrets(t, "status.json", text)
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("status.json: %v\n%s", err, text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.newest.text, w.newest.says = text, s
	return s, true
}

// AwaitVerdict waits until the status branch says that of a commit.
func (w *World) AwaitVerdict(t testing.TB, limit time.Duration, verdict, commit string) Status {
	t.Helper()
	var last Status
	Await(t, limit, func() (bool, string) {
		s, ok := w.ReadStatus(t)
		if !ok {
			return false, "no report yet"
		}
		if s.Verdict != last.Verdict {
			t.Logf("the status branch says: %s", s.unsettled())
		}
		last = s
		return s.Verdict == verdict && s.Applied.Hash == commit, s.unsettled()
	})
	return last
}

// ReportsAfter tells what the reports said after the first ones, the oldest of these first: for messages.
func (w *World) ReportsAfter(t testing.TB, first int) string {
	t.Helper()
	log := w.Repository.Log(t, StatusBranch)
	var b strings.Builder
	for i := len(log) - first - 1; i >= 0; i-- {
		var s Status
		text, _ := w.Repository.File(t, log[i].Hash, "status.json")
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatalf("status.json: %v\n%s", err, text)
		}
		fmt.Fprintf(&b, "%s\n%s", log[i].Message, s.unsettled())
	}
	return b.String()
}

// unsettled lists what is not ready, for messages.
func (s *Status) unsettled() string {
	var b strings.Builder
	fmt.Fprintf(&b, "verdict %s, applied %s, newest %s\n", s.Verdict, s.Applied.Hash, s.Head.Hash)
	for _, u := range s.Units {
		if u.Phase != "ready" {
			fmt.Fprintf(&b, "%s: %s (%s) %s\n", u.Address, u.Phase, u.Reason, u.Waits)
		}
	}
	return b.String()
}
