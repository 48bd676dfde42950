package daemon

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// publishEvery is how much time lies between two reports that say the same verdict.
const publishEvery = 30 * time.Second

// StatusBranch is where reports go.
type StatusBranch interface {
	// Read returns the files as they are; none before the first report.
	Read(ctx context.Context) (map[string][]byte, error)
	// Publish makes these the files, and removes plans of refs that are gone or have nothing but merged
	// commits. It writes nothing when all is so already. The result is the newest commit that it found there
	// when somebody else made it, else nil.
	Publish(ctx context.Context, files map[string][]byte, message string, merged []string) (*gitrepo.Commit, error)
	// Plans returns the plans of reviews that are open, as far as the last look at the refs tells. It makes
	// a request only when somebody else wrote to where reports go.
	Plans(ctx context.Context, merged []string) ([]report.OpenPlan, error)
	// Moved tells whether somebody else has written to where reports go since the last Read or Publish, or has taken them
	// away, as far as the last look at the refs tells.
	Moved() bool
}

// Publisher renders reports and stores those that say something new.
type Publisher struct {
	Target  StatusBranch // nil when nobody wants reports
	Base    report.Input // what is the same in every report
	Tracker *revision.Tracker
	Agents  *Agents // nil when nobody looks at them
	// Mask takes out of a text what the cluster has of secrets; nil for nothing. A daemon sets it.
	Mask func(text string) string
	Log  zerolog.Logger

	attempted func(err error) // when set, told of each attempt to publish and how it ended

	behind atomic.Bool // see Behind

	last    map[string][]byte
	verdict report.Verdict // of the newest report, published or not
	told    report.Verdict // of the newest one that was published
	commit  string
	at      time.Time
	started time.Time
	applied string
	plans   []report.OpenPlan
	foreign report.Commit // the newest one of somebody else that was found among the reports
}

// Verdict returns what the newest report says, also when it could not be published.
func (p *Publisher) Verdict() report.Verdict { return p.verdict }

// Judge returns what a report on how things stand says, without publishing it.
func (p *Publisher) Judge(snapshot engine.Snapshot, problems []string) report.Verdict {
	_, p.verdict = report.Render(p.Input(snapshot, problems))
	return p.verdict
}

// Forget has the next [Publisher.Publish] read the last report again: another process may have
// published since.
func (p *Publisher) Forget() {
	p.last, p.foreign = nil, report.Commit{} // the last report names the newest one
	p.Agents.Forget()
}

// Publish reports how things stand. Unless now is set, a report that would only tell details waits
// until some time has passed since the last one; then the result is how long. That somebody else wrote to
// where reports go is found while one is published, and told in another one that follows at once. A panic is an error:
// the work goes on without a report.
func (p *Publisher) Publish(ctx context.Context, snapshot engine.Snapshot, problems []string, now bool) (wait time.Duration, err error) {
	defer engine.Contain(p.Log, "publish the report", &err, func() {
		wait = 0
		p.tried(err)
	})
	before := p.foreign.Hash
	wait, err = p.publish(ctx, snapshot, problems, now)
	if err == nil && p.foreign.Hash != before {
		return p.publish(ctx, snapshot, problems, true)
	}
	return wait, err
}

func (p *Publisher) publish(ctx context.Context, snapshot engine.Snapshot, problems []string, now bool) (time.Duration, error) {
	if p.Target != nil && p.last == nil {
		files, err := p.Target.Read(ctx)
		if err != nil {
			p.Judge(snapshot, problems)
			p.tried(err)
			return 0, fmt.Errorf("read the last report: %w", err)
		}
		p.last = files
		if p.last == nil {
			p.last = map[string][]byte{}
		}
	}
	input := p.Input(snapshot, problems)
	if input.Applied.Hash != "" && snapshot.Revision != input.Applied.Hash && (snapshot.Revision != "" || !now && len(problems) == 0) {
		// The engine is about to take the newest revision: what it says is still of the last one, or nothing.
		return time.Second, nil
	}
	open := len(snapshot.Refused) == 0 || snapshot.RefusedRevision != snapshot.Revision
	if !now && len(problems) == 0 && p.Tracker.State().InForce.Hash != "" && !snapshot.Admitted && open {
		// Whether the newest revision comes into force is known in a moment; and so it is how the one that stays
		// in force stands, which was left for one that is refused.
		return time.Second, nil
	}
	merged := mergedBy(p.Tracker.State().InForce)
	p.lookAtPlans(ctx, merged)
	input.Plans = p.plans
	files, verdict := report.Render(input)
	p.verdict = verdict
	history := p.history(files)
	for name, content := range p.last {
		if _, written := files[name]; slices.Contains(history, name) && !written || snapshot.Revision == "" && isPage(name) {
			files[name] = content // what was stays, and so does what is said of things that nobody has looked at since
		}
	}
	if p.Target == nil {
		return 0, nil
	}
	commit := input.Applied.Hash + input.Head.Hash
	wait := time.Until(p.at.Add(publishEvery))
	if !now && wait > 0 && verdict == p.told && commit == p.commit {
		return wait, nil
	}
	if same(files, p.last) && !p.Target.Moved() { // else people may read something else
		p.behind.Store(false)
		p.told, p.commit = verdict, commit
		return 0, nil
	}
	message := fmt.Sprintf("%s: %s", verdict, Counts(snapshot))
	if hash := input.Applied.Hash; hash != "" {
		message += "\n\nApplied: " + hash
	}
	foreign, err := p.Target.Publish(ctx, files, message, merged)
	p.tried(err)
	if err != nil {
		return 0, fmt.Errorf("publish the report: %w", err)
	}
	if foreign != nil && foreign.Hash != p.foreign.Hash {
		p.foreign = commitOf(*foreign)
		p.Log.Warn().Str("commit", foreign.Hash).Msg("somebody else wrote to the status branch; that stays, and the report names it")
	}
	p.last, p.told, p.commit, p.at = files, verdict, commit, time.Now()
	p.Log.Info().Str("verdict", string(verdict)).Msg("published a report")
	return 0, nil
}

