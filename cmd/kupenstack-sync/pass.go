package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// pass brings the world to what the newest revision wants, once.
func pass(ctx context.Context, o *options) error {
	level := o.LogLevel
	if level == "info" {
		level = "error" // the progress tells what is going on
	}
	log, err := wire.Logger(os.Stderr, level, o.Masker)
	if err != nil {
		return err
	}
	lease := o.Lease("kupenstack-sync", log)
	p, err := newPass(ctx, o, lease.Rights(), log)
	if err != nil {
		return err
	}
	defer p.system.Close()
	lease.Access = p.system.Access
	wanted, err := p.tracker.Poll(ctx)
	if bad := p.tracker.State().Bad; bad != nil {
		result := findings(o, *bad)
		p.tell(ctx, lease)
		return result
	}
	if err := p.system.Ping(ctx); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	warnings := revision.Findings{Diagnostics: p.tracker.State().Warnings}
	fmt.Fprint(os.Stderr, warnings.Text(colored(os.Stderr)))
	return p.inTurn(ctx, lease, wanted)
}

// inTurn does the pass once this process is in charge. While a daemon is, that one is asked to do it, and what comes
// first counts: that it tells how it ended, or that it is gone and this process is in charge.
func (p *onePass) inTurn(ctx context.Context, lease *kube.Lease, wanted *engine.Revision) error {
	waiting, end := context.WithCancel(ctx)
	defer end()
	d := &delegation{pass: p, answer: end}
	lease.Notice = func(holder string) {
		if p.options.wait || p.options.tearDown != "" || !isDaemon(holder) {
			fmt.Fprintf(os.Stderr, "%s is in charge: waiting for it to end\n", holder)
			return
		}
		d.ask(ctx, holder)
	}
	err := lease.Hold(waiting, nil, func(ctx context.Context) error {
		if d.stop() {
			return nil // it is done
		}
		newest, err := p.newest(ctx)
		if err != nil {
			return why(ctx, err)
		}
		return p.converge(ctx, newest)
	})
	if d.stop() {
		return d.conclude(ctx, wanted)
	}
	if holder := lease.Holder(); err != nil && ctx.Err() != nil && !p.began && holder != "" {
		return fmt.Errorf("%s is in charge", holder)
	}
	return err
}

// onePass is one pass.
type onePass struct {
	options   *options
	system    *wire.System
	tracker   *revision.Tracker
	publisher *daemon.Publisher
	guard     func() error // of the lease
	log       zerolog.Logger
	began     bool
	kept      bool
}

// newPass opens all that a pass needs, and begins to watch the cluster until the system is closed. rights
// are asked before every request.
func newPass(ctx context.Context, o *options, rights guard.Rights, log zerolog.Logger) (*onePass, error) {
	reading, err := o.Reading(true)
	if err != nil {
		return nil, err
	}
	reading.TearDown = o.tearDown
	source, err := o.Source(ctx, rights.Read)
	if err != nil {
		return nil, err
	}
	trust, err := o.Trust(source)
	if err != nil {
		return nil, err
	}
	system, err := wire.Open(&o.Flags, "kupenstack-sync/"+version, rights, log)
	if err != nil {
		return nil, err
	}
	target, err := o.Reports(source, system)
	if err != nil {
		system.Close()
		return nil, err
	}
	system.Start(context.WithoutCancel(ctx)) // running calls need its watches to the end
	tracker := o.Tracker(source, system, trust, reading)
	system.Model, system.Admit, system.Newest = tracker.InForce, tracker.Admit, tracker.Newest
	return &onePass{
		options: o, system: system, tracker: tracker, guard: rights.Write, log: log,
		publisher: &daemon.Publisher{
			Target: target, Tracker: tracker, Agents: &daemon.Agents{Source: system, Log: log}, Mask: system.Board().Mask, Log: log,
			Base: report.Input{Version: version, Repository: source.String(), Ref: o.Ref, Path: o.Path},
		},
	}, nil
}

// keep has the revision outlive this process once it is admitted.
func (p *onePass) keep(ctx context.Context, s engine.Snapshot) {
	if !s.Admitted || p.kept {
		return
	}
	p.kept = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := p.tracker.Keep(ctx, s.Revision); err != nil {
		p.options.complain("%v", err)
	}
}

// newest returns what to take up now that this process is in charge. While it waited there may have been a push, which
// whoever was in charge has taken up already, or nodes and namespaces came and went: what was composed before that is old.
func (p *onePass) newest(ctx context.Context) (*engine.Revision, error) {
	if err := p.tracker.Resume(ctx); err != nil {
		return nil, err
	}
	newest, err := p.tracker.Poll(ctx)
	if bad := p.tracker.State().Bad; bad != nil {
		p.publish(ctx, engine.Snapshot{})
		return nil, findings(p.options, *bad)
	}
	if err != nil || newest != nil {
		return newest, err
	}
	return p.tracker.Recompose(ctx)
}

