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

const (
	// maxLast is how large a report that is read back may be: more than [maxFile], which a report of very many things
	// can exceed a little.
	maxLast = 8 << 20
	// maxElements is how many elements the lists of a report have that is read back, in all of them together. One of two
	// bytes takes up a hundred in memory, so that the size of the text bounds nothing.
	maxElements = 1 << 18
	// maxDepth is how deep it may be nested: ours are not half as deep.
	maxDepth = 32
)

// readLast reads a report; nil for what is none of ours. It is bounded before it is decoded.
func readLast(text []byte) *lastReport {
	var last lastReport
	if len(text) == 0 || len(text) > maxLast || elements(text) > maxElements || json.Unmarshal(text, &last) != nil {
		return nil
	}
	return &last
}

// elements is how many elements the lists of a JSON text have, or more: an empty list counts as one of one. Objects are
// told from lists by what opened last, and what is no JSON has some number, too. What is nested too deeply has too many.
func elements(text []byte) int {
	n := 0
	var open []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if c == '[' {
				n++
			}
			if open = append(open, c); len(open) > maxDepth {
				return maxElements + 1
			}
		case ']', '}':
			open = open[:max(0, len(open)-1)]
		case ',':
			if len(open) > 0 && open[len(open)-1] == '[' {
				n++
			}
		}
	}
	return n
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
