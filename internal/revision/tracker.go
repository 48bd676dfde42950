package revision

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// Source is where revisions come from.
type Source interface {
	// Head returns the newest revision without fetching it.
	Head(ctx context.Context) (gitrepo.Revision, error)
	// Fetch returns the files of a revision.
	Fetch(ctx context.Context, revision gitrepo.Revision) (*gitrepo.Tree, error)
	// Cached returns the files that were fetched last, without reaching the source.
	Cached(ctx context.Context) (*gitrepo.Tree, error)
	// Keep has the revision of that id outlive this process, if what was fetched has it.
	Keep(id string) error
	// Kept returns the files of the revision that was kept last.
	Kept(ctx context.Context) (*gitrepo.Tree, error)
	// Earlier returns the files of a revision that the source has had, and keeps it. The error is of
	// kind [gitrepo.Lost] when its history does not have that one, or not any more.
	Earlier(ctx context.Context, id string) (*gitrepo.Tree, error)
	// Since has each called for every revision that led to one and not to another one, as its source keeps it. The
	// error is of kind [gitrepo.Rewound] when the other one did not lead to it.
	Since(ctx context.Context, after, id string, each func(id string, raw []byte) error) error
}

// Ledger tells all processes, wherever they run, which revision was admitted last.
type Ledger interface {
	// Admitted returns the id of that revision; "" before the first.
	Admitted(ctx context.Context) (string, error)
	// Admit records it.
	Admit(ctx context.Context, id string) error
}

// headLimit is how long a source has to tell what its newest revision is, which is little to ask.
const headLimit = 30 * time.Second

// Tracker follows a source. It is safe for concurrent use.
type Tracker struct {
	// Reader reads the revisions; the zero one tries none of them first. It is set before the first
	// poll.
	Reader *Reader
	// Ledger has the last word on what is in force at the start; nil for none: then it is what this
	// machine kept. It is set before the first poll, too.
	Ledger Ledger
	// Trust says whose revisions are taken; nil for everybody's. It is set before the first poll.
	Trust *Trust
	// Reread returns the options as they are now, at each poll: the keys may be others, and what could not be read with
	// the old ones is read again. An error keeps everything as it is. Nil keeps the options. It is set before the first
	// poll.
	Reread func() (Options, error)
	// FirstLook is how long the source has to tell what is newest, and then to send it, before this process begins with what was fetched before,
	// if there is that; 0 for as long as at any other time. It is set before the first poll.
	FirstLook time.Duration

	source  Source
	path    string
	options Options
	facts   func(context.Context) (compose.Facts, error)

	polling sync.Mutex // one poll at a time; Keep writes what is below without it, and Recompose reads it
	mutex   sync.Mutex
	begun   bool             // a revision was looked into, and what was in force before
	head    gitrepo.Revision // the newest one that was looked into
	signers string           // the digest of those who were trusted then
	other   bool             // the options are others than then
	state   State
	loaded  *Loaded
	earlier inForce // what was loaded before that: it may have been admitted, and be put on record later
	// admitted is the newest revision that was admitted, by this process or an earlier one.
	admitted *Loaded
	ledger   string // what this process has read in the ledger last, or written there
}

// State is what a tracker knows.
type State struct {
	Head    gitrepo.Commit // the newest revision
	Applied gitrepo.Commit // the newest without mistakes
	Model   *model.Model   // of Applied; nil before the first
	// InForce is the newest revision that was admitted: Applied, or an older one while that is refused.
	// It is known from the start when an earlier process kept it.
	InForce      gitrepo.Commit
	InForceModel *model.Model
	// Bad says what is wrong with Head; nil when it is the one in force.
	Bad *Findings
	// Warnings are of Applied, with the facts as they were last. They keep nothing from being applied.
	Warnings diag.Diagnostics
	// Lost says why the revision that was in force before this process began cannot be had, while none
	// is in force for that reason.
	Lost error
	// Unreachable says why the newest revision is not known.
	Unreachable error
}

