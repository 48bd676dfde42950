package plan

import (
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// maxHeals is how often something is healed that does not stay well: what fails each time fails for a
	// reason that no remedy takes away, such as its image.
	maxHeals = 3
	// firstHealPause is how long the second attempt waits after the first one; each further one waits
	// healPauseGrowth times as long.
	firstHealPause  = time.Minute
	healPauseGrowth = 5
	// healMemory is how long attempts count of what works by then.
	healMemory = 24 * time.Hour
)

// Heal completes a target with what is on record of it, as far as that is of the same input.
func Heal(target *unit.Target, u *unit.Unit, entry *inventory.Entry, desired cty.Value, now time.Time) {
	if entry == nil {
		return
	}
	applied := Applied(u, desired)
	target.Met = entry.Phase == inventory.Owned && entry.Applied == applied
	h := entry.Healing
	if h == nil || h.For != applied {
		return
	}
	last := time.Unix(h.Last, 0)
	target.Heal.Attempts = h.Attempts
	pause := firstHealPause
	for range h.Attempts - 1 {
		pause *= healPauseGrowth
	}
	if until := last.Add(pause); now.Before(until) {
		target.Heal.Pause = until
	}
}

// Healthy tells whether attempts are forgotten of something that is as it should be: the last one was long ago.
// Of what ails at that time they go on to count, however long ago they were.
func Healthy(h *unit.Healing, now time.Time) bool {
	return h != nil && now.Sub(time.Unix(h.Last, 0)) >= healMemory
}

// Remedy returns what goes on record ahead of an attempt to heal.
func Remedy(target unit.Target, u *unit.Unit, desired cty.Value, now time.Time) *unit.Healing {
	return &unit.Healing{For: Applied(u, desired), Attempts: target.Heal.Attempts + 1, Last: now.Unix()}
}

// Healed says for people what is on record of a thing, "" for what was never healed.
func Healed(h *unit.Healing) string {
	if h == nil {
		return ""
	}
	return fmt.Sprintf("it failed by itself and was healed: attempt %d of %d at %s", h.Attempts, maxHeals, stamp(time.Unix(h.Last, 0)))
}

// heal decides about a remedy: not more often than the budget has it, and not too soon after the last one. It is
// no drift, as the block asks for it.
func (c *Change) heal(heal unit.Heal) {
	c.Drift, c.Lost = false, false
	switch {
	case c.Waits:
	case heal.Attempts >= maxHeals:
		c.block(fmt.Sprintf("%s; %d attempts to heal it did not last, so it is left as it is: mend the cause, then change its block or set it right by hand", c.Reason, heal.Attempts))
	case !heal.Pause.IsZero():
		c.Waits, c.Reason = true, fmt.Sprintf("%s; attempt %d of %d to heal it follows at %s", c.Reason, heal.Attempts+1, maxHeals, stamp(heal.Pause))
	default:
		c.Reason = fmt.Sprintf("%s; attempt %d of %d to heal it", c.Reason, heal.Attempts+1, maxHeals)
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
