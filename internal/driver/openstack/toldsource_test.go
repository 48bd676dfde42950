package openstack

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// askedForImage is set for the process that asks behind a proxy: Go reads once where that is.
const askedForImage = "KUPENSTACK_TEST_ASKED_FOR_IMAGE"

// tellsAll is who writes what nobody is to see, as a server or a proxy does by its configuration or by mistake.
func tellsAll(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		said := "robot:canary " + r.Header.Get("Proxy-Authorization")
		text := map[string]string{
			"/lost":    "HTTP/1.1 302 Found\r\nLocation: http://" + said + "%zz@a\r\nContent-Length: 0\r\n\r\n",
			"/user":    "HTTP/1.1 302 Found\r\nLocation: http://robot:canary@images.example.org/a\r\nContent-Length: 0\r\n\r\n",
			"/refused": "HTTP/1.1 407 no entry for " + said + "\r\nContent-Length: 0\r\n\r\n",
			"/garbled": "-ERR " + said + "\r\n\r\n",
			"/header":  "HTTP/1.1 200 OK\r\ncanary\r\n\r\n",
		}[r.URL.Path]
		if text == "" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		_, _ = fmt.Fprint(conn, text)
	}))
	t.Cleanup(server.Close)
	return server
}

// whatIsTold downloads an image from each path of tellsAll, and returns the errors.
func whatIsTold(t *testing.T, from string) string {
	t.Helper()
	sources, err := ParseSources([]string{from})
	if err != nil {
		t.Fatal(err)
	}
	u := newUploads(nil, nil, sources, nil)
	t.Cleanup(u.close)
	var told strings.Builder
	for _, path := range []string{"/lost", "/user", "/refused", "/garbled", "/header"} {
		err := u.run(t.Context(), &session{masker: redact.NewMasker()}, upload{image: "i1", source: from + path})
		fmt.Fprintf(&told, "%s: %v\n", path, err)
	}
	return told.String()
}

// What the source of an image answers, or a proxy before it, gets into no report but for its status.
func TestNothingOfASourcesAnswerIsTold(t *testing.T) {
	server := tellsAll(t)
	if os.Getenv(askedForImage) != "" {
		fmt.Print(whatIsTold(t, "http://images.example.org"))
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNothingOfASourcesAnswerIsTold$")
	child.Env = append(os.Environ(), askedForImage+"=1", "HTTP_PROXY=http://robot:canary@"+strings.TrimPrefix(server.URL, "http://"), "http_proxy=", "NO_PROXY=", "no_proxy=", "REQUEST_METHOD=")
	output, err := child.CombinedOutput()
	if err != nil {
		t.Errorf("behind a proxy: %v", err)
	}
	for _, text := range []string{whatIsTold(t, server.URL), string(output)} {
		for _, want := range []string{"/lost: download the image: it sends on to", "/user: its source sends on", "/refused: download the image: its source answered 407", "/garbled: download the image: what its source answers is no HTTP", "/header: download the image: what"} {
			if !strings.Contains(text, want) {
				t.Errorf("it lacks %q:\n%s", want, text)
			}
		}
		if strings.Contains(text, "canary") || strings.Contains(text, "cm9ib3Q6Y2FuYXJ5") {
			t.Errorf("it is told:\n%s", text)
		}
	}
}
