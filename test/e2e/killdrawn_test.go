package e2e_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// choices are those of the tests that kill daemons.
func choices() map[string]choice {
	all := map[string]choice{
		"each kind": {sweep: "kinds"}, "first whole sweep": {sweep: "kinds", whole: true, sides: both}, "later sweep": {sweep: "kinds", number: 1, whole: true, sides: both},
		"before": {sweep: "others", whole: true, sides: before}, "after": {sweep: "others", whole: true, sides: after},
		"asking": {sweep: "others", whole: true, sides: both, asking: true}, "one kind": {sweep: "nodes", whole: true, sides: both, only: setsHost},
	}
	for part := range othersBeside {
		all[fmt.Sprint("named steps ", part)] = choice{sweep: "others", named: true, part: part, parts: othersBeside}
	}
	return all
}

// arrivals are kinds of requests as they may come in a chapter, each some times.
func arrivals(chapter string) []string {
	var kinds []string
	for _, step := range append(slices.Clone(namedSteps()[chapter]), "PUT tokens/", "POST tokens", "GET tokens/", "list tokens") {
		verb, part, _ := strings.Cut(step, " ")
		if strings.HasSuffix(part, "/") {
			part += "{id}"
		}
		kinds = append(kinds, verb+" /v1/"+part, verb+" /v2/"+part) // a step may be of several kinds
	}
	return slices.Repeat(kinds, 8)
}

// killsOf are the kills of a choice, sorted, where requests come in an order of their own in each chapter, again and again.
func killsOf(t *testing.T, c choice, order *rand.Rand) []string {
	t.Helper()
	for _, chapter := range slices.Sorted(maps.Keys(namedSteps())) {
		come := arrivals(chapter)
		order.Shuffle(len(come), func(i, j int) { come[i], come[j] = come[j], come[i] })
		for _, kind := range come {
			c.at(chapter, kind)
		}
		if missed := c.missed(chapter); len(missed) > 0 {
			t.Errorf("these are missed: %q", missed)
		}
	}
	lines := c.lines()
	if c.named { // the kind that a step was killed at is whichever came first
		for i, p := range c.made {
			steps := slices.DeleteFunc(c.steps(p.chapter), func(step string) bool { return !isKind(p.kind, step) })
			lines[i] = fmt.Sprint(p.chapter, sideOf(p.side), steps)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(lines)))
}

// TestKillsReplay: a seed kills at the same kinds on the same sides whatever order requests come in, and another one at
// others, or on other sides.
func TestKillsReplay(t *testing.T) {
	for name, c := range choices() {
		t.Run(name, func(t *testing.T) {
			c.seed = 1
			first := killsOf(t, c, rand.New(rand.NewPCG(0, 0)))
			for order := range uint64(5) {
				if again := killsOf(t, c, rand.New(rand.NewPCG(1, order))); !slices.Equal(first, again) {
					t.Fatalf("in another order it kills at\n%q\nand not at\n%q", again, first)
				}
			}
			drawn := c.sides == 0
			c.seed = 2
			if other := killsOf(t, c, rand.New(rand.NewPCG(0, 0))); slices.Equal(first, other) == drawn {
				t.Errorf("another seed kills at\n%q", other)
			}
		})
	}
}

// TestNamedStepsAreAllKilledAt: where clouds share the named steps, each is killed at in one of them, and once.
func TestNamedStepsAreAllKilledAt(t *testing.T) {
	for seed := range uint64(20) {
		sides := map[int]int{}
		for chapter, all := range namedSteps() {
			dealt := map[string]int{}
			for part := range othersBeside {
				c := choice{seed: seed, sweep: "others", named: true, part: part, parts: othersBeside}
				mine := c.steps(chapter)
				if spread := len(all)/othersBeside - len(mine); spread < -1 || spread > 1 {
					t.Errorf("seed %d: of the %d steps of %s one cloud has %d", seed, len(all), chapter, len(mine))
				}
				for _, step := range mine {
					dealt[step]++
				}
				if missed := c.missed(chapter); len(missed) != len(mine) {
					t.Errorf("seed %d: nothing was killed, and missed are %q", seed, missed)
				}
				for _, kind := range arrivals(chapter) {
					if side := c.at(chapter, kind); side != 0 {
						sides[side]++
					}
				}
				if missed := c.missed(chapter); len(missed) > 0 {
					t.Errorf("seed %d: of %s these are missed: %q", seed, chapter, missed)
				}
				if len(c.made) != len(mine) {
					t.Errorf("seed %d: at %d steps of %s there are the kills %q", seed, len(mine), chapter, c.lines())
				}
			}
			for _, step := range all {
				if dealt[step] != 1 {
					t.Errorf("seed %d: %d clouds have %s of %s", seed, dealt[step], step, chapter)
				}
			}
		}
		if sides[before] < 10 || sides[after] < sides[before] {
			t.Errorf("seed %d: so many are killed before and after a request: %v", seed, sides)
		}
	}
}

