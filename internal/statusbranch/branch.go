package statusbranch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// DefaultBranch is where reports go unless Options says otherwise.
const DefaultBranch = "kupenstack-status"

// branches is where Git has branches.
const branches = "refs/heads/"

// Options say where reports go and who writes them. All have a default.
type Options struct {
	Branch string // without refs/heads/
	Path   string // of the configuration within the repository; empty for its top
	// Installation tells this cloud's cluster from others; its result is empty before anything is installed.
	// Nil tells none apart.
	Installation func(ctx context.Context) (string, error)
	// Count returns how often the inventory was written, which goes along with each report that says something new; nil for
	// nothing. See [Branch.Counted].
	Count func() int64
	// Guard is asked right before anything is sent and for each part of it, by several goroutines, and its error ends that.
	// Nil allows everything.
	Guard       func() error
	Name, Email string // of the commits' author
	// Sign returns the signature of a raw commit in armor; nil for commits without one.
	Sign     func(commit []byte) (string, error)
	Clock    func() time.Time // of the commits' dates
	MaxBytes int64            // of one report; 0 for 256 MiB
	Attempts int              // to push one report; 0 for 6
	Backoff  time.Duration    // before the second attempt, doubled before each later one; 0 for 200 ms
}

func (o Options) withDefaults() Options {
	if o.Branch == "" {
		o.Branch = DefaultBranch
	}
	if o.Name == "" {
		o.Name = "KupenStack"
	}
	if o.Email == "" {
		o.Email = "kupenstack@localhost"
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 256 << 20
	}
	if o.Attempts <= 0 {
		o.Attempts = 6
	}
	if o.Backoff <= 0 {
		o.Backoff = 200 * time.Millisecond
	}
	return o
}

// Branch publishes to a branch of a repository. One goroutine at a time uses it; several processes
// may, as each builds on what the others wrote.
type Branch struct {
	options Options
	ref     string
	watched *gitrepo.Source
	source  *gitrepo.Source // of the status branch itself
	plans   seenPlans
	// reported is the branch's newest commit, "" for none, when a report was read or published last; nil before that.
	reported *string
	// installation is ours once it is known; heartbeats ask for it beside reports.
	installation string
	mutex        sync.Mutex // guards installation
}

// New returns the status branch of the repository that the configuration is watched in. It
// connects to nothing, and fails when that is a directory or the options make no sense.
func New(watched *gitrepo.Source, options Options) (*Branch, error) {
	options = options.withDefaults()
	if strings.ContainsAny(options.Name+options.Email, "<>\n\x00") {
		return nil, errors.New("the name and e-mail address of the report's author cannot have angle brackets or line breaks")
	}
	b := &Branch{options: options, ref: branches + strings.TrimPrefix(options.Branch, branches), watched: watched}
	err := b.apart(watched.Ref())
	if err != nil {
		return nil, err
	}
	b.source, err = watched.Branch(b.ref)
	return b, err
}

// look lists the refs, and makes sure that ours is not the configuration's, and can be there.
func (b *Branch) look(ctx context.Context) (gitrepo.Refs, error) {
	refs, err := b.watched.Refs(ctx)
	if err != nil {
		return refs, err
	}
	// Without an answer the configuration's ref does not exist, so it is not this one.
	if watched, err := refs.Resolve(b.watched.Ref()); err == nil && watched.Ref == b.ref {
		return refs, b.sameBranch()
	}
	return refs, b.room(refs)
}

// tip returns the newest commit of the branch, nil when there is none.
func (b *Branch) tip(ctx context.Context, refs gitrepo.Refs) (*gitrepo.Tree, error) {
	hash := refs.Hash(b.ref)
	if hash == "" {
		return nil, nil
	}
	return b.source.Fetch(ctx, gitrepo.Revision{Ref: b.ref, Hash: hash})
}

