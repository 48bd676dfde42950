package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// remote speaks with the server. It keeps no state but connections, and what the refs were when they were
// listed last.
type remote struct {
	at      location
	options Options
	web     web

	mu     sync.Mutex
	listed *Refs // never changed, only replaced; nil before the first list
}

// seen returns the newest list; false when there is none.
func (r *remote) seen() (Refs, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listed == nil {
		return Refs{}, false
	}
	return *r.listed, true
}

// moved has the newest list tell of a push.
func (r *remote) moved(u Update) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listed != nil {
		next := r.listed.with(u.Ref, u.Draft.commit)
		r.listed = &next
	}
}

// connection is one conversation with the server.
type connection struct {
	refs    Refs // that the server told of
	thin    bool // the server can leave out of packs what is here
	masker  *redact.Masker
	fetch   transport.UploadPackSession  // one of the two is set
	receive transport.ReceivePackSession //
	bounds  *limited                     // of a conversation over HTTP; nil for others
	wait    *patience
	may     *leave // of the whole conversation
}

// guarded has the guard of a push asked wherever something of it is sent.
func (c *connection) guarded(l *leave) {
	if c.bounds != nil {
		c.bounds.leave = l
	} else if p, ok := c.receive.(*pipes); ok {
		p.leave = l
	}
}

func (c *connection) session() transport.Session {
	if c.fetch != nil {
		return c.fetch
	}
	return c.receive
}

// connect opens a conversation for one of the services. The masker is never nil.
func (r *remote) connect(ctx context.Context, service string) (*connection, error) {
	c := &connection{masker: redact.NewMasker(), may: &leave{ask: r.options.May}}
	if err := c.may.pass(); err != nil {
		return c, err
	}
	var credentials Credentials
	if r.options.Credentials != nil {
		var err error
		if credentials, err = r.options.Credentials(ctx); err != nil {
			return c, err
		}
	}
	c.masker.Add(credentials.Password, credentials.Bearer, credentials.SSHKey, credentials.Passphrase, redact.NewSecret(r.at.password))
	if credentials.Password.IsEmpty() && credentials.Bearer.IsEmpty() { // else the URL's user is not sent, and may be what the path begins with
		c.masker.Add(redact.NewSecret(r.at.token()))
	}
	if r.at.scheme == schemeHTTP || r.at.scheme == schemeHTTPS {
		return c, r.connectWeb(c, credentials, service)
	}
	var (
		p   *pipes
		err error
	)
	if r.at.scheme == schemeFile {
		p, err = startGit(ctx, r.at, service)
	} else {
		p, err = dialSSH(ctx, r.at, credentials, service, r.options.CacheDir, c.may)
	}
	if err != nil {
		return c, err
	}
	p.budget = r.options.MaxBytes
	if service == transport.UploadPackServiceName {
		c.fetch = p
	} else {
		c.receive = p
	}
	return c, nil
}

func (r *remote) connectWeb(c *connection, credentials Credentials, service string) (err error) {
	c.bounds = &limited{left: r.options.MaxBytes, may: c.may}
	client, err := r.web.client(credentials.CABundle, c.bounds)
	if err != nil {
		return err
	}
	host := r.at.host
	if bytes.ContainsRune([]byte(host), ':') {
		host = "[" + host + "]"
	}
	endpoint := &transport.Endpoint{Protocol: r.at.scheme, Host: host, Port: r.at.port, Path: r.at.path}
	if service == transport.UploadPackServiceName {
		c.fetch, err = client.NewUploadPackSession(endpoint, webAuth(r.at, credentials))
	} else {
		c.receive, err = client.NewReceivePackSession(endpoint, webAuth(r.at, credentials))
	}
	return err
}

