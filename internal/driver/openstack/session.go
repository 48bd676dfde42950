package openstack

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// session is a token for one project with the endpoints that came with it.
type session struct {
	provider  *gophercloud.ProviderClient
	catalog   *tokens.ServiceCatalog
	transport *transport
	place     Place
	login     login
	way       [sha256.Size]byte // of its credentials
	who       string
	user      string   // our user's id
	domain    string   // our user's domain
	project   string   // the token's project
	home      string   // our user's own project
	roles     []string // in it, by name
	masker    *redact.Masker
	connector *connector
	made      time.Time
	of        *session                  // the one that this differs from only in how it reads lists; nil for itself
	onePage   bool                      // lists that have more fail with errMorePages
	needed    func(map[string]any) bool // of what lists have the rest is dropped; nil is all
}

// picking returns the session for lists of which only a part is needed; nil is all.
func (s *session) picking(needed func(map[string]any) bool) *session {
	if needed == nil {
		return s
	}
	part := *s
	part.of, part.needed = cmp.Or(s.of, s), needed
	return &part
}

// single returns the session for lists of one page.
func (s *session) single() *session {
	one := *s
	one.of, one.onePage = cmp.Or(s.of, s), true
	return &one
}

// prepare makes a session that has no token yet.
func (c *connector) prepare(credentials *Credentials, l login) (*session, error) {
	security, err := credentials.security()
	if err != nil {
		return nil, unit.Blocked(err.Error())
	}
	provider, err := openstack.NewClient(withVersion(credentials.AuthURL))
	if err != nil {
		return nil, unit.Blocked(fmt.Sprintf("%q is no address of Keystone", credentials.AuthURL))
	}
	base := &http.Transport{
		Proxy: http.ProxyFromEnvironment, OnProxyConnectResponse: guard.ProxyAnswer, TLSClientConfig: security, ForceAttemptHTTP2: true,
		DialContext:         c.options.dial,
		TLSHandshakeTimeout: dialLimit, ResponseHeaderTimeout: headerLimit, IdleConnTimeout: idleLimit, MaxIdleConnsPerHost: keptAtOnce,
	}
	s := &session{
		provider: provider, place: credentials.Place, login: l, who: credentials.who(), masker: c.masker, connector: c,
		transport: &transport{base: guard.Behind{Next: base}, guard: c.options.Guard, reads: c.options.Reads, sent: c.options.Sent, agent: c.options.UserAgent, log: c.options.Log, masker: c.masker}, made: c.refusals.now(),
	}
	provider.HTTPClient = http.Client{Timeout: cmp.Or(c.options.Timeout, requestLimit), Transport: s.transport}
	provider.UseTokenLock()
	return s, nil
}

// errRenewed says that a token is refused which replaces another one that was refused just before.
var errRenewed = errors.New("the token is new")

// renewal bounds how often a session logs in again after an answer 401, and ends it where another OpenStack answers by now. The
// library calls it never twice at once, and sends nothing meanwhile.
func (s *session) renewal(renew func(context.Context) error) func(context.Context) error {
	var last time.Time
	var strayed error
	known := s.connector.refusals
	return func(ctx context.Context) error {
		if strayed != nil {
			return strayed
		}
		if err := known.recall(s.login); err != nil {
			return err
		}
		if known.now().Sub(last) < renewPause {
			return errRenewed
		}
		err := renew(ctx)
		switch {
		case err == nil:
			if strayed = s.strayed(); strayed != nil {
				s.provider.SetToken("") // nobody sends anything with that one
				s.drop()
				return strayed
			}
			last = known.now()
		case gophercloud.ResponseCodeIs(err, http.StatusUnauthorized):
			return known.refused(s.login, s.who)
		}
		return err
	}
}

// strayed tells that a new token is for another project than the one before, as where an address leads to another cloud by now,
// or to one that was set up anew: our user and its project are called the same there. What the session knows is of the old
// one, and there, not to find it would mean nothing.
func (s *session) strayed() error {
	result, ok := s.provider.GetAuthResult().(tokens.CreateResult)
	if !ok {
		return errors.New("keystone's answer has no token")
	}
	is := ""
	if project, err := result.ExtractProject(); err == nil && project != nil {
		is = project.ID
	}
	if is == s.project {
		return nil
	}
	return fmt.Errorf("another OpenStack than before answers there: it has given %s a token for the project %q, and not for %q", s.who, is, s.project)
}

// readToken takes from the token's answer who we are and where the services are.
func (s *session) readToken() error {
	result, ok := s.provider.GetAuthResult().(tokens.CreateResult)
	if !ok {
		return errors.New("keystone's answer has no token")
	}
	var err error
	if s.catalog, err = result.ExtractServiceCatalog(); err != nil {
		return errors.New("keystone's answer has no catalogue")
	}
	if user, err := result.ExtractUser(); err == nil && user != nil {
		s.user, s.domain = user.ID, user.Domain.ID
	}
	if project, err := result.ExtractProject(); err == nil && project != nil {
		s.project = project.ID
	}
	if roles, err := result.ExtractRoles(); err == nil {
		for _, role := range roles {
			s.roles = append(s.roles, role.Name)
		}
	}
	if regions := s.regions(""); s.place.Region == "" && len(regions) == 1 {
		s.place.Region = regions[0]
	}
	return nil
}

