package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/request"
)

// daemonProgram is how the identity of a daemon begins, see [kube.Identity].
const daemonProgram = "kupenstackd_"

// reportPatience is how long a report may take to be where people look for it once the daemon has told the outcome.
const reportPatience = time.Minute

// askedPause is the time between two looks at what the daemon answers.
const askedPause = time.Second

// delegation is a pass that a daemon does.
type delegation struct {
	pass   *onePass
	answer func() // is called once there is one

	mutex    sync.Mutex
	over     bool // nobody is asked any more
	cancel   context.CancelFunc
	ended    chan struct{} // nil before somebody is asked; closed once what follows is set
	answered bool
	outcome  *request.Outcome
	err      error
}

// ask has the daemon that is in charge look again, and waits beside the caller for what becomes of that. Another one
// that takes over meanwhile finds the same request.
func (d *delegation) ask(ctx context.Context, holder string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch {
	case d.over:
		return
	case d.ended != nil:
		fmt.Fprintf(os.Stderr, "%s is in charge now\n", holder)
		return
	}
	fmt.Fprintf(os.Stderr, "%s is in charge, and is asked to look again\n", holder)
	if idle := idleFlags(d.pass.options.given); len(idle) > 0 {
		fmt.Fprintf(os.Stderr, "kupenstack-sync: of these flags the values of the daemon count, and not those given here: %s\n", strings.Join(idle, ", "))
	}
	ctx, d.cancel = context.WithCancel(ctx)
	d.ended = make(chan struct{})
	contain.Go(func() {
		defer close(d.ended)
		d.outcome, d.err = d.pass.askDaemon(ctx)
		if d.answered = d.outcome != nil || !errors.Is(ctx.Err(), context.Canceled); d.answered {
			d.answer()
		}
	})
}

// givenFlags returns the names of the flags that were written or have a variable, in order.
func givenFlags(set *pflag.FlagSet) []string {
	var names []string
	set.Visit(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	return names
}

// idleFlags returns those of some flags that say how to go about what a daemon does in place of the pass.
func idleFlags(given []string) []string {
	daemons := []string{
		"accept-openstack", "api-budget", "api-checks", "api-concurrency", "chart-account", "chart-ca-file", "chart-credentials-file", "concurrency", "image-sources",
		"lease-duration", "logs-in-report", "max-deletes", "os-cloud", "signing-key-file",
	}
	var idle []string
	for _, name := range daemons {
		if slices.Contains(given, name) {
			idle = append(idle, "--"+name)
		}
	}
	return idle
}

// stop waits for no answer any more, and tells whether there is one.
func (d *delegation) stop() bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.over = true
	if d.ended == nil {
		return false
	}
	d.cancel()
	<-d.ended
	return d.answered
}

// conclude ends a pass that a daemon has done as that one has ended it.
func (d *delegation) conclude(ctx context.Context, wanted *engine.Revision) error {
	if d.err != nil {
		return d.err
	}
	if path := d.pass.options.Path; d.outcome.Path != path {
		return fmt.Errorf("the daemon in charge keeps the configuration at --path %s, and not that at %s", d.outcome.Path, path)
	}
	if d.outcome.Commit != wanted.ID {
		// There may have been a push since. Another commit than the newest is of another branch or repository.
		newest, err := d.pass.newest(ctx)
		if err != nil {
			return err
		}
		if d.outcome.Commit != newest.ID {
			return fmt.Errorf("the daemon in charge is at the commit %s, and not at %s: it follows another repository or --ref, or cannot reach it",
				cmp.Or(d.outcome.Commit, "none"), newest.ID)
		}
	}
	own, err := d.pass.system.Variables(ctx, d.pass.tracker.State().Model)
	if err != nil {
		return err
	}
	if err := sameValues(d.outcome, own); err != nil {
		return err
	}
	return d.pass.conclude(ctx, d.outcome)
}

// sameValues returns an error unless a daemon wants what a pass wants with variables whose values have this name.
func sameValues(outcome *request.Outcome, own string) error {
	verdict := report.Verdict(outcome.Verdict)
	switch {
	case outcome.Variables == own:
		return nil
	case verdict == report.VerdictInvalid && !outcome.Refused, verdict == report.VerdictUnknown:
		return nil // it wants nothing of this commit; its verdict and its report say so
	case outcome.Variables == "":
		return errors.New("the daemon in charge does not tell which values of variables it has: it is another version of this program; see its report")
	default:
		return errors.New("the daemon in charge has other values of variables than this pass, and what it did is not what was asked for: compare --var, --var-file and the variables KUPENSTACK_VAR_… of both")
	}
}

