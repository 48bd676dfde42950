package imageregistry

import (
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// What the beginning of a tag makes of an image.
const (
	Index   = "index"   // it is one for several kinds of machines
	Missing = "missing" // it is not there
)

const (
	mediaIndex    = "application/vnd.oci.image.index.v1+json"
	mediaManifest = "application/vnd.docker.distribution.manifest.v2+json"
)

// token is what a login gets.
const token = "a-token"

// Registry is a registry that runs until its test ends.
type Registry struct {
	server *httptest.Server

	mu      sync.Mutex
	login   string // user:password; "" for nobody's
	failing int
	asked   []string
	pushed  map[string]int // how often, by image
}

// Start starts a registry on this machine, which speaks TLS unless it is plain.
func Start(t testing.TB, plain bool) *Registry {
	t.Helper()
	r := &Registry{pushed: map[string]int{}}
	r.server = httptest.NewUnstartedServer(r)
	r.server.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that try the other way first
	if plain {
		r.server.Start()
	} else {
		r.server.StartTLS()
	}
	t.Cleanup(r.server.Close)
	return r
}

// Host is the registry as the names of images have it.
func (r *Registry) Host() string { return r.server.Listener.Addr().String() }

// Transport trusts the registry's certificate.
func (r *Registry) Transport() *http.Transport {
	transport, _ := r.server.Client().Transport.(*http.Transport)
	return transport
}

// CA is the registry's certificate in PEM.
func (r *Registry) CA() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
}

// SetLogin has the registry ask for a user and a password.
func (r *Registry) SetLogin(user, password string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.login = user + ":" + password
}

// Fail has the next requests answered with an error that another try may help against.
func (r *Registry) Fail(requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing = requests
}

// Push puts something else under the tag of an image, such as osh/nova:1.
func (r *Registry) Push(image string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pushed[image]++
}

// Digest is that of an image, such as osh/nova:1, as it is now.
func (r *Registry) Digest(image string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, text := r.content(image)
	return digest(text)
}

// Asked are the requests so far: the method and the path of each.
func (r *Registry) Asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

func digest(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }

// content is what an image stands for.
func (r *Registry) content(image string) (kind, text string) {
	kind, rest := mediaManifest, `"config":{},"layers":[]`
	if _, tag, _ := strings.Cut(image, ":"); strings.HasPrefix(tag, Index) {
		kind, rest = mediaIndex, `"manifests":[]`
	}
	return kind, fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,%s,"annotations":{"of":%q,"pushed":"%d"}}`, kind, rest, image, r.pushed[image])
}

// ServeHTTP answers as a registry does.
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, request.Method+" "+request.URL.Path)
	user, password, _ := request.BasicAuth()
	switch {
	case r.failing > 0:
		r.failing--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case request.URL.Path == "/token" && user+":"+password == r.login:
		_ = json.NewEncoder(w).Encode(map[string]string{"token": token})
		return
	case request.URL.Path == "/token":
		w.WriteHeader(http.StatusUnauthorized)
		return
	case r.login != "" && request.Header.Get("Authorization") != "Bearer "+token:
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="images"`, r.server.URL))
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	name, reference, found := strings.Cut(strings.TrimPrefix(request.URL.Path, "/v2/"), "/manifests/")
	kind, text := r.content(name + ":" + reference)
	if !found || strings.HasPrefix(reference, Missing) || !strings.Contains(strings.Join(request.Header.Values("Accept"), ","), kind) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Docker-Content-Digest", digest(text))
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	if request.Method != http.MethodHead {
		_, _ = io.WriteString(w, text)
	}
}
