//go:build beds

package e2e_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// span is what a unit itself took, from the moment when nothing held it back any more.
type span struct{ installed, ready time.Duration }

// spans are the units' own times in a pass. What waits again once it is there, for what keeps the rest of
// it, takes no time of its own meanwhile.
func spans(lines []world.Line) map[string]span {
	begun, paused, found := map[string]time.Time{}, map[string]time.Time{}, map[string]span{}
	for _, line := range lines {
		at, ok := begun[line.Address]
		switch pause, waited := paused[line.Address]; {
		case !ok && line.Phase == "waiting":
			continue
		case !ok:
			begun[line.Address] = line.Time
		case line.Phase == "waiting" && !waited:
			paused[line.Address] = line.Time
		case line.Phase != "waiting" && waited:
			begun[line.Address] = at.Add(line.Time.Sub(pause))
			delete(paused, line.Address)
		}
		s, since := found[line.Address], line.Time.Sub(begun[line.Address])
		switch line.Phase {
		case "waiting":
			if s.installed == 0 {
				s.installed = since
			}
		case "progressing": // all that was to be sent has been
			if s.installed == 0 {
				s.installed = since
			}
		case "ready":
			if s.ready = since; s.installed == 0 {
				s.installed = since
			}
		}
		found[line.Address] = s
	}
	return found
}

// longestChain adds up the units' own times along what they wait for before they begin, and returns
// the largest sum with its units.
func longestChain(status world.Status, lines []world.Line) (time.Duration, []string) {
	own := spans(lines)
	type chain struct {
		before time.Duration
		path   []string
	}
	known := map[string]chain{}
	var chainOf func(address string) chain
	chainOf = func(address string) chain {
		if c, ok := known[address]; ok {
			return c
		}
		var c chain
		if u := status.Unit(address); u != nil {
			for _, need := range u.Needs {
				if need.Gate != "start" {
					continue
				}
				to := chainOf(need.To)
				until := to.before + own[need.To].ready
				if need.Until == "installed" || need.Part != "" {
					until = to.before + own[need.To].installed
				}
				if until > c.before {
					c = chain{before: until, path: to.path}
				}
			}
		}
		c.path = append(slices.Clone(c.path), address)
		known[address] = c
		return c
	}
	var longest time.Duration
	var path []string
	for i := range status.Units {
		address := status.Units[i].Address
		if c := chainOf(address); c.before+own[address].ready > longest {
			longest, path = c.before+own[address].ready, c.path
		}
	}
	return longest, path
}

// What the benchmark builds on, with times that can be added up by heart.
func TestLongestChain(t *testing.T) {
	status := world.Status{Units: []world.Unit{
		{Address: "service.a"},
		{Address: "service.b", Needs: []world.Need{{To: "service.a", Until: "installed", Gate: "start"}}},
		{Address: "service.c", Needs: []world.Need{{To: "service.a", Until: "ready", Gate: "start"}}},
		{Address: "service.d", Needs: []world.Need{{To: "service.b", Until: "ready", Gate: "start"}, {To: "service.c", Until: "ready", Gate: "ready"}}},
		{Address: "project.p", Needs: []world.Need{{To: "service.a", Until: "ready", Gate: "start"}, {To: "service.b", Until: "ready", Gate: "ready"}}},
		{Address: "network.n", Needs: []world.Need{{To: "project.p", Until: "ready", Gate: "start", Part: "service.c"}}},
	}}
	zero := time.Unix(0, 0)
	at := func(second int, address, phase string) world.Line {
		return world.Line{Time: zero.Add(time.Duration(second) * time.Second), Address: address, Phase: phase}
	}
	lines := []world.Line{
		at(0, "service.a", "waiting"), at(1, "service.a", "reconciling"), at(3, "service.a", "progressing"),
		at(4, "service.b", "reconciling"), at(6, "service.a", "ready"), // installed after 2, ready after 5
		at(7, "service.c", "reconciling"), at(9, "service.c", "ready"), // 2
		at(6, "project.p", "reconciling"), at(8, "project.p", "waiting"), at(14, "project.p", "reconciling"), at(15, "project.p", "ready"), // 2, 3
		at(8, "network.n", "reconciling"), at(12, "network.n", "ready"), // 4
		at(14, "service.b", "ready"),                                                                     // 10
		at(20, "service.d", "waiting"), at(21, "service.d", "reconciling"), at(22, "service.d", "ready"), // 1
	}
	length, path := longestChain(status, lines)
	if want := 13 * time.Second; length != want || !slices.Equal(path, []string{"service.a", "service.b", "service.d"}) {
		t.Errorf("got %v over %v, want %v", length, path, want)
	}
	status.Units = status.Units[4:]
	if length, path := longestChain(status, lines); length != 11*time.Second || !slices.Equal(path, []string{"service.a", "project.p", "network.n"}) {
		t.Errorf("got %v over %v", length, path)
	}
}
