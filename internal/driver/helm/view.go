package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// view is all that was seen of a release and all that is wanted of it.
type view struct {
	target    unit.Target
	namespace string
	name      string
	masker    *redact.Masker

	history []stored
	newest  *revision // nil when there is none
	base    int       // the last version that was deployed completely

	want     *wanted       // nil for what is no longer wanted
	deferred string        // what the wish waits for
	unseen   string        // why it is not known what the release would be made of, while one is deployed
	blocked  string        // why the wish can not come true
	after    time.Duration // when that may be over; 0 for not by itself

	theirWork string // what somebody else does with the release right now, "" for nothing

	live      map[unit.ObjectRef]*unstructured.Unstructured
	hooks     hookStatus            // of the newest revision, while it is deployed or deleted
	before    hookStatus            // of the hooks before the next revision
	upcoming  []unit.ObjectRef      // these hooks
	migration string                // what is not cut off for the next revision, "" for nothing
	why       why                   // that one of them waits
	logged    bool                  // what was told has lines of a log
	deleting  bool                  // its deletion has begun
	begun     []unit.ObjectRef      // what hooks have made of it, while it came to no revision and is not wanted
	stuck     map[string]unit.Stuck // what is to go with the release and cannot, and why
	waits     string                // what the deletion of its data waits for
	drift     []drift               // of its objects, while it is deployed
	leftovers []unit.ObjectRef      // objects that are not in it any more
	fields    []unit.Field          // what an upgrade would change
	restart   bool                  // and whether pods are replaced by it
	byNode    bool                  // and whether by us, node by node
	stops     []unit.Stop           // the DaemonSets whose pods the next step would end
	opens     []string              // the slots that it has a DaemonSet for only after that
	rollout   rollout               // of pods that Kubernetes does not replace, while all else is done
	record    progress              // what is on record of steps that failed
	failure   failure               // what comes of them
	again     bool                  // what is wanted is tried once more after a return
	scalers   scalers               // that were asked for
	mislaid   []unit.ObjectRef      // what hooks have made to stay, and somebody deleted
	left      []string              // what programs keep of its objects, and by which one
	unread    *unreadableError      // of the last revision of ours
}

// look gathers a view. It changes nothing.
func (d *Driver) look(ctx context.Context, target unit.Target, history []stored) (*view, error) {
	v := &view{
		target: target, namespace: target.Locator.Namespace, name: target.Locator.Name,
		masker: redact.NewMasker(), history: history, base: base(history),
	}
	spec, _ := target.Spec.(*unit.Release)
	if spec != nil {
		v.namespace, v.name = spec.Namespace, spec.Name
	}
	newest, err := d.newest(ctx, v.namespace, v.name, history)
	if err != nil {
		return nil, err
	}
	v.newest = newest
	d.learnSecrets(v, spec)
	d.findTheirWork(v)
	if spec != nil {
		if err := d.wish(ctx, v, spec); err != nil {
			return nil, v.masked(err)
		}
	}
	err = d.hooksBefore(ctx, v)
	if err == nil {
		err = d.inspect(ctx, v)
	}
	if err == nil {
		err = d.judgeFailure(ctx, v)
	}
	if err == nil {
		err = d.findStops(ctx, v)
	}
	if err != nil {
		return nil, v.masked(err)
	}
	d.remember(target.Address, v.namespace+"/"+v.name, v.refs())
	return v, nil
}

