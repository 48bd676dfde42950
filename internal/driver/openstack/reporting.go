package openstack

import (
	"slices"
	"time"
)

// designateSilence is how long a program of Designate may be silent behind the others until it counts as dead: each
// reports every ten seconds unless told otherwise (heartbeat_interval in its [heartbeat_emitter]).
const designateSilence = 2 * time.Minute

// What services with programs that report to them tell of these only from a version on.
const (
	sharesVersion     = "2.7"  // before it the list was an extension
	conductorsVersion = "1.49" // Ironic of Stein
)

// reporting returns the question for the programs of a service that report to it, when some of them are wanted, and
// otherwise the one that its API answers by itself.
func reporting(plain, programs question, wanted []string) question {
	if len(wanted) == 0 {
		return plain
	}
	programs.otherwise = &plain
	programs.lacks = func(agents []Agent, _ []string) string { return noneUp(agents, wanted...) }
	return programs
}

// conductor reads what Ironic tells of one, which is how long ago it last reported, measured for us.
func conductor(raw map[string]any) (a Agent, told bool) {
	alive, told := raw["alive"].(bool)
	return Agent{Host: textAt(raw, "hostname"), Binary: "ironic-conductor", Up: alive, Enabled: true}, told
}

// engine reads what Heat tells of one. Each start of one is another one, and those before it stay in the list.
func engine(raw map[string]any) (a Agent, told bool) {
	status := textAt(raw, "status")
	return Agent{Up: status == "up", Enabled: true}, slices.Contains([]string{"up", "down"}, status)
}

// magnumService reads what Magnum tells of one.
func magnumService(raw map[string]any) (a Agent, told bool) {
	state := textAt(raw, "state")
	disabled, _ := raw["disabled"].(bool)
	return Agent{Up: state == "up", Enabled: !disabled}, slices.Contains([]string{"up", "down"}, state)
}

// designateStatus reads what Designate tells of a program, which it goes on calling up once that has stopped reporting.
func designateStatus(raw map[string]any) (a Agent, told bool) {
	status, name := textAt(raw, "status"), textAt(raw, "service_name")
	a = Agent{Host: textAt(raw, "hostname"), Up: status != "DOWN", Enabled: true, Reported: reportedAt(raw, "heartbeated_at")}
	if name != "" {
		a.Binary = "designate-" + name
	}
	return a, status != ""
}

// designateLacks names a program that reports nowhere. What another one reported last is the clock: central does, or
// nobody would have answered.
func designateLacks(agents []Agent, programs []string) string {
	var newest time.Time
	for _, a := range agents {
		if a.Reported.After(newest) {
			newest = a.Reported
		}
	}
	alive := slices.DeleteFunc(slices.Clone(agents), func(a Agent) bool { return newest.Sub(a.Reported) > designateSilence })
	return noneUp(alive, programs...)
}
