package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// maxFailures is how many steps of one upgrade may fail before it is given up. With the pauses in between
	// that takes a quarter of an hour at least.
	maxFailures = 6
	// longPause is after how long what was given up is tried once more, a fifth more or less: what it failed of may have
	// passed by itself.
	longPause = time.Hour
	// maxReturns is the same for going back. Each try makes a revision, and Helm keeps only so many.
	maxReturns = 3
	// lateFor is for how long after its patience with pods a release may still go back for them. What is not
	// ready after that may have been ready in between, while nobody looked.
	lateFor = 24 * time.Hour
)

// attempts is what is on record of the steps of a run that failed, and of where it may go back to.
type attempts struct {
	Failures int       `json:"failures,omitempty"`
	Cause    string    `json:"cause,omitempty"`  // of the last one
	Last     time.Time `json:"last,omitzero"`    // when that was, by the clock of the cluster
	Asked    string    `json:"asked,omitempty"`  // the request that it was last tried anew for
	Why      string    `json:"why,omitempty"`    // a release goes back
	Retry    string    `json:"retry,omitempty"`  // what the configuration said to have it tried again
	Good     int       `json:"good,omitempty"`   // the revision to go back to, 0 for none
	NoGood   string    `json:"noGood,omitempty"` // why there is none
	Ended    time.Time `json:"ended,omitzero"`   // when the last hooks were done
	Proven   bool      `json:"proven,omitempty"` // all was ready once
}

// fail counts a failure. One that comes after a request is the first since.
func (a *attempts) fail(cause string, at time.Time, asked string) {
	a.Failures++
	a.Cause, a.Last, a.Asked = cause, at.UTC().Truncate(time.Second), cmp.Or(asked, a.Asked)
}

// spent tells whether nothing of the run is tried again for now.
func (a *attempts) spent(run string) bool {
	switch {
	case isReturn(run):
		return a.Failures >= maxReturns
	case strings.HasPrefix(run, "upgrade."):
		return a.Failures >= maxFailures
	default: // an installation is tried for as long as it takes
		return false
	}
}

// again has what failed tried again after a pause. After the last try of a run there is none: what becomes of it, such as
// that the release goes back, waits for nothing.
func (p *progress) again(attempt int, err error) error {
	if p.spent(p.Run) {
		return err
	}
	return &unit.RetryError{After: pause(attempt), Err: err}
}

// failure is what comes of steps that failed.
type failure struct {
	stays  string   // why what is wanted is not tried any more
	back   *goingTo // what to go back to
	late   string   // why the release counts as failed, though it may become ready yet
	proves bool     // it is to be recorded that all is ready
}

// due tells whether there is something to do about it, or nothing can be.
func (f failure) due() bool { return f.stays != "" || f.back != nil || f.proves }

// judgeFailure finds out what comes of steps that failed.
func (d *Driver) judgeFailure(ctx context.Context, v *view) error {
	if v.newest == nil || v.want == nil || v.blocked != "" || v.theirWork != "" || v.newest.status == release.StatusUninstalling || v.base == 0 {
		return nil
	}
	ref := progressRef(v.namespace, v.name)
	live, err := d.cluster.Get(ctx, ref)
	if err != nil {
		return fmt.Errorf("look at the progress: %w", err)
	}
	v.record = recorded(live[ref])
	switch {
	case v.returned() && v.record.Run == v.run(): // somebody asked since
		v.again = true
		return d.judgeUpgrade(ctx, v)
	case v.returned():
		v.failure.stays = v.afterReturn()
		if v.failure.stays != "" && v.asked() {
			v.failure.stays, v.again = "", true
		}
		return nil
	case v.record.Run == v.returnRun(), v.record.Run == v.formerReturnRun():
		return d.judgeReturn(ctx, v)
	default:
		return d.judgeUpgrade(ctx, v)
	}
}

// upgradeRun names the run of the upgrade that goes on or is next, "" when there is none.
func (v *view) upgradeRun() string {
	run := v.newest.labels[labelRun]
	if v.outdated() {
		run = v.run()
	}
	if !strings.HasPrefix(run, "upgrade.") {
		return ""
	}
	return run
}

// asked tells whether somebody has asked for another try, and none has begun since.
func (v *view) asked() bool { return v.target.Asked != "" && v.target.Asked != v.record.Asked }

// anew tells whether failures count anew: the configuration says so, or somebody asks for it.
func (v *view) anew() bool { return v.record.Retry != v.want.spec.Retry || v.asked() }

// nextTry returns when an upgrade that was given up is tried once more. It goes by what is on record, so that it is the
// same for every process. Older programs recorded no time: then it counts from the newest revision, lest all that they gave
// up is tried at once.
func (v *view) nextTry() time.Time {
	h := fnv.New64a()
	fmt.Fprint(h, v.record.Run, v.record.Failures)
	spread := time.Duration(h.Sum64() % uint64(2*longPause/5))
	last := v.record.Last
	if last.IsZero() {
		last = v.newest.deployed.UTC()
	}
	return last.Add(longPause - longPause/5 + spread).Truncate(time.Second)
}

