package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/test/await"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		before func(t *testing.T, dir string)
		change func(t *testing.T, dir string)
	}{
		{
			name:   "a file is edited",
			before: func(t *testing.T, dir string) { write(t, dir, "main.hcl", "one") },
			change: func(t *testing.T, dir string) { write(t, dir, "main.hcl", "two") },
		},
		{
			name:   "a file is replaced at once",
			before: func(t *testing.T, dir string) { write(t, dir, "main.hcl", "one") },
			change: func(t *testing.T, dir string) {
				write(t, dir, ".main.hcl.swp", "two")
				must(t, os.Rename(filepath.Join(dir, ".main.hcl.swp"), filepath.Join(dir, "main.hcl")))
			},
		},
		{
			name:   "a file goes",
			before: func(t *testing.T, dir string) { write(t, dir, "nodes/main.hcl", "one") },
			change: func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "nodes", "main.hcl"))) },
		},
		{
			name:   "a new directory",
			change: func(t *testing.T, dir string) { write(t, dir, "nodes/rack-1/main.hcl", "one") },
		},
		{
			name: "a volume of Kubernetes",
			before: func(t *testing.T, dir string) {
				write(t, dir, "..1/main.hcl", "one")
				must(t, os.Symlink("..1", filepath.Join(dir, "..data")))
				must(t, os.Symlink("..data/main.hcl", filepath.Join(dir, "main.hcl")))
			},
			change: func(t *testing.T, dir string) {
				write(t, dir, "..2/main.hcl", "two")
				must(t, os.Symlink("..2", filepath.Join(dir, "..data_tmp")))
				must(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
				must(t, os.RemoveAll(filepath.Join(dir, "..1")))
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tc.before != nil {
				tc.before(t, dir)
			}
			called := watch(t, dir)
			tc.change(t, dir)
			told(t, called)
		})
	}
}

// Many changes in a row are one piece of news, or a few on a machine that pauses between them: no two come sooner than a
// directory has been quiet.
func TestWatchWaitsUntilItIsQuiet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	called := watch(t, dir)
	begun := time.Now()
	for i := range 200 {
		write(t, dir, "main.hcl", strings.Repeat("x", i))
	}
	told(t, called)
	calls, took := 1, time.Since(begun)
	for done := false; !done; {
		select {
		case <-called:
			calls, took = calls+1, time.Since(begun)
		case <-time.After(time.Second):
			done = true
		}
	}
	if most := int(took / daemon.Settle); calls > most {
		t.Errorf("%d calls for 200 changes in a row within %v, want %d at most", calls, took, most)
	}
}

// What is done in a directory that was not there at the start is seen, too.
func TestWatchInsideANewDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	called := watch(t, dir)
	write(t, dir, "nodes/rack-1/main.hcl", "one")
	told(t, called)
	write(t, dir, "nodes/rack-1/main.hcl", "two")
	told(t, called)
}

func TestWatchThroughALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "current")
	must(t, os.Symlink(dir, link))
	called := watch(t, link)
	write(t, dir, "main.hcl", "one")
	told(t, called)
}

func TestWatchNotWhatIsGits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, ".git", "refs"), 0o750))
	called := watch(t, dir)
	write(t, dir, ".git/index", "one")
	write(t, dir, ".git/refs/main", "one")
	quiet(t, called)
	write(t, dir, ".gitattributes", "one") // this is the user's
	told(t, called)
}

func TestWatchNothing(t *testing.T) {
	t.Parallel()
	err := daemon.Watch(t.Context(), filepath.Join(t.TempDir(), "nowhere"), zerolog.Nop(), func() {})
	if err == nil {
		t.Error("a directory that is not there is watched")
	}
}

func watch(t *testing.T, dir string) <-chan struct{} {
	t.Helper()
	called := make(chan struct{}, 100)
	must(t, daemon.Watch(t.Context(), dir, zerolog.Nop(), func() { called <- struct{}{} }))
	return called
}