// askDaemon has whoever is in charge do what a pass would, and returns what became of that.
func (p *onePass) askDaemon(ctx context.Context) (*request.Outcome, error) {
	// No lease is needed to tell those something who hold it.
	system, err := wire.Open(&p.options.Flags, "kupenstack-sync/"+version, guard.Rights{}, p.log)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	by, err := system.User(ctx)
	if err != nil {
		return nil, err
	}
	id, err := system.AskAndAwait(ctx, by)
	var outcome *request.Outcome
	if err == nil {
		outcome, err = awaitOutcome(ctx, system, id)
	}
	// Nobody is to take it up when it is not expected any more; also when it is not known whether it was written.
	withdraw, cancel := context.WithTimeout(context.WithoutCancel(ctx), takePatience)
	defer cancel()
	if left := system.Withdraw(withdraw, id); left != nil && err == nil {
		p.options.complain("the request stays for a while: %v", left)
	}
	return outcome, err
}

// awaitOutcome waits until the daemon has told how a request ended. A cluster that does not answer is asked again for
// as long as a daemon may take to notice a request.
func awaitOutcome(ctx context.Context, system *wire.System, id string) (*request.Outcome, error) {
	heard := time.Now()
	for {
		outcome, err := system.Outcome(ctx, id)
		switch {
		case outcome != nil, errors.Is(err, wire.ErrNoAnswer):
			return outcome, err
		case err == nil:
			heard = time.Now()
		case ctx.Err() == nil && time.Since(heard) > takePatience:
			return nil, err
		}
		select {
		case <-time.After(askedPause):
		case <-ctx.Done():
			return nil, fmt.Errorf("the daemon has not told yet how it ends: %w", ctx.Err())
		}
	}
}

// conclude tells an outcome, once the report does as well.
func (p *onePass) conclude(ctx context.Context, outcome *request.Outcome) error {
	status := p.reported(ctx, outcome)
	if p.options.output == outputJSON && status != nil {
		if _, err := os.Stdout.Write(status); err != nil {
			return err
		}
	}
	if p.options.output == outputText {
		fmt.Fprintf(os.Stdout, "%s: %s\n", outcome.Verdict, outcome.Units)
	}
	if status == nil && p.publisher.Target != nil {
		fmt.Fprintln(os.Stderr, "kupenstack-sync: the report does not say so yet")
		return exit(exitFailed)
	}
	return exitOf(outcome)
}

// exitOf returns the exit code that a pass would have ended with, nil for none.
func exitOf(outcome *request.Outcome) error {
	switch report.Verdict(outcome.Verdict) {
	case report.VerdictConverged, report.VerdictDrifted:
		return nil
	case report.VerdictInvalid:
		if outcome.Refused {
			return exit(exitBlocked)
		}
		return exit(exitInvalid)
	case report.VerdictDegraded:
		return exit(exitFailed)
	default:
		return exit(exitBlocked)
	}
}

// reported waits for the report that tells of an outcome, and returns its status.json; nil when there is none.
func (p *onePass) reported(ctx context.Context, outcome *request.Outcome) []byte {
	if p.publisher.Target == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reportPatience)
	defer cancel()
	for {
		files, err := p.publisher.Target.Read(ctx)
		if err == nil && says(files[report.FileStatus], outcome) {
			return files[report.FileStatus]
		}
		select {
		case <-time.After(askedPause):
		case <-ctx.Done():
			return nil
		}
	}
}

// says tells whether a report is about an outcome.
func says(status []byte, outcome *request.Outcome) bool {
	var said struct {
		Verdict string `json:"verdict"`
		Head    struct {
			Hash string `json:"hash"`
		} `json:"head"`
	}
	return json.Unmarshal(status, &said) == nil && said.Verdict == outcome.Verdict && said.Head.Hash == outcome.Commit
}

// isDaemon tells whether who holds the lease is a daemon, which can be asked.
func isDaemon(holder string) bool { return strings.HasPrefix(holder, daemonProgram) }
