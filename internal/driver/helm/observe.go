package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/cause"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// maxExplained is how many objects that are not ready are explained in a report.
	maxExplained = 3
	// maxDetails bounds the lines of a report.
	maxDetails = 20
)

// observed is what a state carries from Observe to Compare: a diff that was worked out where errors
// could be returned.
type observed struct {
	digest string // of the specification that it was worked out for
	diff   unit.Diff
}

// Observe looks at releases. It asks for the metadata of all their Secrets at once, reads what
// changed of them, and takes their objects from watches. Only releases that are not as wanted are
// rendered.
func (d *Driver) Observe(ctx context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	states := map[addr.Object]unit.State{}
	if len(targets) == 0 {
		return states, nil
	}
	within, name := idOf(targets[0])
	for _, target := range targets[1:] {
		namespace, _ := idOf(target)
		name = ""
		if namespace != within {
			within = ""
			break
		}
	}
	d.records.Begin(ctx, within) // first: what changes after the list is told
	histories, err := d.list(ctx, within, name)
	if err != nil {
		return nil, err
	}
	d.prefetch(ctx, within, histories)
	for _, target := range targets { // all at once: each is waited for from its beginning on
		if spec, ok := target.Spec.(*unit.Release); ok && spec.Chart.Tree == nil && spec.Chart.Digest != "" {
			d.charts.begin(spec.Chart)
		}
	}
	var failures []error
	var views []*view
	for _, target := range targets {
		namespace, name := idOf(target)
		v, err := d.look(ctx, target, histories[namespace+"/"+name])
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", target.Address, err))
			continue
		}
		views = append(views, v)
	}
	for i, state := range d.states(ctx, views) {
		target := views[i].target
		if state.Data, err = d.taken(ctx, target); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", target.Address, err))
			continue
		}
		states[target.Address] = state
	}
	return states, errors.Join(failures...)
}

// Compare tells what Apply would do; all of it was found out when the state was made.
func (d *Driver) Compare(target unit.Target, _ cty.Value, state unit.State) unit.Diff {
	if target.Spec == nil {
		return unit.Diff{Action: unit.ActionNone}
	}
	seen, ok := state.Observed.(observed)
	switch {
	case state.Existence == unit.Unknown || !ok:
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the release was not looked at"}
	case seen.digest == target.Spec.Digest():
		return seen.diff
	case state.Existence == unit.Absent:
		return unit.Diff{Action: unit.ActionCreate, Reason: "there is no such release"}
	default:
		return unit.Diff{Action: unit.ActionUpdate, Reason: "the configuration changed"}
	}
}

// state sums a view up.
func (d *Driver) state(ctx context.Context, v *view) unit.State {
	state := unit.State{Existence: unit.Present, Outputs: cty.NilVal}
	if v.target.Spec != nil {
		diff := v.diff()
		if diff.Action == unit.ActionUpdate || diff.Action == unit.ActionRestart {
			diff.Stops, state.Opens = v.stops, v.opens
		}
		state.Observed = observed{digest: v.target.Spec.Digest(), diff: diff}
	}
	state.After, state.Release = v.after, v.standing()
	if v.unseen != "" {
		state.Unseen, state.Message = []string{"the chart"}, v.unseen
	}
	if v.newest == nil {
		state.Existence = unit.Absent
		state.Details = v.why.lines()
		v.judgeBegun(&state)
		return state
	}
	state.Owned = v.owned()
	state.Applied = v.newest.labels[labelSpec]
	if v.target.Spec != nil && state.Applied == v.wantedSpec() {
		state.Applied = v.target.Spec.Digest() // a label is too short for all of it
	}
	if v.target.Spec == nil {
		state.CleanedUp, state.TooLate, state.Stuck = v.cleanedUp(), v.late(), v.stuck
	}
	switch {
	case v.deleting:
		d.judgeDeletion(ctx, v, &state)
	case v.newest.status == release.StatusDeployed:
		state.Installed = true
		d.judge(ctx, v, &state)
		if v.failure.late != "" {
			state.Health, state.Message = unit.HealthFailed, v.failure.late+": "+state.Message
		}
	case v.newest.status == release.StatusFailed:
		state.Health = unit.HealthFailed
		state.Message = fmt.Sprintf("revision %d failed: %s", v.newest.version, v.newest.description)
	default:
		state.Health = unit.HealthProgressing
		state.Message = cmp.Or(v.theirWork, fmt.Sprintf("revision %d is %s", v.newest.version, v.newest.status))
	}
	state.Details = append(state.Details, v.why.lines()...)
	notes := d.idleRules(v)
	if text := v.want.keeps(); text != "" {
		notes = slices.Insert(notes, 0, text)
	}
	if text := v.unreadNote(); text != "" {
		notes = append(notes, text)
	}
	state.Details = append(append(state.Details, notes...), v.left...)
	state.Message = cmp.Or(state.Message, strings.Join(notes, "; "))
	state.Message = v.masker.Text(state.Message).String()
	for i, line := range state.Details {
		state.Details[i] = v.masker.Text(line).String()
	}
	return state
}