// Publish makes the branch's newest commit have these files, and no plans of refs that are gone, or that are
// at one of the merged commits, or were when they were planned. When all is so already, nothing is written.
// The bytes must not be changed during the call.
//
// Errors of the repository are those of [gitrepo.KindOf]; a later Publish may succeed after all
// but Refused, NoRepository, Rejected and Withheld, and never makes a second commit of a report whose push
// only seemed to fail. The report of another cloud stays: then the error is a [TakenError].
func (b *Branch) Publish(ctx context.Context, files map[string][]byte, message string, merged []string) (Result, error) {
	if err := check(files, b.options.MaxBytes); err != nil {
		return Result{}, err
	}
	us, err := b.identify(ctx)
	if err != nil {
		return Result{}, err
	}
	var count int64
	if b.options.Count != nil {
		count = b.options.Count()
	}
	var over []string
	result, err := b.push(ctx, message, func(refs gitrepo.Refs, tree *gitrepo.Tree) (map[string][]byte, []string, error) {
		claimed, err := b.claim(us, tree)
		if err != nil {
			return nil, nil, err
		}
		all, err := withManifest(files, claimed)
		if err != nil {
			return nil, nil, err
		}
		if err := b.see(tree, refs); err != nil {
			return nil, nil, fmt.Errorf("reading the plans on the status branch: %w", err)
		}
		old, err := former(tree)
		if err != nil {
			return nil, nil, err
		}
		_, over = b.sort(b.plans.filed, refs, merged)
		old = append(old, planFiles(over)...)
		if count > claimed.Inventory {
			all, err = withCount(tree, files, all, old, *claimed, count)
		}
		return all, old, err
	})
	if err != nil {
		return Result{}, err
	}
	for _, name := range over {
		delete(b.plans.filed, name)
	}
	b.plans.commit = result.Commit
	b.reported = &result.Commit
	return result, nil
}

// Moved tells whether the branch has another newest commit than when a report was read or published last, or is gone, as far
// as the last ls-remote told. Then people may read something else than that report. It makes no request.
func (b *Branch) Moved() bool {
	refs, seen := b.watched.Seen()
	return seen && b.reported != nil && refs.Hash(b.ref) != *b.reported
}

// prepare returns what the next commit has: files, and the paths of others that it must not have. It is
// asked for each attempt, with what is there then; the tree is nil before the first commit.
type prepare func(refs gitrepo.Refs, tree *gitrepo.Tree) (files map[string][]byte, without []string, err error)

// push commits what is prepared, as often as it takes, within bounds.
func (b *Branch) push(ctx context.Context, message string, with prepare) (Result, error) {
	var last *attempt
	for n := range b.options.Attempts {
		if n > 0 {
			if err := b.wait(ctx, n); err != nil {
				return Result{}, errors.Join(last.err, err)
			}
		}
		made, result, err := b.try(ctx, message, with, last)
		if err == nil {
			return result, nil
		}
		if made != nil {
			last = made
		}
		if last == nil || !again(err) || ctx.Err() != nil {
			return Result{}, err
		}
		last.err = err
	}
	return Result{}, fmt.Errorf("the report could not be pushed in %d attempts: %w", b.options.Attempts, last.err)
}

// attempt is a push that did not succeed for sure.
type attempt struct {
	parent, commit string // the parent is "" for the first commit of the branch
	err            error
}

// try publishes once. It returns what it pushed when that failed.
func (b *Branch) try(ctx context.Context, message string, with prepare, last *attempt) (*attempt, Result, error) {
	refs, err := b.look(ctx)
	if err != nil {
		return nil, Result{}, err
	}
	if refs.Len() == 0 {
		return nil, Result{}, b.empty()
	}
	tree, err := b.tip(ctx, refs)
	if err != nil {
		return nil, Result{}, err
	}
	var parent string
	if tree != nil {
		parent = tree.Revision.Hash
	}
	if last != nil && gitrepo.KindOf(last.err) == gitrepo.Rejected && parent == last.parent {
		return nil, Result{}, &final{last.err} // nobody was faster: the server does not want it
	}
	files, without, err := with(refs, tree)
	if err != nil {
		return nil, Result{}, err
	}
	draft, err := gitrepo.NewDraft(tree, files, without)
	if err != nil {
		return nil, Result{}, fmt.Errorf("building the report: %w", err)
	}
	result := Result{Commit: parent, Foreign: b.foreign(tree)}
	if !draft.Changed() {
		result.Changed = last != nil && last.commit == parent // the answer was lost, not the push
		return nil, result, nil
	}
	commit, err := draft.Commit(b.author(b.options.Clock()), strings.TrimSpace(strings.ReplaceAll(message, "\x00", ""))+"\n", b.options.Sign)
	if err != nil {
		return nil, Result{}, fmt.Errorf("building the report: %w", err)
	}
	err = b.source.Push(ctx, gitrepo.Update{Ref: b.ref, Old: parent, Draft: draft, Guard: b.options.Guard})
	if err != nil {
		return &attempt{parent: parent, commit: commit, err: err}, Result{}, err
	}
	result.Changed, result.Commit = true, commit
	return nil, result, nil
}

