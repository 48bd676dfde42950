package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

func TestClean(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"our end of a connection", "lookup git.example.org on 10.96.0.10:53: read udp 10.244.1.5:41234->10.96.0.10:53: i/o timeout", "lookup git.example.org on 10.96.0.10:53: read udp 10.244.1.5->10.96.0.10:53: i/o timeout"},
		{"the same of the next version", "write tcp [fd00::5]:41234->[fd00::1]:443: broken pipe", "write tcp [fd00::5]->[fd00::1]:443: broken pipe"},
		{"control characters", "remote:\x1b[31m no\r\nsuch thing", "remote: [31m no such thing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := clean(redact.NewMasker(), test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A disk that is full is one cause, whatever the file is called that was to be written.
func TestTheSameIsSaidOfTheSameTrouble(t *testing.T) {
	at := location{display: "https://git.example.org/repository-7.git"}
	full := func(name string) error {
		return at.placed(fmt.Errorf("making a cache: %w", &fs.PathError{Op: "write", Path: "/cache/git/40c27b085fc1e6d6/" + name, Err: unix.ENOSPC}))
	}
	for _, names := range [][2]string{
		{"repository-123/shallow", "repository-45678/shallow"},
		{".new-1", ".new-22"},
		{"repository-1/objects/pack/.new-1", "repository-2/objects/pack/.new-2"},
		{"repository-1/objects/pack/tmp_pack_1", "repository-2/objects/pack/tmp_pack_2"},
	} {
		one, two := full(names[0]), full(names[1])
		if one.Error() != two.Error() || !errors.Is(one, unix.ENOSPC) {
			t.Errorf("%v and %v", one, two)
		}
	}
	if err := full("repository-1/HEAD"); err.Error() != "making a cache: write /cache/git/40c27b085fc1e6d6/repository-*/HEAD: no space left on device" {
		t.Error(err)
	}
	e := at.placed(&Error{Kind: Lost, Text: "the history of refs/heads/main does not have it"})
	if KindOf(e) != Lost || e.Error() != "https://git.example.org/repository-7.git: the history of refs/heads/main does not have it" {
		t.Error(e)
	}
	if at.placed(nil) != nil {
		t.Error("nothing is an error")
	}
}

// overdue is a context whose time is over, and whose timer is late.
type overdue struct{ context.Context }

func (overdue) Deadline() (time.Time, bool) { return time.Now(), true }

// A connection that is given up at the deadline is no answer in time, also where it is back before the context's own timer.
func TestConnectionsGiveUpAtTheDeadline(t *testing.T) {
	r := &remote{at: location{display: "ssh://git.example.org/cloud.git"}}
	given := &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	err := r.explain(overdue{t.Context()}, redact.NewMasker(), "listing the refs", "no answer within 1s", given)
	const want = "ssh://git.example.org/cloud.git: listing the refs: no answer within 1s"
	if KindOf(err) != Unreachable || !errors.Is(err, context.DeadlineExceeded) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	later, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if err := r.explain(later, redact.NewMasker(), "listing the refs", "no answer within 1h", given); errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("of its own: %v", err)
	}
}
