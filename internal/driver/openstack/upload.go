package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The bounds of an upload.
const (
	uploadLimit   = 2 * time.Hour
	stallLimit    = 2 * time.Minute
	largestImage  = 512 << 30
	uploadsAtOnce = 2
)

// upload brings the bytes of one image from their source to Glance.
type upload struct {
	image, source, checksum string
	remote                  bool          // Glance fetches them itself
	content                 *unit.Content // they are in a file, and the source is its digest
	address                 addr.Object
}

// uploads are those that go on in the background. None is written down anywhere: when the process
// ends they end, Glance has the image as queued again, and the next one begins anew.
type uploads struct {
	client *http.Client
	// sources are where they may come from.
	sources Sources
	notify  func(...addr.Object)
	slots   chan struct{}
	imports chan struct{} // like slots, of those that Glance fetches itself
	root    context.Context
	cancel  context.CancelFunc
	group   contain.Background

	mu     sync.Mutex
	open   map[string]context.CancelFunc // by image
	failed map[string]error              // by image, until it is told
}

func newUploads(client *http.Client, reads func() error, sources Sources, notify func(...addr.Object)) *uploads {
	if client == nil {
		client = &http.Client{Transport: guard.Onward{Next: guard.Behind{Next: &http.Transport{
			Proxy: http.ProxyFromEnvironment, OnProxyConnectResponse: guard.ProxyAnswer, DialContext: (&net.Dialer{Timeout: dialLimit}).DialContext,
			TLSHandshakeTimeout: dialLimit, ResponseHeaderTimeout: headerLimit, ForceAttemptHTTP2: true,
		}}}}
	}
	asks := *client
	asks.Transport = guard.Asked{Next: cmp.Or(client.Transport, http.DefaultTransport), Ask: reads}
	if notify == nil {
		notify = func(...addr.Object) {}
	}
	u := &uploads{
		client: sources.guarded(&asks), sources: sources, notify: notify, slots: make(chan struct{}, uploadsAtOnce),
		imports: make(chan struct{}, importsAtOnce),
		open:    map[string]context.CancelFunc{}, failed: map[string]error{},
	}
	u.root, u.cancel = context.WithCancel(context.Background())
	return u
}

func (u *uploads) close() {
	u.cancel()
	u.group.Wait()
}

// running tells whether an upload to the image goes on or waits for its turn.
func (u *uploads) running(image string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.open[image] != nil
}

func (u *uploads) stop(image string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if cancel := u.open[image]; cancel != nil {
		cancel()
	}
	delete(u.failed, image)
}

// begin starts an upload and returns at once. When the last one to the image failed it returns that error
// instead, once, so that the caller decides when to try again.
func (u *uploads) begin(s *session, job upload) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.failed[job.image]; err != nil {
		delete(u.failed, job.image)
		return err
	}
	if u.open[job.image] != nil {
		return nil
	}
	if err := u.root.Err(); err != nil {
		return fmt.Errorf("the driver is closed: %w", err)
	}
	limit := uploadLimit
	if job.remote {
		limit = importLimit + uploadLimit // as it may wait for its turn
	}
	ctx, cancel := context.WithTimeout(u.root, limit)
	u.open[job.image] = cancel
	u.group.Go(func() {
		defer cancel()
		run := u.run
		switch {
		case job.remote:
			run = u.download
		case job.content != nil:
			run = u.hand
		}
		err := contain.Do(func() error { return run(ctx, s, job) })
		u.mu.Lock()
		delete(u.open, job.image)
		if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
			u.failed[job.image] = err
		}
		u.mu.Unlock()
		u.notify(job.address)
	})
	return nil
}

// turn waits until an upload can begin, for one of some slots. What it returns ends it.
func turn(ctx context.Context, slots chan struct{}) (release func(), err error) {
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// stalled ends an upload of which no byte moves for a long time.
func stalled(cancel context.CancelCauseFunc) *time.Timer {
	return time.AfterFunc(stallLimit, contain.Callback(func() { cancel(errors.New("no byte moved for a long time")) }))
}

// run fetches and sends at the same time, so that no image is ever kept here as a whole.
func (u *uploads) run(ctx context.Context, s *session, job upload) error {
	release, err := turn(ctx, u.slots)
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if problem := u.sources.problem(job.source); problem != "" {
		return unit.Blocked(problem)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, job.source, http.NoBody)
	if err != nil {
		return unit.Blocked("the source of the image is no address")
	}
	download, err := u.client.Do(request)
	if err != nil {
		return s.notFetched(err)
	}
	defer download.Body.Close()
	if download.StatusCode != http.StatusOK {
		err := fmt.Errorf("download the image: its source answered %d %s", download.StatusCode, http.StatusText(download.StatusCode))
		if download.StatusCode == http.StatusNotFound || download.StatusCode == http.StatusForbidden || download.StatusCode == http.StatusGone {
			return unit.Blocked(err.Error())
		}
		return err
	}
	if download.ContentLength > largestImage {
		return unit.Blocked(fmt.Sprintf("the image has %d bytes: at most %d are taken", download.ContentLength, int64(largestImage)))
	}
	watch := stalled(cancel)
	defer watch.Stop()
	body, err := newVerified(download.Body, job.checksum, func() { watch.Reset(stallLimit) })
	if err != nil {
		return err
	}
	err = u.send(ctx, s, job.image, body, download.ContentLength)
	if problem := body.problem(); problem != nil {
		return problem
	}
	if err != nil && context.Cause(ctx) != nil {
		return fmt.Errorf("upload the image: %w", context.Cause(ctx))
	}
	return err
}

// notFetched says why there is no answer of an image's source.
func (s *session) notFetched(err error) error {
	switch {
	case errors.Is(err, unit.ErrNotWriter):
		return fmt.Errorf("download the image: %w", unit.ErrNotWriter)
	case unit.IsBlocked(err):
		return unit.Blocked(cause(err))
	case guard.NotHTTP(err):
		return errors.New("download the image: what its source answers is no HTTP")
	}
	return fmt.Errorf("download the image: %s", s.masker.Text(cause(err)))
}

// send hands the bytes to Glance. It begins with a look at the image, which also makes sure of
// a token that is still good: bytes can be sent only once.
func (u *uploads) send(ctx context.Context, s *session, image string, body *verified, size int64) error {
	answer, err := s.do(ctx, call{service: serviceImage, method: http.MethodGet, path: pathOf("images", image)})
	if err != nil {
		return err
	}
	if textAt(answer, "status") != "queued" {
		return nil // somebody was faster
	}
	endpoint, err := s.endpoint(serviceImage)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, endpoint+pathOf("images", image, "file"), body)
	if err != nil {
		return err
	}
	request.ContentLength = size
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("X-Auth-Token", s.provider.Token())
	client := &http.Client{Transport: s.transport} // bounded by ctx: an image takes its time
	response, err := client.Do(request)
	if errors.Is(err, unit.ErrNotWriter) {
		return fmt.Errorf("upload the image: %w", unit.ErrNotWriter)
	}
	if err != nil {
		return fmt.Errorf("upload the image: %s", s.masker.Text(cause(err)))
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return &apiError{service: serviceImage, method: http.MethodPut, path: pathOf("images", image, "file"), status: response.StatusCode}
	}
	return nil
}
