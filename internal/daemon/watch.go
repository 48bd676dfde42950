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

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

// settle is how long a directory has to be quiet before a change counts: editors write a file in
// several steps.
const settle = 300 * time.Millisecond

// seekAgain is how long a directory that is gone is not looked for, where nothing tells that it is back.
const seekAgain = time.Second

// Watch calls changed after files below a directory changed, until ctx ends. It watches
// directories, not files: editors and Kubernetes volumes put new files in the place of old ones. When another directory comes
// in the place of this one, or a link on the way to it leads elsewhere, it watches what is there then. It
// may call once too often; the content decides what is new.
func Watch(ctx context.Context, directory string, log zerolog.Logger, changed func()) error {
	path, err := filepath.Abs(directory)
	if err != nil {
		return fmt.Errorf("watch %s: %w", directory, err)
	}
	w, err := newWatched(path)
	if err != nil {
		return fmt.Errorf("watch %s: %w", directory, err)
	}
	contain.Go(func() {
		defer func() { w.close() }()
		quiet, seek := time.NewTimer(time.Hour), time.NewTimer(time.Hour)
		defer quiet.Stop()
		defer seek.Stop()
		again := func() {
			fresh, err := newWatched(path)
			if err != nil { // the old one may still hear that there is something
				seek.Reset(seekAgain)
				return
			}
			seek.Stop()
			w.close()
			w = fresh
			quiet.Reset(settle) // nobody has listened in between
		}
		for {
			select {
			case <-ctx.Done():
				return
			case event := <-w.watcher.Events:
				switch {
				case w.way.turns(event):
					quiet.Reset(settle)
					again()
				case w.way.within(event.Name):
					if event.Has(fsnotify.Create) && !isGits(filepath.Base(event.Name)) {
						// A new directory is watched, too; for anything else this fails and does nothing.
						_ = watchBelow(w.watcher, event.Name)
					}
					quiet.Reset(settle)
				}
			case err := <-w.watcher.Errors:
				log.Warn().Err(err).Msg("changes of files may be noticed late")
				quiet.Reset(settle) // events may be lost
				again()             // that something was replaced as well
			case <-seek.C:
				again()
			case <-quiet.C:
				changed()
			}
		}
	})
	return nil
}

// watched is a directory that is watched, with the way to it.
type watched struct {
	watcher *fsnotify.Watcher
	way     way
}

// newWatched watches what a path leads to. The way comes first: what happens to it from then on is heard.
func newWatched(path string) (*watched, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watched{watcher: watcher}
	if w.way, err = wayTo(path); err == nil {
		for name := range w.way.names {
			// Not every directory may be read that leads somewhere. What happens there is not heard then.
			_ = watcher.Add(filepath.Dir(name))
		}
		if w.way, err = wayTo(path); err == nil {
			err = watchBelow(watcher, w.way.root)
		}
	}
	if err != nil {
		return nil, errors.Join(err, watcher.Close())
	}
	return w, nil
}

func (w *watched) close() { _ = w.watcher.Close() } // nothing is lost that way
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
