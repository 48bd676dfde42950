package gitrepo

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// What a pack may unfold to, as some bytes can stand for any number of others. The library has up to three times
// an object in memory, a whole chain of changes, and some 400 bytes of each object, and all of that has to fit into
// the memory of a small container. An object may be larger than a file that is read, as a repository can have other
// files as well.
const (
	maxObject  = 32 << 20 // bytes of an object, whatever it is
	maxChain   = 96 << 20 // bytes of an object and all those that it is told as changes of
	maxObjects = 500_000  // objects of a pack
)

// packed is an object of a pack.
type packed struct {
	offset int64
	chain  int64 // bytes of it and of those that it is told as changes of
	loose  bool  // one of these is told as a change of an object that only has its hash for a name
}

// measuring is what is known of the objects of a pack so far.
type measuring struct {
	objects []packed // in the order of their offsets
	has     had
	bases   []plumbing.Hash         // that the pack does not have itself, as has has them
	sizes   map[plumbing.Hash]int64 // of these
	room    int                     // for these
	deepest int64                   // chain
	loose   int64                   // bytes of the loose objects: they might all be of one chain
}

// measurePack reads what a pack says of the sizes of its objects, and keeps nothing else of them in memory. A
// size that is too large is an error of kind TooLarge. An object that is larger than the pack says is an error of
// the library, here as later. It returns which objects of has the pack tells others as changes of.
func measurePack(pack io.Reader, has had) ([]plumbing.Hash, error) {
	scanner := packfile.NewScanner(pack)
	_, count, err := scanner.Header()
	if err != nil {
		return nil, err
	}
	if count > maxObjects {
		return nil, oversize("%d objects at once; %d are the limit. Keep the configuration in a repository of its own", int64(count), maxObjects)
	}
	m := measuring{has: has, room: maxObjects - int(count), sizes: map[plumbing.Hash]int64{}}
	for range count {
		header, err := scanner.NextObjectHeader()
		if err != nil {
			return nil, err
		}
		if header.Length > maxObject {
			return nil, tooLargeObject(header.Length)
		}
		size := header.Length
		if header.Type.IsDelta() {
			var head beginning
			if _, _, err := scanner.NextObject(&head); err != nil {
				return nil, err
			}
			if size, err = head.result(); err != nil {
				return nil, err
			}
		}
		if err := m.add(header, size); err != nil {
			return nil, err
		}
	}
	_, err = scanner.Checksum()
	return m.bases, err
}

// add notes an object that comes to so many bytes.
func (m *measuring) add(header *packfile.ObjectHeader, size int64) error {
	if size > maxObject {
		return tooLargeObject(size)
	}
	o := packed{offset: header.Offset, chain: size}
	if header.Type == plumbing.OFSDeltaObject {
		at, found := slices.BinarySearchFunc(m.objects, header.OffsetReference, func(o packed, offset int64) int { return cmp.Compare(o.offset, offset) })
		if !found {
			return fmt.Errorf("%w: a change of an object that is not there", packfile.ErrMalformedPackFile)
		}
		o.chain += header.Length + m.objects[at].chain
		o.loose = m.objects[at].loose
	}
	if header.Type == plumbing.REFDeltaObject {
		base, found, err := m.base(header.Reference)
		if err != nil {
			return err
		}
		o.chain += header.Length + base
		o.loose = !found
	}
	if o.loose {
		m.loose += size + header.Length
	} else {
		m.deepest = max(m.deepest, o.chain)
	}
	m.objects = append(m.objects, o)
	switch all := m.deepest + m.loose; {
	case all > maxChain && len(m.bases) > 0:
		return errThin
	case all > maxChain:
		return oversize("a file of which so many versions are told as changes of each other that it takes %d bytes to read one of them; %d are the limit. "+hintLarge, all, maxChain)
	}
	return nil
}

// errThin says of a pack that it is too large only together with what it leaves out, as one that leaves out nothing need not be.
var errThin = errors.New("what the server left out does not fit beside what it sent")

// base returns the size of an object that the pack tells another one as a change of, and whether it is none of the pack's.
func (m *measuring) base(object plumbing.Hash) (int64, bool, error) {
	if size, known := m.sizes[object]; known {
		return size, true, nil
	}
	size, found, err := m.has.base(object)
	if err != nil || !found {
		return 0, false, err
	}
	if len(m.bases) == m.room {
		return 0, false, errThin
	}
	m.sizes[object] = size
	m.bases = append(m.bases, object)
	return size, true, nil
}

// hintLarge is how a person finds such files.
const hintLarge = "Keep large files elsewhere: `git ls-tree -r -l` lists those of a commit with their sizes"

func tooLargeObject(size int64) error {
	return oversize("a file of %d bytes; %d are the limit, also for files that no configuration needs. "+hintLarge, size, maxObject)
}

func oversize(format string, is, limit int64) error {
	return &Error{Kind: TooLarge, Text: fmt.Sprintf("the server sent "+format, is, limit)}
}

// beginning keeps what tells the sizes of a change: the first bytes.
type beginning struct {
	first [2 * binary.MaxVarintLen64]byte
	n     int
}

// Write implements io.Writer and never fails.
func (b *beginning) Write(p []byte) (int, error) {
	b.n += copy(b.first[b.n:], p)
	return len(p), nil
}

// result returns how many bytes come of the change.
func (b *beginning) result() (int64, error) {
	_, n := binary.Uvarint(b.first[:b.n]) // the size of what is changed
	if n <= 0 {
		return 0, packfile.ErrInvalidDelta
	}
	size, n := binary.Uvarint(b.first[n:b.n])
	if n <= 0 || int64(size) < 0 { //nolint:gosec // what does not fit is what is looked for
		return 0, packfile.ErrInvalidDelta
	}
	return int64(size), nil //nolint:gosec // see above
}
