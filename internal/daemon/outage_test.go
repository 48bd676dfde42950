//go:build beds

package daemon_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/await"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// site is a daemon with real clients for all that it meets, each of which can go away.
type site struct {
	*lab
	nova       *nova
	repository *gitserver.Repository
	git        *gitserver.HTTPServer
	openstack  *faultproxy.Fleet
	cluster    *faultproxy.Proxy
	flavors    []string // that are wanted
}

func newSite(t *testing.T) *site {
	t.Helper()
	bed := testbed.Cluster(t)
	s := &site{nova: startNova(t), flavors: []string{"a", "b", "c", "d", "e"}}
	store := gitserver.NewStore(t)
	s.repository, s.git = store.Create(t, "cloud"), gitserver.StartHTTP(t, store)
	s.git.SetAnonymous(gitserver.ReadOnly)
	s.commit()

	s.openstack = faultproxy.StartFleet(t, map[string]string{"identity": s.nova.url + "/v3", "compute": s.nova.url + "/v2.1"}, faultproxy.Options{})
	cloud := openstack.New(openstack.Options{Language: schema.New(), UserAgent: "kupenstackd", Settle: time.Second, Connect: s.credentials})
	t.Cleanup(cloud.Close)

	transport, err := rest.TransportFor(bed.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	s.cluster = faultproxy.Start(t, faultproxy.Options{Target: bed.ServerURL, Transport: transport, Classify: faultproxy.ClassifyKubernetes})
	access := &rest.Config{Host: s.cluster.URL()}
	client, err := kube.New(kube.Options{Access: kube.NewAccess(access)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	s.lab = startOver(t, access, client.Ping, cloud, s.source, nil)
	return s
}

func (s *site) credentials(context.Context) (openstack.Credentials, error) {
	return openstack.FromVariables(map[string]string{
		"OS_AUTH_URL": s.openstack.URL("identity"), "OS_REGION_NAME": "RegionOne", "OS_USERNAME": "ops", "OS_PASSWORD": s.nova.given().Reveal(),
		"OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "p1",
	}), nil
}

func (s *site) source(l *lab) revision.Source {
	opened, err := gitrepo.Open(l.t.Context(), gitrepo.Options{URL: s.git.URL(s.repository), CacheDir: l.t.TempDir()})
	if err != nil {
		l.t.Fatal(err)
	}
	return opened
}

// commit pushes a configuration with the flavors that are wanted.
func (s *site) commit() {
	var b strings.Builder
	b.WriteString("cloud \"lab\" {\n  openstack {\n    cloud = \"lab\"\n  }\n}\n")
	for _, name := range s.flavors {
		fmt.Fprintf(&b, "flavor %q {\n  vcpus = 1\n  ram   = 64\n}\n", name)
	}
	s.repository.Commit(s.nova.t, map[string]string{"main.hcl": b.String()}, strings.Join(s.flavors, " "))
}

// drop takes the first flavor out of the configuration, so that there is something to delete.
func (s *site) drop() {
	s.flavors = s.flavors[1:]
	s.commit()
	select {
	case s.changes <- daemon.SourceChanged:
	default: // it is about to look
	}
}

// tell says, where the test has failed, what the daemon does.
func (s *site) tell() {
	if s.t.Failed() {
		_, text := s.ask("/readyz")
		s.t.Logf("/readyz says:\n%s", text)
	}
}

// says waits until the daemon is not ready for one reason.
func (s *site) says(line string) {
	s.t.Helper()
	defer s.tell()
	wanted := regexp.MustCompile("^" + line + "\n$")
	await.Until(s.t, line, func() bool {
		status, text := s.ask("/readyz")
		return status == http.StatusServiceUnavailable && wanted.MatchString(text)
	})
	if s.get200("/healthz") != "ok\n" {
		s.t.Error("a daemon that waits is taken for a dead one")
	}
}

// converges waits until the cloud is as wanted, and the daemon ready.
func (s *site) converges() {
	s.t.Helper()
	defer s.tell()
	await.Until(s.t, "the flavors "+strings.Join(s.flavors, " "), func() bool {
		return strings.Join(s.nova.names(), " ") == strings.Join(s.flavors, " ")
	})
	s.ready()
}

// keeps looks that nothing was deleted but what was dropped before this outage.
func (s *site) keeps(names string) {
	s.t.Helper()
	if got := strings.Join(s.nova.names(), " "); got != names {
		s.t.Errorf("there are the flavors %q, want %q", got, names)
	}
}

// TestOutages takes away one after the other of what a daemon needs. It says which, tries again at its
// leisure, and deletes nothing before it can see everything, though each time something is to go.
func TestOutages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.converges()

	s.openStackIsSilent()
	s.credentialsAreRefused()
	s.repositoryIsGone()
	s.clusterIsGone()
}

func (s *site) openStackIsSilent() {
	s.t.Helper()
	silent, since := s.openstack.Add(faultproxy.Rule{Action: faultproxy.ResetBefore()}), time.Now()
	s.drop()
	s.says(`observe flavor: GET flavors/detail of the compute service: .+`)
	s.published("GET flavors/detail of the compute service")
	// Each attempt asks four times, and what looks at the cloud at the same time as well. Without pauses in
	// between they would take no time.
	await.Until(s.t, "the next attempts", func() bool { return silent.Fired() >= 12 })
	if took := time.Since(since); took < 2*time.Second {
		s.t.Errorf("it asked %d times within %v", silent.Fired(), took)
	}
	s.keeps("a b c d e")
	silent.Remove()
	s.converges()
}

func (s *site) credentialsAreRefused() {
	s.t.Helper()
	logins := s.nova.tried() // before it changes, as whoever looks right after that logs in, too
	s.nova.change("another-password")
	s.drop()
	s.says(`OpenStack refused the credentials of .*ops.*: give valid ones`)
	s.published("OpenStack refused the credentials of")
	s.keeps("b c d e")
	if n := s.nova.tried() - logins; n != 1 {
		s.t.Errorf("the refused credentials were tried %d times", n)
	}
	s.nova.give("another-password")
	s.converges()
}

func (s *site) repositoryIsGone() {
	s.t.Helper()
	s.git.Stop(s.t)
	s.drop() // nobody hears of it
	s.says(`source: .*` + regexp.QuoteMeta(strings.TrimPrefix(s.git.URL(s.repository), "http://")) + `.*`)
	s.published("source: ")
	s.keeps("c d e")
	s.git.Start(s.t)
	s.converges()
}

func (s *site) clusterIsGone() {
	s.t.Helper()
	gone := s.cluster.Add(faultproxy.Rule{Action: faultproxy.ResetBefore()})
	s.measures("kupenstack_leader 0")
	s.says(`cluster: reach the cluster at .+`)
	s.drop()
	fired, since := gone.Fired(), time.Now()
	await.Until(s.t, "the next attempts", func() bool { return gone.Fired() >= fired+2 })
	if took := time.Since(since); took < time.Second {
		s.t.Errorf("it asked twice within %v", took)
	}
	s.keeps("d e")
	gone.Remove()
	s.converges()
	s.measures("kupenstack_leader 1")
}