// ailing is an object that is not ready.
type ailing struct {
	ref     unit.ObjectRef
	health  unit.Health
	message string
}

// judge fills in how a deployed release fares: its hooks first, then its objects.
func (d *Driver) judge(ctx context.Context, v *view, state *unit.State) {
	state.Health = unit.HealthReady
	d.judgeHooks(ctx, v, state)
	v.judgeMislaid(state)
	found := d.unready(v)
	slices.SortStableFunc(found, func(a, b ailing) int {
		return cmp.Or(cmp.Compare(severity(b.health), severity(a.health)), a.ref.Compare(b.ref))
	})
	for i, one := range found {
		if severity(one.health) > severity(state.Health) {
			state.Health = one.health
		}
		if i < maxExplained {
			d.tell(ctx, v, state, one)
		}
	}
	if more := len(found) - maxExplained; more > 0 {
		state.Details = append(state.Details, fmt.Sprintf("%d more objects are not ready", more))
	}
	if len(v.leftovers) > 0 && state.Health == unit.HealthReady {
		state.Health = unit.HealthProgressing
		state.Message = v.leftovers[0].String() + " is not part of the release any more and still there"
	}
}

// unready returns the objects of the newest revision that are not ready.
func (d *Driver) unready(v *view) []ailing {
	var found []ailing
	for _, desired := range v.newest.objects {
		ref := refOf(desired)
		live := v.live[ref]
		if live == nil {
			if desired.GetKind() != kindJob {
				found = append(found, ailing{ref, unit.HealthProgressing, "it is not there"})
			}
			continue
		}
		if v.rollout.left > 0 && onlyOld(live) {
			continue // it works as it is
		}
		if health, message := d.cluster.Health(live); health != unit.HealthReady {
			found = append(found, ailing{ref, health, message})
		}
	}
	return found
}

// judgeHooks reports the hook that is not done.
func (d *Driver) judgeHooks(ctx context.Context, v *view, state *unit.State) {
	if v.hooks.done {
		return
	}
	state.Health = unit.HealthProgressing
	if v.hooks.failed {
		state.Health = unit.HealthFailed
	}
	d.tell(ctx, v, state, ailing{v.hooks.hook, state.Health, "hook: " + v.hooks.message})
}

// judgeDeletion fills in how far the deletion of a release is: its hooks, or the objects that are
// still there.
func (d *Driver) judgeDeletion(ctx context.Context, v *view, state *unit.State) {
	state.Health = unit.HealthProgressing
	state.Installed = v.newest.status == release.StatusDeployed
	var left []unit.ObjectRef
	for _, ref := range deletable(v.newest.objects) {
		if live := v.live[ref]; live != nil && v.owns(live) && !stays(live) {
			left = append(left, ref)
		}
	}
	switch {
	case v.cleaning():
		d.judgeHooks(ctx, v, state)
		state.Message = cmp.Or(state.Message, "what it has in other services is taken away")
		state.Details = append(state.Details, v.hooks.told...)
	case !state.Installed && len(left) > 0:
		ref, message := v.going(left)
		d.tell(ctx, v, state, ailing{ref, state.Health, message})
	case !v.hooks.done:
		d.judgeHooks(ctx, v, state)
	case v.newest.status == release.StatusUninstalled && v.target.Data != nil && len(v.target.Data.Claims) > 0:
		state.Message = takingData
	default:
		state.Message = fmt.Sprintf("revision %d is being uninstalled", v.newest.version)
	}
}

// tell reports an object that is not ready, with the causes that the cluster knows.
func (d *Driver) tell(ctx context.Context, v *view, state *unit.State, one ailing) {
	found := why{line: one.ref.String() + ": " + one.message, Explanation: d.cluster.Explain(ctx, one.ref, v.hide)}
	if state.Message == "" {
		state.Message = found.sentence()
	}
	for _, text := range append([]string{found.line}, found.Causes...) {
		if len(state.Details) < maxDetails {
			state.Details = append(state.Details, text)
		}
	}
	if !v.logged { // one log is enough, the one that comes first tells most
		state.Details, v.logged = append(state.Details, found.Log...), len(found.Log) > 0
	}
}

// why says why something is not ready.
type why struct {
	line string // what it is about, "" for nothing
	cause.Explanation
}

// sentence returns the most telling part.
func (w why) sentence() string {
	if len(w.Causes) == 0 {
		return w.line
	}
	return w.line + "; " + w.Causes[0]
}

// lines returns all of it.
func (w why) lines() []string {
	if w.line == "" {
		return nil
	}
	return slices.Concat([]string{w.line}, w.Causes, w.Log)
}

func severity(health unit.Health) int {
	return slices.Index([]unit.Health{unit.HealthReady, unit.HealthUnknown, unit.HealthProgressing, unit.HealthFailed}, health)
}
