package report

import (
	"maps"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

// trail is with which commits a unit worked, by their hashes.
//
// Only a commit that came into force counts, and only from when its plan was admitted and the unit was
// looked at under it. One that has mistakes or was refused is nobody's, and one that the next took the
// place of before is nothing that anything is known of. Nor is anything known of a unit while it
// cannot be observed; then the trail stays.
type trail struct {
	// LastGood is the newest commit with which the unit was ready; "" when there was none, as far as
	// reports tell.
	LastGood string `json:"last_good,omitempty"`
	// FirstBad is the first commit since then with which the unit was not ready, be it that it failed or
	// that it was still on its way; "" while it is ready. It is LastGood itself when the unit was ready
	// with that commit and later was not: then the cause is not a commit.
	FirstBad string `json:"first_bad,omitempty"`
}

// trails are those of all units by the text of their addresses, and what is known of the commits in
// them by their hashes. They are never more than the snapshot has units, or the last report had while
// there is no snapshot.
type trails struct {
	units   map[string]trail
	commits map[string]commitDoc
}

// maxCommits is how many commits are told of that trails name.
const maxCommits = 100

// trace goes on from the trails of the last report with what the snapshot says.
func trace(in *Input) trails {
	t := trails{units: map[string]trail{}, commits: map[string]commitDoc{}}
	before, complete := in.last.trails(t.commits)
	applied := newCommit(in.Applied)
	if applied != nil {
		t.commits[applied.Hash] = *applied
	}
	if in.Snapshot.Revision == "" {
		t.units = before // nobody has looked at anything
		return t
	}
	for i := range in.Snapshot.Units {
		u := &in.Snapshot.Units[i]
		if u.Phase == engine.PhaseGone || u.Phase == engine.PhaseKept {
			continue // nobody wants it to be ready
		}
		address := addressText(u.Address)
		was, known := before[address]
		switch {
		case applied == nil || in.Snapshot.Revision != in.Applied.Hash || !u.Decided:
		case u.Phase == engine.PhaseReady:
			was = trail{LastGood: applied.Hash}
		case was.FirstBad == "" && (known || complete):
			was.FirstBad = applied.Hash
		}
		if was != (trail{}) {
			t.units[address] = was
		}
	}
	return t
}

// trails returns those of the last report, and whether that had all units, and adds the commits that it
// names. What is no trail of ours is cleaned like any other text.
func (l *lastReport) trails(commits map[string]commitDoc) (units map[string]trail, complete bool) {
	units = map[string]trail{}
	if l == nil {
		return units, true
	}
	named := slices.Clone(l.Commits[:min(len(l.Commits), maxCommits)])
	applied := ""
	if l.Applied != nil {
		applied = line(l.Applied.Hash, nameText)
		named = append(named, *l.Applied)
	}
	for _, c := range named {
		if c = cleanCommit(c); c.Hash != "" {
			commits[c.Hash] = c
		}
	}
	for _, u := range slices.Concat(l.Remembered, l.Units) {
		t := trail{LastGood: line(u.LastGood, nameText), FirstBad: line(u.FirstBad, nameText)}
		if t.LastGood == "" && u.Phase == engine.PhaseReady {
			t.LastGood = applied
		}
		if t != (trail{}) {
			units[line(u.Address, nameText)] = t
		}
	}
	return units, l.UnitsLeftOut == 0
}

// cleanCommit is a commit that a file tells of.
func cleanCommit(c commitDoc) commitDoc {
	c.Hash, c.Author, c.Subject = line(c.Hash, nameText), line(c.Author, nameText), line(c.Subject, nameText)
	if _, err := time.Parse(time.RFC3339, c.Time); err != nil {
		c.Time = ""
	}
	return c
}

// brief leaves out what goes without saying: that a unit is ready with the commit in force.
func (t trail) brief(phase engine.Phase, applied *commitDoc) trail {
	if phase == engine.PhaseReady && applied != nil && t.LastGood == applied.Hash {
		t.LastGood = ""
	}
	return t
}

// named returns the commits that trails name, but for the one in force, by hash.
func (t trails) named(applied *commitDoc) []commitDoc {
	used := map[string]commitDoc{}
	for _, u := range t.units {
		for _, hash := range []string{u.LastGood, u.FirstBad} {
			if c, ok := t.commits[hash]; ok && (applied == nil || hash != applied.Hash) {
				used[hash] = c
			}
		}
	}
	docs := []commitDoc{}
	for _, hash := range slices.Sorted(maps.Keys(used)) {
		if len(docs) < maxCommits {
			docs = append(docs, used[hash])
		}
	}
	return docs
}

// remembered returns the trails of units that the snapshot does not have, because there is none yet.
func (t trails) remembered(in *Input) []rememberedDoc {
	var docs []rememberedDoc
	if in.Snapshot.Revision == "" {
		for _, address := range slices.Sorted(maps.Keys(t.units)) {
			docs = append(docs, rememberedDoc{Address: address, trail: t.units[address]})
		}
	}
	return docs
}
