//go:build beds

package faultproxy_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// startEcho answers every connection with what it is sent.
func startEcho(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// exchange sends data, ends its side, and returns what comes back and how that ended.
func exchange(t *testing.T, address string, data []byte) ([]byte, error) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	if _, err := conn.Write(data); err != nil {
		return nil, err
	}
	_ = conn.(*net.TCPConn).CloseWrite() // a connection cut already shows when reading
	return io.ReadAll(conn)
}

func TestTCP(t *testing.T) {
	proxy := faultproxy.StartTCP(t, startEcho(t))
	data := bytes.Repeat([]byte("0123456789"), 1000)
	tests := []struct {
		name   string
		faults faultproxy.TCPFaults
		got    int // bytes that come back; -1: at most all
		err    error
		least  time.Duration
	}{
		{"faithful", faultproxy.TCPFaults{}, len(data), nil, 0},
		{"delay", faultproxy.TCPFaults{Delay: 30 * time.Millisecond}, len(data), nil, 60 * time.Millisecond},
		{"bandwidth", faultproxy.TCPFaults{BytesPerSecond: 100_000}, len(data), nil, 100 * time.Millisecond},
		{"cut what is received", faultproxy.TCPFaults{CutReceived: 4321}, 4321, nil, 0},
		{"cut what is sent", faultproxy.TCPFaults{CutSent: 5}, -1, nil, 0},
		{"reset what is received", faultproxy.TCPFaults{CutReceived: 4321, Reset: true}, -1, syscall.ECONNRESET, 0},
		{"reset", faultproxy.TCPFaults{Reset: true}, 0, syscall.ECONNRESET, 0},
		{"refuse", faultproxy.TCPFaults{Refuse: true}, 0, syscall.ECONNREFUSED, 0},
		{"refuse still", faultproxy.TCPFaults{Refuse: true}, 0, syscall.ECONNREFUSED, 0},
		{"faithful again", faultproxy.TCPFaults{}, len(data), nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := proxy.Set(test.faults); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			got, err := exchange(t, proxy.Addr(), data)
			if errors.Is(err, syscall.EPIPE) {
				err = syscall.ECONNRESET // the reset came before the client had sent all
			}
			if !errors.Is(err, test.err) {
				t.Errorf("got %v, want %v", err, test.err)
			}
			if len(got) != test.got && test.got >= 0 || !bytes.HasPrefix(data, got) {
				t.Errorf("%d bytes came back, want %d", len(got), test.got)
			}
			if took := time.Since(begin); took < test.least {
				t.Errorf("took %v, want at least %v", took, test.least)
			}
		})
	}
	if got := proxy.Accepted(); got != len(tests)-2 {
		t.Errorf("accepted %d connections, want %d", got, len(tests)-2)
	}
}

func TestTCPKeepsItsPortWhileItRefuses(t *testing.T) {
	proxy := faultproxy.StartTCP(t, startEcho(t))
	if err := proxy.Set(faultproxy.TCPFaults{Refuse: true}); err != nil {
		t.Fatal(err)
	}
	if listener, err := net.Listen("tcp", proxy.Addr()); !errors.Is(err, syscall.EADDRINUSE) {
		if err == nil {
			_ = listener.Close()
		}
		t.Errorf("somebody else could take the port: %v", err)
	}
}

func TestTCPCutsExactlyWhatIsSent(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	received := make(chan []byte, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		data, _ := io.ReadAll(conn)
		received <- data
	}()
	proxy := faultproxy.StartTCP(t, listener.Addr().String())
	if err := proxy.Set(faultproxy.TCPFaults{CutSent: 5}); err != nil {
		t.Fatal(err)
	}
	_, _ = exchange(t, proxy.Addr(), []byte("0123456789"))
	if got := <-received; string(got) != "01234" {
		t.Errorf("the server got %q", got)
	}
}

func TestTCPResetsOpenConnections(t *testing.T) {
	proxy := faultproxy.StartTCP(t, startEcho(t))
	conn, err := net.Dial("tcp", proxy.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	piece := make([]byte, 2)
	if _, err := conn.Write([]byte("hi")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, piece); err != nil {
		t.Fatal(err)
	}
	proxy.ResetConnections()
	if _, err := conn.Read(piece); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want a reset", err)
	}
}

func TestTCPToNowhereIsReset(t *testing.T) {
	gone := faultproxy.StartTCP(t, "127.0.0.1:1")
	if err := gone.Set(faultproxy.TCPFaults{Refuse: true}); err != nil {
		t.Fatal(err)
	}
	proxy := faultproxy.StartTCP(t, gone.Addr()) // an address that certainly refuses
	if _, err := exchange(t, proxy.Addr(), []byte("hi")); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("got %v, want a reset", err)
	}
}