// judgeUpgrade tells whether an upgrade is given up, and then whether the release goes back.
func (d *Driver) judgeUpgrade(ctx context.Context, v *view) error {
	r, run := &v.record, v.upgradeRun()
	if run == "" || r.Run != run {
		return nil
	}
	if r.Failures > 0 && v.anew() && (v.outdated() || !v.hooks.done) { // else nothing is left that could be tried
		return nil
	}
	wishes := v.want.spec.RollBack
	if v.outdated() || !v.hooks.done {
		if r.Failures < maxFailures {
			return nil
		}
		back, why, err := (*goingTo)(nil), "", error(nil)
		if wishes {
			back, why, err = d.wayBack(ctx, v, run)
		}
		if v.failure.back = back; back == nil && err == nil {
			d.giveUp(v, why)
		}
		return err
	}
	if !wishes || r.Good == 0 || r.Proven {
		return nil
	}
	unready := v.rest(d.unready(v)) // what goes from node to node takes its time, and stops by itself
	if len(unready) == 0 {
		v.failure.proves = true
		return nil
	}
	since := r.Ended
	if v.newest.deployed.After(since) {
		since = v.newest.deployed
	}
	patience := d.options.ReadyTimeout
	if waited := time.Since(since); waited < patience || waited > patience+lateFor {
		return nil
	}
	cause := fmt.Sprintf("not all is ready %s after the upgrade", patience)
	back, why, err := d.wayBack(ctx, v, run)
	if v.failure.back = back; back != nil {
		back.cause = fmt.Sprintf("%s: %s: %s", cause, unready[0].ref, unready[0].message)
	} else if err == nil {
		v.failure.late = cause + " (it is not rolled back, as " + why + ")"
	}
	return err
}

// giveUp leaves an upgrade alone until it is tried once more. why is what keeps it from being rolled back, "" where that is
// not wanted.
func (d *Driver) giveUp(v *view, why string) {
	r, at := &v.record, v.nextTry()
	wait := at.Sub(d.cluster.Now())
	if wait <= 0 {
		return
	}
	v.after = wait
	v.failure.stays = fmt.Sprintf("the upgrade failed %d times, and is tried again at %s, or once the configuration changes or somebody asks: %s",
		r.Failures, at.Format(time.RFC3339), r.Cause)
	if why != "" {
		v.failure.stays += "; it is not rolled back, as " + why
	}
}

// begin records what an upgrade may go back to before anything of it is done, and that failures count anew.
func (d *Driver) begin(ctx context.Context, v *view) error {
	if v.newest == nil || v.want == nil || v.base == 0 || v.failure.back != nil || v.failure.stays != "" {
		return nil
	}
	run, spec := v.upgradeRun(), v.want.spec
	next := v.record
	switch {
	case run == "":
		return nil
	case next.Run == run && next.Failures > 0 && v.anew():
		next.Failures = 0
	case next.Run != run && v.outdated() && !v.returned() && (spec.RollBack || v.again):
		next = progress{Run: run, Done: v.record.done(), Undone: v.record.Undone}
		next.Good, next.NoGood = v.lastGood()
	default:
		return nil
	}
	next.Retry, next.Asked = spec.Retry, cmp.Or(v.target.Asked, v.record.Asked)
	v.record = next
	return d.writeProgress(ctx, v.namespace, v.name, &next)
}

// lastGood returns the revision that an upgrade which is about to begin may go back to, or why there is none. One of somebody
// else's would be ours once gone back to, and what was typed for generated values would be kept. What its hooks have made of
// databases is not on record, so that nothing before it is gone back to either.
func (v *view) lastGood() (version int, why string) {
	n, r := v.newest, &v.record
	known := r.Run == n.labels[labelRun] && r.Good != 0 && !isReturn(r.Run)
	switch {
	case n.foreign():
		return 0, fmt.Sprintf("somebody else has made revision %d", n.version)
	case n.status == release.StatusDeployed && v.hooks.done && (!known || r.Proven):
		return n.version, ""
	case !known:
		return 0, fmt.Sprintf("revision %d was not complete when the upgrade began", n.version)
	}
	if ran := migration(n, r, nil); ran != "" {
		return 0, fmt.Sprintf("revision %d was not complete when the upgrade began, and %s", n.version, ran)
	}
	return r.Good, ""
}

// failed counts a failure of Helm's, and has it tried again after a pause.
func (d *Driver) failed(ctx context.Context, v *view, run string, err error) error {
	if err == nil || unit.IsBlocked(err) || errors.Is(err, unit.ErrNotWriter) || ctx.Err() != nil || strings.HasPrefix(run, "install.") {
		return err
	}
	stored, failed := d.cluster.Confirm(ctx, progressRef(v.namespace, v.name))
	if failed != nil {
		return errors.Join(err, failed)
	}
	p := readProgress(stored, run)
	p.fail(v.masker.Text(err.Error()).String(), d.cluster.Now(), v.target.Asked)
	if failed := d.writeProgress(ctx, v.namespace, v.name, p); failed != nil {
		return errors.Join(err, failed)
	}
	return p.again(p.Failures, err)
}