// TestRequestsAreOneStep: a request counts as one named step of its chapter at most. One that counted as two of them was killed at as
// the first of them has it, and the other one never.
func TestRequestsAreOneStep(t *testing.T) {
	for kind, want := range map[string][]string{
		"DELETE /v3/users/{id}": {"DELETE users/"}, "DELETE /v3/users/{id}/application_credentials/{id}": {"DELETE application_credentials/"},
		"DELETE /v3/groups/{id}/users/{id}": {"DELETE users/"}, "PUT /v3/projects/{id}/users/{id}/roles/{id}": {"PUT roles/"},
		"PUT /v2.0/qos/policies/{id}": {"PUT policies/"}, "PUT /v2.0/qos/policies/{id}/dscp_marking_rules/{id}": {"PUT dscp_marking_rules/"},
		"PUT /v2.0/ports/{id}/tags/a": {"PUT tags/"}, "POST /v2.1/servers/{id}/action resize": {"POST action resize"}, "GET /v3/users/{id}": nil,
	} {
		steps := map[string]bool{}
		for _, all := range namedSteps() {
			for _, step := range all {
				if isKind(kind, step) {
					steps[step] = true
				}
			}
		}
		if got := slices.Collect(maps.Keys(steps)); !slices.Equal(got, want) {
			t.Errorf("%s counts as %q, want %q", kind, got, want)
		}
	}
	for chapter, all := range namedSteps() {
		for _, kind := range arrivals(chapter) {
			if steps := slices.DeleteFunc(slices.Clone(all), func(step string) bool { return !isKind(kind, step) }); len(steps) > 1 {
				t.Errorf("in %s %s counts as %q", chapter, kind, steps)
			}
		}
	}
}

// TestOneKill: a line that a sweep logs makes another one kill there alone, and so does a named step.
func TestOneKill(t *testing.T) {
	for text, kinds := range map[string][]string{
		"install: after POST projects":     {"install: after POST /v1/projects"},
		"install: before POST /v2/routers": {"install: before POST /v2/routers"},
		"removal: after GET /v1/tokens/":   nil, // none of its kind comes
	} {
		p, err := parsePoint(text)
		if err != nil || p.String() != text {
			t.Fatalf("%q is read as %v, %v", text, p, err)
		}
		c := choice{sweep: "kinds", point: &p}
		for _, chapter := range []string{"install", "removal"} {
			for _, kind := range arrivals(chapter) {
				c.at(chapter, kind)
			}
			if missed := c.missed(chapter); (len(missed) > 0) != (kinds == nil && chapter == p.chapter) {
				t.Errorf("%s: in %s %q is missed", text, chapter, missed)
			}
		}
		if !slices.Equal(c.lines(), kinds) {
			t.Errorf("%s: killed at %q", text, c.lines())
		}
	}
	for _, chapter := range killChapters() {
		if _, err := parsePoint(chapter + ": after POST projects"); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"", "install", "install: POST projects", "install: beside POST projects", ": after POST projects", "install: after", "install: after ", "instal: after POST projects"} {
		if p, err := parsePoint(text); err == nil {
			t.Errorf("%q is read as %v", text, p)
		}
	}
}

// TestReplaysInTheReadme: what the README says of replays is so. The points are named steps, the variables are those that are read,
// and the test that has the point is the one that is run for it.
func TestReplaysInTheReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{faultproxy.SeedVariable + "=<seed>", crash.PointVariable, "KUPENSTACK_TEST_RUNS"} {
		if !strings.Contains(string(text), "`"+variable) {
			t.Errorf("the README has no %s", variable)
		}
	}
	named := func(text string) {
		p, err := parsePoint(text)
		if err != nil {
			t.Error(err)
		} else if !slices.Contains(namedSteps()[p.chapter], p.kind) {
			t.Errorf("%s is no named step", p)
		}
	}
	said := regexp.MustCompile("\n`([a-z ]+: (?:before|after) [^`]+)`").FindSubmatch(text)
	ran := regexp.MustCompile("`" + crash.PointVariable + "='([^']+)' go test -tags beds -run (\\w+) ./test/e2e`").FindSubmatch(text)
	if said == nil || ran == nil {
		t.Fatalf("the README says this of replays another way than is known here: %q, %q", said, ran)
	}
	named(string(said[1]))
	named(string(ran[1]))
	p, _ := parsePoint(string(ran[1]))
	files, err := filepath.Glob("kill*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(code), "func "+string(ran[2])+"(") {
			if !strings.Contains(string(code), `{"`+p.chapter+`", `) {
				t.Errorf("%s, in which %s is, has no chapter %s", file, ran[2], p.chapter)
			}
			return
		}
	}
	t.Errorf("there is no %s", ran[2])
}
