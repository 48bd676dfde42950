package openstack

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/rs/zerolog"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Options say how the driver works.
type Options struct {
	// Connect returns the credentials. It is called for every new connection, so that changed
	// credentials are found, and now and then while the last ones are refused. An error is passed
	// on; blocked errors stay so.
	Connect func(ctx context.Context) (Credentials, error)
	// Administrator, when set, returns the credentials of who may make our own user, where that is ours to
	// make. They are used for nothing else but to see whether Keystone issues tokens while nobody knows that user.
	Administrator func(ctx context.Context) (Credentials, error)
	// Inside, when set, tells where Keystone is and whom to trust, for what is asked without a login.
	Inside func(ctx context.Context) (Place, error)
	// Stale, when set, tells whether the way to OpenStack is another one than when Connect was called
	// last, so that a new connection is to be made.
	Stale func() bool
	// Admit, when set, is asked with each new connection whether what is ours may be looked for there.
	// Its error is passed on; blocked errors stay so.
	Admit func(ctx context.Context, at Home) error
	// Grants, when set, keeps on record which roles our user gives itself. Without it none is taken back.
	Grants Grants
	// Keeper, when set, keeps in the cluster what is made here and no service tells.
	Keeper Keeper
	// Closes is the mark in the reasons for which compute services are disabled: it tells those of our installation from
	// those of others that use the same Nova.
	Closes string
	// Language is the definition that the resources' blocks come from.
	Language *schema.Definition
	// Guard, when set, is asked before every request that changes something; its error ends the
	// request unsent.
	Guard func() error
	// Reads, when set, is asked before every other request in the same way, logins and downloads included.
	Reads func() error
	// Sent, when set, is told of each request that is sent, repetitions included.
	Sent func()
	// UserAgent is sent with every request.
	UserAgent string
	// Log is told of answers that say no, with the ids under which the services' own logs have the requests.
	Log zerolog.Logger
	// Timeout is the longest that one request may take with its repetitions, but for the bytes of
	// images; 0 means two minutes.
	Timeout time.Duration
	// Settle is how long after a creating request of unknown outcome the next one is sent; 0 means half a minute.
	Settle time.Duration
	// Page is how many objects are asked for at a time where lists have pages; 0 means 1000.
	Page int
	// Notify, when set, is called when something that was going on in the background has ended.
	Notify func(...addr.Object)
	// Downloads fetches the bytes of images; nil means a client of the driver's own.
	Downloads *http.Client
	// Sources are where images may be fetched from; the zero value is nowhere.
	Sources Sources

	// dial makes the connections to services. Tests have some that go through no network, so that a clock of theirs goes on.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Home is where our objects lie, however OpenStack is reached.
type Home struct {
	Project string // the id of our user's project, which no other OpenStack has
	Region  string
}

// Driver reconciles objects inside OpenStack. It is safe for concurrent use.
type Driver struct {
	connector     *connector
	administrator *connector // nil where there is none
	kinds         map[string]kind
	keeper        Keeper // nil without a cluster
	uploads       *uploads
	outcomes      *outcomes
	memory        *memory
	mapped        mappedHosts
	newborn       newborn
}

// New returns a driver. It connects when it is first used. Close it at the end.
func New(options Options) *Driver { return assemble(options) }

// assemble is [New] with some kinds besides those that are listed in [kinds], whose blocks the language has.
func assemble(options Options, also ...kind) *Driver {
	up := newUploads(options.Downloads, options.Reads, options.Sources, options.Notify)
	d := &Driver{
		connector: newConnector(options),
		kinds:     map[string]kind{},
		keeper:    options.Keeper,
		uploads:   up,
		outcomes:  newOutcomes(cmp.Or(options.Settle, settleTime)),
		memory:    newMemory(),
	}
	for _, k := range append(kinds(options.Language, up, options.Keeper), also...) {
		d.kinds[k.name()] = k
	}
	d.connector.know(d.kinds)
	if options.Administrator != nil {
		options.Connect, options.Stale, options.Admit = options.Administrator, nil, nil
		d.administrator = newConnector(options)
	}
	return d
}

// Close cuts off what goes on in the background and waits for it. It can be begun again: an
// image without its bytes is uploaded anew.
func (d *Driver) Close() { d.uploads.close() }

// Hosts returns the number of instances of all projects by compute host. An error means that the
// numbers are not known. Hosts without instances are not in the map.
func (d *Driver) Hosts(ctx context.Context) (map[string]int, error) {
	s, err := d.connector.session(ctx)
	if err != nil {
		return nil, err
	}
	servers, err := s.all(ctx, call{
		service: serviceCompute, path: pathOf("servers", "detail"), query: url.Values{"all_tenants": {"1"}}, microversion: listVersion,
	}, "servers")
	if err == nil {
		err = s.cellsAnswer(ctx)
	}
	if err != nil {
		return nil, err
	}
	hosts := map[string]int{}
	for _, server := range servers {
		host, ok := server[keyHost]
		if !ok {
			return nil, errors.New("nova does not tell our user which hosts instances run on")
		}
		if name, _ := host.(string); name != "" {
			hosts[name]++
		}
	}
	return hosts, nil
}

// resource returns the spec of a target, nil when it is no longer wanted.
func resource(t unit.Target) *unit.Resource {
	r, _ := t.Spec.(*unit.Resource)
	return r
}

// kindOf names the kind of a target, wanted or not.
func kindOf(t unit.Target) string {
	if r := resource(t); r != nil {
		return r.Kind
	}
	return t.Locator.Kind
}

func lookup(t unit.Target) bool {
	r := resource(t)
	return r != nil && r.Lookup
}

// desiredOf is what is wanted of a target as far as it is known without others' outputs.
func desiredOf(t unit.Target) cty.Value {
	if r := resource(t); r != nil {
		return r.Desired
	}
	return cty.NilVal
}

// nameOf is the name that an object should have, or what stands for one; "" while that is not known.
func nameOf(k kind, t unit.Target, desired cty.Value) string {
	if by, ok := k.(keyed); ok {
		return by.key(desired)
	}
	v := attribute(desired, "name")
	if v == cty.NilVal {
		return t.Address.Name() // the label is the name unless one is written
	}
	v, _ = v.Unmark()
	return textOf(v)
}
