package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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

// diff says what Apply would do, and what can be put back beside that.
func (v *view) diff() unit.Diff {
	diff := v.due()
	diff.Mends = v.driftDiff(v.mendable()).Fields
	return diff
}

// due says what is to be done.
func (v *view) due() unit.Diff {
	switch {
	case !v.settled():
		return v.next()
	case len(v.drift) == 0 && v.rollout.left > 0:
		return v.rollout.diff()
	case len(v.drift) == 0:
		return unit.Diff{Action: unit.ActionNone}
	default:
		return v.driftDiff(v.drift)
	}
}

// settled tells whether there is nothing to be done but to put things back.
func (v *view) settled() bool {
	if v.unseen != "" || v.blocked != "" || v.deferred != "" || v.outdated() || !v.owned() || v.failure.due() {
		return false
	}
	return (v.hooks.done || !v.hooks.due) && !v.hooks.former && len(v.removable()) == 0 // what goes already must not hide drift
}

// next says what brings the release to what is wanted.
func (v *view) next() unit.Diff {
	switch {
	case v.unseen != "":
		return unit.Diff{Action: unit.ActionUnknown, Reason: v.masker.Text(v.unseen).String()}
	case v.blocked != "":
		return unit.Diff{Action: unit.ActionBlocked, Reason: v.masker.Text(v.blocked).String()}
	case v.newest == nil && v.deferred != "":
		return unit.Diff{Action: unit.ActionCreate, Reason: v.deferred}
	case v.newest == nil:
		return v.afterHooks(unit.Diff{Action: unit.ActionCreate, Reason: "there is no such release"})
	case v.deferred != "":
		return unit.Diff{Action: unit.ActionDeferred, Reason: v.deferred}
	case v.theirWork != "":
		return unit.Diff{Action: unit.ActionUpdate, Waits: true, Reason: v.theirWork}
	case v.failure.back != nil:
		return v.backDiff()
	case v.restored() && v.rollout.left > 0:
		diff := v.rollout.diff()
		diff.Reason = v.masker.Text(v.newest.description + "; " + diff.Reason).String()
		return diff
	case v.failure.stays != "":
		return unit.Diff{Action: unit.ActionBlocked, Reason: v.masker.Text(v.failure.stays).String()}
	case v.outdated() && !v.returned():
		return v.afterHooks(v.upgradeDiff())
	case !v.owned():
		return unit.Diff{Action: unit.ActionAdopt, Reason: "a release of this name is there, and it is not marked as ours"}
	case !v.hooks.done && v.hooks.failed:
		return unit.Diff{Action: unit.ActionUpdate, Continues: true, Reason: v.masker.Text(fmt.Sprintf("hook %s failed and is run again: %s", v.hooks.hook, v.hooks.message)).String()}
	case !v.hooks.done && v.hooks.due:
		return unit.Diff{Action: unit.ActionUpdate, Continues: true, Reason: fmt.Sprintf("hook %s is to be run or finished", v.hooks.hook)}
	case v.hooks.former:
		return unit.Diff{Action: unit.ActionUpdate, Continues: true, Reason: "it is to be recorded that what was begun is not wanted any more"}
	case v.failure.proves && len(v.removable()) == 0:
		return unit.Diff{Action: unit.ActionUpdate, Continues: true, Reason: "it is to be recorded that the upgrade has succeeded"}
	case v.returned() && !v.hooks.done:
		return unit.Diff{Action: unit.ActionUpdate, Continues: true, Waits: true, Reason: fmt.Sprintf("hook %s: %s", v.hooks.hook, v.hooks.message)}
	default:
		return unit.Diff{Action: unit.ActionUpdate, Reason: "objects are left that do not belong to the release any more"}
	}
}

// afterHooks says of a new revision how far the hooks before it are.
func (v *view) afterHooks(diff unit.Diff) unit.Diff {
	diff.Continues, diff.Waits = v.before.begun && !v.before.done, v.before.waits()
	switch {
	case v.migration != "":
		diff.Waits = true
		diff.Reason += "; " + v.migration
	case diff.Waits:
		diff.Reason += "; " + cmp.Or(v.why.sentence(), fmt.Sprintf("hook %s: %s", v.before.hook, v.before.message))
	case v.before.failed:
		diff.Reason += fmt.Sprintf("; hook %s failed and is run again: %s", v.before.hook, v.before.message)
	}
	diff.Reason = v.masker.Text(diff.Reason).String()
	return diff
}

func (v *view) upgradeDiff() unit.Diff {
	diff := unit.Diff{Action: unit.ActionUpdate, Fields: v.fields}
	if v.newest.status != release.StatusDeployed {
		diff.Reason = fmt.Sprintf("revision %d is %s", v.newest.version, v.newest.status)
		return diff
	}
	diff.Reason = strings.Join(v.changedLabels(), " and ") + " changed"
	if v.newest.labels[labelSpec] == "" {
		diff.Reason = "the release was not installed by us"
	}
	if v.newest.foreign() {
		diff.Reason = fmt.Sprintf("somebody else has made revision %d, as helm upgrade and helm rollback do", v.newest.version)
	}
	switch {
	case v.byNode:
		diff.Action, diff.Cost = unit.ActionRestart, costOfRollout
	case v.restart:
		diff.Action, diff.Cost = unit.ActionRestart, "pods are restarted one by one"
	}
	return diff
}

func (v *view) driftDiff(found []drift) unit.Diff {
	diff := unit.Diff{Action: unit.ActionUpdate, Reason: "drift"}
	for _, one := range found {
		ref := refOf(one.desired)
		if one.missing {
			diff.Fields = append(diff.Fields, unit.Field{Path: ref.String(), Before: "deleted", After: "created"})
		}
		if one.again != "" {
			diff.Fields = append(diff.Fields, unit.Field{Path: ref.String(), Before: "done", After: "run again, as " + one.again + " is missing"})
		}
		for _, field := range one.fields {
			diff.Fields = append(diff.Fields, v.field(ref, field))
			if strings.HasPrefix(field.Path, "spec.template.") && rolls(one.desired) {
				diff.Action, diff.Cost = unit.ActionRestart, "pods are restarted one by one"
			}
		}
	}
	return diff
}

// rolls tells whether a change of an object's pod template replaces its pods.
func rolls(object *unstructured.Unstructured) bool {
	if !slices.Contains([]string{"Deployment", kindStatefulSet, kindDaemonSet}, object.GetKind()) {
		return false
	}
	strategy, _, _ := unstructured.NestedString(object.Object, "spec", "updateStrategy", "type")
	return strategy != onDelete
}

// changesPods tells whether one version of an object makes other pods than the one before.
func changesPods(before, after *unstructured.Unstructured) bool {
	if before == nil {
		return false
	}
	old, _, _ := unstructured.NestedFieldNoCopy(before.Object, "spec", "template")
	wish, _, _ := unstructured.NestedFieldNoCopy(after.Object, "spec", "template")
	return !reflect.DeepEqual(old, wish)
}
