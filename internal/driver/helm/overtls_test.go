package helm

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

// listener is a server that somebody is sent on to.
type listener struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // by whom which path was asked for, with the password
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Authorization")))
	w.WriteHeader(http.StatusNotFound)
}

// TestNothingLeavesTLS has repositories and registries send requests on to http, and an index name such an address: neither a
// password nor a request without one goes there, and the error does not tell what stands behind a ?.
func TestNothingLeavesTLS(t *testing.T) {
	const sentOn, named = "sent the request on to this address, and plain http is refused", "plain http is refused, as everybody on the way could change the chart"
	on := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://mirror.example.com"+r.URL.Path+"?signature=canary", http.StatusFound)
	}
	has := func(part string) func(r *http.Request) bool {
		return func(r *http.Request) bool { return strings.Contains(r.URL.Path, part) }
	}
	for name, test := range map[string]struct {
		kind   string
		where  func(r *http.Request) bool // it answers with how
		how    http.HandlerFunc
		want   string
		reason string
	}{
		"index": {"https", has("index.yaml"), on, "the index: get http://mirror.example.com/index.yaml: ", sentOn},
		"chart": {"https", has(".tgz"), on, "get http://mirror.example.com/nova-1.4.0.tgz: ", sentOn},
		"address in the index": {"https", has("index.yaml"), func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "apiVersion: v1\nentries:\n  nova:\n  - {apiVersion: v2, name: nova, version: 1.4.0, urls: ['http://mirror.example.com/nova.tgz?token=canary']}\n")
		}, "get http://mirror.example.com/nova.tgz: ", named},
		"tags":     {"oci", has("/tags/"), on, "", sentOn},
		"manifest": {"oci", has("/manifests/"), on, "", sentOn},
		"layer":    {"oci", has("/blobs/"), on, "", sentOn},
		"image":    {"image", has("/manifests/"), on, "registry example.com: image example.com/charts/nova:1.4.0: ", sentOn},
	} {
		t.Run(name, func(t *testing.T) {
			plain := &listener{}
			plain.Server = httptest.NewServer(plain)
			defer plain.Close()
			p := publish(t)
			p.add(t, "nova", "1.4.0", "text")
			p.login = "reader:canary"
			inner := p.Config.Handler
			p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, password, _ := r.BasicAuth(); test.where(r) && password == "canary" {
					test.how(w, r)
					return
				}
				inner.ServeHTTP(w, r)
			})
			repository := map[string]string{"https": "https://example.com", "oci": "oci://example.com/charts"}[test.kind]
			options := knownAs(t, p, plain.Listener.Addr())
			var entries any
			var err error
			if test.kind == "image" {
				entries, err = Digests(t.Context(), options, []chartlock.Image{{Name: "example.com/charts/nova:1.4.0"}})
			} else {
				entries, err = Lock(t.Context(), options, []chartlock.Wanted{wantedOf(repository, "nova", "")})
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.reason) || strings.Contains(err.Error(), "canary") {
				t.Errorf("locked to %v, %v", entries, err)
			}
			if len(plain.asked) > 0 {
				t.Errorf("a server without TLS was asked for %q", plain.asked)
			}
		})
	}
}

// TestSentOnOverTLS: another server gets requests that stay within TLS, and not the password.
func TestSentOnOverTLS(t *testing.T) {
	p := publish(t)
	p.add(t, "nova", "1.4.0", "text")
	p.login = "reader:canary"
	var elsewhere []string
	inner := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		switch {
		case r.Host != "example.com":
			elsewhere = append(elsewhere, r.Host+r.URL.Path+" "+password)
			http.ServeFile(w, r, filepath.Join(p.dir, r.URL.Path))
		case strings.HasSuffix(r.URL.Path, ".tgz") && password == "canary":
			http.Redirect(w, r, "https://example.com:8443"+r.URL.Path, http.StatusFound)
		case r.URL.Path == "/endless/index.yaml":
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		default:
			inner.ServeHTTP(w, r)
		}
	})
	options := knownAs(t, p, nil)
	entries, err := Lock(t.Context(), options, []chartlock.Wanted{wantedOf("https://example.com", "nova", "")})
	if err != nil || entries[0].Version != "1.4.0" || !slices.Equal(elsewhere, []string{"example.com:8443/nova-1.4.0.tgz "}) {
		t.Errorf("locked to %v, %v, after another server was asked for %q", entries, err, elsewhere)
	}
	if _, err := Lock(t.Context(), options, []chartlock.Wanted{wantedOf("https://example.com/endless", "nova", "")}); err == nil || !strings.Contains(err.Error(), "sent on 10 times") {
		t.Errorf("a server that sends on without end: %v", err)
	}
}

// TestSentOnToItself: a repository gets its password where it sends requests on to itself, or its index leads there, with the port
// that https has anyway, or without.
func TestSentOnToItself(t *testing.T) {
	for _, test := range []struct{ repository, to string }{
		{"https://example.com", ""},
		{"https://example.com", "https://example.com"},
		{"https://example.com", "https://example.com:443"},
		{"https://example.com:443", "https://example.com"},
		{"https://example.com:443", "https://example.com:443"},
	} {
		t.Run(test.repository+" to "+test.to, func(t *testing.T) {
			p := publish(t)
			p.add(t, "nova", "1.4.0", "text")
			p.login = "reader:canary"
			inner := p.Config.Handler
			p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if rest, real := strings.CutPrefix(r.URL.Path, "/real"); real {
					r.URL.Path = rest
					inner.ServeHTTP(w, r)
					return
				}
				http.Redirect(w, r, test.to+"/real"+r.URL.Path, http.StatusFound)
			})
			entries, err := Lock(t.Context(), knownAs(t, p, nil), []chartlock.Wanted{wantedOf(test.repository, "nova", "")})
			if err != nil || entries[0].Version != "1.4.0" {
				t.Errorf("locked to %v, %v", entries, err)
			}
		})
	}
}

// knownAs has a place where charts are published, whose password is known, be example.com, and port 80 of any name another
// server.
func knownAs(t *testing.T, p *published, plain net.Addr) Options {
	t.Helper()
	index := filepath.Join(p.dir, "index.yaml")
	text, err := os.ReadFile(index)
	if err == nil {
		err = os.WriteFile(index, []byte(strings.ReplaceAll(string(text), p.URL, "https://example.com")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	options := p.options(t)
	options.CredentialsFile = filepath.Join(t.TempDir(), "config.json")
	const login = `{"username": "reader", "password": "canary"}`
	if err := os.WriteFile(options.CredentialsFile, []byte(`{"auths": {"example.com": `+login+`, "example.com:443": `+login+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	through, _ := p.Client().Transport.(*http.Transport)
	through = through.Clone()
	through.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		to := p.Listener.Addr()
		if strings.HasSuffix(address, ":80") {
			to = plain
		}
		return new(net.Dialer).DialContext(ctx, network, to.String())
	}
	options.Transport = through
	return options
}
