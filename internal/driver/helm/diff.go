package helm

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

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
