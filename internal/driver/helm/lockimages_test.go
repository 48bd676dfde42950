package helm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"oras.land/oras-go/v2/errdef"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/test/imageregistry"
)

func optionsFor(t *testing.T, r *imageregistry.Registry) Options {
	t.Helper()
	return Options{CacheDir: t.TempDir(), Transport: r.Transport()}
}

func TestDigests(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain %t", plain), func(t *testing.T) {
			r := imageregistry.Start(t, plain)
			var images, want []chartlock.Image
			for name, tagged := range map[string]string{
				"osh/nova:index-2026.1": "osh/nova:index-2026.1", "osh/nova:2026.1": "osh/nova:2026.1", "bare": "bare:latest",
			} {
				image := chartlock.Image{Name: r.Host() + "/" + name, Services: []string{"nova"}}
				images = append(images, image)
				image.Digest = r.Digest(tagged)
				want = append(want, image)
			}
			r.Fail(2) // which is tried again
			locked, err := Digests(t.Context(), optionsFor(t, r), images)
			if err != nil || !reflect.DeepEqual(locked, want) {
				t.Errorf("locked %v, %v; want %v", locked, err, want)
			}
			if asked := r.Asked(); slices.ContainsFunc(asked, func(request string) bool { return !strings.HasPrefix(request, "HEAD ") }) {
				t.Errorf("images are downloaded: %q", asked)
			}
		})
	}
}

// dialing has registries be reached in another way.
func dialing(t *testing.T, options *Options, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	t.Helper()
	transport, ok := options.Transport.(*http.Transport)
	if !ok {
		t.Fatal("the server's client has another transport")
	}
	transport = transport.Clone()
	transport.DialContext = dial
	options.Transport = transport
}

// TestDigestsThatFail tells all that is wrong at once, by registry and with the services that it concerns. What is
// right then is not locked alone.
func TestDigestsThatFail(t *testing.T) {
	r, down := imageregistry.Start(t, false), imageregistry.Start(t, false)
	image := func(name string, services ...string) chartlock.Image {
		return chartlock.Image{Name: name, Services: services}
	}
	images := []chartlock.Image{
		image(r.Host()+"/a:missing", "nova"), image(r.Host()+"/a:1", "nova"), image("Not An Image", "heat"), image(r.Host()+"/b:missing-too", "glance", "nova"),
	}
	for i := range 2 * maxNamed {
		images = append(images, image(fmt.Sprintf("%s/c:%d", down.Host(), i), fmt.Sprintf("service-%d", i%2)))
	}
	options := optionsFor(t, r)
	dialing(t, &options, func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == down.Host() {
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("nobody is there")}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	})
	locked, err := Digests(t.Context(), options, images)
	if err == nil || locked != nil {
		t.Fatalf("locked %v, %v", locked, err)
	}
	want := []string{
		`image "Not An Image" of heat: invalid reference format`,
		fmt.Sprintf("registry %s: %d images of service-0 and service-1: dial: nobody is there", down.Host(), 2*maxNamed),
		fmt.Sprintf("registry %[1]s: images %[1]s/a:missing and %[1]s/b:missing-too of glance and nova: the registry has no such image", r.Host()),
	}
	told := strings.Split(err.Error(), "\n")
	slices.Sort(told)
	slices.Sort(want)
	if len(told) != len(want) {
		t.Fatalf("told\n%v", err)
	}
	for i := range want {
		if !strings.HasPrefix(told[i], want[i]) {
			t.Errorf("told %q, want %q", told[i], want[i])
		}
	}
	if !errors.Is(err, errdef.ErrNotFound) {
		t.Error("what it comes from is lost")
	}
}

// strange answers everything that does not begin as HTTP with a line of its own, as proxies and old servers do.
type strange struct{ net.Listener }

func (l strange) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		reader := bufio.NewReader(conn)
		if first, err := reader.Peek(1); err == nil && first[0] == 'H' {
			return &peeked{conn, reader}, nil
		}
		_, _ = conn.Write([]byte("what is this?\n"))
		_ = conn.Close()
	}
}

// peeked is a connection of which the beginning was looked at.
type peeked struct {
	net.Conn
	reader io.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.reader.Read(b) }

// TestDigestsOfAStrangeServer speaks plain HTTP with a registry of this machine whose answer to TLS is no HTTP.
func TestDigestsOfAStrangeServer(t *testing.T) {
	r := imageregistry.Start(t, true)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(strange{listener}) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	locked, err := Digests(t.Context(), optionsFor(t, r), []chartlock.Image{{Name: listener.Addr().String() + "/osh/nova:1"}})
	if err != nil || len(locked) != 1 || locked[0].Digest != r.Digest("osh/nova:1") {
		t.Errorf("locked %v, %v", locked, err)
	}
}

// TestDigestsWithLogin has the credentials of the file used, and of nobody else, and told to nobody.
func TestDigestsWithLogin(t *testing.T) {
	r := imageregistry.Start(t, false)
	r.SetLogin("reader", "canary-4711")
	options := optionsFor(t, r)
	image := r.Host() + "/osh/nova:index"
	locked, err := Digests(t.Context(), options, []chartlock.Image{{Name: image}})
	if locked != nil || err == nil || !strings.Contains(err.Error(), "--chart-credentials-file") {
		t.Errorf("without credentials: %v, %v", locked, err)
	}
	options.CredentialsFile = filepath.Join(t.TempDir(), "config.json")
	for password, fails := range map[string]bool{"canary-4711": false, "canary-wrong": true} {
		text := fmt.Sprintf(`{"auths": {%q: {"username": "reader", "password": %q}}}`, r.Host(), password)
		if err := os.WriteFile(options.CredentialsFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		locked, err := Digests(t.Context(), options, []chartlock.Image{{Name: image}})
		if (err != nil) != fails || !fails && (len(locked) != 1 || locked[0].Digest != r.Digest("osh/nova:index")) {
			t.Errorf("%s: locked %v, %v", password, locked, err)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("the password is told: %v", err)
		}
	}
}

// TestDigestsElsewhere never speaks plain HTTP with another machine.
func TestDigestsElsewhere(t *testing.T) {
	for registry, want := range map[string]bool{
		"localhost": true, "localhost:5000": true, "127.0.0.1:5000": true, "127.1.2.3": true, "[::1]:5000": true,
		"registry.example.org": false, "192.0.2.1:5000": false, "localhost.example.org:5000": false, "127.example.org": false,
	} {
		if got := loopback(registry); got != want {
			t.Errorf("%s: %t", registry, got)
		}
	}
	r := imageregistry.Start(t, true)
	options := optionsFor(t, r)
	dialing(t, &options, func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, r.Host())
	})
	if locked, err := Digests(t.Context(), options, []chartlock.Image{{Name: "registry.example.org/a:1"}}); err == nil || len(r.Asked()) > 0 {
		t.Errorf("locked %v, %v, after %q", locked, err, r.Asked())
	}
}
