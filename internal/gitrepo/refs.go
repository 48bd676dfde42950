package gitrepo

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

const (
	branches = "refs/heads/"
	tags     = "refs/tags/"
)

// Refs is what one ls-remote told.
type Refs struct {
	hashes map[string]plumbing.Hash // of the commit, for annotated tags too
	wants  map[string]plumbing.Hash // what a server lets one fetch: of an annotated tag only the tag
	head   string                   // what HEAD points to; empty when it points to nothing
}

func newRefs(advertised *packp.AdvRefs) Refs {
	refs := Refs{hashes: map[string]plumbing.Hash{}, wants: maps.Clone(advertised.References)}
	maps.Copy(refs.hashes, advertised.References)
	maps.Copy(refs.hashes, advertised.Peeled)
	if advertised.Head == nil {
		return refs
	}
	for _, pair := range advertised.Capabilities.Get(capability.SymRef) {
		if target, ok := strings.CutPrefix(pair, "HEAD:"); ok && refs.hashes[target] == *advertised.Head {
			refs.head = target
			return refs
		}
	}
	// A detached HEAD, or a server that does not tell what it points to: Git guesses too.
	for _, usual := range []string{branches + "main", branches + "master"} {
		if refs.hashes[usual] == *advertised.Head {
			refs.head = usual
			return refs
		}
	}
	refs.head = "HEAD"
	refs.hashes["HEAD"] = *advertised.Head
	if refs.wants == nil {
		refs.wants = map[string]plumbing.Hash{}
	}
	refs.wants["HEAD"] = *advertised.Head
	return refs
}

// Hash returns the commit that a ref points to, given by its full name; "" when there is none.
func (r Refs) Hash(full string) string {
	hash, ok := r.hashes[full]
	if !ok {
		return ""
	}
	return hash.String()
}

// All returns the full names of all refs with their commits, in no order.
func (r Refs) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for full, hash := range r.hashes {
			if !yield(full, hash.String()) {
				return
			}
		}
	}
}

// with returns the refs with one of them at another commit.
func (r Refs) with(full string, commit plumbing.Hash) Refs {
	next := Refs{hashes: map[string]plumbing.Hash{}, wants: map[string]plumbing.Hash{}, head: r.head}
	maps.Copy(next.hashes, r.hashes)
	maps.Copy(next.wants, r.wants)
	next.hashes[full], next.wants[full] = commit, commit
	return next
}

// Len returns the number of refs; an empty repository has none.
func (r Refs) Len() int { return len(r.hashes) }

// Resolve returns the full name and commit of a ref as [Options] has it. Its error, an [Error] of
// kind NoRef without a place, names what comes nearest.
func (r Refs) Resolve(ref string) (Revision, error) {
	full := ref
	switch _, isBranch := r.hashes[branches+ref]; {
	case ref == "" && len(r.hashes) == 0:
		return Revision{}, &Error{Kind: NoRef, Text: "the repository is empty: push a first commit"}
	case ref == "" && r.head == "":
		return Revision{}, &Error{Kind: NoRef, Text: "the repository's default branch has no commits: name another branch, or push to it" + r.nearest("main")}
	case ref == "":
		full = r.head
	case strings.HasPrefix(ref, "refs/"):
	case isBranch:
		if _, isTag := r.hashes[tags+ref]; isTag {
			return Revision{}, &Error{Kind: NoRef, Text: fmt.Sprintf("%q is a branch and a tag: write refs/heads/%s or refs/tags/%s", ref, ref, ref)}
		}
		full = branches + ref
	default:
		full = tags + ref
	}
	hash, ok := r.hashes[full]
	if !ok {
		return Revision{}, &Error{Kind: NoRef, Text: fmt.Sprintf("there is no branch or tag %q", ref) + r.nearest(ref)}
	}
	return Revision{Ref: full, Hash: hash.String()}, nil
}

// nearest names up to three branches, those first that differ least from what was asked for.
func (r Refs) nearest(ref string) string {
	ref = strings.TrimPrefix(ref, branches)
	var names []string
	for full := range r.hashes {
		if name, ok := strings.CutPrefix(full, branches); ok && len(name) <= 200 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	if len(names) <= 10_000 {
		slices.SortStableFunc(names, func(a, b string) int {
			return cmp.Compare(levenshtein.Distance(ref, a, nil), levenshtein.Distance(ref, b, nil))
		})
	}
	quoted := make([]string, 0, 3)
	for _, name := range names[:min(3, len(names))] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	return "; its branches include " + strings.Join(quoted, ", ")
}
