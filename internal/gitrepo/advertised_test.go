package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// told makes lines as a server sends them, "" for the end of a list.
func told(lines ...string) *bytes.Buffer {
	var b bytes.Buffer
	for _, line := range lines {
		if line == "" {
			b.WriteString("0000")
			continue
		}
		fmt.Fprintf(&b, "%04x%s\n", len(line)+5, line)
	}
	return &b
}

// hashed is a commit of which all digits are the same.
func hashed(digit string) string { return strings.Repeat(digit, 40) }

func read(from io.Reader) (Refs, *packp.AdvRefs, error) {
	var l listing
	advertised := packp.NewAdvRefs()
	err := advertised.Decode(listed(withListing(context.Background(), &l), from))
	if err != nil {
		return Refs{}, nil, err
	}
	return newRefs(l.refs, advertised), advertised, nil
}

func TestListing(t *testing.T) {
	t.Parallel()
	caps := "\x00symref=HEAD:refs/heads/main shallow"
	for name, c := range map[string]struct {
		lines   []string
		all     string // as ls-remote has them, sorted by the test
		head    string
		offered map[string]string // of annotated tags
		shallow int
		fails   string
	}{
		"as Git tells them": {
			lines:   []string{"# service=git-upload-pack", "", hashed("a") + " HEAD" + caps, hashed("a") + " refs/heads/main", hashed("b") + " refs/pull/7/head", hashed("c") + " refs/tags/v1", hashed("d") + " refs/tags/v1^{}", ""},
			all:     "refs/heads/main=a refs/pull/7/head=b refs/tags/v1=d",
			head:    "refs/heads/main",
			offered: map[string]string{"refs/tags/v1": "c", "refs/heads/main": "a"},
		},
		"in no order": {
			lines:   []string{hashed("a") + " HEAD" + caps, hashed("c") + " refs/tags/v1", hashed("d") + " refs/tags/v1^{}", hashed("a") + " refs/heads/main", hashed("b") + " refs/heads/a", ""},
			all:     "refs/heads/a=b refs/heads/main=a refs/tags/v1=d",
			head:    "refs/heads/main",
			offered: map[string]string{"refs/tags/v1": "c"},
		},
		"detached, and cut off": {
			lines:   []string{hashed("e") + " HEAD" + caps, hashed("a") + " refs/heads/a", "shallow " + hashed("a"), "shallow " + hashed("e"), ""},
			all:     "HEAD=e refs/heads/a=a",
			head:    "HEAD",
			shallow: 2,
		},
		"to push to": {
			lines: []string{hashed("a") + " refs/heads/main\x00report-status", hashed("b") + " .have", ""},
			all:   "refs/heads/main=a",
		},
		"none yet":      {lines: []string{hashed("0") + " capabilities^{}\x00report-status", ""}},
		"no ref":        {lines: []string{hashed("a") + " HEAD" + caps, "what is this", ""}, fails: "malformed ref data"},
		"the end early": {lines: []string{hashed("a") + " HEAD" + caps, hashed("b") + " refs/heads/main"}, fails: "EOF"},
		"refused":       {lines: []string{"ERR access denied"}, fails: "access denied"},
		"a page":        {lines: nil, fails: "empty input"},
		"other hashes":  {lines: []string{hashed("a") + strings.Repeat("a", 24) + " HEAD" + caps + " object-format=sha256", ""}, fails: "by SHA-256, which is not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const rest = "what comes behind"
			from := told(c.lines...)
			if c.fails == "" {
				from.WriteString(rest)
			}
			refs, advertised, err := read(iotest.OneByteReader(from))
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("got %v, want %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			all := map[string]string{}
			for name, hash := range refs.All() {
				all[name] = hash
			}
			want := map[string]string{}
			for _, one := range strings.Fields(c.all) {
				name, digit, _ := strings.Cut(one, "=")
				want[name] = hashed(digit)
			}
			if !maps.Equal(all, want) || refs.Len() != len(want) || refs.head != c.head || len(advertised.Shallows) != c.shallow {
				t.Errorf("got %v, HEAD %q and %d that are cut off; want %v, %q and %d", all, refs.head, len(advertised.Shallows), want, c.head, c.shallow)
			}
			for name, hash := range want {
				if refs.Hash(name) != hash {
					t.Errorf("%s is at %q, want %s", name, refs.Hash(name), hash)
				}
			}
			for name, digit := range c.offered {
				if got := refs.wanted(name).String(); got != hashed(digit) {
					t.Errorf("%s is asked for as %s, want %s", name, got, hashed(digit))
				}
			}
			moved := refs.with("refs/heads/b", plumbing.NewHash(hashed("f"))).with("refs/tags/v1", plumbing.NewHash(hashed("f")))
			if moved.Hash("refs/heads/b") != hashed("f") || moved.wanted("refs/tags/v1").String() != hashed("f") || refs.Hash("refs/heads/b") != "" {
				t.Error("a push is not part of it")
			}
			if left, err := io.ReadAll(from); err != nil || string(left) != rest {
				t.Errorf("%q is left, %v; want what comes behind", left, err)
			}
		})
	}
}

