package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
)

// Cloud is a running OpenStack: a bed of ours, or any other that OS_CLOUD names.
type Cloud struct {
	// CloudsYAML is the path of a clouds.yaml and Name the cloud's name in it. The path is
	// empty for a cloud of the environment, which clients find by OS_CLOUD themselves.
	CloudsYAML, Name string
	AuthURL          string
	Region           string
	// Endpoints are the public URLs by service type, without a project's id at the end: what
	// a proxy has to stand before.
	Endpoints map[string]string

	bed       *record // nil when the cloud is not ours
	auth      gophercloud.AuthOptions
	transport http.RoundTripper
}

// ErrNotOurs is the cause when something is asked of a cloud of the environment that only
// our own bed can do.
var ErrNotOurs = errors.New("this needs our own OpenStack test bed, but OS_CLOUD names another cloud")

// requestLimit bounds one HTTP request, body included.
const requestLimit = 2 * time.Minute

// Open returns the cloud whose bed lies in dir. Any process may open it. The error matches
// fs.ErrNotExist when there is none. A bed whose start was cut off opens too, to be stopped.
func Open(dir string) (*Cloud, error) {
	r, err := loadRecord(dir)
	if err != nil {
		return nil, fmt.Errorf("open OpenStack: %w", err)
	}
	return newCloud(r), nil
}

func newCloud(r record) *Cloud {
	cloud := &Cloud{
		CloudsYAML: r.cloudsYAML(), Name: CloudName, AuthURL: r.authURL(), Region: region,
		Endpoints: map[string]string{}, bed: &r, auth: r.auth(), transport: http.DefaultTransport,
	}
	for _, entry := range r.catalogue() {
		cloud.Endpoints[entry.kind] = entry.base
	}
	return cloud
}

// Stop ends every process of the bed and removes its data; only logs stay. Stopping a bed
// that is stopped already is not an error.
func (c *Cloud) Stop(ctx context.Context) error {
	if c.bed == nil {
		return fmt.Errorf("stop OpenStack: %w", ErrNotOurs)
	}
	if err := c.bed.discard(ctx); err != nil {
		return fmt.Errorf("stop OpenStack: %w", err)
	}
	return nil
}

// Provider returns an authenticated client with the administrator's rights in the cloud's
// project. It may be used from several goroutines, renews its token, and no request takes
// longer than two minutes. What it only reads it asks for again where a service fails at it: on
// a machine that is busy with tests these services do, and no test is about that.
func (c *Cloud) Provider(ctx context.Context) (*gophercloud.ProviderClient, error) {
	if c.bed != nil {
		provider, err := c.bed.sharedProvider(ctx)
		if err != nil {
			return nil, fmt.Errorf("connect to OpenStack at %s: %w", c.AuthURL, err)
		}
		return provider, nil
	}
	return c.connect(ctx, c.AuthURL, readAgain)
}

// How often the same is asked for that a service fails at, and the first pause in between.
const (
	reads      = 6
	firstPause = 100 * time.Millisecond
)

// readAgain is a gophercloud.RetryFunc: nil has the request sent again. To ask for a token changes nothing.
func readAgain(ctx context.Context, method, url string, _ *gophercloud.RequestOpts, err error, failures uint) error {
	var answer gophercloud.ErrUnexpectedResponseCode
	answered := errors.As(err, &answer)
	if method != http.MethodGet && !strings.HasSuffix(url, "/auth/tokens") || answered && answer.Actual < http.StatusInternalServerError || failures >= reads {
		return err
	}
	pause := time.NewTimer(firstPause << failures)
	defer pause.Stop()
	select {
	case <-ctx.Done():
		return err
	case <-pause.C:
		return nil
	}
}

// ProviderAt is Provider for a client that finds the identity service at another address, such
// as a proxy's, and asks for nothing twice.
func (c *Cloud) ProviderAt(ctx context.Context, authURL string) (*gophercloud.ProviderClient, error) {
	return c.connect(ctx, authURL, nil)
}

func (c *Cloud) connect(ctx context.Context, authURL string, again gophercloud.RetryFunc) (*gophercloud.ProviderClient, error) {
	auth := c.auth
	auth.IdentityEndpoint = authURL
	provider, err := connect(ctx, auth, c.transport, again)
	if err != nil {
		return nil, fmt.Errorf("connect to OpenStack at %s: %w", authURL, err)
	}
	return provider, nil
}

// Transport carries the requests of Provider's clients: it knows the cloud's certificates. A
// proxy before the cloud needs it too.
func (c *Cloud) Transport() http.RoundTripper { return c.transport }

func (r record) auth() gophercloud.AuthOptions {
	return gophercloud.AuthOptions{
		IdentityEndpoint: r.authURL(), Username: "admin", Password: password, DomainName: "Default",
		Scope: &gophercloud.AuthScope{ProjectName: "admin", DomainName: "Default"}, AllowReauth: true,
	}
}

func (r record) provider(ctx context.Context) (*gophercloud.ProviderClient, error) {
	return connect(ctx, r.auth(), http.DefaultTransport, readAgain)
}

func connect(ctx context.Context, auth gophercloud.AuthOptions, transport http.RoundTripper, again gophercloud.RetryFunc) (*gophercloud.ProviderClient, error) {
	provider, err := newClient(auth, transport, again)
	if err != nil {
		return nil, err
	}
	if err := openstack.Authenticate(ctx, provider, auth); err != nil {
		return nil, err
	}
	return provider, nil
}

// newClient returns one that has no token yet.
func newClient(auth gophercloud.AuthOptions, transport http.RoundTripper, again gophercloud.RetryFunc) (*gophercloud.ProviderClient, error) {
	provider, err := openstack.NewClient(auth.IdentityEndpoint)
	if err != nil {
		return nil, err
	}
	provider.HTTPClient = http.Client{Timeout: requestLimit, Transport: transport}
	provider.RetryFunc = again
	provider.UseTokenLock()
	return provider, nil
}
