package main

import (
	"errors"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/request"
)

// TestExitOfWhatADaemonDid: each verdict has the code that a pass of our own would have ended with.
func TestExitOfWhatADaemonDid(t *testing.T) {
	codes := map[report.Verdict]exit{
		report.VerdictConverged: exitDone, report.VerdictDrifted: exitDone, report.VerdictDegraded: exitFailed, report.VerdictInvalid: exitInvalid,
		report.VerdictBlocked: exitBlocked, report.VerdictSuspended: exitBlocked, report.VerdictProgressing: exitBlocked, report.VerdictUnknown: exitBlocked,
	}
	for _, verdict := range report.Verdicts() {
		var code exit
		errors.As(exitOf(&request.Outcome{Verdict: string(verdict)}), &code)
		if want, known := codes[verdict]; !known || code != want {
			t.Errorf("%s ends with %d, want %d", verdict, code, want)
		}
	}
	var code exit
	if errors.As(exitOf(&request.Outcome{Verdict: "invalid", Refused: true}), &code); code != exitBlocked {
		t.Errorf("a plan that is refused ends with %d", code)
	}
}

func TestReportOfAnOutcome(t *testing.T) {
	outcome := &request.Outcome{Commit: "c0ffee", Verdict: "converged"}
	for status, want := range map[string]bool{
		`{"verdict":"converged","head":{"hash":"c0ffee"}}`:   true,
		`{"verdict":"progressing","head":{"hash":"c0ffee"}}`: false,
		`{"verdict":"converged","head":{"hash":"before"}}`:   false,
		`{"verdict":"converged","head":null}`:                false,
		``:                                                   false,
	} {
		if says([]byte(status), outcome) != want {
			t.Errorf("%s says it: %v", status, !want)
		}
	}
}

func TestWhoCanBeAsked(t *testing.T) {
	for holder, want := range map[string]bool{"": false, "kupenstackd_host_1": true, "kupenstack-sync_host_1": false} {
		if isDaemon(holder) != want {
			t.Errorf("%q is a daemon: %v", holder, !want)
		}
	}
}
