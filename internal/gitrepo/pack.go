package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// unpack takes a pack into the store. The library has each object of a pack whole in memory, whatever the pack
// says of its size, so it gets only a pack whose objects were measured before. A small pack may take hours to unfold all
// the same, which ends with ctx. The pack may tell objects as changes of what has has.
// Reading it is headway, too: a large pack takes a small container long.
func (s *store) unpack(ctx context.Context, wait *patience, pack io.Reader, has had) (err error) {
	file, err := os.CreateTemp(filepath.Join(s.dir, packs), unfinished+"*")
	if err != nil {
		return fmt.Errorf("taking a pack into the cache: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), removeIfThere(file.Name())) }()
	size, err := io.Copy(file, pack)
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	read := &heeding{ctx: ctx, file: file, wait: wait, left: readings * size}
	bases, err := measurePack(read, has)
	if err != nil {
		return whole(err)
	}
	if len(bases) > 0 {
		all, added, err := s.addBases(ctx, wait, file, bases, has)
		if err != nil {
			return fmt.Errorf("completing a pack: %w", err)
		}
		thin := file
		file, read.file = all, all
		read.left += (readings - 1) * added // these were not measured
		if err := errors.Join(thin.Close(), os.Remove(thin.Name())); err != nil {
			return err
		}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	index := new(idxfile.Writer)
	parser, err := packfile.NewParser(packfile.NewScanner(read), index)
	if err != nil {
		return err
	}
	checksum, err := parser.Parse()
	if err != nil {
		return err
	}
	return s.addPack(file.Name(), checksum, index)
}

// readings is how often a pack is read that is as Git makes them: measured, searched for objects, and each of these read for its
// sum and for what is told as a change of it. What is read more often takes time without headway.
const readings = 4

// heeding is a file that cannot be read once a context is over.
type heeding struct {
	ctx  context.Context
	file io.ReadSeeker
	wait *patience
	left int64 // bytes whose reading is headway
}

func (h *heeding) Read(p []byte) (int, error) {
	if h.ctx.Err() != nil {
		return 0, context.Cause(h.ctx)
	}
	n, err := h.file.Read(p)
	counts := min(int64(n), h.left)
	h.left -= counts
	h.wait.note(int(counts))
	return n, err
}

func (h *heeding) Seek(offset int64, whence int) (int64, error) { return h.file.Seek(offset, whence) }

// whole says of an error that it comes from a pack which ends too early, if it does: the server or the
// connection has cut it off.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %w", packfile.ErrMalformedPackFile, io.ErrUnexpectedEOF)
	}
	return err
}

// addPack gives a pack its name, after its index has one.
func (s *store) addPack(file string, checksum plumbing.Hash, index *idxfile.Writer) (err error) {
	content, err := index.Index()
	if err != nil {
		return err
	}
	name := filepath.Join(s.dir, packs, "pack-"+checksum.String())
	to, err := os.Create(name + ".idx")
	if err != nil {
		return fmt.Errorf("taking a pack into the cache: %w", err)
	}
	_, err = idxfile.NewEncoder(to).Encode(content)
	if err = errors.Join(err, to.Close()); err == nil {
		err = os.Rename(file, name+".pack")
	}
	if err != nil {
		return fmt.Errorf("taking a pack into the cache: %w", err)
	}
	return nil
}

func removeIfThere(file string) error {
	if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
