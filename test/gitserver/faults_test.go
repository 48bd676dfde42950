//go:build beds

package gitserver_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// An hour: no test waits for it, so whoever gets an answer was let go.
const forever = time.Hour

func TestHeldRequests(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]gitserver.Faults{
		"latency": {Latency: forever},
		"hang":    {Hang: true},
		"limit":   {BytesPerSecond: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, b *bed) {
				b.server.SetFaults(faults)
				err := b.interrupt(t, func(c gitserver.Counts) bool { return c.ListRefs == 1 }, func(ctx context.Context) error {
					_, err := b.list(ctx)
					return err
				})
				if !errors.Is(err, context.Canceled) {
					t.Errorf("while held: %v, want %v", err, context.Canceled)
				}
				b.wantCounts(t, gitserver.Counts{ListRefs: 1})

				result := make(chan error, 1)
				ctx := timeout(t)
				go func() {
					_, err := b.list(ctx)
					result <- err
				}()
				arrived := func(c gitserver.Counts) bool { return c.ListRefs == 2 }
				if err := b.server.AwaitRequests(ctx, b.repo.Name, arrived); err != nil {
					t.Fatal(err)
				}
				// The request may not have begun to wait when it counts, and only what
				// waits is released: hence more than once.
				ticker := time.NewTicker(10 * time.Millisecond)
				defer ticker.Stop()
				for done := false; !done; {
					select {
					case err := <-result:
						if err != nil {
							t.Errorf("released: %v", err)
						}
						done = true
					case <-ticker.C:
						b.server.Release()
					}
				}
				b.server.SetFaults(gitserver.Faults{})
				if _, err := b.list(timeout(t)); err != nil {
					t.Errorf("without faults: %v", err)
				}
			})
		})
	}
}

func TestNewFaultsCutHangingRequests(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		clone := b.mustClone(t)
		commit(t, clone, "new.hcl", "new\n")
		b.server.SetFaults(gitserver.Faults{On: gitserver.Push, Hang: true})
		result := make(chan error, 1)
		ctx := timeout(t)
		go func() { result <- b.push(ctx, clone) }()
		if err := b.server.AwaitRequests(ctx, b.repo.Name, func(c gitserver.Counts) bool { return c.Push == 1 }); err != nil {
			t.Fatal(err)
		}
		b.server.SetFaults(gitserver.Faults{On: gitserver.Fetch, Hang: true})
		if err := <-result; err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the push that hung: %v, want a broken connection", err)
		}
		if got := b.repo.Hash(t, "main"); got != b.first {
			t.Errorf("the branch moved to %s", got)
		}
		if err := b.push(timeout(t), clone); err != nil {
			t.Errorf("only fetches hang now, but the push failed: %v", err)
		}
	})
}

func TestCutAnswer(t *testing.T) {
	t.Parallel()
	for _, on := range []gitserver.Operation{gitserver.ListRefs, gitserver.Fetch} {
		onBoth(t, func(t *testing.T, b *bed) {
			noise := make([]byte, 64<<10) // does not compress
			_, _ = rand.Read(noise)
			second := b.repo.Commit(t, map[string]string{"noise": string(noise)}, "Noise")
			b.server.SetFaults(gitserver.Faults{On: on, Times: 2, CutAfter: 100})
			for range 2 {
				if clone, err := b.clone(timeout(t), 0); err == nil {
					t.Fatalf("the clone at %s was not cut", head(t, clone))
				} else if errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("the client did not notice the cut: %v", err)
				}
			}
			if clone := b.mustClone(t); head(t, clone) != second {
				t.Errorf("the third clone is at %s, want %s", head(t, clone), second)
			}
			want := gitserver.Counts{ListRefs: 3, Fetch: 1}
			if on == gitserver.Fetch {
				want.Fetch = 3
			}
			b.wantCounts(t, want)
		})
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		b.server.SetFaults(gitserver.Faults{Times: 1, Status: http.StatusServiceUnavailable})
		if _, err := b.list(timeout(t)); err == nil || !strings.Contains(err.Error(), "503") && !strings.Contains(err.Error(), "Service Unavailable") {
			t.Errorf("a status: %v, want 503", err)
		}
		if _, err := b.list(timeout(t)); err != nil {
			t.Errorf("after the status: %v", err)
		}
		clone := b.mustClone(t)
		commit(t, clone, "new.hcl", "new\n")
		b.server.SetFaults(gitserver.Faults{On: gitserver.Push, Status: http.StatusInternalServerError})
		if err := b.push(timeout(t), clone); err == nil {
			t.Error("the push succeeded")
		}
		if got := b.repo.Hash(t, "main"); got != b.first {
			t.Errorf("the branch moved to %s", got)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 3, Fetch: 1, ListRefsToPush: 1, Push: 1})
	})
}