// endless tells of refs for as long as it is asked.
type endless struct {
	name  func(int) string
	count int
	left  []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.left) == 0 {
		e.left = told(hashed("a") + " " + e.name(e.count)).Bytes()
		e.count++
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// However many refs a server tells of, of whatever length, only so much is kept.
func TestTooManyRefs(t *testing.T) {
	slow.Test(t)
	for name, ref := range map[string]func(int) string{
		"of requests to merge": func(i int) string { return fmt.Sprintf("refs/pull/%d/head", i) },
		"with long names":      func(i int) string { return fmt.Sprintf("refs/heads/%d/%s", i, strings.Repeat("x", 3800)) },
		"of annotated tags": func(i int) string {
			return fmt.Sprintf("refs/tags/%d", i/2) + []string{"", "^{}"}[i%2]
		},
		"that are cut off": func(i int) string { return fmt.Sprintf("refs/heads/%d is no ref", i) },
	} {
		t.Run(name, func(t *testing.T) {
			server := &endless{name: ref}
			var l listing
			_, err := io.Copy(io.Discard, listed(withListing(t.Context(), &l), io.MultiReader(told(hashed("a")+" HEAD\x00"), server)))
			if KindOf(err) != TooLarge || !strings.Contains(err.Error(), "Keep the configuration in a repository of its own") {
				t.Errorf("after %d: %v", server.count, err)
			}
		})
	}
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "git", args...).Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(output))
}

// manyRefs makes a repository with as many refs of requests to merge as a large one has.
func manyRefs(t *testing.T, count int) (url, head string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "large.git")
	run(t, "init", "-q", "--bare", "--initial-branch=main", dir)
	tree := run(t, "-C", dir, "hash-object", "-w", "-t", "tree", os.DevNull)
	head = run(t, "-C", dir, "-c", "user.name=A", "-c", "user.email=a@localhost", "commit-tree", "-m", "First", tree)
	packed := bytes.NewBufferString("# pack-refs with: peeled fully-peeled sorted \n" + head + " refs/heads/main\n")
	for i := range count {
		fmt.Fprintf(packed, "%s refs/pull/%06d/head\n", head, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "packed-refs"), packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + dir, head
}

// A large repository's requests to merge cost little, however often they are listed.
func TestMemoryOfManyRefs(t *testing.T) {
	slow.Test(t)
	const count = 500_000
	url, head := manyRefs(t, count)
	source, err := Open(t.Context(), Options{URL: url, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 2 {
		if at, err := source.Head(t.Context()); err != nil || at.Hash != head || at.Ref != "refs/heads/main" {
			t.Fatalf("got %+v, %v", at, err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	made, kept := (after.TotalAlloc-before.TotalAlloc)>>20/2, (after.HeapAlloc-before.HeapAlloc)>>20
	t.Logf("each list makes %d MiB, %d MiB are kept", made, kept)
	if made > 200 || kept > 48 {
		t.Errorf("each list of %d refs makes %d MiB, and %d MiB are kept", count, made, kept)
	}
	if refs, ok := source.Seen(); !ok || refs.Len() != count+1 || refs.Hash("refs/pull/499999/head") != head {
		t.Errorf("%d refs are known", refs.Len())
	}
}
