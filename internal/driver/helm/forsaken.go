package helm

import (
	"context"
	"fmt"
	"slices"
)

// forsaken tells, of a release without hooks after its revision, whether what is on record is a run that came to no revision
// and is not wanted any more: what failed of it and which of its hooks were done must count no more when it comes again. Where there are
// such hooks, their record tells; see [Driver.hookState].
func (d *Driver) forsaken(ctx context.Context, v *view) (bool, error) {
	if len(v.newest.after) > 0 || v.want == nil || v.blocked != "" || v.outdated() || !v.owned() {
		return false, nil
	}
	ref := progressRef(v.namespace, v.name)
	live, err := d.cluster.Get(ctx, ref)
	if err != nil {
		return false, fmt.Errorf("look at the progress: %w", err)
	}
	r := recorded(live[ref])
	made := func(of stored) bool { return of.labels[labelRun] == r.Run }
	if r.Run == "" || made(v.newest.stored) || slices.ContainsFunc(v.history, made) {
		return false, nil
	}
	return r.Failures > 0 || len(r.Hooks) > 0 || len(r.Finished) > 0, nil
}

// forsake records that.
func (d *Driver) forsake(ctx context.Context, v *view) error {
	run := v.newest.labels[labelRun]
	stored, err := d.cluster.Confirm(ctx, progressRef(v.namespace, v.name))
	if err != nil {
		return fmt.Errorf("read the progress: %w", err)
	}
	if was := recorded(stored); was.Run == run {
		return nil // a watch was behind
	}
	p := readProgress(stored, run)
	p.Undone++
	return d.writeProgress(ctx, v.namespace, v.name, p)
}
