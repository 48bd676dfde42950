package world

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// Proxies stand before all servers of a world. They share one Control, whose rules and record are
// of all requests that a command sends when it is run through them.
type Proxies struct {
	*faultproxy.Control
	Kubernetes *faultproxy.Proxy
	Git        *faultproxy.Proxy
	OpenStack  *faultproxy.Fleet

	world *World
	env   []string
}

// Proxies starts proxies before the cluster, the cloud and the Git server. They are closed when the
// test ends. A world without OpenStack has none before it. A cloud that is not of the test bed skips the test: where its clouds.yaml lies is not
// known. Of requests that one of the functions selects the bodies are read before rules are asked, beside those that say
// what is to be done with an object.
func (w *World) Proxies(t testing.TB, ahead ...func(*http.Request) bool) *Proxies {
	t.Helper()
	if w.Cloud != nil && w.Cloud.CloudsYAML == "" {
		t.Skip("needs the OpenStack of the test bed, but OS_CLOUD names another one")
	}
	p := &Proxies{Control: faultproxy.NewControl(faultproxy.Seed(t)), world: w}
	transport, err := rest.TransportFor(w.access)
	if err != nil {
		t.Fatal(err)
	}
	p.Kubernetes = faultproxy.Start(t, faultproxy.Options{
		Control: p.Control, Name: "kubernetes", Target: w.Cluster.ServerURL, Transport: transport, TLS: true, HTTP2: true,
		Classify: faultproxy.ClassifyKubernetes, Ahead: either(append(slices.Clone(ahead), setsLease)),
	})
	repository := w.Git.URL(w.Repository)
	target := strings.TrimSuffix(repository, "/"+filepath.Base(repository))
	p.Git = faultproxy.Start(t, faultproxy.Options{Control: p.Control, Name: "git", Target: target})
	p.env = w.Env("KUPENSTACK_KUBECONFIG="+p.kubeconfig(t), "KUPENSTACK_REPO="+p.Git.URL()+"/"+filepath.Base(repository))
	if w.Cloud != nil {
		p.OpenStack = faultproxy.StartFleet(t, w.Cloud.Endpoints, faultproxy.Options{Control: p.Control, Transport: w.Cloud.Transport(), Ahead: either(append(slices.Clone(ahead), acts))})
		p.env = append(p.env, "OS_CLIENT_CONFIG_FILE="+p.clouds(t))
	}
	return p
}

// either selects what one of the functions does.
func either(selects []func(*http.Request) bool) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return slices.ContainsFunc(selects, func(one func(*http.Request) bool) bool { return one(r) })
	}
}

// acts tells whether a request says in its body alone what is to be done with an object.
func acts(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/action")
}

// setsLease tells whether a request says in its body alone whether a lease is taken, renewed or given back.
func setsLease(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/leases/")
}

// kubeconfig writes one for the proxy, which has the credentials of the commands' account itself.
func (p *Proxies) kubeconfig(t testing.TB) string {
	t.Helper()
	path := filepath.Join(p.world.dir, "proxied-kubeconfig")
	writeKubeconfig(t, path, &rest.Config{Host: p.Kubernetes.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: p.Kubernetes.CA()}})
	return path
}

// clouds writes the clouds.yaml of the bed with the proxy as the address of the identity service;
// the catalogue leads to the others.
func (p *Proxies) clouds(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(p.world.Cloud.CloudsYAML)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), p.world.Cloud.AuthURL) {
		t.Fatalf("%s does not name %s", p.world.Cloud.CloudsYAML, p.world.Cloud.AuthURL)
	}
	// In a directory of its own, as the name is always the same.
	dir := filepath.Join(p.world.dir, "proxied-cloud")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "clouds.yaml")
	proxied := strings.ReplaceAll(string(text), p.world.Cloud.AuthURL, p.OpenStack.URL("identity"))
	if err := os.WriteFile(path, []byte(proxied), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Program is kupenstack-sync behind the proxies, for package crash.
func (p *Proxies) Program(args ...string) crash.Program {
	return crash.Program{Path: p.world.Sync, Args: args, Env: p.env, Dir: p.world.dir}
}

// Daemon is kupenstackd behind the proxies, for package crash.
func (p *Proxies) Daemon(args ...string) crash.Program {
	args = append([]string{"--interval", "1s", "--listen", "127.0.0.1:0", "--log-level", "debug"}, args...)
	return crash.Program{Path: p.world.Daemon, Args: args, Env: p.env, Dir: p.world.dir}
}

// Run runs kupenstack-sync behind the proxies to its end.
func (p *Proxies) Run(t testing.TB, limit time.Duration, args ...string) Result {
	t.Helper()
	return p.world.run(t, p.env, limit, args)
}

// StartDaemon starts kupenstackd behind the proxies.
func (p *Proxies) StartDaemon(t testing.TB, name string, args ...string) *Running {
	t.Helper()
	return p.world.startDaemon(t, p.env, name, args)
}
