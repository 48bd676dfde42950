package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// Run is a program that is killed and started again.
type Run struct {
	Program Program
	Dir     string              // where the output goes: life 1 to 1.stdout and 1.stderr, and so on
	Control *faultproxy.Control // of the proxies that the program goes through; may be nil
	// Kill has one trigger for each life that is to be killed: the first life is killed by
	// the first, and the program is started again as often as it was killed.
	Kill []Trigger
	// Until ends the run, with SIGTERM to the program, as soon as it returns true. It is asked
	// again and again in every life, with the process that lives: a condition that may hold
	// from an earlier life should ask for something of this one too, such as Process.Logged.
	// Nil means that the program ends by itself.
	Until func(ctx context.Context, p *Process) (bool, error)
	// Killed is called after each life that was killed, before the next begins; nil for nothing.
	Killed func(ctx context.Context) error
	// Limit bounds each life; 0 means five minutes.
	Limit time.Duration
}

// Life is how one process of a run ended.
type Life struct {
	Killed         bool // by its trigger; else it was the last
	Stdout, Stderr string
}

// Do runs the program until a life ends without having been killed, by itself or by Until. A
// life whose trigger did not fire is such an end: look at Life.Killed. It fails when the
// program ends with another status than 0, is not done within the limit, or ctx ends; the
// lives so far are returned in any case. No process is left when it returns.
func (r Run) Do(ctx context.Context) ([]Life, error) {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("run %s: %w", r.Program.Path, err)
	}
	var lives []Life
	for {
		number := len(lives) + 1
		p := newProcess(r.Dir, strconv.Itoa(number))
		disarm := func() {}
		if number <= len(r.Kill) {
			disarm = r.Kill[number-1].arm(p)
		}
		err := r.live(ctx, p)
		disarm()
		lives = append(lives, Life{Killed: p.killed(), Stdout: p.Stdout, Stderr: p.Stderr})
		if err != nil {
			return lives, fmt.Errorf("life %d: %w", number, err)
		}
		if !p.killed() {
			return lives, nil
		}
		if r.Killed != nil {
			if err := r.Killed(ctx); err != nil {
				return lives, fmt.Errorf("after life %d: %w", number, err)
			}
		}
	}
}

const (
	defaultLimit = 5 * time.Minute
	stopGrace    = time.Minute
	// askInterval is how often Until is asked: nothing tells when an unknown condition changes.
	askInterval = 50 * time.Millisecond
)

// live sees one process from its start to its end.
func (r Run) live(ctx context.Context, p *Process) error {
	limit := r.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := p.start(r.Program); err != nil {
		return err
	}
	stopped, err := r.watch(ctx, p)
	if err != nil {
		return p.describe(errors.Join(err, p.stop(0)))
	}
	if stopped {
		if err := p.stop(stopGrace); err != nil {
			return err
		}
	}
	if r.Control != nil {
		if err := r.Control.Settle(ctx); err != nil {
			return err
		}
	}
	if p.err != nil && !p.killed() && !stopped {
		return p.describe(fmt.Errorf("the program ended: %w", p.err))
	}
	return nil
}

// watch returns when the process has ended, or with true when Until holds.
func (r Run) watch(ctx context.Context, p *Process) (bool, error) {
	tick := time.NewTicker(askInterval)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return false, nil
		case <-ctx.Done():
			return false, fmt.Errorf("the program is not done: %w", ctx.Err())
		case <-tick.C:
		}
		if r.Until == nil || p.shot.Load() {
			continue // a process that is being killed has nothing to show any more
		}
		done, err := r.Until(ctx, p)
		if err != nil {
			return false, fmt.Errorf("ask whether the program is done: %w", err)
		}
		if done && !p.shot.Load() {
			return true, nil
		}
	}
}
