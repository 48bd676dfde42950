package revision

import (
	"context"
	"errors"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/signature"
)

// codeUntrusted is about a revision that nobody who is trusted has signed.
const codeUntrusted diag.Code = "revision.untrusted"

// Trust says whose revisions are taken.
type Trust struct {
	// Signers returns who is trusted at present. It is asked at every poll, so that keys can be exchanged. An error
	// keeps everything as it is.
	Signers func() (*signature.Signers, error)
	// History has every revision checked that led to the newest since the one in force, and not the newest alone, and
	// takes none that does not come after that one: who may push but not sign cannot go back to an old one.
	History bool
}

// trusted are those who are trusted now; nil is everybody.
type trusted struct {
	list    *signature.Signers
	history bool
}

func (t *Trust) signers() (*trusted, error) {
	if t == nil {
		return nil, nil
	}
	list, err := t.Signers()
	if err != nil {
		return nil, fmt.Errorf("read who is trusted to sign commits: %w", err)
	}
	return &trusted{list, t.History}, nil
}

func (t *trusted) digest() string {
	if t == nil {
		return ""
	}
	return t.list.Digest()
}

// check returns why a tree's revision is not to be trusted; nil when it is. err says that it could not be looked at.
func (t *trusted) check(tree *gitrepo.Tree) (why, err error) {
	if t == nil {
		return nil, nil
	}
	raw, err := tree.Raw()
	var large *gitrepo.LargeCommit
	switch {
	case errors.As(err, &large):
		return large, nil
	case err != nil:
		return nil, err
	}
	_, why = t.list.Verify(raw)
	return why, nil
}

// Warn returns a warning about the revision of a tree that would not be taken, for those who only look at it. The
// error says that this could not be found out.
func (t *Trust) Warn(tree *gitrepo.Tree) (diag.Diagnostics, error) {
	signers, err := t.signers()
	if err != nil {
		return nil, err
	}
	why, err := signers.check(tree)
	if why == nil || err != nil {
		return nil, err
	}
	return warned(distrust(commitOf(tree).Hash, why, signers.history)), nil
}

// WarnHistory is [Trust.Warn] for what led to the revision since the one in force, "" for none.
func (t *Trust) WarnHistory(ctx context.Context, source Source, tree *gitrepo.Tree, inForce string) (diag.Diagnostics, error) {
	if t == nil || !t.History {
		return nil, nil
	}
	signers, err := t.signers()
	if err != nil {
		return nil, err
	}
	id := commitOf(tree).Hash
	why, err := signers.checkHistory(ctx, source, inForce, id)
	if why == nil || err != nil {
		return nil, err
	}
	return warned(distrust(id, why, true)), nil
}

func warned(d diag.Diagnostic) diag.Diagnostics {
	d.Severity = diag.Warning
	return diag.Diagnostics{d}
}

// distrust says why a revision is not taken; history that what led to it has to be trusted as well, so that nothing on top of it is.
func distrust(id string, why error, history bool) diag.Diagnostic {
	if errors.As(why, new(*notAfter)) {
		return diag.Diagnostic{
			Code: codeUntrusted, Summary: "a commit that does not come after the one in force",
			Detail: fmt.Sprintf("the commit %s %v; by --verify-history only commits are applied that come after it, as a signature says nothing of when and where a commit is meant to be applied", id, why),
			Hint:   "push what is wanted on top of the commit in force: `git revert` goes back. Where history was rewritten on purpose, start once without --verify-history, and with it again when the commit is applied",
		}
	}
	hint := "have somebody who is listed sign a commit on top of it, or add the signer to the list"
	if history {
		hint = "push what is wanted on top of the commit in force without it, signed by somebody who is listed, as nothing that comes after it is applied by --verify-history; or add the signer to the list"
	}
	if errors.As(why, new(*gitrepo.LargeCommit)) {
		hint = "push what is wanted in a commit without the large one before it; without --verify-history one on top of it does as well"
	}
	return diag.Diagnostic{
		Code: codeUntrusted, Summary: "a commit that is not trusted", Hint: hint,
		Detail: fmt.Sprintf("the commit %s %v; by --verify only commits are applied that are signed by somebody who is listed there", id, why),
	}
}

// trustAndLoad reads the configuration of a tree, if it may be taken. Otherwise it returns nil and says why.
func (t *Tracker) trustAndLoad(ctx context.Context, tree *gitrepo.Tree, signers *trusted) (*Loaded, Findings, error) {
	commit := commitOf(tree)
	why, err := signers.check(tree)
	since := ""
	if err == nil && signers != nil && signers.history {
		if since, err = t.since(ctx); err == nil && why == nil {
			why, err = signers.checkHistory(ctx, t.source, since, commit.Hash)
		}
	}
	switch {
	case err != nil:
		return nil, Findings{}, err
	case why != nil:
		return nil, Findings{Diagnostics: diag.Diagnostics{distrust(commit.Hash, why, since != "")}}, nil
	}
	files, err := tree.FS(".")
	if err != nil {
		return nil, Findings{}, err
	}
	loaded, found, err := t.Reader.Load(ctx, commit.Hash, files, t.path, t.options)
	if damage := tree.Damage(); damage != nil { // it is none of the commit's mistakes
		return nil, Findings{}, damage
	}
	return loaded, found, err
}

// since returns what is in force, "" for nothing.
func (t *Tracker) since(ctx context.Context) (string, error) {
	t.mutex.Lock()
	admitted := t.admitted
	t.mutex.Unlock()
	if admitted != nil {
		return admitted.ID, nil
	}
	return t.recorded(ctx)
}

// checkHistory returns why what led to a revision since the one in force is not to be trusted; nil when it is, or
// none was in force. err says that it could not be looked at.
func (t *trusted) checkHistory(ctx context.Context, source Source, since, id string) (why, err error) {
	if since == "" || since == id {
		return nil, nil
	}
	err = source.Since(ctx, since, id, func(id string, raw []byte) error {
		if _, err := t.list.Verify(raw); err != nil {
			return &inHistory{id, err}
		}
		return nil
	})
	var bad *inHistory
	var large *gitrepo.LargeCommit
	switch {
	case errors.As(err, &bad):
		return bad, nil
	case errors.As(err, &large):
		return &inHistory{large.Hash, large}, nil
	case gitrepo.KindOf(err) == gitrepo.Rewound:
		return &notAfter{since}, nil
	}
	return nil, err
}

// notAfter is why a revision is not to be trusted that is signed and comes from elsewhere or before.
type notAfter struct{ inForce string }

func (n *notAfter) Error() string {
	return fmt.Sprintf("does not have the commit in force, %s, in its history", n.inForce)
}

// inHistory is why a revision is not to be trusted that came before the newest.
type inHistory struct {
	id  string
	why error
}

func (h *inHistory) Error() string { return fmt.Sprintf("comes after %s, which %v", h.id, h.why) }

func (h *inHistory) Unwrap() error { return h.why }
