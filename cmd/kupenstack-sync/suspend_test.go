package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
)

// TestSuspendedOnceMore: whoever suspends what somebody else has suspended hears of that, as the new one may end before.
func TestSuspendedOnceMore(t *testing.T) {
	t.Parallel()
	nova, cinder := addr.MustParseObject("service.nova"), addr.MustParseObject("service.cinder")
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	list := []suspension.Suspension{
		{Target: addr.Module{}, By: "eve"},
		{Target: cinder, By: "ada", Until: now},
		{Target: nova, By: "ada", Reason: "disks are replaced"},
	}
	begun := []suspension.Suspension{{Target: nova, By: "bob", Until: now.Add(10 * time.Minute)}, {Target: nova, By: "bob", Until: now.Add(20 * time.Minute)}}
	next, over := withAll(list, begun)
	if len(next) != 3 || suspension.Of(next, nova, now).By != "bob" || suspension.Of(next, nova, now.Add(15*time.Minute)).By != "bob" {
		t.Errorf("suspended are %+v", next)
	}
	var out bytes.Buffer
	tellBegun(&out, begun[1:], over)
	const want = `service.nova is suspended until 2026-12-01T08:20:00Z by bob
that takes the place of one before: service.nova was suspended by ada: disks are replaced
`
	if out.String() != want {
		t.Errorf("told is %q", out.String())
	}
}
