package engine

import (
	"strconv"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Whoever changes fields back is named as far as it is known.
func TestWriters(t *testing.T) {
	for want, fields := range map[string][]unit.Field{
		"somebody else": {{Path: "a"}, {Path: "b"}},
		`the field manager "kubectl-edit" or somebody else`: {{Path: "a", By: "kubectl-edit"}, {Path: "b"}},
		`the field manager "kubectl-edit"`:                  {{Path: "a", By: "kubectl-edit"}, {Path: "b", By: "kubectl-edit"}},
		`the field manager "a \"controller\"" or "argocd"`:  {{Path: "a", By: `a "controller"`}, {Path: "b", By: "argocd"}},
	} {
		if got := writers(fields); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// What is remembered of fights has a bound, and who changes something else each time is noticed all the same.
func TestFightsAreBounded(t *testing.T) {
	var g guard
	now := time.Now()
	step := func(names ...string) time.Duration {
		now = now.Add(time.Millisecond)
		var c plan.Change
		for _, name := range names {
			c.Action, c.Fields = unit.ActionUpdate, append(c.Fields, unit.Field{Path: name, After: "1"})
		}
		g.calm()
		return g.pause("step", c, now)
	}
	var many []string
	for i := range 1000 {
		many = append(many, strconv.Itoa(i))
	}
	if wait := step(many...); wait > 0 {
		t.Errorf("what many fields differ in waits for %s the first time", wait)
	}
	paused := 0
	for i := range 1000 {
		if step("label "+strconv.Itoa(i)) > 0 {
			paused++
		}
	}
	if len(g.fights) != maxFights+1 || paused < 990 {
		t.Errorf("%d are remembered, and %d of 1000 waited", len(g.fights), paused)
	}
	now = now.Add(fightWindow)
	if wait := step("label 1"); wait > 0 || len(g.fights) != 1 {
		t.Errorf("%d are remembered long after, and it waits for %s", len(g.fights), wait)
	}
}

// Two who are so fast that one difference or the other is always there are noticed, and what takes many steps is none
// of that.
func TestFightWithoutCalm(t *testing.T) {
	change := func(names ...string) plan.Change {
		c := plan.Change{Action: unit.ActionUpdate}
		for _, name := range names {
			c.Fields = append(c.Fields, unit.Field{Path: name})
		}
		return c
	}
	for name, test := range map[string]struct {
		steps  []plan.Change
		paused int // at which step; 0: never
		want   string
	}{
		"in turn":    {[]plan.Change{change("a"), change("b")}, 7, "somebody else changes a back each time"},
		"one beside": {[]plan.Change{change("a", "b"), change("b")}, 7, "somebody else changes a back each time"},
		"what leaves no name": {
			[]plan.Change{
				{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: "a", Beside: `"argocd" at noon`}}},
				{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: "b", By: "argocd"}}},
			},
			7, `somebody else changes a back each time; who takes something away leaves no name, and the last to write to the object beside us were "argocd" at noon`,
		},
		"step by step":   {[]plan.Change{change("a", "b", "c"), change("b", "c"), change("c")}, 0, ""},
		"with no effect": {[]plan.Change{change("a")}, 4, "it was tried several times and had no effect that lasts: a"},
		"of the quickest": {
			[]plan.Change{{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: "a", By: "argocd"}}}},
			4,
			`it was tried several times and had no effect that lasts: a; the field manager "argocd" wrote last`,
		},
	} {
		var g guard
		rounds := 10
		if test.paused == 0 {
			rounds = 1
		}
		at, got, now := 0, "", time.Now()
		for i := range rounds * len(test.steps) {
			c := test.steps[i%len(test.steps)]
			now = now.Add(time.Second)
			if g.pause(signature(c.Fields), c, now) > 0 {
				at, got = i+1, g.finding(c)
				break
			}
		}
		if at != test.paused || got != test.want {
			t.Errorf("%s: paused at step %d: %q, want %d: %q", name, at, got, test.paused, test.want)
		}
	}
}
