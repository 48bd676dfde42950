//go:build beds

package e2e_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

const (
	runsVariable = faultproxy.RunsVariable // of rounds
	// The first rounds end with a daemon that is killed. The one after the last of them lives on, and what it has is
	// compared with what it has at the end.
	killedRounds = 2
	mostSkew     = 10 * time.Minute
	// killChance is that of a request that changes something to be the one that a daemon is killed at, and mostWrites
	// is how many there are at least: a round takes more, however little it changes.
	killChance, mostWrites = 0.4, 5
)

// TestRandomFaults has daemons take up configurations of chance, one after another, while requests to Kubernetes,
// OpenStack and Git fail by chance, watches expire, somebody edits objects and daemons are killed, each of which has another clock. Each configuration
// comes about in the end, once, and a daemon that went through much has no more than it had at first. Each kind of fault before each
// server comes for sure, beside those that come by chance.
func TestRandomFaults(t *testing.T) {
	t.Parallel() // in a world of its own
	w := world.New(t)
	r := &rounds{World: w, proxies: w.Proxies(t, faultproxy.Creates)}
	r.proxies.Alias(w.Files.Prefix, "")
	r.kinds, r.came = kindsOf(r.proxies.Kubernetes, r.proxies.Git), map[string]int{}
	r.chance, r.clocks = faultproxy.Rand(r.proxies.Seed(), "rounds"), faultproxy.Rand(r.proxies.Seed(), "clocks of rounds")
	r.release(t)
	count := fewRounds
	if given := os.Getenv(runsVariable); given != "" {
		var err error
		if count, err = strconv.Atoi(given); err != nil || count < 1 {
			t.Fatalf("%s is %q", runsVariable, given)
		}
		count += killedRounds + 1
	}
	r.start(t)
	came := 0
	var first usage
	for i := range count {
		came += r.round(t, i)
		if t.Failed() {
			return
		}
		w.AwaitRest(t, reacts)
		switch {
		case i == killedRounds:
			first = r.least(t)
			t.Logf("after round %d with %d faults in all the daemon has %+v", i, came, first)
		case i > killedRounds:
			t.Logf("after round %d with %d faults in all the daemon has %+v", i, came, r.within(t, first))
		}
	}
	if came < 5*count {
		t.Errorf("in %d rounds %d requests failed by chance", count, came)
	}
	for _, k := range r.kinds {
		if r.came[k.String()] < count/fewRounds {
			t.Errorf("%s came %d times in %d rounds", k, r.came[k.String()], count)
		}
	}
	r.wanted = wanted{}
	w.AwaitVerdict(t, converges, "converged", r.push(t, "Take away what is in OpenStack"))
	r.holds(t)
}

// rounds is a world in which chance rules.
type rounds struct {
	*world.World
	proxies *world.Proxies
	chance  *rand.Rand
	clocks  *rand.Rand        // by which each daemon's clock is another one than that of the others; nil for one clock
	skew    *faultproxy.Fault // that makes it so
	daemon  *world.Running
	started int
	wanted  wanted
	kinds   []kind         // of faults
	came    map[string]int // how often each was dealt and came
}

// wanted is what a configuration of chance asks for.
type wanted struct {
	texts map[string]string // of ConfigMaps
	mtus  map[string]int    // of networks
	words string            // of the release
	round string            // what the networks say that are always there, and are changed in each round; none of them for ""
}

// steady are the networks that each round changes.
func steady() []string { return []string{"always0", "always1"} }

// release adds the chart that all configurations have.
func (r *rounds) release(t *testing.T) {
	t.Helper()
	r.Files.Write("more/app/Chart.yaml", "apiVersion: v2\nname: app\nversion: 1.0.0\n")
	r.Files.Write("more/app/templates/all.yaml", steppedChart)
}

func (r *rounds) start(t *testing.T) {
	t.Helper()
	r.started++
	if r.clocks != nil {
		r.otherClock(t)
	}
	r.daemon = r.proxies.StartDaemon(t, fmt.Sprintf("daemon-%d", r.started), "--resync", resync.String(), "--max-deletes", "100%")
}

// otherClock has the clocks of Kubernetes and OpenStack be ahead of that of the next daemon, or behind.
func (r *rounds) otherClock(t *testing.T) {
	t.Helper()
	if r.skew != nil {
		r.skew.Remove()
	}
	by := time.Duration(r.clocks.Int64N(int64(2*mostSkew))) - mostSkew
	t.Logf("the others' clocks are ahead of the next daemon's by %v", by)
	r.skew = r.proxies.Add(faultproxy.Rule{Match: faultproxy.Match{Request: func(q *http.Request) bool { return !strings.Contains(q.URL.Path, "/git-") }}, Action: faultproxy.Skew(by)})
}

