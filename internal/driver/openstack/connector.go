package openstack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// connector makes sessions and keeps them.
type connector struct {
	options  Options
	masker   *redact.Masker
	refusals *refusals

	secrets  sync.Map // digests of what the masker knows
	running  contain.Background
	granting sync.Mutex // held while our user gives itself a role, or takes one back

	lock   chan struct{} // holds one token; see hold
	main   *session
	scoped map[string]*session // by project
	latest login               // the last login in our own project
	readAt time.Time           // when its credentials were read
	closed closedServices

	services  []service    // that there is something to know of
	residents []inhabiting // of what kinds there may be something in a project
	quotas    []quotaPlace // where there are limits of projects
}

// know takes what kinds bring along.
func (c *connector) know(all map[string]kind) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if by, ok := all[name].(served); ok {
			c.services = append(c.services, by.service())
		}
		if by, ok := all[name].(inhabiting); ok {
			c.residents = append(c.residents, by)
		}
		if by, ok := all[name].(limiting); ok {
			c.limit(by.limits())
		}
	}
	for _, q := range c.quotas {
		if q.path == nil {
			panic(fmt.Sprintf("openstack: no kind says how %s is asked for its limits", q.keeper))
		}
	}
}

// limit takes where limits are kept. Of several kinds of one service any may say how that is asked, whatever they are called.
func (c *connector) limit(by quotaPlace) {
	i := slices.IndexFunc(c.quotas, func(q quotaPlace) bool { return q.keeper == by.keeper })
	if i < 0 {
		c.quotas = append(c.quotas, by)
		return
	}
	limits := slices.Concat(c.quotas[i].limits, by.limits)
	if c.quotas[i].path == nil {
		c.quotas[i] = by
	}
	c.quotas[i].limits = limits
}

func newConnector(options Options) *connector {
	if options.dial == nil {
		options.dial = (&net.Dialer{Timeout: dialLimit}).DialContext
	}
	return &connector{
		options: options, masker: redact.NewMasker(), scoped: map[string]*session{}, lock: make(chan struct{}, 1),
		refusals: &refusals{now: time.Now, known: map[login]denial{}},
		closed:   closedServices{mark: options.Closes},
		services: services(),
		quotas:   commonQuotas(),
	}
}

// hold locks the connector. Who waits for another one's login waits no longer than its own context.
func (c *connector) hold(ctx context.Context) (release func(), err error) {
	select {
	case c.lock <- struct{}{}:
		return func() { <-c.lock }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the connection to OpenStack: %w", ctx.Err())
	}
}

// remember makes sure that a secret is in no message. The masker keeps every secret that it is
// given, so it gets each only once.
func (c *connector) remember(secret redact.Secret) {
	if _, known := c.secrets.LoadOrStore(sha256.Sum256([]byte(secret.Reveal())), true); !known {
		c.masker.Add(secret)
	}
}

// session returns the session in our own project. Connecting again after a failure is tried at
// every call, but credentials that were refused are not tried again for long.
func (c *connector) session(ctx context.Context) (*session, error) {
	release, err := c.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return c.own(ctx)
}

func (c *connector) own(ctx context.Context) (*session, error) {
	stale := c.options.Stale != nil && c.options.Stale()
	if c.main != nil && !stale && c.refusals.recall(c.main.login) == nil {
		return c.main, nil
	}
	if !stale && c.refusals.now().Sub(c.readAt) < rereadPause {
		if err := c.refusals.recall(c.latest); err != nil {
			return nil, err
		}
	}
	s, err := c.connect(ctx, "", nil)
	if err == nil && c.options.Admit != nil {
		err = c.options.Admit(ctx, Home{Project: s.project, Region: s.place.Region})
	}
	if err != nil {
		if stale {
			c.main = nil // the old way is not to be gone any more
		}
		return nil, err
	}
	s.home = s.project
	clear(c.scoped) // they may have been made with other credentials
	c.main = s
	return s, nil
}

// in returns a session in another project. The error matches errNoRole when our user may not work there. Credentials that lead
// elsewhere than those of our session in our own project have that made anew before, and admitted: what is made elsewhere would
// not be found by the old one, and made again and again.
func (c *connector) in(ctx context.Context, project string) (*session, error) {
	release, err := c.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	main, err := c.own(ctx)
	if err != nil || project == "" || project == main.project {
		return main, err
	}
	if err := c.refusals.recall(login{main.login.credentials, project}); err != nil {
		delete(c.scoped, project)
		return nil, err
	}
	if s := c.scoped[project]; s != nil {
		return s, nil
	}
	s, err := c.connect(ctx, project, main)
	if errors.Is(err, errElsewhere) {
		c.main = nil
		if main, err = c.own(ctx); err != nil || project == main.project {
			return main, err
		}
		s, err = c.connect(ctx, project, main)
	}
	if err != nil {
		return nil, err
	}
	s.home = main.project
	c.scoped[project] = s
	return s, nil
}

// loginCall is for messages.
func loginCall() call {
	return call{service: serviceIdentity, method: http.MethodPost, path: "auth/tokens"}
}

// errNoRole says that the credentials are good, but not for that project.
var errNoRole = errors.New("our user has no role in the project")

// errOneProject says that the credentials are good for their own project alone, whatever roles our user has.
var errOneProject = fmt.Errorf("an application credential is for one project: %w", errNoRole)

// errElsewhere says that the credentials are others than before, and not only the secrets in them.
var errElsewhere = errors.New("the credentials for OpenStack were changed a moment ago")

// connect logs in, in our own project or another one, for which the credentials have to lead to where another session is.
func (c *connector) connect(ctx context.Context, project string, as *session) (*session, error) {
	credentials, err := c.options.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("the credentials for OpenStack: %w", err)
	}
	c.remember(credentials.Password)
	c.remember(credentials.ApplicationCredentialSecret)
	if credentials.AuthURL == "" {
		return nil, unit.Blocked("the credentials for OpenStack do not say where Keystone is: write auth_url")
	}
	way := credentials.way()
	if as != nil && as.way != way {
		return nil, errElsewhere
	}
	if project != "" && credentials.application() {
		return nil, errOneProject
	}
	l := login{credentials.digest(), project}
	if project == "" {
		c.latest, c.readAt = l, c.refusals.now()
		c.refusals.only(l.credentials)
	}
	if err := c.refusals.recall(l); err != nil {
		return nil, err
	}
	s, err := c.prepare(&credentials, l)
	if err != nil {
		return nil, err
	}
	s.way = way
	options := credentials.options(project)
	if err := openstack.AuthenticateV3(ctx, s.provider, &options, gophercloud.EndpointOpts{}); err != nil {
		if gophercloud.ResponseCodeIs(err, http.StatusUnauthorized) {
			return nil, c.refusals.refused(l, s.who)
		}
		return nil, s.explain(err, loginCall())
	}
	c.refusals.accepted(l)
	s.provider.ReauthFunc = s.renewal(s.provider.ReauthFunc)
	return s, s.readToken()
}

// forget drops the session in a project that is gone.
func (c *connector) forget(project string) {
	c.lock <- struct{}{}
	defer func() { <-c.lock }()
	delete(c.scoped, project)
}
