package gitrepo

import (
	"io"
	"net"
	"sync"
)

// partSize is how much of a push is sent between two questions to its guard.
const partSize = 32 << 10

// leave asks a guard at the connection and for each part of what is sent, and remembers what that said: a
// process may be paused anywhere, and another one may be in charge when it wakes. A server does nothing before it has all. Each
// conversation has one, and a push one more.
type leave struct {
	ask func() error // nil allows everything

	mu      sync.Mutex
	begun   bool  // something was sent, or may have been
	refusal error // the first one counts
}

// pass returns why nothing more is to be sent, nil while it may be.
func (l *leave) pass() error {
	if l == nil || l.ask == nil {
		return nil
	}
	err := l.ask()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refusal == nil {
		l.refusal = err
	}
	return l.refusal
}

// refuse notes why nothing more is sent, unless that is known.
func (l *leave) refuse(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refusal == nil {
		l.refusal = err
	}
}

// why returns the refusal, nil while there is none.
func (l *leave) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refusal
}

// begin notes that something is sent from now on.
func (l *leave) begin() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = true
}

// refused returns what becomes of a push to ref that failed since the guard was against it; nil where it was not.
func (l *leave) refused(at location, ref string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.refusal == nil:
		return nil
	case l.begun: // the server has all of it or cannot do anything with it, which the next look tells
		return &Error{Kind: Unreachable, Where: at.display, Text: "the push to " + ref + " was cut off: " + l.refusal.Error(), ended: l.refusal}
	default:
		return &Error{Kind: Withheld, Where: at.display, Text: "the push to " + ref + " was not sent: " + l.refusal.Error(), ended: l.refusal}
	}
}

// asking is a connection that sends nothing more once its guard is against it: what is said over SSH to begin with, and to
// keep the conversation up, is sent beside what we write.
type asking struct {
	net.Conn
	leave *leave
}

// Write implements [net.Conn].
func (a asking) Write(b []byte) (int, error) {
	if err := a.leave.pass(); err != nil {
		_ = a.Close() // nothing else is to be tried
		return 0, err
	}
	return a.Conn.Write(b)
}

// parts writes what is pushed over a pipe, part by part.
type parts struct {
	to    io.Writer
	leave *leave
	begin func()
}

// Write implements io.Writer.
func (p *parts) Write(b []byte) (n int, err error) {
	for n < len(b) {
		if err := p.leave.pass(); err != nil {
			return n, err
		}
		p.leave.begin()
		p.begin()
		m, err := p.to.Write(b[n:min(n+partSize, len(b))])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
