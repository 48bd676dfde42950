package gitrepo_test

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	t.Run("wrong password", func(t *testing.T) {
		t.Parallel()
		b := overHTTP(t)
		b.secret.Password = redact.NewSecret(canary + "x")
		_, err := b.open(t).Head(t.Context())
		fails(t, err, gitrepo.Refused, "401")
	})
	t.Run("credential in the URL", func(t *testing.T) {
		t.Parallel()
		b := overHTTP(t)
		b.options.URL = strings.Replace(b.options.URL, "http://", "http://writer:"+url.QueryEscape(canary)+"@", 1)
		b.secret = gitrepo.Credentials{}
		source := b.open(t)
		pull(t, source)
		if strings.Contains(source.String(), "writer") {
			t.Errorf("it is called %s", source)
		}
		b.server.Stop(t)
		_, err := source.Head(t.Context())
		fails(t, err, gitrepo.Unreachable)
	})
	t.Run("a file too large for memory", func(t *testing.T) {
		t.Parallel()
		onBoth(t, func(t *testing.T, b *bed) {
			source := b.open(t)
			good := pull(t, source)
			bomb := b.repo.Commit(t, map[string]string{"bomb": strings.Repeat("\x00", 33<<20)}, "A larger one")
			b.options.CacheDir = t.TempDir()
			for _, source := range []*gitrepo.Source{source, b.open(t)} { // one that has the former commit, and one that has nothing
				_, err := source.Fetch(t.Context(), gitrepo.Revision{Ref: "refs/heads/main", Hash: bomb})
				fails(t, err, gitrepo.TooLarge, "a file of 34603008 bytes; 33554432 are the limit", "git ls-tree -r -l", "cloud.git")
			}
			if again, err := source.Cached(t.Context()); err != nil || again.Revision != good.Revision {
				t.Errorf("in the cache is %+v, %v", again, err)
			}
		})
	})
	t.Run("server in trouble", func(t *testing.T) {
		t.Parallel()
		b := overHTTP(t)
		b.server.SetFaults(gitserver.Faults{Status: 503})
		_, err := b.open(t).Head(t.Context())
		fails(t, err, gitrepo.Unreachable, "503")
	})
	t.Run("no repository", func(t *testing.T) {
		t.Parallel()
		onBoth(t, func(t *testing.T, b *bed) {
			b.options.URL = strings.Replace(b.options.URL, "cloud.git", "other.git", 1)
			_, err := b.open(t).Head(t.Context())
			fails(t, err, gitrepo.NoRepository)
		})
	})
	t.Run("empty repository", func(t *testing.T) {
		t.Parallel()
		onBoth(t, func(t *testing.T, b *bed) {
			b.repo.DeleteRef(t, "refs/heads/main")
			_, err := b.open(t).Head(t.Context())
			fails(t, err, gitrepo.NoRef, "empty")
		})
	})
	t.Run("unknown key", func(t *testing.T) {
		t.Parallel()
		b, _ := overSSH(t)
		b.secret.SSHKey = redact.NewSecret(string(gitserver.NewKey(t).PEM))
		_, err := b.open(t).Head(t.Context())
		fails(t, err, gitrepo.Refused, "refused the key")
	})
	t.Run("no known hosts", func(t *testing.T) {
		t.Parallel()
		b, _ := overSSH(t)
		b.secret.KnownHosts = nil
		_, err := b.open(t).Head(t.Context())
		fails(t, err, gitrepo.UnknownHost, "ssh-keyscan")
	})
	t.Run("other host known", func(t *testing.T) {
		t.Parallel()
		b, _ := overSSH(t)
		b.secret.KnownHosts = []byte("git.example.org " + gitserver.NewKey(t).AuthorizedKey() + "\n")
		_, err := b.open(t).Head(t.Context())
		fails(t, err, gitrepo.UnknownHost, "not in the known hosts")
	})
	t.Run("host key replaced", func(t *testing.T) {
		t.Parallel()
		b, s := overSSH(t)
		source := b.open(t)
		pull(t, source)
		s.ReplaceHostKey(t)
		_, err := source.Head(t.Context())
		fails(t, err, gitrepo.UnknownHost, "another key")
		b.secret.KnownHosts = []byte(s.KnownHosts() + "\n") // rotated: read again at each use
		pull(t, source)
	})
}

