package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/request"
	"github.com/kupenstack/kupenstack-sync/schema"
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

// TestOtherValuesOfVariables: what a daemon has done with other values is not what the pass was asked for.
func TestOtherValuesOfVariables(t *testing.T) {
	const own, other = "hmac-sha256:0a", "hmac-sha256:0b"
	for name, c := range map[string]struct {
		outcome request.Outcome
		want    string // "" for no error
	}{
		"the same":                         {request.Outcome{Verdict: "converged", Variables: own}, ""},
		"others":                           {request.Outcome{Verdict: "converged", Variables: other}, "has other values of variables"},
		"others, and it failed":            {request.Outcome{Verdict: "degraded", Variables: other}, "has other values of variables"},
		"others, by which it is refused":   {request.Outcome{Verdict: "invalid", Refused: true, Variables: other}, "has other values of variables"},
		"mistakes by its values":           {request.Outcome{Verdict: "invalid"}, ""},
		"nothing in force":                 {request.Outcome{Verdict: "unknown"}, ""},
		"a daemon that does not tell them": {request.Outcome{Verdict: "converged"}, "another version of this program"},
	} {
		t.Run(name, func(t *testing.T) {
			err := sameValues(&c.outcome, own)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if codeOf(err) != exitDone && codeOf(err) != exitFailed {
				t.Errorf("it ends with %d", codeOf(err))
			}
		})
	}
}

// TestFlagsThatCountForNothing: a pass that a daemon does says which of its flags that one does not heed, and every
// flag is either one of these, or heeded by the pass itself: to find the daemon, the commit, the values or the report.
func TestFlagsThatCountForNothing(t *testing.T) {
	own := strings.Fields(`cache-dir context git-ca-file git-password-file git-username known-hosts-file kubeconfig log-level namespace
		output path ref repo report-dir sops-age-key-file ssh-key-file ssh-passphrase-file status-branch timeout var var-file wait verify verify-history`)
	root := command(schema.New())
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	visit := func(flag *pflag.Flag) {
		idle := len(idleFlags([]string{flag.Name})) == 1
		if heeded := slices.Contains(own, flag.Name) || flag.Name == "help" || flag.Name == "version"; idle == heeded {
			t.Errorf("--%s: heeded by the pass: %v, by the daemon alone: %v", flag.Name, heeded, idle)
		}
	}
	root.Flags().VisitAll(visit)
	root.PersistentFlags().VisitAll(visit)
	if got := idleFlags([]string{"verify", "ref", "max-deletes", "var"}); !slices.Equal(got, []string{"--max-deletes"}) {
		t.Errorf("got %v", got)
	}
}

// TestGivenFlags: a flag is given as well by its variable.
func TestGivenFlags(t *testing.T) {
	t.Setenv("KUPENSTACK_CONCURRENCY", "3")
	root := command(schema.New())
	var given []string
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		given = givenFlags(cmd.Flags())
		return nil
	}
	root.SetArgs([]string{"--max-deletes", "5", "--ref", "main"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"concurrency", "max-deletes", "ref"}; !slices.Equal(given, want) {
		t.Errorf("got %v, want %v", given, want)
	}
}

func TestWhoCanBeAsked(t *testing.T) {
	for holder, want := range map[string]bool{"": false, "kupenstackd_host_1": true, "kupenstack-sync_host_1": false} {
		if isDaemon(holder) != want {
			t.Errorf("%q is a daemon: %v", holder, !want)
		}
	}
}
