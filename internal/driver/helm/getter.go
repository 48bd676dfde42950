package helm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/kube"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxHistory is how many revisions of a release are kept. Each holds its secrets.
const maxHistory = 5

// maxUnfinished is how many revisions of a release are read, back to the last one that was deployed: twice what Helm
// keeps for who uses it by hand. Whoever can write Secrets there could make any number.
const maxUnfinished = 20

// lastWords is how long a call goes on that is not wanted any more: time for what is under way, and less than a
// process has before it is killed.
const lastWords = 15 * time.Second

// errStopped is what its requests fail with then.
var errStopped = fmt.Errorf("the call into Helm was stopped: %w", context.Canceled)

// errSlow is what requests fail with that Helm makes when its time is over.
var errSlow = fmt.Errorf("the call into Helm took too long: %w", context.DeadlineExceeded)

// operation makes the configuration of one call into Helm about a release. Helm caches errors of discovery and
// ignores contexts: so every call has a configuration of its own, whose requests fail once the time
// is over. A call is not cut off at once when ctx is cancelled, as that would leave the release half done, but some
// time after that; and it ends with the deadline of ctx or after the timeout, whichever is first.
func (d *Driver) operation(ctx context.Context, namespace, name string) (*action.Configuration, context.CancelFunc, error) {
	deadline := time.Now().Add(d.options.Timeout)
	if of, ok := ctx.Deadline(); ok && of.Before(deadline) {
		deadline = of
	}
	bound, free := context.WithDeadlineCause(context.WithoutCancel(ctx), deadline, errSlow)
	bound, stop := context.WithCancelCause(bound)
	spared := context.AfterFunc(ctx, contain.Callback(func() { time.AfterFunc(lastWords, contain.Callback(func() { stop(errStopped) })) }))
	cancel := func() {
		spared()
		stop(nil)
		free()
	}
	reach, err := d.api.Getter(bound, namespace)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	configuration := new(action.Configuration)
	if err := configuration.Init(reach, namespace, "secret", func(string, ...any) {}); err != nil {
		cancel()
		return nil, nil, fmt.Errorf("prepare Helm: %w", err)
	}
	client, ok := configuration.KubeClient.(*kube.Client)
	if !ok {
		cancel()
		return nil, nil, fmt.Errorf("helm has a client of type %T", configuration.KubeClient)
	}
	configuration.Releases.Driver = &boundedStore{Driver: configuration.Releases.Driver, ctx: bound, api: d.api, namespace: namespace}
	configuration.Releases.MaxHistory = maxHistory
	client.Namespace = namespace
	configuration.KubeClient = careful{Client: client, namespace: namespace, name: name}
	return configuration, cancel, nil
}

// careful never deletes what [holdsMore] names and what Rook keeps data in, nor what is another release's by now or to be kept,
// and takes nothing from controllers.
type careful struct {
	*kube.Client
	namespace, name string                         // of the release
	yield           func(target kube.ResourceList) // nil for nothing
}

func keeps(info *resource.Info) bool {
	if info.Mapping == nil {
		return false
	}
	kind := info.Mapping.GroupVersionKind
	return holdsMore(kind.Kind) || unit.Identity{Group: kind.Group, Kind: kind.Kind}.KeepsData()
}

// Update leaves alone what is not wanted any more and stays. What of that cannot be read is left alone, too, as Helm does: the
// upgrade may be what mends that, and what is left over is looked at afterwards.
func (c careful) Update(original, target kube.ResourceList, force bool) (*kube.Result, error) {
	if c.yield != nil {
		c.yield(target)
	}
	spared, _ := c.spared(original.Difference(target))
	return c.Client.Update(original.Filter(func(info *resource.Info) bool { return !spared.Contains(info) }), target, force)
}

// Delete deletes everything but what stays.
func (c careful) Delete(resources kube.ResourceList) (*kube.Result, []error) {
	return c.DeleteWithPropagationPolicy(resources, metav1.DeletePropagationBackground)
}

