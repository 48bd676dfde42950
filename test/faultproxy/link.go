package faultproxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// link is one forwarded connection.
type link struct {
	tcp    *TCP
	faults TCPFaults
	client *net.TCPConn
	ctx    context.Context // ends with the link
	stop   context.CancelFunc

	mu     sync.Mutex
	server *net.TCPConn // nil until connected
	gone   bool
}

const connectLimit = 10 * time.Second

func (l *link) run() {
	defer l.cut(false)
	if l.faults.Reset && l.faults.CutSent == 0 && l.faults.CutReceived == 0 {
		l.cut(true)
		return
	}
	dialer := net.Dialer{Timeout: connectLimit}
	conn, err := dialer.DialContext(l.ctx, "tcp", l.tcp.target)
	if err != nil {
		l.cut(true) // nearest to what the client would see without the forwarder
		return
	}
	server := conn.(*net.TCPConn)
	l.mu.Lock()
	l.server = server
	gone := l.gone
	l.mu.Unlock()
	if gone {
		_ = server.Close()
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.pump(server, l.client, l.faults.CutSent) })
	both.Go(func() { l.pump(l.client, server, l.faults.CutReceived) })
	both.Wait()
}

// pump passes bytes on in one direction until its end, and passes the end on too.
func (l *link) pump(to, from *net.TCPConn, limit int64) {
	piece := make([]byte, l.pieceSize())
	var passed int64
	for {
		n, err := from.Read(piece)
		data, last := piece[:n], false
		if limit > 0 && passed+int64(n) >= limit {
			data, last = piece[:limit-passed], true
		}
		if len(data) > 0 {
			if !l.wait(len(data)) {
				return
			}
			if _, err := to.Write(data); err != nil {
				l.cut(false)
				return
			}
			passed += int64(len(data))
		}
		if last {
			l.cut(l.faults.Reset)
			return
		}
		if errors.Is(err, io.EOF) {
			_ = to.CloseWrite() // the other direction may go on
			return
		}
		if err != nil {
			l.cut(true) // one side was reset, so the other is
			return
		}
	}
}

// pieceSize keeps the pauses of a limited bandwidth short, so that bytes trickle rather than
// come in bursts.
func (l *link) pieceSize() int {
	const size, pausesPerSecond = 32 << 10, 20
	if rate := l.faults.BytesPerSecond; rate > 0 {
		return min(size, max(1, rate/pausesPerSecond))
	}
	return size
}

// wait holds a piece of n bytes back as the faults demand; it returns false when the link ended.
func (l *link) wait(n int) bool {
	pause := l.faults.Delay
	if rate := l.faults.BytesPerSecond; rate > 0 {
		pause += time.Duration(n) * time.Second / time.Duration(rate)
	}
	if pause == 0 {
		return l.ctx.Err() == nil
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// cut ends the link on both sides, once.
func (l *link) cut(reset bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return
	}
	l.gone = true
	l.stop()
	for _, conn := range []*net.TCPConn{l.client, l.server} {
		if conn == nil {
			continue
		}
		if reset {
			_ = conn.SetLinger(0)
		}
		_ = conn.Close()
	}
}