// converse runs do on a new connection and explains its error.
func (r *remote) converse(ctx context.Context, service, doing string, do func(context.Context, *connection, *packp.AdvRefs) error) error {
	ctx, wait := patient(ctx, r.options.Timeout)
	defer wait.stop()
	c, err := r.connect(ctx, service)
	c.wait = wait
	if err != nil {
		return r.explain(ctx, c.masker, doing, wait.late(ctx), r.withheld(c, doing, err))
	}
	var told listing
	advertised, err := c.session().AdvertisedReferencesContext(withListing(ctx, &told))
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		advertised, err = packp.NewAdvRefs(), nil
	}
	if err == nil {
		c.refs, c.thin = newRefs(told.refs, advertised), told.thin
		err = do(ctx, c, advertised)
	}
	err = r.withheld(c, doing, err)
	// After the answer is complete, an error of closing means nothing.
	_ = c.session().Close()
	return r.explain(ctx, c.masker, doing, wait.late(ctx), err)
}

// withheld is the error of a conversation that failed as nothing more of it may be sent, whatever a library says of that. What
// we say ourselves stays: a push tells what became of it.
func (r *remote) withheld(c *connection, doing string, err error) error {
	var ours *Error
	why := c.may.why()
	if err == nil || why == nil || errors.As(err, &ours) {
		return err
	}
	return &Error{Kind: Withheld, Where: r.at.display, Text: doing + " was not sent: " + why.Error(), ended: why}
}

// list is one ls-remote.
func (r *remote) list(ctx context.Context) (Refs, error) {
	var refs Refs
	err := r.converse(ctx, transport.UploadPackServiceName, "listing the refs", func(_ context.Context, c *connection, _ *packp.AdvRefs) error {
		refs = c.refs
		return nil
	})
	if err == nil {
		r.mu.Lock()
		r.listed = &refs
		r.mu.Unlock()
	}
	return refs, err
}

// download brings the commit that the revision's ref points to into store, with as much history as
// depth says where the server can do that, and returns it. It is another commit when the ref has
// moved. What have has already does not come again.
func (r *remote) download(ctx context.Context, rev Revision, have had, depth packp.DepthCommits, store *store) (Revision, error) {
	return r.bring(ctx, rev, have, depth, "", store)
}

// downloadCommits is [remote.download] without files and directories where the server can leave these out.
func (r *remote) downloadCommits(ctx context.Context, rev Revision, depth packp.DepthCommits, store *store) (Revision, error) {
	return r.bring(ctx, rev, had{}, depth, packp.FilterTreeDepth(0), store)
}

func (r *remote) bring(ctx context.Context, rev Revision, have had, depth packp.DepthCommits, filter packp.Filter, store *store) (Revision, error) {
	err := r.converse(ctx, transport.UploadPackServiceName, "fetching "+cmp.Or(rev.Ref, "HEAD"), func(ctx context.Context, c *connection, advertised *packp.AdvRefs) error {
		now, err := c.refs.Resolve(rev.Ref)
		if rev.Ref == "HEAD" {
			now, err = c.refs.Resolve("")
		}
		if err != nil {
			return r.at.placed(err)
		}
		rev = now
		return receive(ctx, c, advertised, c.refs.wanted(now.Ref), have, depth, filter, store)
	})
	return rev, err
}

// How much history is fetched, in commits.
const (
	wholeHistory packp.DepthCommits = 0
	noHistory    packp.DepthCommits = 1
)

