package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// pipes is a conversation with Git's side of the protocol over a program's input and output, near
// or over SSH. The library has one too, but its connections do not end with a context, and it
// reads the user's SSH configuration. It implements both sessions of transport.
type pipes struct {
	in   io.WriteCloser
	out  io.Reader
	said firstWords // on standard error
	hear func()     // waits for what it says to be complete; nil when end does
	end  func() error

	leave  *leave // of a push; nil for any other call
	budget int64  // bytes that may still come
	asked  bool
	once   sync.Once
}

// Read implements io.Reader within the budget.
func (p *pipes) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if p.budget -= int64(n); p.budget < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// Close ends the conversation. It may be called more than once.
func (p *pipes) Close() (err error) {
	p.once.Do(func() {
		if !p.asked { // a polite good-bye, so that the server does not log a broken client
			_, _ = p.in.Write(pktline.FlushPkt)
		}
		err = p.end()
	})
	return err
}

// AdvertisedReferences implements transport.Session.
func (p *pipes) AdvertisedReferences() (*packp.AdvRefs, error) {
	return p.AdvertisedReferencesContext(context.Background())
}

// AdvertisedReferencesContext implements transport.Session; the context is the connection's own.
func (p *pipes) AdvertisedReferencesContext(ctx context.Context) (*packp.AdvRefs, error) {
	refs := packp.NewAdvRefs()
	err := refs.Decode(listed(ctx, p))
	switch {
	case errors.Is(err, packp.ErrEmptyAdvRefs):
		return refs, nil
	case errors.Is(err, packp.ErrEmptyInput):
		if p.hear != nil {
			p.hear()
		}
		_ = p.Close() // so that what it said is complete
		return nil, p.said.explain()
	case err != nil:
		return nil, err
	}
	transport.FilterUnsupportedCapabilities(refs.Capabilities)
	return refs, nil
}

// UploadPack implements transport.UploadPackSession.
func (p *pipes) UploadPack(_ context.Context, req *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	p.asked = true
	cut := p.ask(req)
	response := packp.NewUploadPackResponse(req)
	err := response.Decode(p)
	switch {
	case cut != nil && err != nil: // a server that refuses may hang up before it has heard all, and its answer says why
		return nil, fmt.Errorf("asking for objects: %w: %w", cut, err)
	case cut != nil:
		return nil, fmt.Errorf("asking for objects: %w", cut)
	case err != nil:
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	return response, nil
}

// ask says which objects are wanted, and that this is all.
func (p *pipes) ask(req *packp.UploadPackRequest) error {
	if err := req.UploadRequest.Encode(p.in); err != nil {
		return err
	}
	if err := req.UploadHaves.Encode(p.in, false); err != nil {
		return err
	}
	if err := pktline.NewEncoder(p.in).Encodef("done\n"); err != nil {
		return err
	}
	return p.in.Close()
}

// ReceivePack implements transport.ReceivePackSession.
func (p *pipes) ReceivePack(_ context.Context, req *packp.ReferenceUpdateRequest) (*packp.ReportStatus, error) {
	if err := req.Encode(&parts{to: p.in, leave: p.leave, begin: func() { p.asked = true }}); err != nil {
		return nil, fmt.Errorf("sending objects: %w", err)
	}
	if err := p.in.Close(); err != nil {
		return nil, fmt.Errorf("sending objects: %w", err)
	}
	var answer io.Reader = p
	if req.Capabilities.Supports(capability.Sideband64k) {
		beside := sideband.NewDemuxer(sideband.Sideband64k, p)
		beside.Progress = req.Progress
		answer = beside
	}
	report := packp.NewReportStatus()
	if err := report.Decode(answer); err != nil {
		return nil, err
	}
	return report, report.Error()
}

// enoughWords is how many bytes are kept of what a server says.
const enoughWords = 4096

// firstWords keeps the beginning of what is written to it.
type firstWords struct {
	mu   sync.Mutex
	text []byte
	more bool // was written, and is not kept
}

// Write implements io.Writer and never fails.
func (w *firstWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept := min(len(p), enoughWords-len(w.text))
	w.text, w.more = append(w.text, p[:kept]...), w.more || kept < len(p)
	return len(p), nil
}

// behind returns the words behind something; "" where there are none.
func (w *firstWords) behind(what string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	said := strings.TrimSpace(string(w.text))
	if said == "" {
		return ""
	}
	if w.more {
		said += cutOff // by which whoever masks it knows
	}
	return what + said
}

// explain makes an error of what a program said that gave no answer. Git has no codes for this, so
// the words of the common servers are recognised.
func (w *firstWords) explain() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.ToLower(string(w.text))
	for _, words := range []string{"not found", "not appear to be a git repository", "no such repository", "does not exist", "could not be found", "not a git repository"} {
		if strings.Contains(text, words) {
			return transport.ErrRepositoryNotFound
		}
	}
	for _, words := range []string{"denied", "not allowed", "read-only", "read only", "unauthorized", "forbidden", "permission"} {
		if strings.Contains(text, words) {
			return transport.ErrAuthorizationFailed
		}
	}
	if text == "" {
		return fmt.Errorf("the server ended the conversation: %w", io.ErrUnexpectedEOF)
	}
	said := string(w.text)
	if w.more {
		said += cutOff // by which whoever masks it knows
	}
	return fmt.Errorf("%w: the server said: %s", io.ErrUnexpectedEOF, said)
}

var (
	_ transport.UploadPackSession  = (*pipes)(nil)
	_ transport.ReceivePackSession = (*pipes)(nil)
)
