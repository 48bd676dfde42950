package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// DefaultMaxDeletes is how many objects of a class go at once without being asked for: more than
// that, and more than a quarter of the class, is taken for a mistake.
const DefaultMaxDeletes = 10

// Limit is how many objects of a class may be deleted at once.
type Limit struct {
	// Count is their number, or, with Share, their share of the class in percent.
	Count int
	Share bool
}

// of returns how many that are of a class with so many objects: of a share at least one, unless it is nothing.
func (l Limit) of(total int) int {
	if !l.Share {
		return l.Count
	}
	return max(l.Count*total/100, min(l.Count, 1))
}

// Limits are those of the classes. One that has none may lose [DefaultMaxDeletes] objects at once, or a quarter of them
// where that is more.
type Limits struct {
	// All is that of classes that have none of their own; nil for the default.
	All *Limit
	Of  map[unit.Class]Limit
}

// AtMost returns the limits that allow so many objects of each class, 0 for the default.
func AtMost(count int) Limits {
	if count == 0 {
		return Limits{}
	}
	return Limits{All: &Limit{Count: count}}
}

// classes are those whose objects can be deleted.
func classes() []unit.Class {
	return []unit.Class{unit.ClassInfrastructure, unit.ClassService, unit.ClassWorkload, unit.ClassNode, unit.ClassResource}
}

// ParseLimits reads limits that people write: a number or a share for all classes, as 40 or 20%, and others for single
// ones, as resource=5%. For all classes 0 is the default.
func ParseLimits(texts []string) (Limits, error) {
	limits := Limits{Of: map[unit.Class]Limit{}}
	seen := map[string]bool{}
	for _, text := range texts {
		name, value, single := strings.Cut(text, "=")
		if !single {
			name, value = "", text
		}
		limit, err := parseLimit(value)
		switch {
		case err != nil:
			return Limits{}, fmt.Errorf("%q: %w", text, err)
		case single && !slices.Contains(classes(), unit.Class(name)):
			return Limits{}, fmt.Errorf("%q: there is no class %q: write one of %v", text, name, classes())
		case seen[name]:
			return Limits{}, fmt.Errorf("%q: there is another limit for the same: write one", text)
		}
		seen[name] = true
		switch {
		case single:
			limits.Of[unit.Class(name)] = limit
		case limit.Share || limit.Count > 0:
			limits.All = &limit
		}
	}
	return limits, nil
}

func parseLimit(text string) (Limit, error) {
	number, share := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || share && n > 100 {
		return Limit{}, errors.New("it is a number of objects, as 40, or a share of them, as 20%")
	}
	return Limit{Count: n, Share: share}, nil
}

// of returns how many objects of a class with so many may go at once.
func (l Limits) of(class unit.Class, total int) int {
	if own, has := l.Of[class]; has {
		return own.of(total)
	}
	if l.All != nil {
		return l.All.of(total)
	}
	return max(DefaultMaxDeletes, total/4)
}

// allowing returns how a person writes that so many objects of a class may go.
func (l Limits) allowing(class unit.Class, n int) string {
	if len(l.Of) == 0 {
		return fmt.Sprintf("--max-deletes=%d", n)
	}
	return fmt.Sprintf("--max-deletes=%s=%d", class, n)
}

// String returns what [ParseLimits] reads.
func (l Limits) String() string {
	var texts []string
	if l.All != nil {
		texts = append(texts, l.All.String())
	}
	for _, class := range slices.Sorted(maps.Keys(l.Of)) {
		texts = append(texts, string(class)+"="+l.Of[class].String())
	}
	return strings.Join(texts, ",")
}

func (l Limit) String() string {
	if l.Share {
		return strconv.Itoa(l.Count) + "%"
	}
	return strconv.Itoa(l.Count)
}

// counts tells whether the brake counts a change, which is then stopped by it: what a removed block names is meant.
// A block that names one object of several says nothing of the others.
// What a namespace says of its project can be written again, and goes with each namespace that a rule chooses no more.
func (c *Change) counts(in *Input) bool {
	if c.Kind == unit.KindProjectNamespace {
		return false
	}
	if c.Action == unit.ActionDelete {
		return in.Removals.fate(c.Address) != fateDestroy
	}
	return c.Action.Destroys() || c.prunes()
}

// waits tells whether a change is a deletion that waits for what no commit brings: until its object can be seen, or, being
// delayed, for what lies in the world. That counts as well: the others go meanwhile, and one commit would get past the brake
// in two waves.
func (c *Change) waits(in *Input, prevented map[addr.Object]bool) bool {
	if c.Action != unit.ActionBlocked || c.Kind == unit.KindProjectNamespace || prevented[c.Address] {
		return false
	}
	if c.Wanted == unit.ActionReplace {
		return c.delayed
	}
	return c.Wanted == unit.ActionDelete && (c.delayed || in.Seen(c.Address).Existence == unit.Unknown) && in.Removals.fate(c.Address) != fateDestroy
}

// objectsOf is how many objects an entry counts as: a manifest as many as it has, whether it goes as a whole or some are
// taken out of it. What we make ourselves beside a service goes with that.
func objectsOf(entry *inventory.Entry) int {
	if entry.Class != unit.ClassWorkload || entry.Locator.Kind != unit.KindObjects {
		return 1
	}
	return max(1, len(entry.Locator.Objects))
}

// brake stops deletions that are too many for a change that was meant: too many blocks, or too many objects. A large
// manifest has all else of its class lose no more than without it.
func (p *Plan) brake(in *Input) {
	if in.Removals.tearDown() {
		return // the block that names the cloud means all of it
	}
	blocks, objects, held, prevented := newTally(), newTally(), map[addr.Object]int{}, map[addr.Object]bool{}
	for i := range in.Entries {
		entry := &in.Entries[i]
		n := objectsOf(entry)
		blocks.total[entry.Class]++
		objects.total[entry.Class] += n
		if n > 1 {
			held[entry.Address] = n
		}
		if entry.PreventDestroy {
			prevented[entry.Address] = true
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		waits := c.waits(in, prevented)
		switch {
		case !waits && !c.counts(in):
		case waits || c.Action.Destroys():
			blocks.doomed[c.Class]++
			objects.doomed[c.Class] += max(1, held[c.Address])
		default:
			objects.doomed[c.Class] += c.Prunes
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if !c.counts(in) {
			continue
		}
		for _, t := range []tally{objects, blocks} {
			n, all := t.doomed[c.Class], t.total[c.Class]
			allowed := in.MaxDeletes.of(c.Class, all)
			if n <= allowed {
				continue
			}
			why := fmt.Sprintf("%d of %d would be deleted at once, and %d is the limit: allow it with %s", n, all, allowed, in.MaxDeletes.allowing(c.Class, objects.doomed[c.Class]))
			if c.Action == unit.ActionDelete {
				why += ", or name what is to go in removed blocks"
			}
			c.block(why)
			break
		}
	}
}

// tally is how many there are of each class, and how many of them would go.
type tally struct{ total, doomed map[unit.Class]int }

func newTally() tally { return tally{map[unit.Class]int{}, map[unit.Class]int{}} }