func receive(ctx context.Context, c *connection, advertised *packp.AdvRefs, want plumbing.Hash, have had, depth packp.DepthCommits, filter packp.Filter, store *store) error {
	request := packp.NewUploadPackRequestFromCapabilities(advertised.Capabilities)
	request.Wants = []plumbing.Hash{want}
	if depth != wholeHistory && advertised.Capabilities.Supports(capability.Shallow) {
		request.Depth = depth
		if err := request.Capabilities.Set(capability.Shallow); err != nil {
			return err
		}
	}
	if filter != "" && advertised.Capabilities.Supports(capability.Filter) {
		request.Filter = filter
		if err := request.Capabilities.Set(capability.Filter); err != nil {
			return err
		}
	}
	if !have.commit.IsZero() {
		request.Haves = []plumbing.Hash{have.commit}
		if !request.Depth.IsZero() {
			request.Shallows = []plumbing.Hash{have.commit} // or the server believes that we have its history
		}
		if c.thin { // or it sends all files once more, as a commit without history follows none
			if err := request.Capabilities.Set(capability.ThinPack); err != nil {
				return err
			}
		}
	}
	if advertised.Capabilities.Supports(capability.NoProgress) {
		if err := request.Capabilities.Set(capability.NoProgress); err != nil {
			return err
		}
	}
	response, err := c.fetch.UploadPack(ctx, request)
	if err != nil {
		return err
	}
	// What the pack says of itself tells whether it is complete. Closing fails where the server has hung up
	// first, or where a child of a git of this machine keeps its output open.
	defer func() { _ = response.Close() }()
	if len(response.Shallows) > 0 {
		if err := store.objects.SetShallow(response.Shallows); err != nil {
			return err
		}
	}
	var pack io.Reader = response
	switch {
	case request.Capabilities.Supports(capability.Sideband64k):
		pack = sideband.NewDemuxer(sideband.Sideband64k, response)
	case request.Capabilities.Supports(capability.Sideband):
		pack = sideband.NewDemuxer(sideband.Sideband, response)
	}
	return store.unpack(ctx, c.wait, c.wait.counted(pack), have)
}

// Update is a change of one ref on the server.
type Update struct {
	Ref   string // full name
	Old   string // the commit that it has to be at; "" when it must not exist
	Draft *Draft // whose commit it gets
	// Guard is asked when all is ready to be sent, and again at the connection and for each part: it is called from other
	// goroutines too. After an error nothing more is sent, and that of the push wraps it. It is of kind Withheld where
	// nothing was, and of kind Unreachable where a part was, which the server can do nothing with unless it was the last.
	// Nil allows everything.
	Guard func() error
}

// push sends the objects and moves the ref to the new commit, if it is still at Old when the server
// looks. It returns the pack that it sent.
func (r *remote) push(ctx context.Context, u Update) ([]byte, error) {
	old := plumbing.NewHash(u.Old)
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, u.Draft.fresh, false).Encode(u.Draft.hashes, 0); err != nil {
		return nil, fmt.Errorf("packing the objects to push: %w", err)
	}
	return pack.Bytes(), r.converse(ctx, transport.ReceivePackServiceName, "pushing to "+u.Ref, func(ctx context.Context, c *connection, advertised *packp.AdvRefs) error {
		if now := c.refs.wanted(u.Ref); now != old {
			return &Error{Kind: Moved, Where: r.at.display, Text: u.Ref + " has moved meanwhile"}
		}
		request := packp.NewReferenceUpdateRequestFromCapabilities(advertised.Capabilities)
		request.Commands = []*packp.Command{{Name: plumbing.ReferenceName(u.Ref), Old: old, New: u.Draft.commit}}
		request.Packfile = io.NopCloser(bytes.NewReader(pack.Bytes()))
		var words firstWords
		if advertised.Capabilities.Supports(capability.Sideband64k) { // beside the answer come the words of forges and of hooks
			if err := request.Capabilities.Set(capability.Sideband64k); err != nil {
				return err
			}
			request.Progress = &words
		}
		may := &leave{ask: u.Guard}
		if may.pass() != nil {
			return may.refused(r.at, u.Ref)
		}
		c.guarded(may)
		report, err := c.receive.ReceivePack(ctx, request)
		if why := c.may.why(); why != nil {
			may.refuse(why) // the connection is asked in between, too
		}
		if report != nil && report.Error() != nil {
			return &Error{Kind: Rejected, Where: r.at.display, Text: "the server refused the push to " + u.Ref + ": " + clean(c.masker, report.Error().Error()+words.behind(": "))}
		}
		if refused := may.refused(r.at, u.Ref); refused != nil && (err != nil || report == nil) {
			return refused
		}
		if err == nil && report == nil {
			return fmt.Errorf("the server did not say what became of the push: %w", io.ErrUnexpectedEOF)
		}
		return err
	})
}

// placed adds the place to an error of ours that has none. What it says is the same each time that the same is wrong.
func (l location) placed(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Where == "" {
		e.Where = l.display
	}
	return steady(err)
}
