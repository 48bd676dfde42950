package gitrepo

import (
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
// says of its size, so it gets only a pack whose objects were measured before.
func (s *store) unpack(pack io.Reader) (err error) {
	file, err := os.CreateTemp(filepath.Join(s.dir, packs), unfinished+"*")
	if err != nil {
		return fmt.Errorf("taking a pack into the cache: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), removeIfThere(file.Name())) }()
	if _, err := io.Copy(file, pack); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := measurePack(file); err != nil {
		return whole(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	index := new(idxfile.Writer)
	parser, err := packfile.NewParser(packfile.NewScanner(file), index)
	if err != nil {
		return err
	}
	checksum, err := parser.Parse()
	if err != nil {
		return err
	}
	return s.addPack(file.Name(), checksum, index)
}

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
