package helm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"helm.sh/helm/v3/pkg/kube"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/cause"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Manager is the name under which Helm, and the repair of drift, own fields of objects.
const Manager = "kupenstack-helm"

// defaultTimeout bounds one call into Helm. As it waits for nothing, seconds are usual.
const defaultTimeout = 5 * time.Minute

// defaultReadyTimeout leaves room for images to be pulled on every node, and for one pod after the other.
const defaultReadyTimeout = 30 * time.Minute

// Cluster is what the driver needs of Kubernetes beside Helm.
type Cluster interface {
	// Get answers from watches; an object that is missing in the answer is absent.
	Get(ctx context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]*unstructured.Unstructured, error)
	// Confirm asks the API server itself; nil means absent.
	Confirm(ctx context.Context, ref unit.ObjectRef) (*unstructured.Unstructured, error)
	// Subscribe calls back whenever an object that is watched changes.
	Subscribe(changed func(ref unit.ObjectRef)) (cancel func())
	// Compare tells which fields of desired differ in live. Secrets are masked.
	Compare(desired, live *unstructured.Unstructured) []unit.Field
	// TakenAway returns the fields that were written before, are not any more, and that live still has.
	TakenAway(before, desired, live *unstructured.Unstructured) []unit.Field
	// Yield returns desired with what live has at some paths, so that it is not about these fields.
	Yield(desired, live *unstructured.Unstructured, paths []string) *unstructured.Unstructured
	// HasField tells whether a path leads to something in an object.
	HasField(object *unstructured.Unstructured, path string) bool
	// Unchanged asks the API server whether applying desired would change nothing after all.
	Unchanged(ctx context.Context, manager string, desired, live *unstructured.Unstructured) (bool, error)
	// Health tells how an object fares, and why.
	Health(live *unstructured.Unstructured) (unit.Health, string)
	// Apply is a server-side apply.
	Apply(ctx context.Context, manager string, object *unstructured.Unstructured) (*unstructured.Unstructured, error)
	// Create fails when the object exists.
	Create(ctx context.Context, manager string, object *unstructured.Unstructured) (*unstructured.Unstructured, error)
	// Delete deletes the object with that UID only; one that is gone is no error.
	Delete(ctx context.Context, ref unit.ObjectRef, uid types.UID) error
	// Explain says in a few lines why an object is not ready. hide takes secrets out of what is said.
	Explain(ctx context.Context, ref unit.ObjectRef, hide func(string) string) cause.Explanation
	// Secret returns a key of a Secret; false when there is none.
	Secret(ctx context.Context, namespace, name, key string) (redact.Secret, bool, error)
	// Opted returns a key of a Secret that says that it may be read, else a [unit.BlockedError].
	Opted(ctx context.Context, namespace, name, key string) (redact.Secret, error)
	// Now is the time by the clock that times in objects are by.
	Now() time.Time
	// API asks the API server itself. No request takes longer than timeout, but for watches.
	API(timeout time.Duration) (API, error)
}

// Options are the settings of a [Driver].
type Options struct {
	// CacheDir is where charts that were downloaded are kept. It is created when needed.
	CacheDir string
	// CredentialsFile holds credentials for repositories of charts, by host, in Docker's format; "" for none.
	CredentialsFile string
	// Git returns what reaches Git repositories with charts: a key and known hosts for ssh, authorities for
	// https. User and password for https are in CredentialsFile. Nil for nothing.
	Git func(context.Context) (gitrepo.Credentials, error)
	// Digester names the secret values of a release, so that a change of one is noticed.
	Digester redact.Digester
	// Masker learns what releases have of secrets, so that they are taken out of what is told of others as well: a hook of
	// one may log how it logs in to another. It may be nil.
	Masker *redact.Masker
	// Timeout bounds one call into Helm; 0 for five minutes.
	Timeout time.Duration
	// ReadyTimeout is how long after an upgrade its pods may take to become ready before it counts as failed,
	// where a release goes back then; 0 for half an hour.
	ReadyTimeout time.Duration
	// HookTimeout is how long a hook of an upgrade may take before it counts as failed; 0 for half an hour.
	HookTimeout time.Duration
	// Transport reaches chart repositories; nil for the default one.
	Transport http.RoundTripper
	// Reads is asked before anything is sent to a repository, whatever kind of one it is, and again at the connection; nil
	// allows everything.
	Reads func() error
	// HostsDown says what the services of OpenStack miss on nodes where pods of a release were replaced, "" for
	// nothing: then the next node's are. made tells when the youngest of these pods of each node was made: what was
	// reported before is no news. It is nil where there is nobody to ask; an error is for what is not known.
	HostsDown func(ctx context.Context, release string, made map[string]time.Time) (string, error)
	// Ask finds out whether an API answers, until the context ends at the latest; an answer without a reach is of who
	// knows nobody to ask. Nil has releases ready by their objects alone.
	Ask func(ctx context.Context, api unit.API) unit.Answer
	// AskAgain is how long an API that answers is not asked again while nothing of its release changes; 0 for five
	// minutes.
	AskAgain time.Duration
	// Rendered is called for each rendering of a chart, by us or by Helm; it may be nil.
	Rendered func()
	// Notify is called with the addresses of units whose objects changed; it may be nil.
	Notify func(...addr.Object)
}