// round pushes a configuration while things fail, and returns how often they did. It ends with the configuration in
// force.
func (r *rounds) round(t *testing.T, i int) int {
	t.Helper()
	r.wanted = wanted{texts: map[string]string{}, mtus: map[string]int{}, words: strconv.Itoa(r.chance.IntN(3)), round: strconv.Itoa(i)}
	for _, name := range []string{"a", "b", "c", "d"} {
		if r.chance.IntN(3) > 0 {
			r.wanted.texts[name] = strconv.Itoa(r.chance.IntN(3))
		}
		if r.chance.IntN(3) > 0 {
			r.wanted.mtus[name] = 1300 + 10*r.chance.IntN(3)
		}
	}
	var dies *death
	if i < killedRounds {
		dies = r.dies() // before the faults: one that ends a request hides what is added later
	}
	begin := len(r.proxies.Requests())
	cards, faults := r.deal(i), r.faults() // in this order for the same reason
	commit := r.push(t, fmt.Sprintf("Describe round %d", i))
	if i > 0 {
		r.meddle(t)
	}
	if dies != nil {
		dies.await(t, i)
		r.start(t)
	}
	r.AwaitVerdict(t, converges, "converged", commit)
	r.play(t, cards)
	came := 0
	for _, fault := range faults {
		came += fault.Fired()
		fault.Remove()
	}
	// What was reported may have been looked at before somebody meddled.
	world.Await(t, reacts, func() (bool, string) { return r.differs(t) == "", r.differs(t) })
	r.holds(t)
	t.Logf("in round %d these failed:\n%s", i, r.failed(begin))
	return came
}