func TestHTTPStatusHeaders(t *testing.T) {
	t.Parallel()
	b, s := newHTTPBed(t)
	s.SetAnonymous(gitserver.ReadOnly)
	get := func() *http.Response {
		request, err := http.NewRequestWithContext(timeout(t), http.MethodGet, b.url+"/info/refs?service=git-upload-pack", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		return response
	}
	s.SetFaults(gitserver.Faults{Status: http.StatusTooManyRequests, RetryAfter: 7 * time.Second})
	if r := get(); r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") != "7" {
		t.Errorf("got %d, Retry-After %q", r.StatusCode, r.Header.Get("Retry-After"))
	}
	s.SetFaults(gitserver.Faults{Status: http.StatusUnauthorized})
	if r := get(); r.StatusCode != http.StatusUnauthorized || r.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("got %d, WWW-Authenticate %q", r.StatusCode, r.Header.Get("WWW-Authenticate"))
	}
	if _, err := b.list(timeout(t)); !errors.Is(err, transport.ErrAuthenticationRequired) {
		t.Errorf("go-git: %v, want %v", err, transport.ErrAuthenticationRequired)
	}
	s.SetFaults(gitserver.Faults{})
	if r := get(); r.StatusCode != http.StatusOK {
		t.Errorf("got %d without faults", r.StatusCode)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		if _, err := b.list(timeout(t)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			// A client that has connected and said nothing yet.
			silent, err := (&net.Dialer{}).DialContext(timeout(t), "tcp", b.server.Addr())
			if err != nil {
				t.Fatal(err)
			}
			b.server.Stop(t)
			if err := silent.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, silent); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("stopped, but a connection is still open")
			}
			_ = silent.Close()
			if _, err := b.list(timeout(t)); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("stopped: %v, want %v", err, syscall.ECONNREFUSED)
			}
			b.server.Start(t)
			if _, err := b.list(timeout(t)); err != nil {
				t.Errorf("started again: %v", err)
			}
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 3})
	})
}

func TestBigPushOverASlowLinkIsInterrupted(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		clone := b.mustClone(t)
		noise := make([]byte, 1<<20) // does not compress
		_, _ = rand.Read(noise)
		commit(t, clone, "noise", string(noise))
		b.server.SetFaults(gitserver.Faults{On: gitserver.Push, BytesPerSecond: 8 << 10})
		err := b.interrupt(t, func(c gitserver.Counts) bool { return c.Push == 1 }, func(ctx context.Context) error {
			return b.push(ctx, clone)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("over the slow link: %v, want %v", err, context.Canceled)
		}
		b.server.SetFaults(gitserver.Faults{})
		if refs, err := b.list(timeout(t)); err != nil || refs["refs/heads/main"] != b.first {
			t.Errorf("over the fast link the branch is at %v, %v; want %s", refs, err, b.first)
		}
	})
}

func TestCloseEndsEveryRequest(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]gitserver.Faults{
		"latency":        {Latency: forever},
		"hang":           {Hang: true},
		"limit":          {BytesPerSecond: 1},
		"hanging fetch":  {On: gitserver.Fetch, Hang: true},
		"limited fetch":  {On: gitserver.Fetch, BytesPerSecond: 1},
		"limit and hang": {BytesPerSecond: 1, Hang: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, b *bed) {
				b.server.SetFaults(faults)
				result := make(chan error, 1)
				ctx := timeout(t)
				go func() {
					_, err := b.clone(ctx, 0)
					result <- err
				}()
				arrived := func(c gitserver.Counts) bool {
					return c.Fetch == 1 || c.ListRefs == 1 && faults.On == 0
				}
				if err := b.server.AwaitRequests(ctx, b.repo.Name, arrived); err != nil {
					t.Fatal(err)
				}
				if err := b.server.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
				if err := <-result; err == nil || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the clone: %v, want a broken connection", err)
				}
				if err := b.server.Close(); err != nil {
					t.Errorf("close again: %v", err)
				}
			})
		})
	}
}