// migrations are parts of the names of Jobs that change the schema of a database: those of OpenStack-Helm's charts, and
// what others call theirs.
func migrations() []string {
	return []string{"db-sync", "db-session-sync", "manage-db", "run-migrator", "migrat", "schema"}
}

func migrates(name string) bool {
	return slices.ContainsFunc(migrations(), func(part string) bool { return strings.Contains(name, part) })
}

// migration says what of a revision may have changed the schema of a database, "" for nothing. Of
// OpenStack-Helm's charts it is known which Jobs do, and that they change nothing where their images are those of
// the revision before, which may be nil. Of others every hook that has come to its end may, and one by the name of a
// migration as soon as it was begun.
func migration(of *revision, p *progress, before *revision) string {
	same := of.sameImages(before)
	for _, h := range of.hooks {
		if h.Kind != kindJob && h.Kind != kindPod || of.toolkit && same(h.Name) {
			continue
		}
		for key, record := range p.Hooks {
			_, ref, _ := strings.Cut(key, " ")
			begun := strings.HasSuffix(ref, "/"+h.Name) || strings.HasSuffix(ref, " "+h.Name)
			if begun && (migrates(h.Name) || !of.toolkit && record.Stage == hookDone) {
				return fmt.Sprintf("hook %s has run", h.Name)
			}
		}
	}
	for _, object := range of.objects {
		if object.GetKind() == kindJob && migrates(object.GetName()) && (!of.toolkit || !same(object.GetName())) {
			return fmt.Sprintf("%s is part of it", refOf(object))
		}
	}
	return migratesAtStart(of, before)
}

// sameImages returns what tells of the Jobs of a revision, hooks or not, whether another one had them with the same
// images.
func (r *revision) sameImages(other *revision) func(name string) bool {
	images := func(of *revision) map[string]string {
		found := map[string]string{}
		if of == nil {
			return found
		}
		for _, h := range of.hooks {
			object := map[string]any{}
			if h.Kind == kindJob && yaml.Unmarshal([]byte(h.Manifest), &object) == nil {
				found[h.Name] = imagesOf(&unstructured.Unstructured{Object: object})
			}
		}
		for _, object := range of.objects {
			if object.GetKind() == kindJob {
				found[object.GetName()] = imagesOf(object)
			}
		}
		return found
	}
	ours, theirs := images(r), images(other)
	return func(name string) bool { return ours[name] != "" && ours[name] == theirs[name] }
}

// migratesAtStart says which pods have an init container called a migration and are others than in the revision before, "" for
// none. Of OpenStack-Helm's charts only another image counts, as for their Jobs.
func migratesAtStart(of, before *revision) string {
	was := map[unit.ObjectRef]*unstructured.Unstructured{}
	if before != nil {
		was = byRef(before.objects)
	}
	for _, object := range of.objects {
		ref := refOf(object)
		inits, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "initContainers")
		for _, item := range inits {
			container, _ := item.(map[string]any)
			name, _ := container["name"].(string)
			if !migrates(name) || object.GetKind() == kindJob {
				continue
			}
			if was[ref] == nil || changesPods(was[ref], object) && (!of.toolkit || imageOf(was[ref], name) != container["image"]) {
				return fmt.Sprintf("init container %s of %s is part of it", name, ref)
			}
		}
	}
	return ""
}

// imageOf returns the image of an init container, nil where there is none of that name.
func imageOf(object *unstructured.Unstructured, name string) any {
	inits, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "initContainers")
	for _, item := range inits {
		if container, _ := item.(map[string]any); container["name"] == name {
			return container["image"]
		}
	}
	return nil
}

func byRef(objects []*unstructured.Unstructured) map[unit.ObjectRef]*unstructured.Unstructured {
	found := map[unit.ObjectRef]*unstructured.Unstructured{}
	for _, object := range objects {
		found[refOf(object)] = object
	}
	return found
}

// hasClaim tells whether pods of an object have a claim to a volume.
func hasClaim(object *unstructured.Unstructured) bool {
	volumes, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "volumes")
	return slices.ContainsFunc(volumes, func(item any) bool {
		volume, _ := item.(map[string]any)
		return volume["persistentVolumeClaim"] != nil
	})
}

// takenOver names a StatefulSet, or something else that has a claim to a volume, whose processes have other images in one
// revision than in another: their data may have the newer form already. "" for none.
func takenOver(before, after *revision) string {
	was := byRef(before.objects)
	for _, object := range after.objects {
		ref := refOf(object)
		if was[ref] == nil || object.GetKind() == kindJob || object.GetKind() != kindStatefulSet && !hasClaim(object) {
			continue
		}
		if imagesOf(was[ref]) != imagesOf(object) {
			return ref.String()
		}
	}
	return ""
}

func imagesOf(object *unstructured.Unstructured) string {
	containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
	var images []string
	for _, c := range containers {
		container, _ := c.(map[string]any)
		images = append(images, fmt.Sprint(container["name"], "=", container["image"]))
	}
	slices.Sort(images)
	return strings.Join(images, " ")
}