// Behind tells whether the report that people read is not the newest one, for a reason that may last: then nobody should
// vouch for it. While the repository cannot be reached the report is only late, and so is all else that goes there. It
// may be called at any time.
func (p *Publisher) Behind() bool { return p.behind.Load() }

func (p *Publisher) tried(err error) {
	if gitrepo.KindOf(err) != gitrepo.Unreachable {
		p.behind.Store(err != nil)
	}
	if p.attempted != nil {
		p.attempted(err)
	}
}

// lookAtPlans finds out which plans there are. The report does not wait for them: without an answer it names
// those that were there before.
func (p *Publisher) lookAtPlans(ctx context.Context, merged []string) {
	if p.Target == nil {
		return
	}
	plans, err := p.Target.Plans(ctx, merged)
	if err != nil {
		p.Log.Warn().Err(err).Msg("which plans there are is not known now")
		return
	}
	p.plans = plans
}

// mergedBy returns the commits that one has for sure without a look at its history: itself, and those that it
// follows, among them what a merge has brought.
func mergedBy(c gitrepo.Commit) []string {
	if c.Hash == "" {
		return nil
	}
	return append([]string{c.Hash}, strings.Fields(c.Parents)...)
}

// Input completes the base with what is known now.
func (p *Publisher) Input(snapshot engine.Snapshot, problems []string) report.Input {
	state := p.Tracker.State()
	in := p.Base
	if p.Mask != nil {
		snapshot, problems = Masked(p.Mask, snapshot), maskedAll(p.Mask, problems)
		state.Warnings = maskedDiagnostics(p.Mask, state.Warnings)
		if state.Bad != nil {
			bad := *state.Bad
			bad.Diagnostics = maskedDiagnostics(p.Mask, bad.Diagnostics)
			state.Bad = &bad
		}
	}
	in.Now = time.Now().UTC()
	in.Head, in.Applied, in.Model, in.Snapshot = commitOf(state.Head), commitOf(state.Applied), state.Model, snapshot
	in.Warnings = state.Warnings
	if snapshot.RefusedRevision != "" && snapshot.RefusedRevision == in.Applied.Hash && snapshot.Revision == state.InForce.Hash {
		refused := revision.Findings{Diagnostics: snapshot.Refused}
		in.Bad = &report.Bad{Commit: in.Applied, Diagnostics: snapshot.Refused, Text: refused.Text(false)}
		in.Applied, in.Model, in.Warnings = commitOf(state.InForce), state.InForceModel, nil
	}
	if in.Applied.Hash != p.applied {
		p.applied, p.started = in.Applied.Hash, in.Now
	}
	in.Started = p.started
	if state.Bad != nil {
		in.Bad = &report.Bad{Commit: in.Head, Diagnostics: state.Bad.Diagnostics, Text: state.Bad.Text(false)}
	}
	in.Problems, in.Agents, in.Foreign, in.Plans = problems, p.Agents.Known(), p.foreign, p.plans
	current, earlier := report.HistoryFile(in.Now), ""
	for name := range p.last {
		if isHistory(name) && name < current && name > earlier {
			earlier = name
		}
	}
	in.History, in.Earlier, in.Last = p.last[current], p.last[earlier], p.last[report.FileStatus]
	return in
}

// history names the files of the history that a report has: those of the last one that stay, and its own.
func (p *Publisher) history(files map[string][]byte) []string {
	names := map[string]bool{}
	for _, of := range []map[string][]byte{p.last, files} {
		for name := range of {
			names[name] = isHistory(name)
		}
	}
	maps.DeleteFunc(names, func(_ string, is bool) bool { return !is })
	return report.KeptHistory(slices.Collect(maps.Keys(names)))
}

// isHistory tells whether a file of a report holds what was, as [report.HistoryFile] names it.
func isHistory(name string) bool {
	return path.Dir(name) == path.Dir(report.HistoryFile(time.Time{}))
}

// isPage tells whether a file of a report is about things one by one.
func isPage(name string) bool {
	return name != report.FileReadme && name != report.FileStatus && !isHistory(name)
}

func commitOf(c gitrepo.Commit) report.Commit {
	return report.Commit{Hash: c.Hash, Author: c.Author, Subject: c.Subject, Time: c.When}
}

// same tells whether a report says what the last one did.
func same(files, last map[string][]byte) bool {
	return len(files) > 0 && maps.EqualFunc(files, last, bytes.Equal)
}

// Counts says how many units are in which phase.
func Counts(s engine.Snapshot) string {
	n := map[engine.Phase]int{}
	for i := range s.Units {
		n[s.Units[i].Phase]++
	}
	text := ""
	for _, phase := range slices.Sorted(maps.Keys(n)) {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d %s", n[phase], phase)
	}
	if text == "" {
		return "nothing yet"
	}
	return text
}