// lookNow gathers a view of one release with its history as it is now.
func (d *Driver) lookNow(ctx context.Context, target unit.Target) (*view, error) {
	namespace, name := idOf(target)
	histories, err := d.list(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	return d.look(ctx, target, histories[namespace+"/"+name])
}

func idOf(target unit.Target) (namespace, name string) {
	locator := target.Locator
	if target.Spec != nil {
		locator = target.Spec.Locator()
	}
	return locator.Namespace, locator.Name
}

// wish finds out what is wanted, and where that is not what was applied what it would change.
func (d *Driver) wish(ctx context.Context, v *view, spec *unit.Release) error {
	ours, err := d.lastOfOurs(ctx, v)
	if err != nil {
		return err
	}
	if ours != nil {
		v.unread = ours.unread
	}
	want, err := d.prepare(ctx, v.target, spec, ours, v.masker)
	var missing *missingSecretError
	var away *chartError
	switch {
	case errors.As(err, &away) && v.newest != nil && v.newest.status == release.StatusDeployed:
		v.unseen = "it is not known whether the release has to change: " + away.Error()
		return nil
	case errors.As(err, &missing):
		v.deferred = missing.Error()
		return nil
	case unit.IsBlocked(err):
		v.blocked, v.after = err.Error(), unit.RetryAfter(err)
		return nil
	case err != nil:
		return err
	}
	v.want = want
	if !v.outdated() {
		d.forget(v.namespace, v.name)
		return nil
	}
	next, err := d.rendering(ctx, v)
	switch {
	case err == nil:
		v.blocked = v.newest.goesBelow(next.objects, spec.KeepsUp)
	case unit.IsBlocked(err):
		v.blocked = err.Error()
	default:
		return err
	}
	return nil
}

// rendering returns what the next revision would consist of.
func (d *Driver) rendering(ctx context.Context, v *view) (rendered, error) {
	return d.render(ctx, v.want, v.nextVersion(), v.base == 0, v.newest.standing())
}

// outdated tells whether the release was not, or not completely, installed from what is wanted.
func (v *view) outdated() bool {
	return v.newest == nil || v.newest.status != release.StatusDeployed || v.newest.foreign() || len(v.changedLabels()) > 0
}

// nextVersion is the number of the next revision.
func (v *view) nextVersion() int {
	if v.newest == nil {
		return 1
	}
	return v.newest.version + 1
}

// wantedSpec is the label that a revision of what is wanted has. Where the chart is not at hand, that may be another
// one than the revision has which was made from it.
func (v *view) wantedSpec() string {
	if v.want != nil {
		return v.want.labels[labelSpec]
	}
	return short(v.target.Spec.Digest())
}

// changedLabels names what differs between what is wanted and what was applied.
func (v *view) changedLabels() []string {
	var changed []string
	for _, l := range []struct{ label, what string }{
		{labelSpec, "the configuration"}, {labelChart, "the chart"}, {labelValues, "a secret value"},
	} {
		if value, ok := v.want.labels[l.label]; ok && v.newest.labels[l.label] != value {
			changed = append(changed, l.what)
		}
	}
	return changed
}

// owned tells whether the release says that it belongs to the unit, or to us where the unit has no
// mark.
func (v *view) owned() bool {
	if v.newest == nil {
		return false
	}
	if v.target.Mark == "" {
		return v.newest.labels[labelRun] != ""
	}
	return v.newest.labels[labelMark] == markOf(v.target)
}

// run names the run of hooks that belongs to the next revision. It stays the same while an
// installation or upgrade is tried again, so that the hooks before it are not run each time.
func (v *view) run() string {
	action := "upgrade"
	if v.base == 0 {
		action = "install"
	}
	return action + "." + hashOf(v.namespace, v.name, fmt.Sprint(v.base),
		v.want.labels[labelSpec], v.want.labels[labelChart], v.want.labels[labelValues])[:32]
}

// preEvent returns the event of the hooks that run before the next revision.
func (v *view) preEvent() release.HookEvent {
	if v.base == 0 {
		return release.HookPreInstall
	}
	return release.HookPreUpgrade
}

// postEvent returns the event of the hooks that run after a run's revision was applied.
func postEvent(run string) release.HookEvent {
	switch {
	case strings.HasPrefix(run, "install."):
		return release.HookPostInstall
	case isReturn(run):
		return release.HookPostRollback
	default:
		return release.HookPostUpgrade
	}
}

// inspect looks at the objects of the release.
func (d *Driver) inspect(ctx context.Context, v *view) error {
	switch {
	case v.newest == nil && v.target.Spec == nil:
		return d.inspectBegun(ctx, v)
	case v.newest == nil:
		return nil
	}
	refs := append(refsOf(v.newest.objects), v.newest.previous...)
	refs = append(refs, v.newest.held()...)
	live, err := d.cluster.Get(ctx, refs...)
	if err != nil {
		return fmt.Errorf("look at the objects of release %s/%s: %w", v.namespace, v.name, err)
	}
	v.live = live
	if v.target.Spec == nil {
		begun, err := d.inspectDeletion(ctx, v)
		if err != nil || begun {
			return err
		}
		d.findStuck(ctx, v)
	}
	if v.newest.status != release.StatusDeployed {
		if v.target.Spec == nil {
			return nil
		}
		return d.findEdits(ctx, v)
	}
	for _, ref := range v.newest.previous {
		if object := live[ref]; object != nil && v.owns(object) && !stays(object) {
			v.leftovers = append(v.leftovers, ref)
		}
	}
	if v.hooks, err = d.hookState(ctx, v.namespace, v.name, v.newest.labels[labelRun], v.newest.after); err != nil {
		return err
	}
	if !v.hooks.former {
		if v.hooks.former, err = d.forsaken(ctx, v); err != nil {
			return err
		}
	}
	if err := d.findMislaid(ctx, v); err != nil {
		return err
	}
	switch {
	case v.target.Spec == nil:
		return nil
	case v.unseen != "" && v.newest.labels[labelSpec] == v.wantedSpec():
		return d.findDrift(ctx, v) // by what the configuration says it is as it should be
	case v.want == nil || v.blocked != "":
		return d.findEdits(ctx, v)
	case v.outdated():
		if err = d.preview(ctx, v); err == nil {
			err = d.findEdits(ctx, v)
		}
		if err == nil && v.restored() {
			err = d.findRollout(ctx, v)
		}
		return err
	default:
		if err = d.findDrift(ctx, v); err == nil {
			err = d.findRollout(ctx, v)
		}
		return err
	}
}

// removable are the leftovers that nobody deletes yet.
func (v *view) removable() []unit.ObjectRef {
	var refs []unit.ObjectRef
	for _, ref := range v.leftovers {
		if v.live[ref].GetDeletionTimestamp() == nil {
			refs = append(refs, ref)
		}
	}
	return refs
}

// owns tells whether an object says that it belongs to the release.
func (v *view) owns(object *unstructured.Unstructured) bool {
	annotations := object.GetAnnotations()
	return annotations[annotationReleaseName] == v.name && annotations[annotationReleaseNamespace] == v.namespace
}

// preview compares what the next revision would consist of with what is there.
func (d *Driver) preview(ctx context.Context, v *view) error {
	next, err := d.rendering(ctx, v)
	if err != nil {
		return err
	}
	before := map[unit.ObjectRef]*unstructured.Unstructured{}
	for _, object := range v.newest.objects {
		before[refOf(object)] = object
	}
	live, err := d.cluster.Get(ctx, refsOf(next.objects)...)
	if err != nil {
		return fmt.Errorf("look at the objects of release %s/%s: %w", v.namespace, v.name, err)
	}
	for _, object := range next.objects {
		ref := refOf(object)
		if changesPods(before[ref], object) {
			v.restart = v.restart || rolls(object)
			v.byNode = v.byNode || v.want.spec.OnDelete && object.GetKind() == kindDaemonSet && !rolls(object)
		}
		was := before[ref]
		delete(before, ref)
		if live[ref] == nil {
			v.fields = append(v.fields, unit.Field{Path: ref.String(), After: "created"})
			continue
		}
		if was != nil {
			for _, field := range d.cluster.TakenAway(was, object, live[ref]) {
				v.fields = append(v.fields, v.field(ref, field))
			}
		}
		if object, err = d.controlled(ctx, v, object, live[ref]); err != nil {
			return err
		}
		for _, field := range d.cluster.Compare(object, live[ref]) {
			v.fields = append(v.fields, v.field(ref, field))
		}
	}
	for ref, object := range before {
		if !stays(object) {
			v.fields = append(v.fields, unit.Field{Path: ref.String(), Before: "deleted"})
		}
	}
	slices.SortFunc(v.fields, func(a, b unit.Field) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// refs returns every object whose changes concern the release.
func (v *view) refs() []unit.ObjectRef {
	refs := append([]unit.ObjectRef{progressRef(v.namespace, v.name)}, v.upcoming...)
	refs = append(append(refs, v.labelledRefs()...), v.begun...)
	if v.newest == nil {
		return refs
	}
	refs = append(refs, refsOf(v.newest.objects)...)
	refs = append(refs, v.newest.previous...)
	refs = append(refs, v.newest.held()...)
	if v.cleaning() {
		refs = append(refs, v.cleanerRefs()...)
	}
	for _, h := range v.newest.hooks {
		refs = append(refs, unit.ObjectRef{APIVersion: apiVersionOf(h), Kind: h.Kind, Namespace: v.namespace, Name: h.Name})
	}
	return refs
}

func apiVersionOf(h *release.Hook) string {
	for line := range strings.Lines(h.Manifest) {
		if version, ok := strings.CutPrefix(line, "apiVersion:"); ok {
			return strings.Trim(version, " \"'\r\n")
		}
	}
	return ""
}
