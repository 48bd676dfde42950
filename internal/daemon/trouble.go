package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// set notes what is wrong somewhere, or that it is not any more.
func (d *Daemon) set(where string, err error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err == nil || errors.Is(err, context.Canceled) {
		delete(d.trouble, where)
		return
	}
	d.trouble[where] = err.Error()
}

func (d *Daemon) setStandby(standby bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if standby {
		// What the source and the facts are like is only known to who is in charge.
		d.engine = nil
		for _, where := range []string{"source", "facts", "installation", "suspensions", "requests"} {
			delete(d.trouble, where)
		}
		return
	}
	d.trouble["start"] = "in charge, and not at work yet"
}

// problems says why the daemon is not ready: none for a standby that could take over.
func (d *Daemon) problems() []string {
	blind := d.snapshot().Blind
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var problems []string
	for where, text := range d.trouble {
		problems = append(problems, fmt.Sprintf("%s: %s", where, text))
	}
	problems = append(problems, blind...)
	if problem := d.Tracker.State().Problem(); problem != "" {
		problems = append(problems, problem)
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}
