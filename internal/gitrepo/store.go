package gitrepo

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	objectcache "github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"golang.org/x/sys/unix"
)

const (
	objectCache = 8 << 20  // bytes of objects kept in memory
	maxDepth    = 128      // of directories in a tree
	maxSubject  = 200      // bytes of a commit's first line
	cutOff      = "…"      // at its end where it is longer
	maxParents  = 16       // of a commit that are told
	maxNames    = 16 << 20 // bytes of all names in a tree: directories that were looked into are kept, and Git packs long names to next to nothing
	heldEntries = 200_000  // entries of directories kept in memory, as many as a tree may have
)

// store is a bare repository on disk, open for reading, or for one fetch before anybody else knows
// it. The library says nothing about concurrent use, so every access takes the lock; two stores of
// the same directory do not mind each other, as files are only ever added.
type store struct {
	mu      sync.Mutex
	dir     string
	use     *os.File // shared lock of the repository; the garbage collector closes it after the last tree
	objects *filesystem.Storage
	hurt    atomic.Pointer[Error] // what was found damaged

	directories map[plumbing.Hash]*opened // that were looked into, as each file is found through those above it
	held        int                       // entries of these
}

// opened is a directory that was decoded.
type opened struct {
	entries []object.TreeEntry
	places  map[string]int // of the entries; nil until one is looked for
}

// openStore opens the repository in dir, which the caller knows to be there.
func openStore(dir string) (*store, error) {
	use, err := tryLock(filepath.Join(dir, useFile), unix.LOCK_SH)
	if err != nil {
		return nil, fmt.Errorf("opening the cache: %w", err)
	}
	// Nothing is streamed from disk, however large it is: the library reads wrong what is told as a change of something else then,
	// if parts of that come in another order. How large it may be was measured when it came.
	objects := filesystem.NewStorage(osfs.New(dir), objectcache.NewObjectLRU(objectCache))
	if err := objects.Init(); err != nil {
		_ = use.Close() // nothing was written
		return nil, fmt.Errorf("opening the cache: %w", err)
	}
	s := &store{dir: dir, use: use, objects: objects}
	if s.isDamaged() {
		_ = use.Close() // nothing was written
		return nil, &Error{Kind: Broken, Text: "the cache is damaged; the next fetch makes a new one"}
	}
	return s, nil
}

// isLost tells whether somebody removed the repository from below a store.
func (s *store) isLost() bool {
	_, err := os.Stat(filepath.Join(s.dir, useFile))
	return errors.Is(err, os.ErrNotExist)
}

// packs is where a repository has them.
const packs = "objects/pack"

// packs is how many there are, and what they take of the disk.
func (s *store) packs() (n int, bytes int64) {
	names, err := filepath.Glob(filepath.Join(s.dir, packs, "*.pack"))
	if err != nil {
		return 0, 0
	}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil { // else it has just gone
			bytes += info.Size()
		}
	}
	return len(names), bytes
}

// sync has the packs be on the disk, before anything there names what is in them.
func (s *store) sync() error {
	names, err := filepath.Glob(filepath.Join(s.dir, packs, "*"))
	for _, name := range append(names, filepath.Join(s.dir, packs)) {
		if err == nil {
			err = syncFile(name)
		}
	}
	return err
}

func syncFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// entries returns what is in a directory, which the caller leaves as it is.
func (s *store) entries(tree plumbing.Hash) ([]object.TreeEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.directory(tree)
	if err != nil {
		return nil, err
	}
	return d.entries, nil
}

// entry returns the entry of a directory with a name, and whether there is one.
func (s *store) entry(tree plumbing.Hash, name string) (object.TreeEntry, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.directory(tree)
	if err != nil {
		return object.TreeEntry{}, false, err
	}
	if d.places == nil {
		d.places = make(map[string]int, len(d.entries))
		for i := range slices.Backward(d.entries) { // of two with one name, which Git never writes, the first counts
			d.places[d.entries[i].Name] = i
		}
	}
	i, ok := d.places[name]
	if !ok {
		return object.TreeEntry{}, false, nil
	}
	return d.entries[i], true, nil
}

// directory decodes a directory, or returns it as it was decoded before; the lock is held.
func (s *store) directory(tree plumbing.Hash) (*opened, error) {
	if d := s.directories[tree]; d != nil {
		return d, nil
	}
	t, err := s.genuineTree(tree)
	if err != nil {
		return nil, s.judge("directory", err)
	}
	if s.held += len(t.Entries) + 1; s.held > heldEntries || s.directories == nil {
		s.directories, s.held = map[plumbing.Hash]*opened{}, len(t.Entries)+1
	}
	d := &opened{entries: t.Entries}
	s.directories[tree] = d
	return d, nil
}

func (s *store) size(blob plumbing.Hash) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, err := s.objects.EncodedObjectSize(blob)
	return size, s.judge("file", err)
}

// content reads a blob of at most limit bytes.
func (s *store) content(blob plumbing.Hash, limit int64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	content, err := s.blob(blob, limit)
	if err == nil && plumbing.ComputeHash(plumbing.BlobObject, content) != blob {
		err = errOtherContent
	}
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, err // whoever asks knows whether it was there
	}
	if err != nil {
		return nil, s.judge("file", err)
	}
	return content, nil
}

