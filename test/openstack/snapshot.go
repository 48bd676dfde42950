package openstack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/debian"
	"github.com/kupenstack/kupenstack-sync/test/filelock"
)

// snapshotFormat is part of every snapshot's name. Raise it whenever the way a snapshot is
// made changes in something other than packages, templates and the number of computes.
const snapshotFormat = 1

// snapshotPath is where the databases of a pristine cloud lie, for all beds that would make
// the very same.
func snapshotPath(ctx context.Context, cache string, computes int) (string, error) {
	versions, missing, err := debian.Versions(ctx, packageNames()...)
	if err != nil {
		return "", err
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("packages are missing (Install brings them): %s", strings.Join(missing, ", "))
	}
	name, err := snapshotName(versions, computes)
	return filepath.Join(cache, name), err
}

// snapshotName is made of all that decides what a snapshot holds.
func snapshotName(versions string, computes int) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, snapshotFormat, computes, runtime.GOARCH, versions)
	err := fs.WalkDir(templateFiles, templateRoot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := templateFiles.ReadFile(path)
		fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
		return err
	})
	return "snapshot-" + hex.EncodeToString(hash.Sum(nil))[:16] + ".tar", err
}

// snapshotParts are the entries of the scratch directory that a snapshot holds.
func snapshotParts() []string { return []string{"mysql", "keys"} }

// saveSnapshot packs the data of a stopped bed. The file appears whole or not at all.
func (r record) saveSnapshot(ctx context.Context, path string) error {
	temporary := fmt.Sprintf("%s.%d.new", path, os.Getpid())
	args := append([]string{"/bin/tar", "--create", "--sparse", "--file", temporary, "--directory", r.Scratch}, snapshotParts()...)
	err := r.run(ctx, "snapshot-save", args...)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temporary))
	}
	return nil
}

func (r record) restoreSnapshot(ctx context.Context, path string) error {
	return r.run(ctx, "snapshot-restore", "/bin/tar", "--extract", "--file", path, "--directory", r.Scratch)
}

// ensureSnapshot makes the snapshot when it is missing. Of several processes that need the
// same one, one makes it and the others wait.
func (r record) ensureSnapshot(ctx context.Context, path string, say func(string, ...any)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	held, err := filelock.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer held.Close()
	now := time.Now()
	if err := os.Chtimes(path, now, now); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := r.makeSnapshot(ctx, path, say); err != nil {
		return err
	}
	return pruneSnapshots(filepath.Dir(path), now.Add(-snapshotAge))
}

// snapshotAge is how long a snapshot is kept that no bed starts from, as after an upgrade of
// the packages.
const snapshotAge = 30 * 24 * time.Hour

// pruneSnapshots removes the snapshots that were last used before a time. Their locks stay:
// somebody may be waiting for one.
func pruneSnapshots(cache string, before time.Time) error {
	files, err := filepath.Glob(filepath.Join(cache, "snapshot-*.tar"))
	if err != nil {
		return err
	}
	for _, file := range files {
		used, err := os.Stat(file)
		if err == nil && used.ModTime().Before(before) {
			err = os.Remove(file)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