func (p *onePass) converge(ctx context.Context, wanted *engine.Revision) error {
	p.began = true
	changed := make(chan struct{}, 1)
	e, err := p.system.Engine(ctx, false, func() {
		select {
		case changed <- struct{}{}:
		default: // one word is enough
		}
	})
	if err != nil {
		return why(ctx, err)
	}
	following, stop := context.WithCancel(ctx)
	defer stop()
	contain.Go(func() {
		p.system.FollowSuspensions(following, func(err error) {
			if err != nil {
				p.options.complain("%v", err)
			}
		})
	})
	progress := newProgress(os.Stderr)
	done := make(chan error, 1)
	contain.Go(func() { done <- e.Converge(ctx, wanted, wire.Grace) })
	for running := true; running; {
		select {
		case <-changed:
			now := daemon.Masked(p.system.Board().Mask, e.Snapshot())
			p.keep(ctx, now)
			progress.show(now)
		case err = <-done:
			running = false
		}
	}
	last := daemon.Masked(p.system.Board().Mask, e.Snapshot())
	p.keep(ctx, last)
	progress.show(last)
	progress.end()
	p.show(ctx, last)
	p.publisher.Agents.Look(ctx, p.tracker.State(), last)
	reported := p.publish(ctx, last)
	if p.options.output == outputJSON {
		if err := p.printStatus(last); err != nil {
			return err
		}
	}
	if err != nil {
		return why(ctx, err)
	}
	result := p.result(last, reported)
	if data := p.deleteData(ctx, last); result == nil {
		result = data
	}
	return result
}

// why returns what ended the context where an error says only that it ended: that the lease was lost.
func why(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, unit.ErrNotWriter)) {
		return cause
	}
	return err
}

// show has the cluster show how things stand at the end. Nothing depends on that.
func (p *onePass) show(ctx context.Context, s engine.Snapshot) {
	if p.guard() != nil {
		return
	}
	if _, err := daemon.Show(context.WithoutCancel(ctx), p.system.Board(), p.tracker.State(), s); err != nil {
		p.options.complain("%v", err)
	}
}

// lastReport bounds the report of a pass whose time is up, or that was told to stop: it has the lease, and may be the one
// that others wait for.
const lastReport = 10 * time.Second

// publish reports how the pass ended, also when its own time is up. It tells whether the report is where
// people look for it, as far as that is up to this process: when another one is in charge, that one reports.
func (p *onePass) publish(ctx context.Context, s engine.Snapshot) bool {
	told := ctx
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	defer context.AfterFunc(told, contain.Callback(func() { time.AfterFunc(lastReport, contain.Callback(cancel)) }))()
	var problems []string
	if problem := p.tracker.State().Problem(); problem != "" {
		problems = append(problems, problem)
	}
	if err := p.guard(); err != nil {
		p.publisher.Judge(s, problems)
		p.options.complain("this is not in the report: %v", err)
		return true
	}
	if _, err := p.publisher.Publish(ctx, s, problems, true); err != nil {
		p.options.complain("this is not in the report: %v", err)
		return gitrepo.KindOf(err) == gitrepo.Withheld // another one came to be in charge meanwhile
	}
	return true
}

// printStatus prints what the status branch has as status.json.
func (p *onePass) printStatus(s engine.Snapshot) error {
	files, _ := report.Render(p.publisher.Input(s, nil))
	_, err := os.Stdout.Write(files[report.FileStatus])
	return err
}

// result is the exit code that the last state leads to. A report that is missing is a failure.
func (p *onePass) result(s engine.Snapshot, reported bool) error {
	if len(s.Refused) > 0 {
		fmt.Fprint(os.Stderr, revision.Findings{Diagnostics: s.Refused}.Text(colored(os.Stderr)))
		return exit(exitBlocked)
	}
	if p.options.output == outputText {
		fmt.Fprintf(os.Stdout, "%s: %s\n", p.publisher.Verdict(), daemon.Counts(s))
	}
	failed, blocked := !reported, false
	for i := range s.Units {
		switch s.Units[i].Phase {
		case engine.PhaseReady, engine.PhaseKept, engine.PhaseGone:
		case engine.PhaseFailed:
			failed = true
		default:
			blocked = true
		}
	}
	switch {
	case failed:
		return exit(exitFailed)
	case blocked:
		return exit(exitBlocked)
	}
	return nil
}
