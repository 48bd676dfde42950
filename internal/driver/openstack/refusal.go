package openstack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// How long credentials that Keystone refused stay untried. Each attempt counts towards the limit
// at which Keystone locks the user (lockout_failure_attempts), and would renew the lock.
const (
	firstRefusal   = 5 * time.Minute
	longestRefusal = 30 * time.Minute
	// noRolePause is for good credentials that may not work in a project: nothing locks there.
	noRolePause = time.Minute
	// rereadPause is how often refused credentials are read again to see whether they differ.
	rereadPause = 10 * time.Second
	// renewPause is how often a token may be replaced before its time. A service that refuses a
	// new token refuses the next one, too.
	renewPause = time.Minute
)

// login is what Keystone can refuse: credentials for a project, "" being their own.
type login struct {
	credentials [sha256.Size]byte
	project     string
}

// digest tells credentials apart by all of their parts.
func (c *Credentials) digest() [sha256.Size]byte {
	hash := sha256.New()
	for _, part := range []string{
		c.AuthURL, c.Region, c.Interface, c.CA, c.Also,
		c.UserID, c.Username, c.UserDomainID, c.UserDomainName, c.Password.Reveal(),
		c.ProjectID, c.ProjectName, c.ProjectDomainID, c.ProjectDomainName,
		c.ApplicationCredentialID, c.ApplicationCredentialName, c.ApplicationCredentialSecret.Reveal(),
	} {
		_, _ = fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	if c.client != nil {
		for _, certificate := range c.client.Certificate {
			_, _ = fmt.Fprintf(hash, "%s;", hex.EncodeToString(certificate))
		}
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// way is the digest without secrets: who logs in, and where.
func (c *Credentials) way() [sha256.Size]byte {
	open := *c
	open.Password, open.ApplicationCredentialSecret, open.client = redact.Secret{}, redact.Secret{}, nil
	return open.digest()
}

// refusals remembers what Keystone refused. It is safe for concurrent use.
type refusals struct {
	now func() time.Time

	mu    sync.Mutex
	known map[login]denial
}

type denial struct {
	times int
	until time.Time
	err   error
}

// recall returns the error of a refusal that still counts, else nil.
func (r *refusals) recall(l login) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.known[l]; ok && r.now().Before(known.until) {
		return known.err
	}
	return nil
}

// refused remembers that a login was refused and returns its error.
func (r *refusals) refused(l login, who string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.known[l]
	known.times++
	wait := firstRefusal
	for i := 1; i < known.times && wait < longestRefusal; i++ {
		wait *= 2
	}
	wait = min(wait+rand.N(wait/10), longestRefusal) //nolint:gosec // jitter needs no secrecy
	known.err = unit.Blocked(fmt.Sprintf("OpenStack refused the credentials of %s: give valid ones", who))
	if l.project != "" {
		wait, known.err = noRolePause, errNoRole
	}
	known.until = r.now().Add(wait)
	r.known[l] = known
	return known.err
}

// accepted forgets the refusals of a login.
func (r *refusals) accepted(l login) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, l)
}

// waits lets a login be tried after a pause.
func (r *refusals) waits(l login, pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if pause == 0 {
		delete(r.known, l)
		return
	}
	r.known[l] = denial{until: r.now().Add(pause), err: errSettles}
}

// errSettles says why a login is not tried now.
var errSettles = errors.New("our user was changed a moment ago")

// again lets a login be tried at once, as our user was given a role; but only after its first
// refusal.
func (r *refusals) again(l login) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[l].times == 1 {
		known := r.known[l]
		known.until = time.Time{}
		r.known[l] = known
	}
}

// only forgets the refusals of all other credentials.
func (r *refusals) only(credentials [sha256.Size]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l := range r.known {
		if l.credentials != credentials {
			delete(r.known, l)
		}
	}
}
