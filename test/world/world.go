package world

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/openstack"
	"github.com/kupenstack/kupenstack-sync/test/program"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// The credential of the Git server. It must not show up anywhere.
const (
	User     = "gitops"
	Password = "canary-git-password"
)

// imageSize is how many bytes an image has.
const imageSize = 4096

// StatusBranch is where the reports are.
const StatusBranch = "kupenstack-status"

// Behind the pods of the other services there is nothing that could be asked whether it works, and no agents behind
// Neutron. The Cinder of a test bed has other backends than the one of the configuration, and in a Nova that is not of the
// test bed none of the nodes that are played can report.
const (
	checks = "KUPENSTACK_API_CHECKS"
	real   = "glance,keystone,placement"
	played = "nova"
)

// World is all of it.
type World struct {
	Cluster    *cluster.Cluster
	Cloud      *openstack.Cloud
	Repository *gitserver.Repository
	Git        *gitserver.HTTPServer
	Files      *Files
	// Image is the address of an image's bytes.
	Image string
	// Daemon and Sync are the paths of the built commands.
	Daemon, Sync string

	dir    string
	env    []string
	access *rest.Config // of the commands to the cluster

	computes *computes // nil where OpenStack is not of the test bed

	mu       sync.Mutex
	provider *gophercloud.ProviderClient // ours to OpenStack, once there is one
	reports  map[string]string           // files of the status branch by commit and name
	newest   struct {                    // the report that was read last, never changed
		text string
		says Status
	}
}

// New builds the commands and starts what they need. It takes a cluster of its own, as nodes get
// labels, and in it the commands have the rights that deploy/ gives the daemon; the cloud is shared, so all names in it begin with a prefix of this world.
func New(t testing.TB) *World {
	t.Helper()
	w := WithoutOpenStack(t)
	w.Cloud = testbed.OpenStack(t)
	asked := real
	if w.Cloud.Computes() != nil {
		asked += "," + played
		w.playComputes(t)
	}
	w.env = append(w.env, "KUPENSTACK_OS_CLOUD="+w.Cloud.Name, checks+"="+asked)
	if w.Cloud.CloudsYAML != "" {
		w.env = append(w.env, "OS_CLIENT_CONFIG_FILE="+w.Cloud.CloudsYAML)
	}
	return w
}

// WithoutOpenStack does the same for a configuration that has nothing in OpenStack.
func WithoutOpenStack(t testing.TB) *World {
	t.Helper()
	testbed.Dir(t)
	w := &World{dir: t.TempDir(), reports: map[string]string{}}
	w.Daemon, w.Sync = program.Build(t, "cmd/kupenstackd"), program.Build(t, "cmd/kupenstack-sync")
	w.Cluster = testbed.PlayedCluster(t, cluster.Options{})
	w.access = login(t, w.Cluster)
	kubeconfig := filepath.Join(w.dir, "kubeconfig")
	writeKubeconfig(t, kubeconfig, w.access)

	images := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", strconv.Itoa(imageSize)) // Glance fetches nothing without it
		_, _ = rw.Write(make([]byte, imageSize))                   // a client that went away is its own fault
	}))
	t.Cleanup(images.Close)
	w.Image = images.URL + "/cirros.img"
	w.Files = newFiles(t, w.Image, "w"+strings.ToLower(rand.Text()[:6])+"-")

	store := gitserver.NewStore(t)
	w.Repository = store.Create(t, "cloud")
	w.Git = gitserver.StartHTTP(t, store)
	w.Git.SetUser(User, Password, gitserver.ReadWrite)

	secret := filepath.Join(w.dir, "git-password")
	if err := os.WriteFile(secret, []byte(Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env = append(environment(),
		"KUPENSTACK_REPO="+w.Git.URL(w.Repository), "KUPENSTACK_GIT_USERNAME="+User, "KUPENSTACK_GIT_PASSWORD_FILE="+secret,
		checks+"=none", "KUPENSTACK_IMAGE_SOURCES="+images.URL, "KUPENSTACK_KUBECONFIG="+kubeconfig, "KUPENSTACK_CACHE_DIR="+filepath.Join(w.dir, "cache"), "HOME="+w.dir)
	w.env = append(w.env, program.Environment(t)...)
	return w
}

// environment is ours without what would change what the commands do.
func environment() []string {
	var env []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "KUPENSTACK_") || name == "KUBECONFIG" || name == "HOME" {
			continue
		}
		env = append(env, variable)
	}
	return env
}

// Push commits the files as they are now, and returns the commit.
func (w *World) Push(t testing.TB, message string) string {
	t.Helper()
	return w.Repository.Commit(t, w.Files.Content(), message, gitserver.Without(w.Files.takeRemoved()...))
}

// Env returns the environment of the commands, with further variables.
func (w *World) Env(more ...string) []string { return append(append([]string(nil), w.env...), more...) }

// Await polls until a condition holds: what it looks at has no events that a test could wait for.
// It fails the test with the text that the condition returned last.
func Await(t testing.TB, limit time.Duration, condition func() (done bool, seen string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for {
		done, seen := condition()
		if done {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not within %v; last seen:\n%s", limit, seen)
		case <-ticker.C:
		}
	}
}
