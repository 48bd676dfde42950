package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"
)

// settle is how long a directory has to be quiet before a change counts: editors write a file in
// several steps.
const settle = 300 * time.Millisecond

// Watch calls changed after files below a directory changed, until ctx ends. It watches
// directories, not files: editors and Kubernetes volumes put new files in the place of old ones. It
// may call once too often; the content decides what is new.
func Watch(ctx context.Context, directory string, log zerolog.Logger, changed func()) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", directory, err)
	}
	// A directory that is reached through a link is a link to WalkDir, and nothing else.
	root, err := filepath.EvalSymlinks(directory)
	if err == nil {
		err = watchBelow(watcher, root)
	}
	if err != nil {
		return fmt.Errorf("watch %s: %w", directory, errors.Join(err, watcher.Close()))
	}
	go func() {
		defer func() { _ = watcher.Close() }() // nothing is lost that way
		quiet := time.NewTimer(time.Hour)
		defer quiet.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case event := <-watcher.Events:
				if event.Has(fsnotify.Create) && !isGits(filepath.Base(event.Name)) {
					// A new directory is watched, too; for anything else this fails and does nothing.
					_ = watchBelow(watcher, event.Name)
				}
				quiet.Reset(settle)
			case err := <-watcher.Errors:
				log.Warn().Err(err).Msg("changes of files may be noticed late")
				quiet.Reset(settle) // events may be lost
			case <-quiet.C:
				changed()
			}
		}
	}()
	return nil
}

// watchBelow adds a directory and all below it, but what Git keeps for itself.
func watchBelow(watcher *fsnotify.Watcher, directory string) error {
	return filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case isGits(entry.Name()) && path != directory:
			return filepath.SkipDir
		}
		return watcher.Add(path)
	})
}

// isGits tells whether Git keeps a file or directory of that name for itself.
func isGits(name string) bool { return name == ".git" }
