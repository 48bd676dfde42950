package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/repo"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	// proxiedDir tells a process where the configuration lies that it is to lock: what its environment says of
	// proxies is read once in its life.
	proxiedDir = "KUPENSTACK_TEST_PROXIED"
	// proxiedHost is a name that httptest's certificate is for. Whoever asks it without the proxy gets another one.
	proxiedHost = "example.com"
	proxyLogin  = "robot:canary-of-the-proxy"
)

// Repositories and registries of charts are reached over the proxy that the environment names, with its credentials,
// which nothing shows.
func TestProxies(t *testing.T) {
	if dir := os.Getenv(proxiedDir); dir != "" {
		c := command(schema.New())
		c.SetArgs([]string{"lock", "--cache-dir=" + t.TempDir(), "--chart-ca-file=" + filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cloud")})
		c.SetOut(os.Stdout)
		t.Logf("it ended with: %v", c.ExecuteContext(t.Context()))
		return
	}
	published, dir := t.TempDir(), t.TempDir()
	server := httptest.NewTLSServer(repositories(published))
	defer server.Close()
	for _, name := range []string{"mariadb", "extra"} {
		if _, err := chartutil.Save(&chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: name, Version: "1.0.0"}}, published); err != nil {
			t.Fatal(err)
		}
	}
	index, err := repo.IndexDirectory(published, "https://"+proxiedHost)
	if err != nil {
		t.Fatal(err)
	}
	if err := index.WriteFile(filepath.Join(published, "index.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"ca.pem": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})),
		"cloud/main.hcl": `cloud "test" {
  release = "2026.1"
  charts {
    repository = "https://` + proxiedHost + `"
    version    = "~1.0"
  }
  service "mariadb" {}
}
chart "extra" {
  repository = "oci://` + proxiedHost + `/charts"
  version    = "1.0.0"
}
`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	proxy := startProxy(t, server.Listener.Addr().String())
	lock := func(login string) string {
		t.Helper()
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxies$", "-test.v")
		child.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
			name, _, _ := strings.Cut(strings.ToLower(entry), "=")
			return strings.HasSuffix(name, "_proxy")
		})
		child.Env = append(child.Env, proxiedDir+"="+dir, "HTTPS_PROXY=http://"+login+"@"+proxy.address)
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
		if strings.Contains(string(out), "canary") {
			t.Errorf("it shows the proxy's password:\n%s", out)
		}
		return string(out)
	}
	if out := lock("robot:canary-of-another"); !strings.Contains(out, "Proxy Authentication Required") {
		t.Errorf("with another password:\n%s", out)
	}
	if out := lock(proxyLogin); !strings.Contains(out, "2 locked, 2 changed") {
		t.Errorf("with the password:\n%s", out)
	}
	if asked := proxy.tunnels(); len(asked) == 0 || slices.ContainsFunc(asked, func(host string) bool { return host != proxiedHost+":443" }) {
		t.Errorf("the proxy was asked for %q", asked)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "cloud", chartlock.File)); err != nil || strings.Contains(string(text), proxy.address) {
		t.Errorf("the lock file, %v:\n%s", err, text)
	}
}

// repositories serves the charts of a directory, as a repository and as a registry of OCI that has one version of each.
func repositories(dir string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	archive := func(r *http.Request) []byte {
		content, _ := os.ReadFile(filepath.Join(dir, filepath.Base(r.PathValue("name"))+"-1.0.0.tgz")) // nothing is no chart either
		return content
	}
	const config = `{"name":"extra","version":"1.0.0","apiVersion":"v2"}`
	send := func(w http.ResponseWriter, kind string, content []byte) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Docker-Content-Digest", fmt.Sprintf("sha256:%x", sha256.Sum256(content)))
		_, _ = w.Write(content)
	}
	mux.HandleFunc("GET /v2/charts/{name}/manifests/{of}", func(w http.ResponseWriter, r *http.Request) {
		content := archive(r)
		send(w, "application/vnd.oci.image.manifest.v1+json", fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
			"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","digest":"sha256:%x","size":%d},
			"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","digest":"sha256:%x","size":%d}]}`,
			sha256.Sum256([]byte(config)), len(config), sha256.Sum256(content), len(content)))
	})
	mux.HandleFunc("GET /v2/charts/{name}/blobs/{digest}", func(w http.ResponseWriter, r *http.Request) {
		content := archive(r)
		if r.PathValue("digest") != fmt.Sprintf("sha256:%x", sha256.Sum256(content)) {
			content = []byte(config)
		}
		send(w, "application/octet-stream", content)
	})
	return mux
}

// proxy leads every tunnel to one server, whoever was asked for.
type proxy struct {
	address string

	mu    sync.Mutex
	asked []string
}

func startProxy(t *testing.T, to string) *proxy {
	t.Helper()
	p := &proxy{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(proxyLogin)) {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		p.mu.Lock()
		p.asked = append(p.asked, r.Host)
		p.mu.Unlock()
		p.join(w, to)
	}))
	t.Cleanup(server.Close)
	p.address = server.Listener.Addr().String()
	return p
}

// join copies in both directions until one side ends.
func (p *proxy) join(w http.ResponseWriter, to string) {
	there, err := net.Dial("tcp", to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer there.Close()
	w.WriteHeader(http.StatusOK)
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	early, _ := buffered.Peek(buffered.Reader.Buffered()) // what the client sent with its request
	if _, err := there.Write(bytes.Clone(early)); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(there, here)
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
	_ = here.Close()
	<-done
}

func (p *proxy) tunnels() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}
