package helm

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
			var images []string
			var want []string
			for name, tagged := range map[string]string{
				"osh/nova:index-2026.1": "osh/nova:index-2026.1", "osh/nova:2026.1": "osh/nova:2026.1", "bare": "bare:latest",
			} {
				images = append(images, r.Host()+"/"+name)
				want = append(want, r.Digest(tagged))
			}
			r.Fail(2) // which is tried again
			locked, err := Digests(t.Context(), optionsFor(t, r), images)
			if err != nil || !slices.Equal(locked, want) {
				t.Errorf("locked %v, %v; want %v", locked, err, want)
			}
			if asked := r.Asked(); slices.ContainsFunc(asked, func(request string) bool { return !strings.HasPrefix(request, "HEAD ") }) {
				t.Errorf("images are downloaded: %q", asked)
			}

			// All that is wrong is told at once, and what is right then is not locked alone.
			locked, err = Digests(t.Context(), optionsFor(t, r), []string{r.Host() + "/a:missing", r.Host() + "/a:1", "Not An Image", r.Host() + "/b:missing-too"})
			for _, part := range []string{"/a:missing: the registry has no such image", `"Not An Image"`, "/b:missing-too"} {
				if locked != nil || err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("locked %v, %v; want %q", locked, err, part)
				}
			}
		})
	}
}

// TestDigestsWithLogin has the credentials of the file used, and of nobody else, and told to nobody.
func TestDigestsWithLogin(t *testing.T) {
	r := imageregistry.Start(t, false)
	r.SetLogin("reader", "canary-4711")
	options := optionsFor(t, r)
	image := r.Host() + "/osh/nova:index"
	locked, err := Digests(t.Context(), options, []string{image})
	if locked != nil || err == nil || !strings.Contains(err.Error(), "--chart-credentials-file") {
		t.Errorf("without credentials: %v, %v", locked, err)
	}
	options.CredentialsFile = filepath.Join(t.TempDir(), "config.json")
	for password, fails := range map[string]bool{"canary-4711": false, "canary-wrong": true} {
		text := fmt.Sprintf(`{"auths": {%q: {"username": "reader", "password": %q}}}`, r.Host(), password)
		if err := os.WriteFile(options.CredentialsFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		locked, err := Digests(t.Context(), options, []string{image})
		want := []string{r.Digest("osh/nova:index")}
		if (err != nil) != fails || !fails && !slices.Equal(locked, want) {
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
	options.Transport = options.Transport.Clone()
	options.Transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, r.Host())
	}
	if locked, err := Digests(t.Context(), options, []string{"registry.example.org/a:1"}); err == nil || len(r.Asked()) > 0 {
		t.Errorf("locked %v, %v, after %q", locked, err, r.Asked())
	}
}
