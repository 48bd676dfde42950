package report

import (
	"encoding/json"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lastReport is what is read of the last report. Anybody who may write to the branch may have written
// that, so it is shown and never acted on.
type lastReport struct {
	Applied      *commitDoc   `json:"applied"`
	Foreign      *commitDoc   `json:"foreign"`
	Commits      []commitDoc  `json:"commits"`
	Units        []unitMemory `json:"units"`
	UnitsLeftOut int          `json:"units_left_out"`
	Nodes        []nodeMemory `json:"nodes"`
	Remembered   []unitMemory `json:"remembered"`
}

// unitMemory is what the last report says of a unit: where it stood, what was done to it under the
// commit that was in force, and with which commits it worked.
type unitMemory struct {
	Address string        `json:"address"`
	Phase   engine.Phase  `json:"phase"`
	Did     []unit.Action `json:"did"`
	Healed  []unit.Field  `json:"healed"`
	trail
}

// readLast reads a report; nil for what is none of ours.
func readLast(text []byte) *lastReport {
	var last lastReport
	if len(text) == 0 || json.Unmarshal(text, &last) != nil {
		return nil
	}
	return &last
}

// foreign returns the newest commit of somebody else on the status branch, nil when nobody knows of one.
func foreign(in *Input) *commitDoc {
	if c := newCommit(in.Foreign); c != nil || in.last == nil || in.last.Foreign == nil {
		return c
	}
	c := cleanCommit(*in.last.Foreign)
	if c.Hash == "" {
		return nil
	}
	return &c
}

func known(e unit.Effect) bool {
	return e == unit.InPlace || e == unit.Replace || e == unit.Refused
}

// remember returns the units with what the last report says was done to them under the commit that is
// still in force: a process that takes over has done nothing of it, and finds nothing new to tell.
// What is no report of ours is passed over.
func remember(in *Input) []engine.UnitStatus {
	last := in.last
	if last == nil || last.Applied == nil || last.Applied.Hash != line(in.Applied.Hash, nameText) {
		return in.Snapshot.Units
	}
	before := make(map[string]*unitMemory, len(last.Units))
	for i := range last.Units {
		before[last.Units[i].Address] = &last.Units[i]
	}
	units := slices.Clone(in.Snapshot.Units)
	for i := range units {
		u := &units[i]
		was := before[addressText(u.Address)]
		if was == nil {
			continue
		}
		if len(u.Did) == 0 && !slices.ContainsFunc(was.Did, func(a unit.Action) bool { return !a.Changes() }) {
			u.Did = was.Did
		}
		if len(u.Healed) == 0 && !slices.ContainsFunc(was.Healed, func(f unit.Field) bool { return !known(f.Effect) }) {
			u.Healed = was.Healed
		}
	}
	return units
}