// DeleteWithPropagationPolicy deletes everything but what stays.
func (c careful) DeleteWithPropagationPolicy(resources kube.ResourceList, policy metav1.DeletionPropagation) (*kube.Result, []error) {
	spared, err := c.spared(resources)
	if err != nil {
		return &kube.Result{}, []error{err}
	}
	deletable := resources.Difference(spared)
	if len(deletable) == 0 {
		return &kube.Result{}, nil // Helm takes an empty list for an error
	}
	return c.Client.DeleteWithPropagationPolicy(deletable, policy)
}

// spared are those of some objects that are not to be deleted, and those of which that is not known, with the reason. Helm goes by
// what it has stored of a release alone.
func (c careful) spared(resources kube.ResourceList) (kube.ResourceList, error) {
	var spared kube.ResourceList
	var unknown []error
	for _, info := range resources {
		stay, err := c.spares(info)
		if err != nil {
			unknown = append(unknown, err)
		}
		if stay || err != nil {
			spared.Append(info)
		}
	}
	return spared, errors.Join(unknown...)
}

func (c careful) spares(info *resource.Info) (bool, error) {
	if keeps(info) {
		return true, nil
	}
	live, err := resource.NewHelper(info.Client, info.Mapping).Get(info.Namespace, info.Name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	var object metav1.Object
	if err == nil {
		object, err = meta.Accessor(live)
	}
	if err != nil {
		return false, fmt.Errorf("see whether %s %s is to be deleted: %w", info.Mapping.GroupVersionKind.Kind, info.Name, err)
	}
	return c.theirs(object.GetAnnotations()), nil
}

// theirs tells whether annotations say that an object is another release's, or is to be kept. One that says nothing may be
// of a release that was made by a Helm which wrote none.
func (c careful) theirs(annotations map[string]string) bool {
	name := annotations[annotationReleaseName]
	return name != "" && (name != c.name || annotations[annotationReleaseNamespace] != c.namespace) || annotations[annotationPolicy] == policyKeep
}

// scopes knows which kinds live in namespaces.
type scopes struct {
	mu     sync.Mutex
	api    API
	getter Getter
	known  map[schema.GroupVersionKind]bool
}

func newScopes(api API) *scopes {
	return &scopes{api: api, known: map[schema.GroupVersionKind]bool{}}
}

// namespaced tells whether objects of a kind live in namespaces. A kind that the cluster does not
// have yet is taken for one that does.
func (s *scopes) namespaced(kind schema.GroupVersionKind) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.known[kind]; ok {
		return known, nil
	}
	if s.getter == nil {
		reach, err := s.api.Getter(context.Background(), "") // for many calls
		if err != nil {
			return false, err
		}
		s.getter = reach
	}
	mapper, err := s.getter.ToRESTMapper()
	if err != nil {
		return false, err
	}
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		s.getter = nil // the kind may be defined later
		return true, nil
	}
	if err != nil {
		s.getter = nil // which may remember what was not told
		return false, &untoldError{kind: kind.Kind, err: err}
	}
	s.known[kind] = mapping.Scope.Name() == meta.RESTScopeNameNamespace
	return s.known[kind], nil
}

// untoldError says that the cluster did not tell of a kind, wholly or at all. Nothing is known by that, least of all that
// what has an object of that kind is wrong.
type untoldError struct {
	kind string
	err  error
}

// Error names the kind.
func (e *untoldError) Error() string { return fmt.Sprintf("look up the kind %s: %v", e.kind, e.err) }

// Unwrap returns what happened.
func (e *untoldError) Unwrap() error { return e.err }

// unreadableIn makes an error of objects that cannot be read: a [unit.BlockedError], as only other ones help, but where the
// cluster did not tell of their kinds.
func unreadableIn(what string, err error) error {
	if untold := new(untoldError); errors.As(err, &untold) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return unit.Blocked(fmt.Sprintf("%s: %v", what, err))
}