func (b *Branch) author(when time.Time) gitrepo.Author {
	return gitrepo.Author{Name: b.options.Name, Email: b.options.Email, When: when}
}

// empty is about a repository without refs. Forges make the first branch that is pushed the default one,
// which people and programs then take for the configuration.
func (b *Branch) empty() error {
	return &gitrepo.Error{Kind: gitrepo.NoRef, Where: b.watched.String(), Text: "the repository is empty: push the configuration first, then reports can follow"}
}

// final is an error after which another attempt makes no sense.
type final struct{ error }

func (f *final) Unwrap() error { return f.error }

// again tells whether another attempt can end otherwise.
func again(err error) bool {
	var stop *final
	if errors.As(err, &stop) {
		return false
	}
	switch gitrepo.KindOf(err) {
	case gitrepo.Moved, gitrepo.Rejected, gitrepo.Unreachable, gitrepo.Other, gitrepo.Broken:
		return true
	default:
		return false
	}
}

// wait pauses before attempt n, for a random time so that two writers do not collide for ever.
func (b *Branch) wait(ctx context.Context, n int) error {
	longest := min(b.options.Backoff<<min(n-1, 16), 10*time.Second)
	pause := time.NewTimer(longest/2 + rand.N(longest/2+1)) //nolint:gosec // chance, not secrecy
	defer pause.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-pause.C:
		return nil
	}
}

// foreign returns the tip's commit when its author is not us.
func (b *Branch) foreign(tree *gitrepo.Tree) *gitrepo.Commit {
	if tree == nil || tree.Commit.Email == b.options.Email {
		return nil
	}
	commit := tree.Commit
	return &commit
}

// former returns the paths of our files in a tree.
func former(tree *gitrepo.Tree) ([]string, error) {
	list, err := manifestOf(tree)
	return parseManifest(list), err
}

// manifestOf returns the list of our files in a tree, nothing when there is none.
func manifestOf(tree *gitrepo.Tree) ([]byte, error) {
	list, err := content(tree, Manifest, maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, gitrepo.ErrFileTooLarge):
		return nil, &final{fmt.Errorf("%s of the status branch, which says whose report it has, is none that KupenStack wrote: %w; delete the status branch, and find out who can push to it", Manifest, err)}
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s of the status branch, which says whose report it has: %w; should it stay so, delete the directory that --cache-dir names", Manifest, err)
	}
	return list, nil
}

// Read returns our files in the branch's newest commit, and the commit. When there is no branch,
// both are empty. When the files are those of another cloud, the error is a [TakenError]. Files that are too large to be
// ours are left out, and so are those beyond what is read in all: the next report takes their place.
func (b *Branch) Read(ctx context.Context) (map[string][]byte, gitrepo.Commit, error) {
	refs, err := b.look(ctx)
	if err != nil {
		return nil, gitrepo.Commit{}, err
	}
	tree, err := b.tip(ctx, refs)
	if err != nil {
		return nil, gitrepo.Commit{}, err
	}
	if tree == nil {
		b.reported = new(string)
		return nil, gitrepo.Commit{}, nil
	}
	us, err := b.identify(ctx)
	if err == nil {
		_, err = b.claim(us, tree)
	}
	if err != nil {
		return nil, gitrepo.Commit{}, err
	}
	names, err := former(tree)
	if err != nil {
		return nil, gitrepo.Commit{}, err
	}
	files, left := map[string][]byte{}, min(b.options.MaxBytes, maxAllRead)
	for _, name := range byWorth(names) {
		hash, err := tree.Find(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // somebody removed it
		}
		var content []byte
		if err == nil {
			content, err = tree.Blob(hash, min(left, maxRead))
		}
		if errors.Is(err, gitrepo.ErrFileTooLarge) {
			continue
		}
		if err != nil {
			return nil, gitrepo.Commit{}, fmt.Errorf("reading %s of the status branch: %w", name, err)
		}
		left -= int64(len(content))
		files[name] = content
	}
	b.reported = &tree.Revision.Hash
	return files, tree.Commit, nil
}
