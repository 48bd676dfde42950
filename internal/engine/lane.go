package engine

import "github.com/kupenstack/kupenstack-sync/internal/unit"

// lane is what has a bound of calls of its own: one API of a driver, so that a service that is slow keeps nothing of another
// one waiting.
type lane struct {
	driver unit.DriverName
	api    string // "" for a driver with one API
}

// laneOf tells which API a call of a driver for a loop is about.
func (e *Engine) laneOf(l *loop, name unit.DriverName) lane {
	api := e.APIs[name]
	if api == nil {
		return lane{driver: name}
	}
	if l.unit != nil {
		return lane{name, api(l.unit.Spec.Locator().Kind)}
	}
	entry, _ := e.entry(l.address)
	return lane{name, api(entry.Locator.Kind)}
}

// room is how many calls may begin in a lane, whatever the others do. What is no step of a single unit, such as a look at
// all that a driver has, counts in each lane of the driver.
func (e *Engine) room(in lane) int {
	elsewhere := 0
	for other, n := range e.abreast {
		if other != in && other.driver == in.driver {
			elsewhere += n
		}
	}
	return e.Parallel - (e.running[in.driver] - elsewhere)
}
