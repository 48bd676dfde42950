package revision

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Reader reads configurations one after the other. It has each tried in a process of its own before
// it reads it itself, so that a hostile one ends as a finding; of a configuration of which most is
// as it was, only what a change can have an effect on is tried and parsed again. The zero value
// tries nothing. It is safe for concurrent use.
type Reader struct {
	// Runner starts the processes; nil for none.
	Runner *confine.Runner
	// Tried is told how each trial ended; nil for nobody.
	Tried func(confine.Outcome)
	// Collector is that of the process; nil leaves the collection of garbage alone.
	Collector *Collector

	mutex sync.Mutex
	cache config.Cache
	path  string         // that what follows is about
	with  Options        // the same
	last  *config.Config // the last one without mistakes that was tried; nil before
	id    string         // of the same
	looks looks          // of evaluating it at what is no configuration
	// What trying changes took since all of it was tried: each fits, and all of them meet again in
	// this process.
	memory int64
	time   time.Duration
}

// Load reads the configuration at a path of a tree ("." for all of it), as the function [Load]
// does. Revisions with the same id, unless that is empty,
// have the same tree. The error says that trying it was not possible, which is no fault of the files.
func (r *Reader) Load(ctx context.Context, id string, tree fs.FS, path string, options Options) (*Loaded, Findings, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.Runner == nil {
		loaded, found := Load(id, tree, path, options)
		return loaded, found, nil
	}
	defer r.Collector.relax(r.Runner.Limits.Memory * 11 / 16)() // about as the trial collects, beside the program itself
	if r.path != path || !r.with.equal(options) {
		r.last, r.path, r.with = nil, path, options
	}
	read := r.reading(tree, path)
	if id == "" || r.last == nil || r.id != id {
		ended, err := r.try(ctx, tree, read)
		if err != nil || ended != nil {
			r.last = nil
		}
		if err != nil {
			return nil, Findings{}, err
		}
		if ended != nil {
			source := func(string) ([]byte, bool) { return nil, false }
			return nil, Findings{Diagnostics: diag.Diagnostics{*ended}, source: source}, nil
		}
	}
	result := read(true)
	noted := &looked{FS: tree, found: looks{}}
	result.config.Tree = noted
	loaded, found := evaluate(id, noted, path, result.config, options, result.diags)
	r.last, r.id, r.looks = nil, id, noted.stop()
	if loaded != nil {
		loaded.tree = tree
		r.last = result.config // and the same is in the cache
	}
	return loaded, found, nil
}

// result is what reading files led to.
type result struct {
	config *config.Config
	diags  diag.Diagnostics
}

// reading returns a function that reads the files the first time that it is called. The files are
// known to be sound when judged is set then.
func (r *Reader) reading(tree fs.FS, path string) func(judged bool) result {
	var once sync.Once
	var read result
	return func(judged bool) result {
		once.Do(func() {
			read.config, read.diags = r.cache.Load(r.with.Language, tree, path, config.DefaultLimits(), judged)
			r.Collector.tidy()
		})
		return read
	}
}

// try reads and evaluates a configuration in a process of its own, and returns what ended that; nil
// when it went well. As soon as reading went well there, it calls read here, beside evaluating there.
func (r *Reader) try(ctx context.Context, tree fs.FS, read func(judged bool) result) (*diag.Diagnostic, error) {
	what := task{Path: r.path, Given: r.with.Given, Identities: r.with.Keys.Identities.Reveal(), Sealed: r.with.Keys.Optional}
	if r.last != nil && r.looks.same(tree) {
		if changed, ok := r.cache.Changes(tree, r.path, config.DefaultLimits()); ok {
			if len(changed) == 0 {
				return nil, nil
			}
			if what.Only = r.last.Affected(changed); 2*len(what.Only) > r.last.Files() {
				what.Only = nil
			}
		}
	}
	argument, err := what.argument()
	if err != nil {
		return nil, err
	}
	var here contain.Group
	outcome, err := r.Runner.Follow(ctx, func(phase string) { here.Go(func() { read(phase == phaseSound) }) }, jobLoad, tree, argument)
	here.Wait()
	if err != nil {
		return nil, err
	}
	if r.Tried != nil {
		r.Tried(outcome)
	}
	limits := r.Runner.Limits
	if outcome.Excess != confine.None {
		work, blame := "evaluating the configuration", ""
		if outcome.Phase == "" {
			work, blame = "reading the configuration", outcome.File
		}
		return outcome.Diagnostic(limits, work, blame), nil
	}
	if what.Only == nil {
		r.memory, r.time = 0, 0
		return nil, nil
	}
	r.memory += outcome.Peak - outcome.Base
	r.time += outcome.CPU
	if r.memory > limits.Memory/4 || r.time > limits.CPU/2 {
		r.last = nil // so that all of it is tried at once
		return r.try(ctx, tree, read)
	}
	return nil, nil
}