func told(t *testing.T, called <-chan struct{}) {
	t.Helper()
	await.Receive(t, called, "word of a change")
}

// quiet fails the test when there is a call within a time that is longer than what Watch waits.
func quiet(t *testing.T, called <-chan struct{}) {
	t.Helper()
	select {
	case <-called:
		t.Error("told once too often")
	case <-time.After(time.Second):
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	name = filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(name), 0o750))
	must(t, os.WriteFile(name, []byte(content), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What a directory is replaced by is watched like the one before, whatever is replaced on the way to it.
func TestWatchWhatIsReplaced(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		path    string
		before  func(t *testing.T, base string)
		replace func(t *testing.T, base string)
	}{
		{
			name: "a link is switched, as git-sync does", path: "current",
			before: func(t *testing.T, base string) { link(t, base, "current", "one") },
			replace: func(t *testing.T, base string) {
				link(t, base, "new", "two")
				must(t, os.Rename(filepath.Join(base, "new"), filepath.Join(base, "current")))
				must(t, os.RemoveAll(filepath.Join(base, "one")))
			},
		},
		{
			name: "a link that others lead through", path: "outer/nodes",
			before: func(t *testing.T, base string) {
				write(t, base, "one/nodes/main.hcl", "")
				write(t, base, "two/nodes/main.hcl", "")
				link(t, base, "inner/current", "../one")
				link(t, base, "outer", filepath.Join(base, "inner", "current"))
			},
			replace: func(t *testing.T, base string) {
				link(t, base, "inner/new", "../two")
				must(t, os.Rename(filepath.Join(base, "inner", "new"), filepath.Join(base, "inner", "current")))
			},
		},
		{
			name: "a directory is made anew", path: "one",
			replace: func(t *testing.T, base string) {
				must(t, os.RemoveAll(filepath.Join(base, "one")))
				must(t, os.Mkdir(filepath.Join(base, "one"), 0o750))
			},
		},
		{
			name: "a directory is moved into its place", path: "one",
			replace: func(t *testing.T, base string) {
				must(t, os.Rename(filepath.Join(base, "one"), filepath.Join(base, "old")))
				must(t, os.Rename(filepath.Join(base, "two"), filepath.Join(base, "one")))
			},
		},
		{
			name: "all that leads to it is made anew", path: "deep/er/one",
			before: func(t *testing.T, base string) { write(t, base, "deep/er/one/main.hcl", "") },
			replace: func(t *testing.T, base string) {
				must(t, os.RemoveAll(filepath.Join(base, "deep")))
				must(t, os.MkdirAll(filepath.Join(base, "deep", "er", "one"), 0o750))
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			write(t, base, "one/main.hcl", "")
			write(t, base, "two/main.hcl", "")
			if tc.before != nil {
				tc.before(t, base)
			}
			dir := filepath.Join(base, filepath.FromSlash(tc.path))
			seen := make(chan string, 100)
			must(t, daemon.Watch(t.Context(), dir, zerolog.Nop(), func() {
				content, _ := os.ReadFile(filepath.Join(dir, "main.hcl")) // or it is not there yet
				seen <- string(content)
			}))
			tc.replace(t, base)
			// More than once, as what is still to come of the replacement may be told after the first one.
			for _, content := range []string{"a", "b", "c"} {
				write(t, dir, "main.hcl", content)
				for await.Receive(t, seen, fmt.Sprintf("word of %q", content)) != content {
				}
			}
		})
	}
}

// What lies beside a directory is no news, though what it lies in is watched.
func TestWatchNotWhatLiesBeside(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	write(t, base, "one/main.hcl", "one")
	called := watch(t, filepath.Join(base, "one"))
	write(t, base, "two", "two")
	write(t, base, "one.bak/main.hcl", "two")
	quiet(t, called)
}

func link(t *testing.T, base, name, target string) {
	t.Helper()
	name = filepath.Join(base, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(name), 0o750))
	must(t, os.Symlink(target, name))
}
