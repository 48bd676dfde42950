package e2e_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// Sides of a request that a daemon is killed on.
const (
	before = 1 // it did not arrive
	after  = 2 // it was answered, and the daemon did not hear of it
	both   = before | after
)

// sideOf names a side of a request.
func sideOf(side int) string { return map[int]string{before: "before", after: "after"}[side] }

// choice says at which requests daemons are killed. It goes by what a request is about and how many of that kind came
// before, and draws by that from the seed: requests that race have daemons killed in another order, and at the same kinds on
// the same sides. It is not safe for concurrent use.
type choice struct {
	seed   uint64
	sweep  string // draws of another one are others
	number int    // of the sweep, from 0; later ones leave some requests to later ones of their kind
	whole  bool   // each kind in each chapter; else once, and a named step in each chapter that names it
	named  bool   // only named steps
	parts  int    // so many share the named steps, when it is more than one
	part   int    // which of them this is
	sides  int    // before, after or both; 0 has one of them drawn
	asking bool   // only requests that ask are meant; else in a sweep that is whole once in it, in others never
	only   string // only this named step is meant; "" for all
	point  *point // only this kill is meant; nil for all

	plans map[string][]int // by what is drawn about: the sides to be killed on at the next requests, 0 for neither
	made  []point          // in their order
}

// point is one kill. Its text is what a sweep logs and what [crash.PointVariable] has it replay.
type point struct {
	chapter string
	side    int
	kind    string // or a named step
}

func (p point) String() string { return p.chapter + ": " + sideOf(p.side) + " " + p.kind }

// killChapters are all chapters that a point may have, of whichever test. A point of another one would be of no test at all, and all of them
// would be skipped.
func killChapters() []string {
	return append(slices.Sorted(maps.Keys(namedSteps())), "install a release", "upgrade a release")
}

// parsePoint reads the text of a point.
func parsePoint(text string) (point, error) {
	chapter, rest, _ := strings.Cut(text, ": ")
	word, kind, _ := strings.Cut(rest, " ")
	if !slices.Contains(killChapters(), chapter) {
		return point{}, fmt.Errorf("%q is of no chapter in which daemons are killed: these are %q", text, killChapters())
	}
	for side := before; side <= after; side++ {
		if word == sideOf(side) && kind != "" {
			return point{chapter, side, kind}, nil
		}
	}
	return point{}, fmt.Errorf("%q is no point such as \"install: after POST projects\"", text)
}

// isKind tells whether a kind is one of the namedSteps: these name what a request does and the end of its path, or, with
// a slash behind it, a part that nothing but an object's name follows. What else follows is about something of that object,
// and is a step of its own.
func isKind(kind, step string) bool {
	verb, path, _ := strings.Cut(kind, " ")
	wanted, part, _ := strings.Cut(step, " ")
	if verb != wanted {
		return false
	}
	if !strings.HasSuffix(part, "/") {
		return strings.HasSuffix(path, "/"+part)
	}
	at := strings.LastIndex(path, "/"+part)
	return at >= 0 && !strings.Contains(path[at+1+len(part):], "/")
}

// steps are the named steps of a chapter that this sweep has to kill a daemon at.
func (c *choice) steps(chapter string) []string {
	all := namedSteps()[chapter]
	switch {
	case c.asking || c.point != nil && c.point.chapter != chapter:
		return nil
	case c.point != nil:
		return []string{c.point.kind}
	case c.only != "":
		return slices.DeleteFunc(all, func(step string) bool { return step != c.only })
	case c.parts < 2:
		return all
	}
	var mine []string
	for i, dealt := range faultproxy.Rand(c.seed, c.sweep, "parts", chapter).Perm(len(all)) {
		if dealt%c.parts == c.part {
			mine = append(mine, all[i])
		}
	}
	return mine
}

// at says on which side of a request the daemon dies, 0 for neither, and takes it for killed there.
func (c *choice) at(chapter, kind string) int {
	key := c.about(chapter, kind)
	if key == "" {
		return 0
	}
	plan, drawn := c.plans[key]
	if !drawn {
		plan = c.draw(key)
	}
	side := 0
	if len(plan) > 0 {
		side, plan = plan[0], plan[1:]
	}
	if c.plans == nil {
		c.plans = map[string][]int{}
	}
	c.plans[key] = plan
	if side != 0 {
		c.made = append(c.made, point{chapter, side, kind})
	}
	return side
}

// about is what is drawn about at a request of a kind: "" when nobody is killed at it. A request is one named step at most.
func (c *choice) about(chapter, kind string) string {
	step := ""
	for _, s := range c.steps(chapter) {
		if isKind(kind, s) || c.point != nil && kind == s {
			step = chapter + ": " + s
		}
	}
	inChapter := chapter + ": " + kind
	switch {
	case c.named || c.point != nil:
		return step
	case c.only != "" && !isKind(kind, c.only), asks(kind) != c.asking && (c.asking || !c.whole || c.sides != both):
		return ""
	case c.asking, c.whole && !asks(kind), step != "":
		return inChapter
	case !c.whole && slices.ContainsFunc(c.made, func(p point) bool { return p.kind == kind }):
		return "" // as a named step of an earlier chapter
	}
	return kind
}

// draw is on which sides of the next requests the daemons are killed. The first sweep that does both leaves nothing to
// chance, and kills before the request first: what was answered may not come again.
func (c *choice) draw(key string) []int {
	chance := faultproxy.Rand(c.seed, c.sweep, strconv.Itoa(c.number), key)
	switch {
	case c.point != nil:
		return []int{c.point.side}
	case c.sides == both && c.number == 0:
		return []int{before, after}
	case c.sides == both:
		var plan []int
		for _, i := range chance.Perm(2) {
			plan = append(append(plan, make([]int, chance.IntN(3))...), []int{before, after}[i])
		}
		return plan
	case c.sides != 0:
		return []int{c.sides}
	}
	_, kind, _ := strings.Cut(key, ": ")
	of := 2 // one of so many is killed before the request, the others after it
	if strings.HasPrefix(cmp.Or(kind, key), "POST ") {
		of = 4 // what has perhaps been created in OpenStack is waited for, half a minute each time
	}
	if chance.IntN(of) == 0 {
		return []int{before}
	}
	return []int{after}
}

// missed says, one line for each, at which named steps of a chapter no daemon was killed that was to be.
func (c *choice) missed(chapter string) []string {
	if c.number > 0 && c.sides == both {
		return nil
	}
	var lines []string
	for _, step := range c.steps(chapter) {
		sides, want := 0, c.sides
		for _, p := range c.made {
			if p.chapter == chapter && (isKind(p.kind, step) || p.kind == step) {
				sides |= p.side
			}
		}
		if c.named || c.point != nil {
			want = 0
			for _, side := range c.draw(chapter + ": " + step) {
				want |= side
			}
		}
		for side := before; side <= after; side++ {
			if side&want&^sides != 0 {
				lines = append(lines, point{chapter, side, step}.String())
			}
		}
		if want == 0 && sides == 0 {
			lines = append(lines, chapter+": before or after "+step)
		}
	}
	return lines
}

// lines are the kills, one each, in their order.
func (c *choice) lines() []string {
	var lines []string
	for _, p := range c.made {
		lines = append(lines, p.String())
	}
	return lines
}

// asks tells whether a kind changes nothing.
func asks(kind string) bool {
	verb, _, _ := strings.Cut(kind, " ")
	return slices.Contains([]string{"GET", "HEAD", "get", "list", "watch"}, verb)
}
