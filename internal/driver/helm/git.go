package helm

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

const (
	// gitTimeout bounds one conversation with a Git repository, as [gitrepo.Options] says.
	gitTimeout = 2 * time.Minute
	// maxFetched bounds what is received of a Git repository at a time, in bytes. All of OpenStack-Helm without its history
	// has some MiB.
	maxFetched = 512 << 20
)

// checkouts get the files of Git repositories with charts. What was fetched is kept on disk.
type checkouts struct {
	options Options
	from    *repositories // whose credentials go to Git over https, too

	mu      sync.Mutex
	sources map[string]*gitrepo.Source // by address
	heads   map[string]*newestTree     // by address
}

// newestTree is what a branch or a tag is at, once somebody has asked for it.
type newestTree struct{ read func() (*gitrepo.Tree, error) }

func newCheckouts(options Options, from *repositories) *checkouts {
	return &checkouts{options: options, from: from, sources: map[string]*gitrepo.Source{}, heads: map[string]*newestTree{}}
}

// newest returns what a branch or a tag is at. It is looked up once, for whoever asks first: all charts that are
// locked at a time are of one commit, and a server that does not answer is waited for once. What was found damaged since
// is fetched anew.
func (c *checkouts) newest(ctx context.Context, repository string) (*gitrepo.Tree, error) {
	known := c.asked(ctx, repository, nil)
	tree, err := known.read()
	if err == nil && tree.Damage() != nil {
		return c.asked(ctx, repository, known).read()
	}
	return tree, err
}

// asked returns what is to be asked for the newest tree, but for one that is given up.
func (c *checkouts) asked(ctx context.Context, repository string, not *newestTree) *newestTree {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.heads[repository]
	if known == nil || known == not {
		known = &newestTree{sync.OnceValues(func() (*gitrepo.Tree, error) { return c.head(ctx, repository) })}
		c.heads[repository] = known
	}
	return known
}

func (c *checkouts) head(ctx context.Context, repository string) (*gitrepo.Tree, error) {
	source, err := c.source(ctx, repository)
	if err != nil {
		return nil, err
	}
	rev, err := source.Head(ctx)
	if err != nil {
		return nil, err
	}
	return source.Fetch(ctx, rev)
}

// at returns the files of a commit, wherever the branch is now.
func (c *checkouts) at(ctx context.Context, repository, commit string) (*gitrepo.Tree, error) {
	source, err := c.source(ctx, repository)
	if err != nil {
		return nil, err
	}
	return source.Exactly(ctx, commit)
}

func (c *checkouts) source(ctx context.Context, repository string) (*gitrepo.Source, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.sources[repository]; known != nil {
		return known, nil
	}
	at, err := chartlock.ParseGit(repository)
	if err != nil {
		return nil, fmt.Errorf("the repository must be %w", err)
	}
	source, err := gitrepo.Open(ctx, gitrepo.Options{
		URL: at.URL, Ref: at.Ref, CacheDir: filepath.Join(c.options.CacheDir, "git"), Timeout: gitTimeout, MaxBytes: maxFetched, May: c.options.Reads,
		Credentials: func(ctx context.Context) (gitrepo.Credentials, error) { return c.credentials(ctx, at.URL) },
	})
	if err == nil {
		c.sources[repository] = source
	}
	return source, err
}

// credentials returns what reaches a repository: over https what the file of credentials has for its host, and
// nothing that is meant for another one.
func (c *checkouts) credentials(ctx context.Context, at string) (known gitrepo.Credentials, err error) {
	if c.options.Git != nil {
		if known, err = c.options.Git(ctx); err != nil {
			return known, err
		}
	}
	store, err := c.from.credentials()
	if err != nil || store == nil {
		return known, err
	}
	u, err := url.Parse(at)
	if err != nil {
		return known, fmt.Errorf("the address of the repository: %w", err)
	}
	if u.Scheme != "https" {
		return known, nil
	}
	of, err := store.Get(ctx, u.Host)
	if err != nil {
		return known, fmt.Errorf("read the credentials of repositories: %w", err)
	}
	known.Username, known.Password = of.Username, redact.NewSecret(of.Password)
	return known, nil
}
