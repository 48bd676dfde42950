package gitrepo

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// maxRefs is how many bytes the refs of a repository may come to, their names and commits: forges have one or two for
// each request to merge, which nobody deletes, and all of them come with each answer. Twice as much is in memory for a
// moment. Some 700,000 refs of the usual length are within it.
const maxRefs = 32 << 20

// refSize is what is kept of a ref beside its name.
const refSize = len(plumbing.Hash{}) + 4

// listing reads what a server tells of itself at the beginning. It takes the refs out of that, all but the first, as the
// library keeps several times their bytes, and hands on the rest.
type listing struct {
	refs    Refs
	thin    bool // it can leave out of packs what is here
	size    int
	began   bool // the line with the first ref was read, which tells what the server can do as well
	over    bool // whatever comes now is handed on
	from    io.Reader
	line    []byte
	waiting []byte // what of line is to be handed on
}

// longHashes is how a server tells of a repository with hashes of another kind, whose refs the library takes for nonsense.
const longHashes = "object-format=sha256"

type listingKey struct{}

// withListing has the answer to a request for the refs that has this context read by l.
func withListing(ctx context.Context, l *listing) context.Context {
	return context.WithValue(ctx, listingKey{}, l)
}

// listed has an answer read by the listing of a context, if it has one.
func listed(ctx context.Context, answer io.Reader) io.Reader {
	l, ok := ctx.Value(listingKey{}).(*listing)
	if !ok {
		return answer
	}
	*l = listing{from: answer, line: make([]byte, 0, 4+pktline.OversizePayloadMax)}
	return l
}

// Read implements io.Reader. It never reads beyond the refs.
func (l *listing) Read(p []byte) (int, error) {
	for len(l.waiting) == 0 {
		if l.over {
			return l.from.Read(p)
		}
		if err := l.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.waiting)
	l.waiting = l.waiting[n:]
	return n, nil
}

// next reads one line. What makes no sense is handed on, as the library says what is wrong with it.
func (l *listing) next() error {
	l.line = l.line[:4]
	n, err := io.ReadFull(l.from, l.line)
	if n == 0 {
		return err
	}
	size, bad := strconv.ParseUint(string(l.line[:n]), 16, 16)
	switch {
	case bad != nil || n < 4 || size > 0 && size <= 4 || int(size) > cap(l.line):
		l.waiting, l.over = l.line[:n], true
		return nil //nolint:nilerr // the library says it
	case size == 0:
		l.waiting, l.over = l.line, l.began
		return nil
	}
	l.line = l.line[:size]
	if _, err := io.ReadFull(l.from, l.line[4:]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	taken, err := l.take(bytes.TrimSuffix(l.line[4:], []byte("\n")))
	if !taken {
		l.waiting = l.line
	}
	return err
}

// take takes the ref of a line, if it has one, and tells whether the library does without the line.
func (l *listing) take(line []byte) (bool, error) {
	if !l.began {
		if bytes.HasPrefix(line, []byte("#")) {
			return false, nil
		}
		l.began = true
		line, can, _ := bytes.Cut(line, []byte{0})
		all := strings.Fields(string(can))
		if slices.Contains(all, longHashes) {
			return false, &Error{Kind: NoRepository, Text: "the repository names its commits by SHA-256, which is not supported: make one without --object-format=sha256, and push the configuration there"}
		}
		l.thin = slices.Contains(all, string(capability.ThinPack)) // which the library takes out, as it has no use for it
		_, err := l.note(line)
		return false, err
	}
	return l.note(line)
}

// note keeps a ref, and tells whether this is one.
func (l *listing) note(line []byte) (bool, error) {
	const digits = 2 * len(plumbing.Hash{})
	var hash plumbing.Hash
	if len(line) < digits+2 || line[digits] != ' ' || bytes.IndexByte(line[digits+1:], ' ') >= 0 {
		return false, l.count(len(line))
	}
	if _, err := hex.Decode(hash[:], line[:digits]); err != nil {
		return false, l.count(len(line))
	}
	name := line[digits+1:]
	switch tag, peeled := bytes.CutSuffix(name, []byte("^{}")); {
	case hash.IsZero(), string(name) == "HEAD", string(name) == ".have": // no ref, or one that is told of elsewhere
		return true, nil
	case peeled:
		l.refs.peel(tag, hash)
		return true, l.count(refSize)
	default:
		l.refs.add(name, hash)
		return true, l.count(len(name) + refSize)
	}
}

func (l *listing) count(more int) error {
	if l.size += more; l.size > maxRefs {
		return &Error{Kind: TooLarge, Text: fmt.Sprintf("the server told of %d refs, and of more; names and commits of %d bytes in all are the limit. Keep the configuration in a repository of its own, or delete branches, tags and other refs that nobody needs: `git ls-remote` lists them", l.refs.Len(), maxRefs)}
	}
	return nil
}

// add appends a ref.
func (r *Refs) add(name []byte, commit plumbing.Hash) {
	r.names = append(r.names, name...)
	r.ends = append(r.ends, uint32(len(r.names))) //nolint:gosec // within maxRefs
	r.commits = append(r.commits, commit)
}

// peel says which commit the annotated tag leads to that was added last.
func (r *Refs) peel(name []byte, commit plumbing.Hash) {
	last := len(r.commits) - 1
	if last < 0 || string(name) != r.name(last) {
		return
	}
	if n := len(r.tags); n == 0 || r.tags[n-1].at != last {
		r.tags = append(r.tags, annotated{last, r.commits[last]})
	}
	r.commits[last] = commit
}

// sort puts the refs in order, in which most servers tell them.
func (r *Refs) sort() {
	byName := func(a, b int) int { return bytes.Compare(r.bytes(a), r.bytes(b)) }
	sorted := true
	for at := 1; at < len(r.commits) && sorted; at++ {
		sorted = byName(at-1, at) <= 0
	}
	if sorted {
		return
	}
	order := make([]int, len(r.commits))
	for at := range order {
		order[at] = at
	}
	slices.SortStableFunc(order, byName)
	next := Refs{head: r.head, detached: r.detached, names: make([]byte, 0, len(r.names)), ends: make([]uint32, 0, len(r.ends)), commits: make([]plumbing.Hash, 0, len(r.commits))}
	for _, at := range order {
		next.take(r, at)
	}
	*r = next
}

// take appends a ref of others.
func (r *Refs) take(from *Refs, at int) {
	r.add(from.bytes(at), from.offered(at))
	if from.offered(at) != from.commits[at] {
		r.peel(from.bytes(at), from.commits[at])
	}
}
