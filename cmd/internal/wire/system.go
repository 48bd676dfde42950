package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/budget"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// System is the cluster and what is in it, as both commands see it.
type System struct {
	Flags  *Flags
	Access *kube.Access // without a guard
	// Budgets are of the APIs by their names.
	Budgets map[string]*budget.Budget
	Log     zerolog.Logger
	// Model returns the configuration in force, nil before the first. It is asked for the way to
	// OpenStack each time that a connection is made.
	Model func() *model.Model
	// Admit records for every process which revision is acted on from now on, see [engine.Options]; nil for nowhere. It is
	// set before engines are made that change something.
	Admit func(ctx context.Context, id string) error
	// Newest tells engines whether a revision is the newest one, see [engine.Options]. It is set like Admit.
	Newest func(id string) bool
	// Counted returns how often the inventory was written at least, as reports say that lie outside of the cluster; nil
	// where there are none. It may be called at any time.
	Counted func(ctx context.Context) (int64, error)
	// Remembered is the same by the last report that this machine has read or made, without the network; false where it has
	// none.
	Remembered func(ctx context.Context) (int64, bool)

	cluster    *kube.Cluster
	checks     compose.Checks
	sources    openstack.Sources
	limits     plan.Limits
	deployer   deployer
	agent      string
	rights     guard.Rights
	masker     *redact.Masker
	current    atomic.Pointer[engine.Engine] // who hears of changes
	nodes      *nodeWatch
	namespaces *namespaceWatch
	unproven   atomic.Bool   // whether the inventory is the newest one is known only by what this machine remembers
	rendered   atomic.Uint64 // charts, by all engines

	hearing sync.Mutex // held while suspensions are read and handed to an engine

	mutex   sync.Mutex
	found   *installed        // by Ping, for the engine that is made next
	id      string            // of the installation, once it is known
	told    map[string]string // the versions of instructions that were read last, by name
	kept    *installed        // what the engine works with, once it changes something
	closers []func()
	taken   way                  // the way to OpenStack of the last connection
	entries *inventory.Inventory // of the engine that was made last
	objects *openstack.Driver
	charts  *helm.Driver
}

// Open prepares the connections; nothing is sent yet. rights are asked before every request.
func Open(flags *Flags, agent string, rights guard.Rights, log zerolog.Logger) (*System, error) {
	if flags.LogLines < 0 || flags.LogLines > kube.MaxLogLines {
		return nil, fmt.Errorf("%w: --logs-in-report %d: give a number from 0 to %d", ErrUsage, flags.LogLines, kube.MaxLogLines)
	}
	if flags.Concurrency < 0 {
		return nil, fmt.Errorf("%w: --concurrency %d: give a number of calls, or 0 for no other bound than that of each", ErrUsage, flags.Concurrency)
	}
	if flags.APIConcurrency < 1 || flags.APIConcurrency > maxAPIConcurrency {
		return nil, fmt.Errorf("%w: --api-concurrency %d: give a number of calls from 1 to %d", ErrUsage, flags.APIConcurrency, maxAPIConcurrency)
	}
	checks, err := flags.checks()
	if err != nil {
		return nil, err
	}
	sources, err := openstack.ParseSources(flags.ImageSources)
	if err != nil {
		return nil, fmt.Errorf("%w: --image-sources: %w", ErrUsage, err)
	}
	limits, err := plan.ParseLimits(flags.MaxDeletes)
	if err != nil {
		return nil, fmt.Errorf("%w: --max-deletes: %w", ErrUsage, err)
	}
	deployer, err := flags.deployer()
	if err != nil {
		return nil, err
	}
	budgets, err := flags.budgets()
	if err != nil {
		return nil, err
	}
	access, err := kube.Load(flags.Kubeconfig, flags.Context)
	if err != nil {
		return nil, err
	}
	s := &System{
		Flags: flags, checks: checks, sources: sources, limits: limits, deployer: deployer, Access: access, Budgets: budgets, Log: log, agent: agent, rights: rights,
		masker: cmp.Or(flags.Masker, redact.NewMasker()), nodes: newNodeWatch(), namespaces: newNamespaceWatch(), told: map[string]string{},
	}
	s.Model = func() *model.Model { return nil }
	s.cluster, err = kube.New(kube.Options{
		Access: access, SystemNamespace: flags.Namespace, Guard: rights.Write, Reads: rights.Read, Sent: budgets[apiKubernetes].Spend, UserAgent: agent, Masker: s.masker, LogLines: flags.LogLines, Log: log,
	})
	return s, err
}