// NewTracker returns a tracker of the configuration at a path of the source, of which every revision
// is read with these options. facts is asked each time that units are composed.
func NewTracker(source Source, path string, facts func(context.Context) (compose.Facts, error), options Options) *Tracker {
	return &Tracker{Reader: &Reader{}, source: source, path: path, facts: facts, options: options}
}

// Resume is for a process that comes into charge: when another one has admitted another revision since,
// what this one knows is old, and the next poll begins as that of a new process does. When the ledger says what it did
// before, nobody has, and what this process has admitted and could not put on record is the newest.
func (t *Tracker) Resume(ctx context.Context) error {
	t.polling.Lock()
	defer t.polling.Unlock()
	id, err := t.recorded(ctx)
	if err != nil {
		return err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	known := t.admitted != nil && (t.admitted.ID == id || t.ledger != "" && t.ledger == id)
	t.ledger = id
	if id != "" && !known {
		t.begun, t.head, t.state, t.loaded, t.earlier, t.admitted = false, gitrepo.Revision{}, State{}, nil, inForce{}, nil
	}
	return nil
}

// recorded returns the id of the revision in force by the ledger; "" when that does not say.
func (t *Tracker) recorded(ctx context.Context) (string, error) {
	if t.Ledger == nil {
		return "", nil
	}
	id, err := t.Ledger.Admitted(ctx)
	if err != nil {
		return "", fmt.Errorf("look up which revision is in force: %w", err)
	}
	return id, nil
}

// admit notes what is in force; the mutex is held.
func (t *Tracker) admit(loaded *Loaded, commit gitrepo.Commit) {
	t.admitted, t.state.InForce, t.state.InForceModel = loaded, commit, loaded.Model
}

// InForce returns the model of the newest revision that was admitted: one that is refused must not
// decide how the world is reached. Before the first it is the newest without mistakes, or nil.
func (t *Tracker) InForce() *model.Model {
	state := t.State()
	if state.InForceModel != nil {
		return state.InForceModel
	}
	return state.Model
}

// Newest tells whether a revision is the newest one that the source has, as far as it was looked into. What this process
// goes on with while that cannot be had, or has mistakes, is not.
func (t *Tracker) Newest(id string) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return id != "" && t.head.Hash == id
}

// State returns what is known now.
func (t *Tracker) State() State {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.state
}

// Poll looks for a newer revision and returns what the engine should take, or nil when nothing
// changed or the newest has mistakes, which [Tracker.State] tells. The error says that the source or
// the facts could not be had; a retry may help.
func (t *Tracker) Poll(ctx context.Context) (*engine.Revision, error) {
	t.polling.Lock()
	defer t.polling.Unlock()
	signers, err := t.Trust.signers()
	if err != nil {
		return nil, err
	}
	if err := t.reread(); err != nil {
		return nil, err
	}
	head, err := t.newest(ctx, t.firstLook())
	if err != nil {
		if begins, found, cause := t.meanwhile(ctx, signers, err); begins {
			return found, cause
		}
		if head, err = t.newest(ctx, headLimit); err != nil { // there is nothing to begin with, so that it may take its time
			return t.offline(ctx, signers, err)
		}
	}
	if t.reached(head, signers) {
		return nil, nil
	}
	tree, hurried, err := t.fetch(ctx, head)
	if hurried {
		if begins, found, cause := t.meanwhile(ctx, signers, err); begins {
			return found, cause
		}
		tree, err = t.source.Fetch(ctx, head)
	}
	if err != nil {
		return t.unfetched(ctx, head, signers, err)
	}
	revision, err := t.take(ctx, tree, tree.Revision, signers)
	if err != nil {
		return t.goOn(ctx, tree.Revision.Hash, signers, err)
	}
	return revision, nil
}