// failed says which requests behind the first so many failed, and how.
func (r *rounds) failed(behind int) string {
	var lines []string
	for _, q := range r.proxies.Requests()[behind:] {
		faults := slices.DeleteFunc(q.Faults, func(name string) bool { return name == "skew" })
		if len(faults) > 0 {
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", q.Proxy, q.Verb, strings.ReplaceAll(q.URLPath, r.Files.Prefix, ""), strings.Join(faults, ", ")))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// push writes the configuration that is wanted.
func (r *rounds) push(t *testing.T, message string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("cloud \"chance\" {\n  openstack {\n    cloud = \"chance\"\n  }\n}\n")
	fmt.Fprintf(&b, "manifest \"space\" {\n  objects = { apiVersion = \"v1\", kind = \"Namespace\", metadata = { name = \"notes\" } }\n}\n")
	b.WriteString("manifest \"notes\" {\n  depends_on = [manifest.space]\n  objects = [\n    { apiVersion = \"v1\", kind = \"ConfigMap\", metadata = { name = \"always\", namespace = \"notes\" } },\n")
	for _, name := range slices.Sorted(maps.Keys(r.wanted.texts)) {
		fmt.Fprintf(&b, "    { apiVersion = \"v1\", kind = \"ConfigMap\", metadata = { name = %q, namespace = \"notes\" }, data = { text = %q } },\n", name, r.wanted.texts[name])
	}
	b.WriteString("  ]\n}\n")
	fmt.Fprintf(&b, steppedBlock, "apps", r.wanted.words)
	for _, name := range slices.Sorted(maps.Keys(r.wanted.mtus)) {
		fmt.Fprintf(&b, "network %q {\n  name = \"%s%s\"\n  mtu = %d\n}\n", name, r.Files.Prefix, name, r.wanted.mtus[name])
		fmt.Fprintf(&b, "subnet %q {\n  name = \"%s%s\"\n  network = network.%s\n  cidr = \"10.20.4.0/24\"\n}\n", name, r.Files.Prefix, name, name)
	}
	for _, name := range steady() {
		if r.wanted.round != "" {
			fmt.Fprintf(&b, "network %q {\n  name = \"%s%s\"\n  description = \"round %s\"\n}\n", name, r.Files.Prefix, name, r.wanted.round)
		}
	}
	r.Describe(t, "chance.hcl", b.String())
	return r.Push(t, message)
}

// faults makes requests to each server fail from now on, the first few about each thing.
func (r *rounds) faults() (all []*faultproxy.Fault) {
	for _, k := range r.kinds {
		all = append(all, r.proxies.Add(faultproxy.Rule{Match: k.match, Action: k.action, Probability: k.chance, First: faultFirst}))
	}
	return all
}

// card is a kind of fault that comes for sure, to a request that has no other.
type card struct {
	kind
	fault *faultproxy.Fault
}

// deal has some kinds of faults come for sure in a round.
func (r *rounds) deal(i int) (cards []card) {
	for _, k := range hand(r.kinds, r.proxies.Seed(), i, fewRounds) {
		cards = append(cards, card{k, r.proxies.Add(faultproxy.Rule{
			Name: fmt.Sprintf("%s, dealt to round %d", k.action, i), Match: k.dealt.match, Action: k.dealt.action,
			Probability: dealtChance, Latest: k.dealt.latest, Limit: 1, Alone: true,
		})})
	}
	return cards
}

// play waits until each has come: a daemon at rest still polls, looks and keeps its lease.
func (r *rounds) play(t *testing.T, cards []card) {
	t.Helper()
	world.Await(t, reacts, func() (bool, string) {
		var out []string
		for _, c := range cards {
			if c.fault.Fired() == 0 {
				out = append(out, fmt.Sprintf("%s, after %d requests", c, c.fault.Seen()))
			}
		}
		return len(out) == 0, "these were dealt and did not come: " + strings.Join(out, "; ")
	})
	for _, c := range cards {
		r.came[c.String()]++
		c.fault.Remove()
	}
}

// meddle has somebody edit an object, and take another one away, while all watches run out.
func (r *rounds) meddle(t *testing.T) {
	t.Helper()
	r.proxies.ExpireWatches(faultproxy.Match{Proxy: r.proxies.Kubernetes})
	configs := r.Cluster.Client().CoreV1().ConfigMaps("notes")
	if _, err := configs.Patch(t.Context(), "always", types.MergePatchType, []byte(`{"metadata":{"labels":{"app.kubernetes.io/managed-by":"somebody"}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := r.Cluster.Client().CoreV1().ConfigMaps("apps").Delete(t.Context(), "settings", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// death is the end of a daemon at a request of chance.
type death struct {
	fault  *faultproxy.Fault
	failed chan error // how the kill went
}

// dies has the daemon end without a word at one of the next requests that change something.
func (r *rounds) dies() *death {
	daemon, d := r.daemon, &death{failed: make(chan error, 1)}
	kill := func() { d.failed <- daemon.Signal(syscall.SIGKILL) }
	at := faultproxy.KillBefore(kill)
	if r.chance.IntN(2) == 0 {
		at = faultproxy.KillAfter(kill)
	}
	changing := func(q *http.Request) bool {
		return q.Method != http.MethodGet && !strings.Contains(q.URL.Path, "/leases") && !strings.HasSuffix(q.URL.Path, "/tokens")
	}
	d.fault = r.proxies.Add(faultproxy.Rule{Match: faultproxy.Match{Request: changing}, Probability: killChance, Latest: mostWrites, Limit: 1, Alone: true, Action: at})
	return d
}

// await waits until the daemon was killed.
func (d *death) await(t *testing.T, round int) {
	t.Helper()
	defer d.fault.Remove()
	limit := time.NewTimer(reacts)
	defer limit.Stop()
	select {
	case err := <-d.failed:
		if err != nil {
			t.Fatal(err)
		}
	case <-limit.C:
		t.Fatalf("round %d: the daemon sent %d requests that change something, and was not killed", round, d.fault.Seen())
	}
}

// differs says what is not as it is wanted, "" for nothing.
func (r *rounds) differs(t *testing.T) string {
	t.Helper()
	list, err := r.Cluster.Client().CoreV1().ConfigMaps("notes").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	texts := map[string]string{}
	for i := range list.Items {
		if o := &list.Items[i]; o.Annotations["kupenstack.io/unit"] != "" && o.Name != "always" {
			texts[o.Name] = o.Data["text"]
		}
	}
	if fmt.Sprint(texts) != fmt.Sprint(r.texts()) {
		return fmt.Sprintf("the notes are %v, want %v", texts, r.texts())
	}
	settings, err := r.Cluster.Client().CoreV1().ConfigMaps("apps").Get(t.Context(), "settings", metav1.GetOptions{})
	if err != nil || settings.Data["text"] != r.wanted.words {
		return fmt.Sprintf("the settings are %v, want %q, %v", settings.Data, r.wanted.words, err)
	}
	return ""
}

func (r *rounds) texts() map[string]string {
	if r.wanted.texts == nil {
		return map[string]string{}
	}
	return r.wanted.texts
}

// holds asserts that everything is there once, and nothing besides.
func (r *rounds) holds(t *testing.T) {
	t.Helper()
	if text := r.differs(t); text != "" {
		t.Error(text)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		mtu, is := r.wanted.mtus[name]
		network, subnet := r.Raw(t, "network", r.Files.Prefix+name), r.Raw(t, "subnet", r.Files.Prefix+name) // two fail the test
		if (network != nil) != is || (subnet != nil) != is || is && fmt.Sprint(network["mtu"]) != strconv.Itoa(mtu) {
			t.Errorf("the network %s is %v with %v, want one with the mtu %d", name, network, subnet, mtu)
		}
	}
	for _, name := range steady() {
		network := r.Raw(t, "network", r.Files.Prefix+name)
		if says, _ := network["description"].(string); (network != nil) != (r.wanted.round != "") || network != nil && !strings.Contains(says, "round "+r.wanted.round) {
			t.Errorf("the network %s is %v in round %q", name, network, r.wanted.round)
		}
	}
	secrets, err := r.Cluster.Client().CoreV1().Secrets("apps").List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm,status=deployed"})
	if err != nil || len(secrets.Items) != 1 {
		t.Errorf("%d revisions are deployed, %v", len(secrets.Items), err)
	}
}
