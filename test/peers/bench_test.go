//go:build beds && peers

package peers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

const (
	count    = 1000 // objects, as many as a manifest can have
	interval = 30 * time.Second
	passes   = 3 // that the unchanged objects are left to
	changes  = 3 // of one object, of which the middle one counts
)

// What is promised, as shares of what Flux takes, but for the requests and the repair, which are absolute.
const (
	maxPassRequests   = 0.0
	maxObjectRequests = 1 + fewLists/(count-1)
	fewLists          = 3.0 // of what is there already, however many objects are to come
	maxProcessor      = 0.1
	maxMemory         = 2.0 / 3
	maxFirstApply     = 0.5
	maxReaction       = 0.5
	maxRepair         = 2.0 // seconds
)

const cloud = `cloud "peers" {}

manifest "objects" {
  directory = "` + directory + `"
  namespace = "ours"
}
`

// BenchmarkPeers measures the daemon and Flux one after another where the time by the clock counts, and both at once
// where they rest.
func BenchmarkPeers(b *testing.B) {
	w := world.WithoutOpenStack(b)
	ours, theirs := startOurs(b, w), startTheirs(b, w)
	both := []*contender{ours, theirs}

	measure := func(files map[string]string, message string) (of [2]reaction) {
		for i, c := range both {
			of[i] = c.commit(b, files, message)
		}
		return of
	}
	first := measure(objects(1, count, "first"), "Add the other objects")
	var reactions [2][]float64
	for i := range changes {
		for j, r := range measure(objects(0, 1, fmt.Sprintf("changed-%d", i)), "Change one object") {
			reactions[j] = append(reactions[j], r.first)
		}
	}
	rest := rests(b, ours, theirs)
	repairs := drift(b, w.Cluster, both)

	compare(b, "UnchangedRequests", "requests/pass", rest[0].requests, rest[1].requests, maxPassRequests, true)
	compare(b, "UnchangedProcessor", "cpu-s/hour", rest[0].processor, rest[1].processor, maxProcessor, false)
	compare(b, "UnchangedMemory", "MiB", rest[0].memory, rest[1].memory, maxMemory, false)
	compare(b, "FirstApply", "s", first[0].all, first[1].all, maxFirstApply, false)
	compare(b, "FirstApplyRequests", "requests/object", float64(first[0].requests)/(count-1), float64(first[1].requests)/(count-1), maxObjectRequests, true)
	compare(b, "CommitToFirstObject", "s", middle(reactions[0]), middle(reactions[1]), maxReaction, false)
	compare(b, "DriftRepaired", "s", repairs[0], repairs[1], maxRepair, true)
}

// compare prints the figures of both, and fails when ours is more than a limit allows: so much itself, or as a share of theirs.
func compare(b *testing.B, name, unit string, ours, theirs, limit float64, absolute bool) {
	b.Run(name, func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(ours, "ours-"+unit)
		b.ReportMetric(theirs, "flux-"+unit)
		b.ReportMetric(ours/theirs, "ratio")
		most := limit
		if !absolute {
			most *= theirs
		}
		if ours > most {
			b.Errorf("%s: %.3g %s, want at most %.3g; Flux has %.3g", name, ours, unit, most, theirs)
		}
	})
}

