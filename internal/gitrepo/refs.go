package gitrepo

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
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

// Refs is what one ls-remote told. There can be very many, so that a name is not a string of its own.
type Refs struct {
	names    []byte          // one after the other, in order
	ends     []uint32        // where each name ends
	commits  []plumbing.Hash // of each, for annotated tags too
	tags     []annotated     // in order
	head     string          // what HEAD points to; empty when it points to nothing
	detached plumbing.Hash   // the commit of HEAD when it points to no ref that is known
}

// annotated is the tag that a ref points to, which is what a server lets one fetch.
type annotated struct {
	at  int // which ref
	tag plumbing.Hash
}

// newRefs completes what was read of an answer: HEAD is with what the server can do.
func newRefs(refs Refs, advertised *packp.AdvRefs) Refs {
	refs.sort()
	if advertised.Head == nil {
		return refs
	}
	for _, pair := range advertised.Capabilities.Get(capability.SymRef) {
		if target, ok := strings.CutPrefix(pair, "HEAD:"); ok && refs.at(target) == *advertised.Head {
			refs.head = target
			return refs
		}
	}
	// A detached HEAD, or a server that does not tell what it points to: Git guesses too.
	for _, usual := range []string{branches + "main", branches + "master"} {
		if refs.at(usual) == *advertised.Head {
			refs.head = usual
			return refs
		}
	}
	refs.head, refs.detached = "HEAD", *advertised.Head
	return refs
}

func (r Refs) bytes(at int) []byte {
	var begin uint32
	if at > 0 {
		begin = r.ends[at-1]
	}
	return r.names[begin:r.ends[at]]
}

func (r Refs) name(at int) string { return string(r.bytes(at)) }

// find returns which ref has a name, or where it would be.
func (r Refs) find(full string) (int, bool) {
	return sort.Find(len(r.commits), func(at int) int { return strings.Compare(full, string(r.bytes(at))) })
}

// at returns the commit that a ref points to; zero when there is none.
func (r Refs) at(full string) plumbing.Hash {
	at, found := r.find(full)
	switch {
	case found:
		return r.commits[at]
	case full == "HEAD":
		return r.detached
	}
	return plumbing.ZeroHash
}

// offered returns what the server lets one fetch for a ref.
func (r Refs) offered(at int) plumbing.Hash {
	if i, found := slices.BinarySearchFunc(r.tags, at, func(tag annotated, at int) int { return cmp.Compare(tag.at, at) }); found {
		return r.tags[i].tag
	}
	return r.commits[at]
}

// wanted returns that for a ref by its full name; zero when there is none.
func (r Refs) wanted(full string) plumbing.Hash {
	if at, found := r.find(full); found {
		return r.offered(at)
	}
	return r.at(full)
}

// Hash returns the commit that a ref points to, given by its full name; "" when there is none.
func (r Refs) Hash(full string) string {
	hash := r.at(full)
	if hash.IsZero() {
		return ""
	}
	return hash.String()
}

// InTheWay returns a ref that keeps one of a full name from being made, "" for none: no ref can lie below another one.
func (r Refs) InTheWay(full string) string {
	for at, c := range full {
		if c != '/' {
			continue
		}
		if _, found := r.find(full[:at]); found {
			return full[:at]
		}
	}
	if at, _ := r.find(full + "/"); at < len(r.commits) && strings.HasPrefix(r.name(at), full+"/") {
		return r.name(at)
	}
	return ""
}

// All returns the full names of all refs with their commits, in no order.
func (r Refs) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if !r.detached.IsZero() && !yield("HEAD", r.detached.String()) {
			return
		}
		for at, commit := range r.commits {
			if !yield(r.name(at), commit.String()) {
				return
			}
		}
	}
}

// with returns the refs with one of them at another commit.
func (r Refs) with(full string, commit plumbing.Hash) Refs {
	next := Refs{head: r.head, detached: r.detached}
	for at := range r.commits {
		if string(r.bytes(at)) != full {
			next.take(&r, at)
		}
	}
	next.add([]byte(full), commit)
	next.sort()
	return next
}

// Len returns the number of refs; an empty repository has none.
func (r Refs) Len() int {
	if !r.detached.IsZero() {
		return len(r.commits) + 1
	}
	return len(r.commits)
}

// Resolve returns the full name and commit of a ref as [Options] has it. Its error, an [Error] of
// kind NoRef without a place, names what comes nearest.
func (r Refs) Resolve(ref string) (Revision, error) {
	full := ref
	switch _, isBranch := r.find(branches + ref); {
	case ref == "" && r.Len() == 0:
		return Revision{}, &Error{Kind: NoRef, Text: "the repository is empty: push a first commit"}
	case ref == "" && r.head == "":
		return Revision{}, &Error{Kind: NoRef, Text: "the repository's default branch has no commits: name another branch, or push to it" + r.nearest("main")}
	case ref == "":
		full = r.head
	case strings.HasPrefix(ref, "refs/"):
	case isBranch:
		if _, isTag := r.find(tags + ref); isTag {
			return Revision{}, &Error{Kind: NoRef, Text: fmt.Sprintf("%q is a branch and a tag: write refs/heads/%s or refs/tags/%s", ref, ref, ref)}
		}
		full = branches + ref
	default:
		full = tags + ref
	}
	hash := r.at(full)
	if hash.IsZero() {
		return Revision{}, &Error{Kind: NoRef, Text: fmt.Sprintf("there is no branch or tag %q", ref) + r.nearest(ref)}
	}
	return Revision{Ref: full, Hash: hash.String()}, nil
}

// nearest names up to three branches, those first that differ least from what was asked for.
func (r Refs) nearest(ref string) string {
	ref = strings.TrimPrefix(ref, branches)
	var names []string
	for at := range r.commits {
		if name, ok := bytes.CutPrefix(r.bytes(at), []byte(branches)); ok && len(name) <= 200 {
			names = append(names, string(name))
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
