package helm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// downloadPatience is how long anybody waits for a download from its beginning on. One that takes longer goes
// on, within the deadlines of its requests, for those who ask later.
const downloadPatience = 30 * time.Second

// maxDownloads bounds the downloads at a time.
const maxDownloads = 8

// chartError says that a repository does not give a chart. Another try may help.
type chartError struct {
	name string
	err  error
}

func (e *chartError) Error() string { return fmt.Sprintf("download chart %s: %v", e.name, e.err) }
func (e *chartError) Unwrap() error { return e.err }

// flight is a download that is under way. What came of it can be read once it has landed.
type flight struct {
	begun  time.Time
	landed chan struct{}
	loaded *source
	err    error
}

// download returns a chart of a repository, from the disk where it lies there.
func (c *charts) download(ctx context.Context, wanted unit.Chart) (*source, error) {
	known, f := c.begin(wanted)
	if known != nil {
		return known, nil
	}
	select {
	case <-f.landed:
		return c.end(wanted, f)
	default: // one that is late already must not win over one that has landed
	}
	ctx, cancel := context.WithDeadline(ctx, f.begun.Add(downloadPatience))
	defer cancel()
	select {
	case <-f.landed:
		return c.end(wanted, f)
	case <-ctx.Done():
		return nil, &chartError{nameOf(wanted), fmt.Errorf("the repository has not answered for %v", time.Since(f.begun).Round(time.Second))}
	}
}

// end takes what a flight has brought. One that failed has to be told of before there is another one.
func (c *charts) end(wanted unit.Chart, f *flight) (*source, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key := keyOf(wanted); c.flights[key] == f {
		delete(c.flights, key)
	}
	return f.loaded, f.err
}

func keyOf(wanted unit.Chart) string {
	return hashOf(wanted.Repository, wanted.Name, wanted.Version, wanted.Digest)
}

// begin returns a chart that was downloaded before, or else the flight that brings it, which begins when
// nobody has asked for it yet.
func (c *charts) begin(wanted unit.Chart) (*source, *flight) {
	key := keyOf(wanted)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.found[key]; known != nil {
		return known, nil
	}
	if f := c.flights[key]; f != nil {
		return nil, f
	}
	f := &flight{begun: time.Now(), landed: make(chan struct{})}
	c.flights[key] = f
	c.running.Go(func() {
		defer close(f.landed)
		c.slots <- struct{}{}
		f.err = contain.Do(func() (err error) {
			f.loaded, err = c.bring(wanted)
			return err
		})
		<-c.slots
		c.mu.Lock()
		defer c.mu.Unlock()
		if f.err == nil {
			forgetOne(c.found)
			c.found[key] = f.loaded
			delete(c.flights, key)
		}
	})
	return nil, f
}

// forgetOne makes place for another chart, whichever had it: who has more charts than places would miss all of them in each pass if all
// were forgotten, or the oldest. What is wanted again is on the disk.
func forgetOne(known map[string]*source) {
	if len(known) < maxCached {
		return
	}
	for key := range known {
		delete(known, key)
		return
	}
}

func nameOf(wanted unit.Chart) string {
	return fmt.Sprintf("%s %s of %s", wanted.Name, wanted.Version, wanted.Repository)
}

// bring reads a chart from the disk or its repository. It takes nothing but what was locked.
func (c *charts) bring(wanted unit.Chart) (*source, error) {
	found, err := c.locked(wanted)
	if err != nil {
		return nil, err
	}
	return found.lockedAs(wanted)
}

// locked reads what has the digest of a chart from the disk or its repository.
func (c *charts) locked(wanted unit.Chart) (*source, error) {
	name := nameOf(wanted)
	known, err := c.onDisk(wanted)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return known, err
	case chartlock.IsGit(wanted.Repository):
		return c.bringGit(wanted)
	}
	locked := strings.TrimPrefix(wanted.Digest, digestPrefix)
	data, err := c.repositories.fetch(wanted)
	switch {
	case unit.IsBlocked(err):
		return nil, err
	case err != nil:
		return nil, &chartError{name, err}
	case sha256Of(data) != locked:
		return nil, &chartError{name, fmt.Errorf("the repository has something else now than what was locked, with the digest %s%s; "+
			"if that is right, run kupenstack-sync lock --upgrade=%s and commit %s", digestPrefix, sha256Of(data), wanted.Name, chartlock.File)}
	}
	if err := save(c.fileOf(locked), data); err != nil {
		return nil, fmt.Errorf("keep chart %s: %w", name, err)
	}
	return c.packed(name, data)
}

// kept returns a locked chart from the disk. The error is [fs.ErrNotExist] where it is not there, and a [unit.BlockedError]
// where the lock file has another chart for it.
func (c *charts) kept(wanted unit.Chart) (*source, error) {
	found, err := c.onDisk(wanted)
	if err != nil {
		return nil, err
	}
	return found.lockedAs(wanted)
}

// onDisk returns what has the digest of a chart. The error is [fs.ErrNotExist] for whatever else there is under its
// name, as for nothing.
func (c *charts) onDisk(wanted unit.Chart) (*source, error) {
	locked := strings.TrimPrefix(wanted.Digest, digestPrefix)
	if chartlock.IsGit(wanted.Repository) {
		if files, err := readFiles(c.fileOf(locked)); err == nil && digestOfFiles(files) == locked {
			return &source{digest: locked, files: files}, nil
		}
		return nil, fs.ErrNotExist
	}
	if data, err := os.ReadFile(c.fileOf(locked)); err == nil && sha256Of(data) == locked {
		return c.packed(nameOf(wanted), data)
	}
	return nil, fs.ErrNotExist
}

// fileOf is where what has a digest is kept.
func (c *charts) fileOf(digest string) string {
	return filepath.Join(c.options.CacheDir, digest+".tgz")
}

// save writes a file at once, so that a killed process leaves no half of it.
func save(file string, data []byte) error {
	written, err := temporary(filepath.Dir(file), data)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(written) }()
	return os.Rename(written, file)
}

// temporary writes a file with a name of its own and returns that.
func temporary(dir string, data []byte) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(dir, "download-")
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}