// Start begins to watch; Close ends that and all drivers.
func (s *System) Start(ctx context.Context) { s.cluster.Start(ctx) }

// Close ends what Start and Engine began.
func (s *System) Close() {
	s.closeDrivers()
	s.cluster.Close()
}

// closeDrivers waits for what drivers still ask, which may need the lock.
func (s *System) closeDrivers() {
	s.mutex.Lock()
	closers := s.closers
	s.closers = nil
	s.mutex.Unlock()
	for _, closer := range slices.Backward(closers) {
		closer()
	}
}

// Ping tells whether the cluster can be reached, knows us, is not looked after from another namespace, and
// has not lost what tells our objects; then the error wraps [kube.ErrLost]. It wraps [kube.ErrCopied] where they are another cluster's.
// It is asked before anything is written: a lease in a namespace that was misspelt would stay there.
func (s *System) Ping(ctx context.Context) error {
	if err := s.cluster.Ping(ctx); err != nil {
		return err
	}
	found, err := s.look(guard.Waiting(ctx))
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.found = found
	if found != nil {
		s.id = found.id
	}
	return nil
}

// Engine makes an engine over what the inventory says now. With readOnly nothing is created that
// later engines need: it is for plans.
func (s *System) Engine(ctx context.Context, readOnly bool, changed func()) (*engine.Engine, error) {
	s.closeDrivers()
	marker, key, err := s.installation(ctx, readOnly)
	if err != nil {
		return nil, err
	}
	entries, err := inventory.Open(ctx, s.shards())
	if err != nil {
		return nil, err
	}
	doubted := false
	if !readOnly {
		if doubted, err = s.compare(ctx, entries, countPatience); err != nil { // before anything is written, which counts
			return nil, err
		}
		labelled, err := s.cluster.Labelled(ctx)
		if err == nil {
			err = engine.Claim(ctx, entries, marker, labelled)
		}
		if err != nil {
			return nil, err
		}
	}
	suspended, err := s.Suspensions(ctx)
	if err != nil {
		return nil, err
	}
	drivers, asks, err := s.drivers(marker, key, entries, readOnly)
	if err != nil {
		return nil, err
	}
	var e *engine.Engine
	var resuspend engine.Resuspend
	if !readOnly {
		resuspend = func(ctx context.Context, change func([]suspension.Suspension) []suspension.Suspension) error {
			return s.resuspend(ctx, e, change)
		}
	}
	e = engine.New(engine.Options{
		Language: s.Flags.Language, Drivers: drivers, Inventory: entries, Marker: marker, Secrets: s.cluster, Hosts: asks.computes.hosts, Computes: asks.computes, Bearing: asks.computes.bearing, Quotas: asks.quotas, MaxDeletes: s.limits,
		Suspensions: suspended, Resuspend: resuspend, Now: s.Now, Resync: s.Flags.Resync, Paces: map[unit.DriverName]time.Duration{unit.OpenStack: s.Flags.OpenStackInterval}, Concurrency: s.Flags.Concurrency, Parallel: s.Flags.APIConcurrency, APIs: map[unit.DriverName]func(string) string{unit.OpenStack: openstack.APIOf(s.Flags.Language)}, Budget: s.budget, Admit: s.Admit, Newest: s.Newest, Changed: changed, Log: s.Log,
	})
	s.current.Store(e)
	if doubted {
		s.compareAgain(entries, e)
	}
	return e, nil
}

// questions are what plans ask OpenStack beside what its units are.
type questions struct {
	computes computes
	quotas   plan.Quotas
}