func TestFaults(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	t.Run("cut", func(t *testing.T) {
		t.Parallel()
		onBoth(t, func(t *testing.T, b *bed) {
			b.repo.Commit(t, map[string]string{"big": noise(1 << 20)}, "Big")
			source := b.open(t)
			rev, err := source.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			b.server.SetFaults(gitserver.Faults{On: gitserver.Fetch, CutAfter: 100_000})
			_, err = source.Fetch(t.Context(), rev)
			fails(t, err, gitrepo.Unreachable)
			b.server.SetFaults(gitserver.Faults{})
			pull(t, source)
		})
	})
	t.Run("hang", func(t *testing.T) {
		t.Parallel()
		onBoth(t, func(t *testing.T, b *bed) {
			b.options.Timeout = 300 * time.Millisecond
			source := b.open(t)
			b.server.SetFaults(gitserver.Faults{Hang: true})
			_, err := source.Head(t.Context())
			fails(t, err, gitrepo.Unreachable, "300ms")
			less, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			_, err = source.Head(less)
			fails(t, err, gitrepo.Unreachable, "no answer within ")
			// Of the caller's time some may be over by then, on a busy machine.
			_, within, _ := strings.Cut(err.Error(), "no answer within ")
			if left, wrong := time.ParseDuration(within); wrong != nil || left > 200*time.Millisecond {
				t.Errorf("%q does not say what the caller's time was", err)
			}
		})
	})
	t.Run("slow", func(t *testing.T) {
		t.Parallel()
		slow.Test(t)
		onBoth(t, func(t *testing.T, b *bed) {
			b.repo.Commit(t, map[string]string{"big": noise(15 << 20)}, "Big")
			b.options.Timeout = 5 * time.Second
			source := b.open(t)
			rev, err := source.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			b.server.SetFaults(gitserver.Faults{On: gitserver.Fetch, BytesPerSecond: 100_000})
			_, err = source.Fetch(t.Context(), rev)
			fails(t, err, gitrepo.Unreachable, "5s")
			b.server.SetFaults(gitserver.Faults{On: gitserver.Fetch, BytesPerSecond: 2 << 20})
			began := time.Now()
			if _, err := source.Fetch(t.Context(), rev); err != nil || time.Since(began) < b.options.Timeout {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
		})
	})
	t.Run("too large from a file URL", func(t *testing.T) {
		t.Parallel()
		b, _ := newBed(t)
		b.repo.Commit(t, map[string]string{"big": noise(1 << 20)}, "Big")
		b.options.URL, b.options.MaxBytes = "file://"+b.repo.Dir, 100_000
		source := b.open(t)
		rev, err := source.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = source.Fetch(t.Context(), rev)
		fails(t, err, gitrepo.TooLarge)
	})
	t.Run("too many files", func(t *testing.T) {
		t.Parallel()
		b, _ := newBed(t)
		many := map[string]string{}
		for _, dir := range []string{"a", "b", "c", "d"} { // one directory for Git, twelve files for us
			for _, file := range []string{"1", "2", "3"} {
				many[dir+"/"+file] = file
			}
		}
		b.repo.Commit(t, many, "Many")
		b.options.URL = "file://" + b.repo.Dir
		for limit, fits := range map[int]bool{19: true, 18: false} { // with cloud.hcl, sites and sites/a.hcl
			b.options.CacheDir, b.options.MaxFiles = t.TempDir(), limit
			source := b.open(t)
			rev, err := source.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err = source.Fetch(t.Context(), rev); !fits {
				fails(t, err, gitrepo.TooLarge, "18")
			} else if err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("too long names", func(t *testing.T) {
		t.Parallel()
		for directories, fits := range map[int]bool{41: true, 43: false} { // one directory for Git, with names of 400 kB
			b, _ := newBed(t)
			long := map[string]string{}
			for dir := range directories {
				for file := range 100 {
					long[fmt.Sprintf("%d/%04d", dir, file)+strings.Repeat("x", 3996)] = ""
				}
			}
			b.repo.Commit(t, long, "Long")
			b.options.URL = "file://" + b.repo.Dir
			source := b.open(t)
			rev, err := source.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err = source.Fetch(t.Context(), rev); !fits {
				fails(t, err, gitrepo.TooLarge, "names", "16777216 bytes")
			} else if err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("too large", func(t *testing.T) {
		t.Parallel()
		onBoth(t, func(t *testing.T, b *bed) {
			b.repo.Commit(t, map[string]string{"big": noise(1 << 20)}, "Big")
			b.options.MaxBytes = 100_000
			source := b.open(t)
			rev, err := source.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = source.Fetch(t.Context(), rev)
			fails(t, err, gitrepo.TooLarge)
		})
	})
}

// noise does not compress.
func noise(n int) string {
	var b bytes.Buffer
	for x := uint32(1); b.Len() < n; {
		x = x*1664525 + 1013904223
		b.WriteByte(byte(x >> 24))
	}
	return b.String()
}