func middle(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// startOurs starts the daemon with one object, so that what it needs at first is there. It looks at everything as often
// as Flux does, which is ten times as often as it would by itself.
func startOurs(b *testing.B, w *world.World) *contender {
	b.Helper()
	files := objects(0, 1, "first")
	files["cloud.hcl"] = cloud
	commit := w.Repository.Commit(b, files, "Describe the objects")
	proxy, url := before(b, w.Git, w.Repository)
	daemon := w.StartDaemon(b, "ours", "--repo", url, "--interval", interval.String(), "--resync", interval.String())
	w.AwaitVerdict(b, settles, "converged", commit)
	w.AwaitRest(b, settles)
	return &contender{
		namespace: "ours", agents: []string{"kupenstackd"}, pids: []int{daemon.PID}, cluster: w.Cluster, repository: w.Repository, git: proxy,
		nudge: func(t testing.TB) {
			if asked := w.Run(t, settles, "reconcile"); asked.Code != 0 {
				t.Fatalf("reconcile ended with %d: %s", asked.Code, asked.Stderr)
			}
		},
		settled: func(t testing.TB, commit string) (bool, string) {
			status, _ := w.ReadStatus(t)
			return status.Verdict == "converged" && status.Applied.Hash == commit, fmt.Sprintf("%s of %s", status.Verdict, status.Applied.Hash)
		},
	}
}

// startTheirs starts Flux, with one object as well, and a Git server of its own.
func startTheirs(b *testing.B, w *world.World) *contender {
	b.Helper()
	store := gitserver.NewStore(b)
	server := gitserver.StartHTTP(b, store)
	server.SetAnonymous(gitserver.ReadOnly)
	repository := store.Create(b, "objects")
	commit := repository.Commit(b, objects(0, 1, "first"), "Describe the objects")
	f := startFlux(b, w.Cluster)
	proxy, url := before(b, server, repository)
	f.follow(b, url, "theirs", interval)
	world.Await(b, settles, func() (bool, string) { return f.applied(b, commit) })
	return &contender{
		namespace: "theirs", agents: controllers(), pids: f.pids, cluster: w.Cluster, repository: repository, git: proxy,
		nudge: f.nudge, settled: f.applied,
	}
}

// resting is what it costs that nothing changes.
type resting struct{ requests, processor, memory float64 }

// rests leaves both alone until Flux has gone over its objects some times.
func rests(b *testing.B, ours, theirs *contender) (of [2]resting) {
	b.Helper()
	awaitPasses(b, theirs, 1) // begins where a pass ends
	both := []*contender{ours, theirs}
	var since [2]int64
	var used [2]time.Duration
	began, looked := time.Now(), len(looks(ours))
	for i, c := range both {
		since[i], used[i] = c.offset(b), ProcessorTime(b, c.pids)
	}
	awaitPasses(b, theirs, passes)
	took, looked := time.Since(began), len(looks(ours))-looked
	if looked == 0 {
		b.Fatalf("the daemon did not look at its repository within %v", took)
	}
	for i, c := range both {
		of[i] = resting{
			processor: (ProcessorTime(b, c.pids) - used[i]).Seconds() / took.Seconds() * time.Hour.Seconds(),
			memory:    Anonymous(b, c.pids),
			requests:  float64(len(c.requests(b, since[i]))) / float64([]int{looked, passes}[i]),
		}
		for _, e := range c.requests(b, since[i]) {
			if i == 0 {
				b.Logf("the daemon asked to %s %s", e.Verb, e.URI)
			}
		}
	}
	b.Logf("both were left alone for %v, in which the daemon looked %d times and Flux went over its objects %d times", took, looked, passes)
	return of
}

// looks are the times that somebody looked at the repository.
func looks(c *contender) []time.Time {
	var all []time.Time
	for _, request := range c.git.Requests() {
		if request.Query == "service=git-upload-pack" {
			all = append(all, request.Time)
		}
	}
	return all
}

// awaitPasses waits until Flux has tried each object so many times more.
func awaitPasses(b *testing.B, theirs *contender, times int) {
	b.Helper()
	since := theirs.offset(b)
	world.Await(b, settles, func() (bool, string) {
		seen := 0
		for _, e := range theirs.requests(b, since) {
			if theirs.object(e) && e.Verb == "patch" {
				seen++
			}
		}
		return seen >= times*count, fmt.Sprintf("%d objects were tried", seen)
	})
}

// drift changes an object of each, and tells after how many seconds that was undone.
func drift(b *testing.B, c *cluster.Cluster, both []*contender) (took [2]float64) {
	b.Helper()
	name := objectName(count / 2)
	var began [2]time.Time
	var since [2]int64
	for i, one := range both {
		since[i], began[i] = one.offset(b), time.Now()
		patch := []byte(`{"data":{"text":"by hand"}}`)
		if _, err := c.Client().CoreV1().ConfigMaps(one.namespace).Patch(b.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "somebody"}); err != nil {
			b.Fatal(err)
		}
	}
	world.Await(b, settles, func() (bool, string) {
		for i, one := range both {
			at, done := one.repaired(b, since[i], name)
			if !done {
				return false, "the object in " + one.namespace + " is as it was edited"
			}
			took[i] = at.Sub(began[i]).Seconds()
		}
		return true, ""
	})
	return took
}
