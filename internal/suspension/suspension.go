package suspension

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Suspension has a part of the cloud left alone.
type Suspension struct {
	// Target stands for all that it contains: an object, a block with its keys, a module; the root module
	// stands for the whole cloud.
	Target addr.Address
	By     string // who wants it; "" for the configuration
	Reason string // "" for none
	Since  time.Time
	Until  time.Time  // zero: until somebody takes it back
	Range  diag.Range // of the block, where the configuration has it
}

// Whole tells whether the whole cloud is left alone.
func (s *Suspension) Whole() bool {
	m, ok := s.Target.(addr.Module)
	return ok && m.IsRoot()
}

// Name is what is left alone, as a person writes it.
func (s *Suspension) Name() string {
	if s.Whole() {
		return "the whole cloud"
	}
	return s.Target.String()
}

// Over tells whether its time has passed.
func (s *Suspension) Over(now time.Time) bool { return !s.Until.IsZero() && !now.Before(s.Until) }

// String says until when it holds, whose it is and why: "suspended until 2026-12-01T08:00:00Z by alice: disks
// are replaced". It does not say what is left alone.
func (s *Suspension) String() string {
	var b strings.Builder
	b.WriteString("suspended")
	if !s.Until.IsZero() {
		fmt.Fprintf(&b, " until %s", s.Until.UTC().Format(time.RFC3339))
	}
	if s.By != "" {
		fmt.Fprintf(&b, " by %s", s.By)
	} else {
		b.WriteString(" by the configuration")
	}
	if s.Reason != "" {
		fmt.Fprintf(&b, ": %s", s.Reason)
	}
	return b.String()
}

// Compare orders suspensions by what they leave alone; one of the configuration comes before one of a person.
func Compare(a, b Suspension) int {
	if c := addr.Compare(a.Target, b.Target); c != 0 {
		return c
	}
	return strings.Compare(a.By, b.By)
}

// Of returns the one of these that holds for an address at a time, nil when none does: the one that names it
// most closely.
func Of(list []Suspension, a addr.Object, now time.Time) *Suspension {
	var found *Suspension
	for i := range list {
		s := &list[i]
		if !s.Over(now) && s.Target.Contains(a) && (found == nil || found.Target.Contains(s.Target)) {
			found = s
		}
	}
	return found
}

// Standing returns those of these that hold at a time, in order.
func Standing(now time.Time, lists ...[]Suspension) []Suspension {
	all := slices.DeleteFunc(slices.Concat(lists...), func(s Suspension) bool { return s.Over(now) })
	slices.SortStableFunc(all, Compare)
	return all
}

// With returns the list with one more, in order: it takes the place of one that names the same.
func With(list []Suspension, s Suspension) []Suspension {
	next := slices.DeleteFunc(slices.Clone(list), func(other Suspension) bool { return other.Target == s.Target })
	next = append(next, s)
	slices.SortStableFunc(next, Compare)
	return next
}

// Without returns the list without those that name target, or something within it, and which these were.
func Without(list []Suspension, target addr.Address) (left, taken []Suspension) {
	for _, s := range list {
		if target.Contains(s.Target) {
			taken = append(taken, s)
		} else {
			left = append(left, s)
		}
	}
	return left, taken
}