// reread has the newest revision looked into again with other options than before.
func (t *Tracker) reread() error {
	if t.Reread == nil {
		return nil
	}
	options, err := t.Reread()
	if err != nil || t.options.equal(options) {
		return err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.options, t.head, t.other = options, gitrepo.Revision{}, true
	return nil
}

// take reads a tree and makes it the one in force unless it has mistakes, or is of somebody who is not trusted.
func (t *Tracker) take(ctx context.Context, tree *gitrepo.Tree, head gitrepo.Revision, signers *trusted) (*engine.Revision, error) {
	commit := commitOf(tree)
	loaded, found, err := t.trustAndLoad(ctx, tree, signers)
	if err != nil {
		return nil, err
	}
	facts := sync.OnceValues(func() (compose.Facts, error) { return t.look(ctx) })
	var revision, fallback *engine.Revision
	var more, older diag.Diagnostics
	if loaded != nil {
		known, err := facts()
		if err == nil {
			known, err = see(known, loaded)
		}
		if err != nil {
			return nil, err
		}
		revision, more = loaded.Compose(known)
		found.Diagnostics.Append(more...)
	}
	t.mutex.Lock()
	now := inForce{loaded: t.admitted, commit: t.state.InForce}
	first := !t.begun || t.loaded == nil && t.admitted == nil // what could not be read may be by now
	t.mutex.Unlock()
	if first {
		if now, err = t.before(ctx, loaded, commit, revision != nil, signers); err != nil {
			t.blame(commit, revision, &found)
			return nil, err
		}
	}
	if now.loaded != nil && now.loaded != loaded {
		known, err := facts()
		if err == nil {
			known, err = see(known, now.loaded)
		}
		if err != nil {
			return nil, err
		}
		fallback, older = now.loaded.Compose(known)
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.begun, t.head, t.signers, t.other, t.state.Head = true, head, signers.digest(), false, commit
	if first && (fallback != nil || now.loaded != nil && now.loaded == loaded) {
		t.admit(now.loaded, now.commit)
	}
	if revision == nil {
		t.state.Bad = &found
		if t.loaded != nil || fallback == nil {
			if first {
				t.state.Lost = now.lost
			}
			return nil, nil
		}
		t.state.Applied, t.state.Model, t.loaded, t.state.Warnings = now.commit, now.loaded.Model, now.loaded, now.loaded.warned(older)
		return fallback, nil
	}
	revision.Fallback = fallback
	if t.loaded != nil && t.loaded.ID != loaded.ID {
		t.earlier = inForce{loaded: t.loaded, commit: t.state.Applied}
	}
	t.state.Bad, t.state.Lost, t.state.Applied, t.state.Model, t.loaded = nil, nil, commit, loaded.Model, loaded
	t.state.Warnings = loaded.warned(more)
	return revision, nil
}

// look finds out what is true of the cluster.
func (t *Tracker) look(ctx context.Context) (compose.Facts, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return facts, fmt.Errorf("look at the cluster: %w", err)
	}
	return facts, nil
}

// see looks at what a configuration needs to know of the cluster besides.
func see(facts compose.Facts, loaded *Loaded) (compose.Facts, error) {
	facts, err := facts.Look(loaded.Model)
	if err != nil {
		return facts, fmt.Errorf("look at the cluster: %w", err)
	}
	return facts, nil
}

// blame notes that the newest revision has mistakes, if it has, though not what comes of that.
func (t *Tracker) blame(commit gitrepo.Commit, revision *engine.Revision, found *Findings) {
	if revision != nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.state.Head, t.state.Bad = commit, found
}

// Recompose returns the newest revision without mistakes again, with the facts as they are now; nil
// before the first. It does not wait for a poll that goes on, and what that returns may be composed of older facts.
func (t *Tracker) Recompose(ctx context.Context) (*engine.Revision, error) {
	t.mutex.Lock()
	loaded, admitted := t.loaded, t.admitted
	t.mutex.Unlock()
	if loaded == nil {
		return nil, nil
	}
	facts, err := t.look(ctx)
	if err != nil {
		return nil, err
	}
	seen, err := see(facts, loaded)
	if err != nil {
		return nil, err
	}
	revision, diags := loaded.Compose(seen)
	if revision != nil && admitted != nil && admitted != loaded {
		if seen, err = see(facts, admitted); err != nil {
			return nil, err
		}
		revision.Fallback, _ = admitted.Compose(seen)
	}
	t.mutex.Lock()
	if revision != nil && t.loaded == loaded {
		t.state.Warnings = loaded.warned(diags)
	}
	t.mutex.Unlock()
	return revision, diags.Err()
}
