package gitrepo

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/hash"
)

// had is a commit whose whole tree is in a store, so that a server leaves out what it has, and tells files as changes
// of those in it. The zero value is none.
type had struct {
	commit plumbing.Hash
	in     *store
	room   int64 // bytes that may be added to a pack from it: what takes little of the cache may take much by itself
}

// What a pack has before and after its objects.
const (
	packHead = 12        // "PACK", version, number of objects
	packFoot = hash.Size // a sum of all before
)

// base returns the size of an object that a pack may tell others as changes of, and false when it is not here.
func (h had) base(object plumbing.Hash) (int64, bool, error) {
	if h.in == nil {
		return 0, false, nil
	}
	h.in.mu.Lock()
	defer h.in.mu.Unlock()
	size, err := h.in.objects.EncodedObjectSize(object)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return 0, false, nil
	}
	return size, err == nil, h.in.judge("file", err)
}

// packed returns an object as a pack has it. What cannot be read here must not look as if the server had broken off.
func (h had) packed(object plumbing.Hash) ([]byte, error) {
	h.in.mu.Lock()
	defer h.in.mu.Unlock()
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, h.in.objects, false).Encode([]plumbing.Hash{object}, 0); err != nil {
		return nil, h.in.judge("file", err)
	}
	return pack.Bytes()[packHead : pack.Len()-packFoot], nil
}

// addBases writes a pack that was measured once more, with the objects before it that it only names: a store reads no
// object of a pack with the help of others. Only one of these is in memory at a time, and each is headway. It returns how many bytes
// they come to.
func (s *store) addBases(ctx context.Context, wait *patience, thin *os.File, bases []plumbing.Hash, has had) (to *os.File, added int64, err error) {
	to, err = os.CreateTemp(filepath.Join(s.dir, packs), unfinished+"*")
	if err != nil {
		return nil, 0, fmt.Errorf("taking a pack into the cache: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, to.Close(), os.Remove(to.Name()))
		}
	}()
	info, err := thin.Stat()
	if err != nil {
		return to, 0, err
	}
	head := make([]byte, packHead)
	if _, err := thin.ReadAt(head, 0); err != nil {
		return to, 0, err
	}
	count := head[packHead-4:]
	binary.BigEndian.PutUint32(count, binary.BigEndian.Uint32(count)+uint32(len(bases))) //nolint:gosec // within maxObjects
	sum := hash.New(hash.CryptoType)
	all := io.MultiWriter(to, sum)
	if _, err := all.Write(head); err != nil {
		return to, 0, err
	}
	for _, base := range bases {
		if ctx.Err() != nil {
			return to, 0, context.Cause(ctx)
		}
		object, err := has.packed(base)
		if err != nil {
			return to, 0, err
		}
		if added += int64(len(object)); added > has.room {
			return to, 0, errThin
		}
		if _, err := all.Write(object); err != nil {
			return to, 0, err
		}
		wait.note(len(object))
	}
	if _, err := io.Copy(all, io.NewSectionReader(thin, packHead, info.Size()-packHead-packFoot)); err != nil {
		return to, 0, err
	}
	_, err = to.Write(sum.Sum(nil))
	return to, added, err
}
