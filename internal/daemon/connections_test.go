package daemon_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// piped is a listener without a network.
type piped chan net.Conn

func (p piped) Accept() (net.Conn, error) { return <-p, nil }
func (p piped) Close() error              { return nil }
func (p piped) Addr() net.Addr            { return nil }

// The connection that is open longest gives way, and the next one is not there before the server is done with it.
func TestBoundedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := make(piped)
		bounded := daemon.Bounded(network, 2)
		accepted, asked := make(chan net.Conn), make(chan struct{})
		go func() {
			for range asked {
				conn, err := bounded.Accept()
				if err != nil {
					t.Error(err)
				}
				accepted <- conn
			}
		}()
		defer close(asked)
		connect := func() (client net.Conn) {
			client, server := net.Pipe()
			asked <- struct{}{}
			network <- server
			return client
		}
		ended := func(client net.Conn) bool {
			synctest.Wait()
			_ = client.SetReadDeadline(time.Now().Add(time.Second)) // fails where it has ended
			_, err := client.Read(make([]byte, 1))
			return errors.Is(err, io.EOF)
		}
		first := connect()
		firstHeld := <-accepted
		second := connect()
		secondHeld := <-accepted
		third := connect()
		if !ended(first) || ended(second) || ended(third) {
			t.Fatal("another one than the oldest gave way")
		}
		select {
		case <-accepted:
			t.Fatal("there are three at a time")
		default:
		}
		_ = firstHeld.Close()
		_ = firstHeld.Close() // as the server may
		thirdHeld := <-accepted
		_ = secondHeld.Close()
		fourth := connect()
		<-accepted
		if ended(third) || ended(fourth) {
			t.Error("one gave way though another had ended")
		}
		_ = thirdHeld.Close()
	})
}

// answering is a daemon of which only what it answers works, with the addresses of webhooks and health.
func answering(t *testing.T) (d *daemon.Daemon, hooks, health string) {
	t.Helper()
	d = &daemon.Daemon{
		Tracker: revision.NewTracker(nil, ".", noFacts, revision.Options{Language: schema.New()}), Publisher: &daemon.Publisher{}, Lease: waiting{}, Log: zerolog.Nop(),
		Listen: "127.0.0.1:0",
		Hooks:  &daemon.Hooks{Listen: "127.0.0.1:0", Secret: func() (redact.Secret, error) { return redact.NewSecret(pushSecret), nil }},
	}
	d.Prepare()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	at, of, err := d.Answers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return d, at.String(), of.String()
}

const pushSecret = "the secret of a forge"

// crowd opens connections that send the beginning of a request and no more.
func crowd(t *testing.T, address string, connections, header int) {
	t.Helper()
	request := []byte("POST /webhook HTTP/1.1\r\nHost: x\r\n")
	for i := 0; len(request) < header; i++ {
		request = fmt.Appendf(request, "X-A%d: %s\r\n", i, strings.Repeat("a", 200))
	}
	for range connections {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Write(request) // it may be closed by now
	}
}

// status asks once, over a connection of its own.
func status(t *testing.T, request *http.Request) int {
	t.Helper()
	request.Close = true
	response, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func get(t *testing.T, address, path string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// Whoever opens more connections than may be open keeps out neither probes nor forges; nor does what is wrong keep out those.
func TestCrowdKeepsOutNobody(t *testing.T) {
	d, hooks, health := answering(t)
	crowd(t, hooks, 3*daemon.MaxConnections, 0)
	if got := status(t, get(t, health, "/healthz")); got != http.StatusOK {
		t.Errorf("a probe beside a crowd of webhooks: %d", got)
	}
	crowd(t, health, 3*daemon.MaxConnections, 0)
	if got := status(t, get(t, health, "/healthz")); got != http.StatusOK {
		t.Errorf("a probe in a crowd: %d", got)
	}
	if got := status(t, get(t, health, "/readyz")); got != http.StatusServiceUnavailable {
		t.Errorf("before it has begun it is ready: %d", got)
	}
	mac := hmac.New(sha256.New, []byte(pushSecret))
	mac.Write([]byte("{}"))
	push, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+hooks+"/webhook", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	push.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	if got := status(t, push); got != http.StatusAccepted || !d.Looks() {
		t.Errorf("a push in a crowd: %d", got)
	}
}

// What clients without the secret send takes little memory, however many there are.
func TestCrowdTakesLittleMemory(t *testing.T) {
	const connections, most = 1000, 16 << 20
	for _, test := range []struct {
		name   string
		header int
	}{{"headers that do not end", 15 << 10}, {"headers that are too long", 60 << 10}} {
		t.Run(test.name, func(t *testing.T) {
			_, hooks, health := answering(t)
			before := held()
			crowd(t, hooks, connections, test.header)
			crowd(t, health, connections, test.header)
			if more := held() - before; more > most {
				t.Errorf("%d connections take %d MiB", 2*connections, more>>20)
			}
		})
	}
}

// held is the memory of all that is reachable. What lies in pools for reuse, such as the buffers of connections that are
// gone, goes with the second collection.
func held() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc + stats.StackInuse)
}

func TestLongHeaderIsRefused(t *testing.T) {
	_, hooks, _ := answering(t)
	request := get(t, hooks, "/webhook")
	request.Header.Set("X-Long", strings.Repeat("a", 24<<10))
	if got := status(t, request); got != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("got %d", got)
	}
}