// within reads a blob of a tree that was complete, of at most limit bytes.
func (s *store) within(blob plumbing.Hash, limit int64) ([]byte, error) {
	content, err := s.content(blob, limit)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		err = s.judge("file", err)
	}
	return content, err
}

// blob is that without a look at what was read; the lock is held.
func (s *store) blob(blob plumbing.Hash, limit int64) (_ []byte, err error) {
	if size, err := s.objects.EncodedObjectSize(blob); err != nil || size > limit {
		return nil, errors.Join(err, tooLarge(size, limit))
	}
	encoded, err := s.objects.EncodedObject(plumbing.AnyObject, blob)
	if err != nil {
		return nil, err
	}
	if encoded.Type() != plumbing.BlobObject {
		return nil, errNoFile
	}
	reader, err := encoded.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	content, err := io.ReadAll(io.LimitReader(reader, limit+1)) // the size is only what the pack says
	if err == nil {
		err = tooLarge(int64(len(content)), limit)
	}
	return content, err
}

// ErrFileTooLarge is in the error of a file that is larger than the limit that it was asked for with.
var ErrFileTooLarge = errors.New("which is the limit")

func tooLarge(size, limit int64) error {
	if size > limit {
		return fmt.Errorf("the file has more than %d bytes, %w", limit, ErrFileTooLarge)
	}
	return nil
}

// complete checks that the whole tree of a commit is there. A fetch into a shallow repository can
// leave objects out after history was rewritten.
func (s *store) complete(commit string, maxFiles int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.genuineCommit(plumbing.NewHash(commit))
	if err != nil {
		return broken("commit", err)
	}
	_, err = s.measure(c.TreeHash, 0, maxFiles, map[plumbing.Hash]extent{})
	return err
}

// extent is how much a tree unfolds to. A small pack can name the same directory over and over, so
// what counts is what somebody sees who walks through all of it.
type extent struct{ files, names, height int }

func (s *store) measure(hash plumbing.Hash, depth, maxFiles int, known map[plumbing.Hash]extent) (extent, error) {
	if depth > maxDepth {
		return extent{}, tooDeep()
	}
	if found, ok := known[hash]; ok {
		if depth+found.height > maxDepth {
			return extent{}, tooDeep()
		}
		return found, nil
	}
	tree, err := s.genuineTree(hash)
	if err != nil {
		return extent{}, broken("directory", err)
	}
	var all extent
	for _, entry := range tree.Entries {
		all.files++
		all.names += len(entry.Name)
		switch entry.Mode {
		case filemode.Submodule:
		case filemode.Dir:
			inner, err := s.measure(entry.Hash, depth+1, maxFiles, known)
			if err != nil {
				return extent{}, err
			}
			all.files += inner.files
			all.names += inner.names
			all.height = max(all.height, inner.height+1)
		default:
			if err := s.objects.HasEncodedObject(entry.Hash); err != nil {
				return extent{}, broken("file", err)
			}
		}
		if all.files > maxFiles {
			return extent{}, tooMany(maxFiles)
		}
		if all.names > maxNames {
			return extent{}, &Error{Kind: TooLarge, Text: fmt.Sprintf("the names of the files and directories of the tree have more than %d bytes", maxNames)}
		}
	}
	known[hash] = all
	return all, nil
}

func tooDeep() error {
	return &Error{Kind: TooLarge, Text: fmt.Sprintf("the directories of the tree are more than %d deep", maxDepth)}
}

func tooMany(limit int) error {
	return &Error{Kind: TooLarge, Text: fmt.Sprintf("the tree has more than %d files and directories", limit)}
}

func broken(what string, err error) error {
	return &Error{Kind: Broken, Text: fmt.Sprintf("a %s of the commit is missing or damaged: %v", what, err)}
}

// tree returns the tree of a commit that is complete.
func (s *store) tree(rev Revision, options Options) (*Tree, error) {
	if _, err := os.Stat(s.dir); err != nil {
		return nil, fmt.Errorf("the cache has vanished: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	commit, err := s.genuineCommit(plumbing.NewHash(rev.Hash))
	if err != nil {
		return nil, broken("commit", err)
	}
	subject, _, _ := strings.Cut(strings.TrimSpace(commit.Message), "\n")
	if len(subject) > maxSubject {
		subject = strings.ToValidUTF8(subject[:maxSubject-len(cutOff)], "") + cutOff // by which whoever masks it knows that there was more
	}
	var parents []string
	for _, hash := range commit.ParentHashes[:min(len(commit.ParentHashes), maxParents)] {
		parents = append(parents, hash.String())
	}
	return &Tree{
		Revision: rev,
		Commit: Commit{
			Hash: rev.Hash, Author: commit.Author.Name, Email: commit.Author.Email,
			When: commit.Author.When, Subject: strings.ToValidUTF8(subject, "�"),
			Parents: strings.Join(parents, " "),
		},
		store: s, root: commit.TreeHash, limit: options.MaxFileBytes,
	}, nil
}
