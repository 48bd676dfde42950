package daemon_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// quoted is a text that a server says, with what the cluster knows to be secret.
const quoted = "500: the login of nova with " + canary + " was refused"

// TestReportsTellNothingThatTheClusterKnows has each text that a report has quote a secret of another driver's: it is in no file, and
// whatever it was in is told all the same.
func TestReportsTellNothingThatTheClusterKnows(t *testing.T) {
	fields := func() []unit.Field {
		return []unit.Field{{Path: "description of " + quoted, Before: "before " + quoted, After: "after " + quoted, Beside: "beside " + quoted}}
	}
	d := newDesk(t)
	publish := func(texts ...string) {
		t.Helper()
		now := d.snapshot(engine.PhaseFailed, "reason "+quoted)
		u := &now.Units[0]
		now.Admitted, u.Decided, u.Drift, u.Kind = true, true, true, "project"
		u.Fields, u.Healed, u.Details, u.Cost = fields(), fields(), []string{"details " + quoted}, "cost "+quoted
		service := *u
		service.Address, service.Class, service.API = addr.MustParseObject("service.nova"), "release", unit.Answer{Reach: unit.ReachRefuses, Message: "message " + quoted, Detail: "detail " + quoted}
		now.Units = append(now.Units, service)
		now.Refused = diag.Diagnostics{{Severity: diag.Error, Code: "a.b", Summary: "summary " + quoted, Detail: "long " + quoted, Hint: "hint " + quoted}}
		now.RefusedRevision, now.Suspensions = now.Revision, []suspension.Suspension{{Target: u.Address, By: "somebody", Reason: "because " + quoted}}
		if _, err := d.publisher.Publish(t.Context(), now, []string{"problem " + quoted}, true); err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for name, content := range d.target.files {
			all.WriteString(name + "\n" + string(content))
			if strings.Contains(string(content), canary) != (d.publisher.Mask == nil) && (d.publisher.Mask != nil || name == report.FileStatus) {
				t.Errorf("with masks %t, %s:\n%s", d.publisher.Mask != nil, name, content)
			}
		}
		for _, text := range texts {
			if !strings.Contains(all.String(), text) {
				t.Errorf("%q is not told", text)
			}
		}
	}
	texts := []string{"reason 500", "before 500", "after 500", "details 500", "cost 500", "summary 500", "long 500", "hint 500", "problem 500", "because 500"}
	publish(texts...) // else this would be about nothing
	d.publisher.Mask = (&board{}).Mask
	d.publisher.Forget()
	publish(append(texts, redact.Mask)...)
}

// TestHealthTellsNothingThatTheClusterKnows: so it is with /readyz.
func TestHealthTellsNothingThatTheClusterKnows(t *testing.T) {
	desk := newDesk(t)
	d := &daemon.Daemon{
		Tracker: desk.tracker, Publisher: desk.publisher, Board: &board{}, Log: zerolog.Nop(),
		Hooks: &daemon.Hooks{Secret: func() (redact.Secret, error) { return redact.Secret{}, errors.New(quoted) }},
	}
	d.Prepare()
	d.ExaminesFilesOnce()
	d.Trouble("installation", errors.New(quoted))
	if health := strings.Join(d.Unready(), "\n"); strings.Contains(health, canary) || strings.Count(health, redact.Mask) != 2 {
		t.Errorf("it says:\n%s", health)
	}
	d.Trouble("facts", errors.New("GET https://ada:hunter22@glance.example.org/v2:\n503"))
	if health := strings.Join(d.Unready(), "\n"); !strings.Contains(health, "facts: GET https://"+redact.Mask+"@glance.example.org/v2: 503\n") {
		t.Errorf("of a URL with a password it says:\n%s", health)
	}
	d.Board = nil
	if health := strings.Join(d.Unready(), "\n"); strings.Count(health, canary) != 2 {
		t.Errorf("without a cluster that knows it says:\n%s", health)
	}
}
