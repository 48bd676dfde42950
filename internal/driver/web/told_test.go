package web_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/web"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// asked is set for the process that asks behind a proxy: Go reads once where that is.
const asked = "KUPENSTACK_TEST_ASKED"

// answering is a server that writes what it is told to and closes.
func answering(t *testing.T, answer func(*http.Request) string) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = fmt.Fprint(conn, answer(request))
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String()
}

// Nothing of an answer is told but its status, whatever it is.
func TestNothingOfAnAnswerIsTold(t *testing.T) {
	for name, answer := range map[string]string{
		"a way that is none":    "HTTP/1.1 302 Found\r\nLocation: http://robot:canary%zz@other.example.org/\r\nContent-Length: 0\r\n\r\n",
		"a way with a user":     "HTTP/1.1 302 Found\r\nLocation: http://robot:canary@other.example.org/\r\nContent-Length: 0\r\n\r\n",
		"a reason":              "HTTP/1.1 403 no entry for canary\r\nContent-Length: 0\r\n\r\n",
		"no HTTP":               "-ERR canary\r\n\r\n",
		"a code that is none":   "HTTP/1.1 canary\r\n\r\n",
		"a header that is none": "HTTP/1.1 200 OK\r\ncanary\r\n\r\n",
		"an encoding":           "HTTP/1.1 200 OK\r\nTransfer-Encoding: canary\r\n\r\n",
		"a length that is none": "HTTP/1.1 200 OK\r\nContent-Length: canary\r\n\r\n",
		"two lengths":           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: canary\r\n\r\n",
		"a trailer":             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Content-Length\r\nTrailer: canary\r\n\r\n",
	} {
		address := answering(t, func(*http.Request) string { return answer })
		got := web.New("kupenstack-test/1", nil).Ask(t.Context(), unit.Check{URL: "http://" + address + "/page"})
		if got.Reach == unit.ReachAnswers || got.Message == "" || strings.Contains(got.Message+got.Detail, "canary") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What a proxy writes has nobody's password, as the text of a page or of an error.
func TestProxyOfAGate(t *testing.T) {
	if os.Getenv(asked) != "" {
		for _, path := range []string{"refused", "garbled"} {
			got := web.New("kupenstack-test/1", nil).Ask(t.Context(), unit.Check{URL: "http://page.example.org/" + path})
			fmt.Printf("%s: %s %s\n", got.Reach, got.Message, got.Detail)
		}
		return
	}
	encoded := base64.StdEncoding.EncodeToString([]byte("robot:canary"))
	proxy := answering(t, func(r *http.Request) string {
		said := "no entry for robot:canary " + encoded
		if r.URL.Path == "/garbled" {
			return said + "\r\n\r\n"
		}
		return "HTTP/1.1 407 " + said + "\r\nContent-Length: 0\r\n\r\n"
	})
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyOfAGate$")
	child.Env = append(os.Environ(), asked+"=1", "HTTP_PROXY=http://robot:canary@"+proxy, "http_proxy=", "NO_PROXY=", "no_proxy=", "REQUEST_METHOD=")
	output, err := child.CombinedOutput()
	text := string(output)
	if err != nil || !strings.Contains(text, "407 Proxy Authentication Required") || !strings.Contains(text, "is no HTTP") || strings.Contains(text, "canary") || strings.Contains(text, encoded) {
		t.Errorf("%v\n%s", err, text)
	}
}
