package crash

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// Point is a place in the sequence of a program's requests.
type Point struct {
	Request int  // counted from 1 over the requests that match
	After   bool // after the target answered it; else before it is forwarded
}

// String returns the form that ParsePoint reads, for example 7/after.
func (p Point) String() string {
	if p.After {
		return strconv.Itoa(p.Request) + "/after"
	}
	return strconv.Itoa(p.Request) + "/before"
}

// ParsePoint reads NUMBER/before or NUMBER/after.
func ParsePoint(text string) (Point, error) {
	number, side, _ := strings.Cut(text, "/")
	request, err := strconv.Atoi(number)
	if err != nil || request < 1 || side != "before" && side != "after" {
		return Point{}, fmt.Errorf("%q is no point such as 7/before or 7/after", text)
	}
	return Point{Request: request, After: side == "after"}, nil
}

// Trigger says when a process is killed. The functions of this package make them.
type Trigger struct {
	name string
	// arm is called before the process starts; the returned function disarms.
	arm func(p *Process) (disarm func())
}

// String says when, for messages.
func (t Trigger) String() string { return t.name }

// AtRequest kills at a point of the requests that match. What counts is the number of
// requests since this life began. Request n is the last that the target sees (after), or the
// first that it does not see (before): see faultproxy.KillBefore and KillAfter.
func AtRequest(control *faultproxy.Control, match faultproxy.Match, point Point) Trigger {
	return Trigger{name: "at request " + point.String(), arm: func(p *Process) func() {
		kill := func() {
			p.shoot()
			<-p.done // the proxies go on when this returns
		}
		action := faultproxy.KillBefore(kill)
		if point.After {
			action = faultproxy.KillAfter(kill)
		}
		return control.Add(faultproxy.Rule{Match: match, Nth: point.Request, Action: action}).Remove
	}}
}

// Any kills at what comes first of several.
func Any(triggers ...Trigger) Trigger {
	var names []string
	for _, t := range triggers {
		names = append(names, t.name)
	}
	return Trigger{name: strings.Join(names, " or "), arm: func(p *Process) func() {
		var disarms []func()
		for _, t := range triggers {
			disarms = append(disarms, t.arm(p))
		}
		return func() {
			for _, disarm := range disarms {
				disarm()
			}
		}
	}}
}

// AtLog kills when a line of the output, on either stream, matches. The process runs on
// between writing the line and its death: use AtRequest where the place matters.
func AtLog(pattern *regexp.Regexp) Trigger {
	return Trigger{name: "at log line " + pattern.String(), arm: func(p *Process) func() {
		return p.output.wait(pattern, p.shoot)
	}}
}

// AfterBetween kills after a time from minimum up to maximum that chance chooses (see
// faultproxy.Rand). It is the last resort: what the process had reached by then is not
// replayed by the seed.
func AfterBetween(chance *rand.Rand, minimum, maximum time.Duration) Trigger {
	delay := minimum + time.Duration(chance.Float64()*float64(maximum-minimum))
	return Trigger{name: "after " + delay.String(), arm: func(p *Process) func() {
		timer := time.AfterFunc(delay, p.shoot)
		return func() { timer.Stop() }
	}}
}
