package peers

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// directory is where the objects are in both repositories.
const directory = "objects"

// settles is what a commit may take on a busy machine.
const settles = 10 * time.Minute

// contender is one of those that are compared.
type contender struct {
	namespace  string   // of its objects
	agents     []string // the programs that it consists of
	pids       []int
	cluster    *cluster.Cluster
	repository *gitserver.Repository
	git        *faultproxy.Proxy // before the Git server
	nudge      func(testing.TB)  // has it look at the repository now
	settled    func(t testing.TB, commit string) (bool, string)
}

// before puts a proxy before a Git server that sees when somebody looks at a repository, and returns the address to look at.
func before(t testing.TB, server *gitserver.HTTPServer, repository *gitserver.Repository) (*faultproxy.Proxy, string) {
	t.Helper()
	url := server.URL(repository)
	file := filepath.Base(url)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: strings.TrimSuffix(url, "/"+file)})
	return proxy, proxy.URL() + "/" + file
}

// reaction is what came of a commit.
type reaction struct {
	first, all float64 // seconds from the look that found the commit until the first and the last object was sent
	requests   int     // about the objects
}

// commit pushes files, has them looked for, and tells what came of it.
func (c *contender) commit(t testing.TB, files map[string]string, message string) reaction {
	t.Helper()
	since, looked := c.offset(t), len(c.git.Requests())
	commit := c.repository.Commit(t, files, message)
	c.nudge(t)
	world.Await(t, settles, func() (bool, string) { return c.settled(t, commit) })
	found := time.Time{}
	for _, request := range c.git.Requests()[looked:] {
		if strings.HasSuffix(request.URLPath, "/info/refs") && strings.Contains(request.Query, "git-upload-pack") {
			found = request.Time
			break
		}
	}
	about := slices.DeleteFunc(c.requests(t, since), func(e cluster.Event) bool { return !c.object(e) })
	sent := slices.DeleteFunc(slices.Clone(about), func(e cluster.Event) bool { return !writes(e) })
	if found.IsZero() || len(sent) == 0 {
		t.Fatalf("of %s: looked at %v, and then sent %d objects", commit, found, len(sent))
	}
	slices.SortFunc(sent, func(a, b cluster.Event) int { return a.Time.Compare(b.Time) })
	return reaction{first: sent[0].Time.Sub(found).Seconds(), all: sent[len(sent)-1].Time.Sub(found).Seconds(), requests: len(about)}
}

// repaired is when an object was first written after a moment; false when it was not yet.
func (c *contender) repaired(t testing.TB, since int64, name string) (time.Time, bool) {
	t.Helper()
	for _, e := range c.requests(t, since) {
		if c.object(e) && writes(e) && e.Object.Name == name {
			return e.Time, true
		}
	}
	return time.Time{}, false
}

// object tells whether a request is about one of the objects.
func (c *contender) object(e cluster.Event) bool {
	return e.Object.Resource == "configmaps" && e.Object.Namespace == c.namespace && e.Object.Name != ""
}

func writes(e cluster.Event) bool {
	return slices.Contains([]string{"create", "update", "patch"}, e.Verb) && !strings.Contains(e.URI, "dryRun=All")
}

// requests are what it sent since an offset of the audit log, but for leases and tokens, and for watches, which are opened
// again after some minutes however little there is to see.
func (c *contender) requests(t testing.TB, since int64) []cluster.Event {
	t.Helper()
	events, _, err := c.cluster.Events(since)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(events, func(e cluster.Event) bool {
		program, _, _ := strings.Cut(e.UserAgent, "/")
		return !slices.Contains(c.agents, program) || e.Object.Resource == "leases" || e.Object.Subresource == "token" || e.Verb == "watch"
	})
}

func (c *contender) offset(t testing.TB) int64 {
	t.Helper()
	offset, err := c.cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	return offset
}

// objects are files with so many objects, with a text in each.
func objects(from, to int, text string) map[string]string {
	files := map[string]string{}
	for i := from; i < to; i++ {
		files[fmt.Sprintf("%s/%s.yaml", directory, objectName(i))] = fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  number: %q\n  text: %s\n", objectName(i), fmt.Sprint(i), text)
	}
	return files
}

func objectName(i int) string { return fmt.Sprintf("object-%04d", i) }
