package statusbranch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// owner is the cloud that a report is of. Reports of older programs do not say it.
type owner struct {
	// Path is where the configuration is in the repository.
	Path string `json:"path"`
	// Installation tells clusters apart; empty where nothing is installed yet.
	Installation string `json:"installation,omitempty"`
	// Inventory is how often the inventory was written when the report was made; 0 where nobody says.
	Inventory int64 `json:"inventory,omitempty"`
}

// maxOwner is how long what is said of an owner may be: more than we write.
const maxOwner = 4096

// TakenError says that the status branch has the report of another cloud, which stays. It makes no sense to
// try again before somebody has deleted the branch, or named another one.
type TakenError struct {
	Branch       string // without refs/heads/
	Theirs, Ours string // what tells the two clouds apart
	Means        string // when it is the same cloud after all
}

// Error names both clouds, and what to do.
func (e *TakenError) Error() string {
	return fmt.Sprintf("the branch %s has the report of %s, and this is %s: give each cloud a --status-branch of its own; if %s, delete the branch %[1]s, or give another one",
		e.Branch, e.Theirs, e.Ours, e.Means)
}

// parseOwner returns whose report a manifest says it is, nil when it does not say so. Anybody who can push can
// write one.
func parseOwner(content []byte) *owner {
	var read struct {
		Of *owner `json:"of"` // and none of the files
	}
	if len(content) > maxManifest || json.Unmarshal(content, &read) != nil || read.Of == nil || len(read.Of.Path)+len(read.Of.Installation) > maxOwner {
		return nil
	}
	return read.Of
}

// identify finds out whose reports ours are. What is installed is known for good once it was found.
func (b *Branch) identify(ctx context.Context) (owner, error) {
	b.mutex.Lock()
	us := owner{Path: path.Clean(b.options.Path), Installation: b.installation}
	b.mutex.Unlock()
	if us.Installation != "" || b.options.Installation == nil {
		return us, nil
	}
	found, err := b.options.Installation(ctx)
	if err != nil {
		return us, fmt.Errorf("find out whose report this is: %w", err)
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.installation, us.Installation = found, found
	return us, nil
}

// Counted returns how often the inventory was written at least, as the report says that the branch has now: 0 where there is
// none, or that of another cloud, and where no report of ours can be, as the branch has no room or is too large to be ours.
// That stays so until a person does something, and keeps back reports, not the work. It may be called at any time.
func (b *Branch) Counted(ctx context.Context) (int64, error) {
	refs, err := b.watched.Refs(ctx)
	if err != nil {
		return 0, err
	}
	us, err := b.identify(ctx)
	if err != nil {
		return 0, err
	}
	tree, err := b.tip(ctx, refs)
	if gitrepo.KindOf(err) == gitrepo.TooLarge {
		return 0, nil
	}
	if err != nil || tree == nil {
		return 0, err
	}
	count, _, err := us.countIn(tree)
	if errors.Is(err, gitrepo.ErrFileTooLarge) {
		return 0, nil
	}
	return count, err
}

// Remembered is [Branch.Counted] by the report that was read or published last from this machine, also by an earlier process,
// without the network; false where there is none of this cloud.
func (b *Branch) Remembered(ctx context.Context) (count int64, known bool) {
	us, err := b.identify(ctx)
	if err != nil {
		return 0, false
	}
	tree, err := b.source.Cached(ctx)
	if err != nil {
		return 0, false
	}
	count, ours, err := us.countIn(tree)
	return count, ours && err == nil
}

// countIn reads the number in a report; 0 where that is not of this cloud.
func (o owner) countIn(tree *gitrepo.Tree) (count int64, ours bool, err error) {
	list, err := manifestOf(tree)
	if err != nil {
		return 0, false, err
	}
	they := parseOwner(list)
	if they == nil || they.Path != o.Path || they.Installation != o.Installation {
		return 0, false, nil
	}
	return min(max(they.Inventory, 0), mostWrites), true, nil
}

// mostWrites bounds what anybody who can push may have us count up to.
const mostWrites = 1 << 50

// claim returns the owner to write with what goes on top of a tree. The error is a [TakenError] when the tree
// has the report of another cloud. Where it cannot be read whose that is, it is not taken for nobody's.
func (b *Branch) claim(us owner, tree *gitrepo.Tree) (*owner, error) {
	list, err := manifestOf(tree)
	if err != nil {
		return nil, err
	}
	return b.takeOver(us, parseOwner(list))
}

// takeOver returns the owner to write in place of what is there, nil for none.
func (b *Branch) takeOver(us owner, they *owner) (*owner, error) {
	if they == nil {
		return &us, nil
	}
	branch := strings.TrimPrefix(b.ref, branches)
	switch {
	case they.Path != us.Path:
		return nil, &final{&TakenError{Branch: branch, Theirs: fmt.Sprintf("the configuration in %q", they.Path), Ours: fmt.Sprintf("the one in %q", us.Path), Means: "it was moved to another --path"}}
	case b.options.Installation == nil:
		return they, nil // with what it says of an inventory
	case they.Installation != "" && they.Installation != us.Installation:
		ours := "a cluster without any"
		if us.Installation != "" {
			ours = fmt.Sprintf("the installation %q", us.Installation)
		}
		return nil, &final{&TakenError{Branch: branch, Theirs: fmt.Sprintf("the installation %q", they.Installation), Ours: ours, Means: "this cluster, or what is installed there now, took the place of that one"}}
	}
	us.Inventory = they.Inventory
	return &us, nil
}