func (s *System) drivers(marker inventory.Marker, key redact.Secret, entries *inventory.Inventory, readOnly bool) (map[unit.DriverName]engine.Driver, questions, error) {
	charts, err := s.Flags.charts()
	if err != nil {
		return nil, questions{}, err
	}
	charts.Reads, charts.Masker = s.rights.Read, s.masker
	charts.Notify, charts.HostsDown, charts.Rendered = s.notify, s.hostsDown, func() { s.rendered.Add(1) }
	if !readOnly { // a plan is about what would change, and that is the same
		charts.Ask, charts.AskAgain = s.ask, s.Flags.Resync/4 // so that each look at everything asks, and little else
	}
	if charts.Digester, err = redact.NewDigester(key); err != nil {
		return nil, questions{}, err
	}
	releasing, err := s.releasing()
	if err != nil {
		return nil, questions{}, err
	}
	releases, err := helm.New(releasesCluster{releasing}, charts)
	if err != nil {
		return nil, questions{}, err
	}
	objects := kube.NewDriver(s.cluster, releases, s.notify)
	resources := openstack.New(openstack.Options{
		Connect: s.connect, Administrator: s.administrator, Inside: s.inside, Stale: s.stale, Keeper: s.cluster, Admit: s.home(entries, readOnly), Grants: entries, Closes: marker.Mark(marker.Digest("compute services")), Language: s.Flags.Language, Guard: s.rights.Write, Reads: s.rights.Read, Sent: s.Budgets[apiOpenStack].Spend, UserAgent: s.agent, Notify: s.notify,
		Log: s.Log, Sources: s.sources,
	})
	s.mutex.Lock()
	s.closers = append(s.closers, releases.Close, objects.Close, resources.Close)
	s.objects, s.charts, s.entries = resources, releases, entries
	s.mutex.Unlock()
	return map[unit.DriverName]engine.Driver{unit.Kubernetes: objects, unit.Helm: releases, unit.OpenStack: resources}, questions{computes{s, resources, entries}, resources.Quotas}, nil
}

// hasCompute tells whether we deployed what instances run on.
func hasCompute(entries *inventory.Inventory) bool {
	return slices.ContainsFunc(entries.Entries(), func(e inventory.Entry) bool {
		return e.Locator.Kind == unit.KindRelease && e.Locator.Name == "nova"
	})
}

// Claim is a claim to a volume that a service has, or a Secret with its keys.
type Claim = helm.Claim

// Data returns the claims to volumes and the keys that services of the configuration in force have. It needs the engine to have
// been made.
func (s *System) Data(ctx context.Context, services []string) ([]Claim, error) {
	releases, namespace, err := s.volumes()
	if err != nil {
		return nil, err
	}
	return releases.Data(ctx, namespace, services)
}

// DeleteData deletes those of these claims whose services are gone, and returns them, and lines about those that stay for
// what still works with them. It needs the engine to have been made.
func (s *System) DeleteData(ctx context.Context, claims []Claim) (deleted []unit.ObjectRef, stay []string, err error) {
	releases, namespace, err := s.volumes()
	if err != nil {
		return nil, nil, err
	}
	return releases.DeleteData(ctx, namespace, claims)
}

// volumes returns who knows of volumes, and in which namespace they are.
func (s *System) volumes() (*helm.Driver, string, error) {
	s.mutex.Lock()
	releases := s.charts
	s.mutex.Unlock()
	m := s.Model()
	if m == nil || releases == nil {
		return nil, "", errors.New("no configuration is in force, so it is not known where the volumes are")
	}
	return releases, m.Cloud.Namespace, nil
}

// notify hands on what drivers hear.
func (s *System) notify(addresses ...addr.Object) {
	if e := s.current.Load(); e != nil {
		e.Notify(addresses...)
	}
}

// Rendered tells how often charts were rendered since the process began.
func (s *System) Rendered() uint64 { return s.rendered.Load() }

// Board is where the cluster shows how things stand.
func (s *System) Board() daemon.Board { return s.cluster }

func (s *System) shards() shards { return shards{s.cluster.Shards("")} }

// shards are the cluster's store as the inventory wants it.
type shards struct{ store *kube.Shards }

func (s shards) Load(ctx context.Context) (map[string]inventory.Shard, error) {
	stored, err := s.store.Load(ctx)
	loaded := make(map[string]inventory.Shard, len(stored))
	for name, shard := range stored {
		loaded[name] = inventory.Shard(shard)
	}
	return loaded, err
}

func (s shards) Put(ctx context.Context, name string, data []byte, version string) (string, error) {
	stored, err := s.store.Put(ctx, name, data, version)
	if errors.Is(err, kube.ErrConflict) {
		err = fmt.Errorf("%w: %w", inventory.ErrConflict, err)
	}
	return stored, err
}
