package revision

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// codeLock is about the lock file of charts.
const codeLock diag.Code = "revision.lock"

// hintRestore tells what to do about a lock file that is broken, and what it costs to do without.
const hintRestore = "take it from an earlier commit, or after a merge from one side, and run kupenstack-sync lock, which adds what is missing; " +
	"written anew without one, it has the newest versions of all charts that are allowed, and what tags of images are now"

// readLock reads the lock file at the top of a configuration; nil without one.
func readLock(tree fs.FS, at string) (*chartlock.Lock, diag.Diagnostics) {
	name := path.Join(at, chartlock.File)
	wrong := func(line int, detail, hint string) diag.Diagnostics {
		where := diag.Range{File: name, Start: diag.Pos{Line: max(line, 1), Column: 1}, End: diag.Pos{Line: max(line, 1), Column: 1}}
		return diag.Diagnostics{{Code: codeLock, Subject: &where, Summary: "the lock file of charts cannot be read", Detail: detail, Hint: hint}}
	}
	info, err := fs.Stat(tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, wrong(0, reason(err).Error(), hintRestore)
	case !info.Mode().IsRegular():
		return nil, wrong(0, "it is not a file", hintRestore)
	case info.Size() > chartlock.MaxSize:
		return nil, wrong(0, fmt.Sprintf("it is larger than %d KiB", chartlock.MaxSize>>10), hintRestore)
	}
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, wrong(0, reason(err).Error(), hintRestore)
	}
	lock, err := chartlock.Parse(text)
	var found *chartlock.ParseError
	if errors.As(err, &found) {
		hint := hintRestore
		if found.Newer {
			hint = "use a newer kupenstack-sync: it was written by one"
		}
		return nil, wrong(found.Line, found.Reason, hint)
	}
	return lock, nil
}