// Driver brings Helm releases to what is wanted. Create it with [New].
type Driver struct {
	cluster  Cluster
	options  Options
	api      API
	charts   *charts
	scopes   *scopes
	listings listings
	reads    singleflight.Group // of revisions
	answers  *answers
	records  Watch // of the Secrets in which Helm keeps revisions
	cancel   func()

	mu        sync.Mutex
	revisions map[string]*revision             // the newest one of each release, decoded
	rendered  map[string]rendered              // the last rendering of each release that is not up to date
	index     map[unit.ObjectRef]addr.Object   // the objects of releases
	indexed   map[addr.Object][]unit.ObjectRef // and back
	releases  map[string]addr.Object           // by namespace and name
	awaited   map[addr.Object]unit.ObjectRef   // what somebody has to delete before a unit goes on
}

// New returns a driver. It fails on a configuration that reaches no cluster and on options that
// lack something; it sends no request.
func New(cluster Cluster, options Options) (*Driver, error) {
	if options.CacheDir == "" {
		return nil, errors.New("the Helm driver needs a directory to keep charts in")
	}
	if options.Timeout <= 0 {
		options.Timeout = defaultTimeout
	}
	if options.ReadyTimeout <= 0 {
		options.ReadyTimeout = defaultReadyTimeout
	}
	if options.HookTimeout <= 0 {
		options.HookTimeout = defaultHookTimeout
	}
	api, err := cluster.API(options.Timeout)
	if err != nil {
		return nil, fmt.Errorf("a client for releases: %w", err)
	}
	if kube.ManagedFieldsManager != Manager { // Helm has it only as a variable of its package
		kube.ManagedFieldsManager = Manager
	}
	d := &Driver{
		cluster: cluster, options: options, api: api, charts: newCharts(options), scopes: newScopes(api), answers: newAnswers(options),
		revisions: map[string]*revision{}, rendered: map[string]rendered{},
		index: map[unit.ObjectRef]addr.Object{}, indexed: map[addr.Object][]unit.ObjectRef{},
		releases: map[string]addr.Object{},
	}
	d.records = api.Watch(secrets(), ownedByHelm, d.recorded)
	d.cancel = cluster.Subscribe(d.changed)
	return d, nil
}

// Close ends the subscription to changes, the watches, and questions that are put.
func (d *Driver) Close() {
	d.answers.close()
	d.cancel()
	d.records.Close()
}

// recorded tells the engine whose release has another record: one that was deleted, or was made by somebody else.
func (d *Driver) recorded(secret *metav1.PartialObjectMetadata) {
	d.mu.Lock()
	address, ok := d.releases[secret.Namespace+"/"+secret.Labels["name"]]
	d.mu.Unlock()
	if ok && d.options.Notify != nil {
		d.options.Notify(address)
	}
}

// changed tells the engine whose object changed.
func (d *Driver) changed(ref unit.ObjectRef) {
	var units []addr.Object
	d.mu.Lock()
	if address, ok := d.index[ref]; ok {
		units = append(units, address)
	}
	for address, other := range d.awaited {
		if other == ref {
			units = append(units, address)
		}
	}
	d.mu.Unlock()
	if len(units) > 0 && d.options.Notify != nil {
		d.options.Notify(units...)
	}
}

// remember makes changes of a release, "" for none, and of these objects known as changes of the unit.
func (d *Driver) remember(address addr.Object, release string, refs []unit.ObjectRef) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.releases, func(_ string, a addr.Object) bool { return a == address })
	if release != "" {
		d.releases[release] = address
	}
	for _, ref := range d.indexed[address] {
		if d.index[ref] == address {
			delete(d.index, ref)
		}
	}
	d.indexed[address] = refs
	for _, ref := range refs {
		d.index[ref] = address
	}
}
