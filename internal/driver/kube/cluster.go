package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/rs/zerolog"
	"k8s.io/client-go/dynamic"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// DefaultNamespace is where we keep what is ours in a cluster.
const DefaultNamespace = "kupenstack-system"

// Options are what a [Cluster] is made of.
type Options struct {
	// Access says where the API server is and with which credentials it is reached. Required.
	Access *Access
	// SystemNamespace is where the inventory lives; "" means [DefaultNamespace].
	SystemNamespace string
	// Guard is asked before each request that changes something, events included, but those of the lease
	// and dry runs. When it returns an error the request is not sent and fails with that error.
	Guard func() error
	// Reads is asked before all other requests in the same way, but for what [Cluster.Ping] and others ask with the context
	// of [guard.Waiting].
	Reads func() error
	// Sent, when set, is told of each request that is sent.
	Sent func()
	// UserAgent names us to the API server, "" for client-go's own.
	UserAgent string
	// Masker, when there is one, takes its secrets out of what differences and explanations show.
	Masker *redact.Masker
	// LogLines is how many lines of the logs of containers explanations have, 0 for none.
	LogLines int
	Log      zerolog.Logger
}

// Cluster is a connection to a Kubernetes API server. It may be used by many goroutines.
type Cluster struct {
	namespace string
	config    *rest.Config // guarded
	discovery rest.Interface
	dynamic   dynamic.Interface
	metadata  *metadataLists
	writer    *rest.Config      // config, or the same as another account: see As
	writes    dynamic.Interface // by writer
	core      corev1.CoreV1Interface
	logLines  int
	masker    *redact.Masker
	log       zerolog.Logger

	kinds       *kinds
	watches     *watches
	verdicts    *verdicts
	subscribers *subscribers
	excerpts    *excerpts
	events      *events
	clock       *clock

	// The life of the watches, which outlive the calls that start them.
	ctx     context.Context
	cancel  context.CancelFunc
	running contain.Background
}

// New prepares a connection. It sends nothing yet, so it fails only for options that can never
// work, such as a certificate that cannot be read.
func New(options Options) (*Cluster, error) {
	if options.Access == nil {
		return nil, errors.New("access to the cluster: nothing says where it is")
	}
	clock := &clock{}
	config := guarded(options, clock)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster: %w", err)
	}
	objects, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster: %w", err)
	}
	names, err := newMetadataLists(config, client)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster: %w", err)
	}
	core, err := corev1.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster: %w", err)
	}
	plain, err := rest.UnversionedRESTClientForConfigAndClient(unversioned(config), client)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster: %w", err)
	}
	c := &Cluster{
		namespace: cmp.Or(options.SystemNamespace, DefaultNamespace),
		config:    config, discovery: plain, dynamic: objects, metadata: names, core: core, writer: config, writes: objects,
		logLines: min(options.LogLines, MaxLogLines), masker: options.Masker, log: options.Log, excerpts: newExcerpts(),
		kinds: newKinds(plain), verdicts: newVerdicts(), subscribers: &subscribers{}, events: &events{}, clock: clock,
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.watches = newWatches(c)
	return c, nil
}

// Start lets the watches live until ctx ends or Close is called. It sends no request: watches
// begin when somebody asks for what they show.
func (c *Cluster) Start(ctx context.Context) {
	context.AfterFunc(ctx, contain.Callback(c.cancel))
}

// Close ends all watches and waits until they are over.
func (c *Cluster) Close() {
	c.cancel()
	c.watches.close()
	c.running.Wait()
}

// Ping asks the API server for its version, to find out whether it is there and accepts our
// credentials.
func (c *Cluster) Ping(ctx context.Context) error {
	if err := c.discovery.Get().AbsPath("/version").Do(guard.Waiting(ctx)).Error(); err != nil {
		return c.explainError(err, "reach the cluster at "+c.config.Host)
	}
	return nil
}

// guarded returns a copy of the access whose requests ask the guard and end in time.
func guarded(options Options, clock *clock) *rest.Config {
	config := rest.CopyConfig(options.Access.config)
	config.UserAgent = cmp.Or(options.UserAgent, config.UserAgent)
	config.QPS, config.Burst = -1, 0 // the server has priority and fairness
	config.RateLimiter = nil
	config.Timeout = 0 // would end watches, too; see the transport
	config.WarningHandlerWithContext = rest.NoWarnings{}
	proxy := config.Proxy
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		next = guard.Behind{Next: next, Proxy: proxy}
		return &transport{next: next, guard: options.Guard, reads: options.Reads, sent: options.Sent, clock: clock, timeout: requestTimeout}
	})
	return config
}

func unversioned(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.APIPath = "/"
	return dynamic.ConfigFor(config)
}
