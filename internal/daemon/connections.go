package daemon

import (
	"net"
	"slices"
	"sync"
)

const (
	// maxConnections bounds the connections that are open at an address, and with maxHeader the memory that whoever can
	// connect takes: what a request may send before it is known whose it is.
	maxConnections = 128
	// maxHeader bounds the headers of a request. Those of forges and of who reads metrics are much shorter.
	maxHeader = 16 << 10
)

// bounded is a listener at which the connection that is open longest gives way to one more. If the new one had to wait, whoever
// opens a few and sends nothing would keep out everybody, probes of health included.
type bounded struct {
	net.Listener
	places chan struct{} // one is taken until the server is done with a connection, and has freed what it held for it

	mutex sync.Mutex
	open  []*visitor // the oldest first, without those that gave way
}

func newBounded(listener net.Listener, most int) *bounded {
	return &bounded{Listener: listener, places: make(chan struct{}, most)}
}

// Accept implements [net.Listener].
func (b *bounded) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	v := &visitor{Conn: conn, at: b}
	if oldest := b.enter(v); oldest != nil {
		_ = oldest.Conn.Close() // the server finds out, and calls its Close
	}
	b.places <- struct{}{}
	return v, nil
}

// enter notes a connection, and returns the one that gives way to it.
func (b *bounded) enter(v *visitor) (oldest *visitor) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if len(b.open) == cap(b.places) {
		oldest = b.open[0]
		b.open = slices.Delete(b.open, 0, 1)
	}
	b.open = append(b.open, v)
	return oldest
}

func (b *bounded) leave(v *visitor) {
	b.mutex.Lock()
	if i := slices.Index(b.open, v); i >= 0 {
		b.open = slices.Delete(b.open, i, i+1)
	}
	b.mutex.Unlock()
	<-b.places
}

// visitor is a connection of such a listener.
type visitor struct {
	net.Conn
	at   *bounded
	once sync.Once
}

// Close implements [net.Conn].
func (v *visitor) Close() error {
	err := v.Conn.Close()
	v.once.Do(func() { v.at.leave(v) })
	return err
}

// CloseWrite is what the server calls so that the last answer arrives where not all of a request was read.
func (v *visitor) CloseWrite() error {
	if half, ok := v.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