// serves fails for a target in another region: there, not to find it would mean nothing.
func (s *session) serves(t unit.Target) error {
	region := t.Locator.Region
	if r := resource(t); r != nil {
		region = r.Region
	}
	if region == "" || region == s.place.Region {
		return nil
	}
	if s.place.Region != "" {
		return unit.Blocked(fmt.Sprintf("it is in the region %q, but the credentials are for %q", region, s.place.Region))
	}
	if regions := s.regions(""); len(regions) > 0 {
		return unit.Blocked(fmt.Sprintf("it is in the region %q, but the credentials name none of the regions %s", region, strings.Join(regions, ", ")))
	}
	return nil // a catalogue without regions
}

// regions are those that the catalogue has for a service, "" being all services.
func (s *session) regions(service string) []string {
	found := map[string]bool{}
	for _, entry := range s.catalog.Entries {
		for _, e := range entry.Endpoints {
			if region := first(e.Region, e.RegionID); region != "" && e.Interface == s.face() && (service == "" || entry.Type == service) {
				found[region] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// outgrown forgets the session unless it is new, so that the next call logs in again with
// credentials that are read anew, and sees the catalogue as it is then.
func (s *session) outgrown() {
	c := s.connector
	if c.refusals.now().Sub(s.made) < renewPause {
		return
	}
	s.drop()
}

// drop forgets the session, so that the next call logs in again.
func (s *session) drop() {
	c, old := s.connector, cmp.Or(s.of, s)
	c.running.Go(func() { // it may be called while the connector is locked
		c.lock <- struct{}{}
		defer func() { <-c.lock }()
		if c.main == old {
			c.main = nil
		}
		maps.DeleteFunc(c.scoped, func(_ string, scoped *session) bool { return scoped == old })
	})
}

// versionPattern finds a version within the path of an endpoint; behind it may be a project's id.
var versionPattern = regexp.MustCompile(`/v[0-9](\.[0-9]+)?/`)

func withVersion(url string) string {
	url = strings.TrimSuffix(url, "/")
	if !strings.HasSuffix(url, "/v3") {
		url += "/v3"
	}
	return url + "/"
}

// endpoint returns the base address of a service.
func (s *session) endpoint(service string) (string, error) {
	endpoint := s.listed(service)
	if endpoint == "" {
		s.outgrown() // the service may have been deployed since
		if regions := s.regions(service); len(regions) > 0 {
			return "", unit.Blocked(fmt.Sprintf("the catalogue of OpenStack has the %s endpoint of the %s service in the regions %s, but %s",
				s.face(), service, strings.Join(regions, ", "), s.meant()))
		}
		return "", &noService{service, s.face(), s.place.Region}
	}
	endpoint = gophercloud.NormalizeURL(endpoint)
	if service == serviceIdentity {
		base, _, _ := strings.Cut(strings.TrimSuffix(endpoint, "/"), "/v3")
		return base + "/v3/", nil
	}
	if !versionPattern.MatchString(endpoint) {
		endpoint += s.connector.version(service)
	}
	return endpoint, nil
}

// noService says that the catalogue has nothing of a service.
type noService struct{ service, face, region string }

func (e *noService) Error() string {
	return fmt.Sprintf("the catalogue of OpenStack has no %s endpoint of the %s service in the region %q", e.face, e.service, e.region)
}

// listed finds a service in the catalogue. The library would ask each service for its versions.
// Without a region there is nothing to choose by, unless the service is in one region only.
func (s *session) listed(service string) string {
	if e := s.offered(service); e != nil {
		return e.URL
	}
	return ""
}

// offered is what the catalogue has for a service, nil for nothing.
func (s *session) offered(service string) *tokens.Endpoint {
	if s.place.Region == "" && len(s.regions(service)) > 1 {
		return nil
	}
	for _, entry := range s.catalog.Entries {
		if entry.Type != service {
			continue
		}
		for i := range entry.Endpoints {
			e := &entry.Endpoints[i]
			if e.Interface == s.face() && (s.place.Region == "" || e.Region == s.place.Region || e.RegionID == s.place.Region) {
				return e
			}
		}
	}
	return nil
}

// meant says for messages which region the session is for.
func (s *session) meant() string {
	if s.place.Region == "" {
		return "nobody says which is meant: write region"
	}
	return fmt.Sprintf("%q is meant", s.place.Region)
}

// administrates tells whether our user could see what is not its own project's when it got the token.
func (s *session) administrates() bool {
	return slices.ContainsFunc(s.roles, func(role string) bool { return strings.EqualFold(role, adminRole) })
}

// face is the interface of the services that we use.
func (s *session) face() string { return first(s.place.Interface, publicInterface) }

// publicInterface has the endpoints that are used unless somebody says otherwise.
const publicInterface = "public"
