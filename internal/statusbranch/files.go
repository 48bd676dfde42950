package statusbranch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// Manifest is the file that lists the files of ours.
const Manifest = ".kupenstack.json"

const (
	maxFiles    = 100_000
	maxManifest = 8 << 20
	// maxCommas is of how many parts a list may consist, commas within names included. It is counted before anything is
	// decoded: a name of two bytes takes up many more in memory, and Git packs a million of them into a few hundred bytes.
	maxCommas = 4 * maxFiles

	// What is read back of a report, which anybody who can push may have written. Ours have no larger files, and seldom
	// more in all.
	maxRead    = 8 << 20
	maxAllRead = 64 << 20
)

// Result says what became of a report.
type Result struct {
	Changed bool   // something was written
	Commit  string // that has the report now; empty for a directory
	// Foreign is the commit that the report was put on or found in when somebody else made it.
	Foreign *gitrepo.Commit
}

// manifest is the content of the file of that name.
type manifest struct {
	Version int      `json:"version"`
	Of      *owner   `json:"of,omitempty"`
	Files   []string `json:"files"`
}

// check refuses a report that cannot be published. The bytes of all files together are bounded, as they are
// held in memory.
func check(files map[string][]byte, maxBytes int64) error {
	if len(files) > maxFiles {
		return fmt.Errorf("the report has %d files, and at most %d can be published", len(files), maxFiles)
	}
	var size int64
	for name, content := range files {
		if err := checkName(name); err != nil {
			return err
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, ok := files[dir]; ok {
				return fmt.Errorf("the report has %q as a file and as a directory", dir)
			}
		}
		size += int64(len(content))
	}
	if size > maxBytes {
		return fmt.Errorf("the report has %d bytes, and at most %d can be published", size, maxBytes)
	}
	return nil
}

// withManifest returns a report with its manifest, which says whose it is unless the owner is nil.
func withManifest(files map[string][]byte, of *owner) (map[string][]byte, error) {
	list, err := newManifest(slices.Sorted(maps.Keys(files)), of)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{Manifest: list}
	maps.Copy(all, files)
	return all, nil
}

// withCount returns a report whose manifest says how often the inventory was written, where it says anything new beside
// that: a number alone is no report.
func withCount(tree *gitrepo.Tree, files, all map[string][]byte, without []string, of owner, count int64) (map[string][]byte, error) {
	draft, err := gitrepo.NewDraft(tree, all, without)
	if err != nil || !draft.Changed() {
		return all, err
	}
	of.Inventory = count
	return withManifest(files, &of)
}

// newManifest returns the manifest of sorted paths.
func newManifest(names []string, of *owner) ([]byte, error) {
	list, err := json.MarshalIndent(manifest{Version: 1, Of: of, Files: names}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("listing the report's files: %w", err)
	}
	if len(list) >= maxManifest {
		return nil, fmt.Errorf("the list of the report's files has %d bytes, and at most %d can be read back", len(list), maxManifest)
	}
	return append(list, '\n'), nil
}

// checkName refuses paths that are none, and those that Git keeps for itself on some system.
func checkName(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\:\x00\n") {
		return fmt.Errorf("%q is no path for a file of a report", name)
	}
	if name == Manifest {
		return fmt.Errorf("%q is the list of the report's files", name)
	}
	if first, _, below := strings.Cut(name, "/"); below && first == planFolder {
		return fmt.Errorf("%q is where plans are: a report has nothing there", name)
	}
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		if part == ".git" || part == "git~1" {
			return fmt.Errorf("%q is no path for a file of a report: Git keeps it for itself", name)
		}
	}
	return nil
}

// parseManifest returns the paths that a manifest lists. Anybody who can push can write one, so
// paths that we would never have written are left out. One that cannot be read lists nothing.
func parseManifest(content []byte) []string {
	var read manifest
	if len(content) > maxManifest || bytes.Count(content, []byte(",")) > maxCommas || json.Unmarshal(content, &read) != nil ||
		read.Version != 1 || len(read.Files) > maxFiles {
		return nil
	}
	read.Files = slices.DeleteFunc(read.Files, func(name string) bool { return checkName(name) != nil })
	slices.Sort(read.Files)
	return slices.Compact(read.Files)
}

// byWorth orders the files of a report by what it would cost to lose them: what the daemon remembers, what happened, the
// newest first, and what is written anew anyway.
func byWorth(names []string) []string {
	history := path.Dir(report.HistoryFile(time.Time{}))
	rank := func(name string) int {
		switch path.Dir(name) {
		case ".":
			return 0
		case history:
			return 1
		}
		return 2
	}
	return slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(b, a))
	})
}
