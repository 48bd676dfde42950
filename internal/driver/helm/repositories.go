package helm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/Masterminds/semver/v3"
	"golang.org/x/sync/singleflight"
	"helm.sh/helm/v3/pkg/registry"
	"helm.sh/helm/v3/pkg/repo"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// downloadTimeout bounds one request to a repository.
const downloadTimeout = time.Minute

// indexLife is how long the index of a repository stays in memory: as long as its charts are asked for
// one after the other.
const indexLife = time.Minute

// digestPrefix is what the digests of charts begin with.
const digestPrefix = "sha256:"

// repositories get packed charts from where they are published.
type repositories struct {
	cacheDir        string
	credentialsFile string // "" for none
	transport       http.RoundTripper

	reads   singleflight.Group
	mu      sync.Mutex
	indexes map[string]*index // by repository, for indexLife
	parsing sync.Mutex        // one entry of an index is decoded at a time
}

func newRepositories(options Options) *repositories {
	var through http.RoundTripper = newTransport()
	if options.Transport != nil {
		through = options.Transport
	}
	return &repositories{
		cacheDir: options.CacheDir, credentialsFile: options.CredentialsFile, transport: overTLS{asItIs{through}},
		indexes: map[string]*index{},
	}
}

// fetch returns the newest packed chart that fits.
func (r *repositories) fetch(wanted unit.Chart) ([]byte, error) {
	if registry.IsOCI(wanted.Repository) {
		return r.fetchOCI(wanted)
	}
	if strings.HasPrefix(wanted.Repository, "https://") {
		return r.fetchHTTPS(wanted)
	}
	return nil, unit.Blocked(fmt.Sprintf("the repository %q begins with none of https://, oci://, git+https:// and git+ssh://", wanted.Repository))
}

// fetchHTTPS looks the version up in the repository's index.
func (r *repositories) fetchHTTPS(wanted unit.Chart) ([]byte, error) {
	from, err := r.site(wanted.Repository)
	if err != nil {
		return nil, err
	}
	entry, err := r.look(from, wanted)
	if err != nil {
		return nil, err
	}
	if len(entry.URLs) == 0 {
		return nil, fmt.Errorf("the index has no address for version %s", entry.Version)
	}
	address, err := repo.ResolveReferenceURL(wanted.Repository, entry.URLs[0])
	if err != nil {
		return nil, fmt.Errorf("the index has an address for version %s that cannot be read", entry.Version)
	}
	var data []byte
	err = from.read(address, maxDownload, errLargeChart, func(body io.Reader) (err error) {
		data, err = io.ReadAll(body)
		return err
	})
	if err != nil {
		return nil, err
	}
	if sum := strings.TrimPrefix(entry.Digest, digestPrefix); sum != "" && sum != sha256Of(data) {
		return nil, fmt.Errorf("version %s has another digest than the index says", entry.Version)
	}
	return data, nil
}

// look finds the newest version that fits in the index of a repository.
func (r *repositories) look(from *site, wanted unit.Chart) (*repo.ChartVersion, error) {
	read, err := r.index(from, wanted.Repository)
	if err != nil {
		return nil, fmt.Errorf("the index: %w", err)
	}
	r.parsing.Lock()
	defer r.parsing.Unlock()
	found, err := read.of(wanted.Name, r.cacheDir)
	if err != nil {
		return nil, fmt.Errorf("the index: %w", err)
	}
	return found.Get(wanted.Name, wanted.Version)
}

// site returns what a repository is asked with.
func (r *repositories) site(repository string) (*site, error) {
	at, err := url.Parse(repository)
	if err != nil {
		return nil, errors.New("the address of the repository cannot be read")
	}
	from := &site{base: r.transport, host: at.Host}
	store, err := r.credentials()
	if err != nil || store == nil {
		return from, err
	}
	known, err := store.Get(context.Background(), at.Host) // a file
	if err != nil {
		return nil, fmt.Errorf("read the credentials of repositories: %w", err)
	}
	from.user, from.password = known.Username, known.Password
	return from, nil
}

// index reads the index of a repository, once for all charts that are asked for at about the same time.
func (r *repositories) index(from *site, repository string) (*index, error) {
	r.mu.Lock()
	known := r.indexes[repository]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	read, err, _ := r.reads.Do(repository, func() (any, error) {
		var read *index
		err := from.read(strings.TrimSuffix(repository, "/")+"/index.yaml", maxIndex, errLargeIndex, func(body io.Reader) (err error) {
			read, err = newIndex(body)
			return err
		})
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.indexes[repository] = read
		time.AfterFunc(indexLife, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.indexes, repository)
		})
		return read, nil
	})
	if err != nil {
		return nil, err
	}
	return read.(*index), nil
}

// fetchOCI pulls the newest tag that fits.
func (r *repositories) fetchOCI(wanted unit.Chart) ([]byte, error) {
	client, err := r.registry()
	if err != nil {
		return nil, err
	}
	reference := strings.TrimSuffix(strings.TrimPrefix(wanted.Repository, "oci://"), "/") + "/" + wanted.Name
	tag := wanted.Version
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(wanted.Version, "v")); err != nil {
		tags, err := client.Tags(reference)
		if err != nil {
			return nil, fmt.Errorf("list the versions: %w", withoutQueries{err})
		}
		if tag, err = registry.GetTagMatchingVersionOrConstraint(tags, wanted.Version); err != nil {
			return nil, err
		}
	}
	pulled, err := client.Pull(reference + ":" + tag)
	if err != nil {
		return nil, withoutQueries{err}
	}
	return pulled.Chart.Data, nil
}

// registry returns a client that knows the credentials of the given file and no others.
func (r *repositories) registry() (*registry.Client, error) {
	// It asks for one chart, so that all its answers are bounded together.
	client := &http.Client{Timeout: downloadTimeout, Transport: newBounded(r.transport, maxDownload, errLargeChart)}
	authorizer := auth.Client{Client: client, Cache: auth.NewCache()}
	authorizer.Credential = func(context.Context, string) (auth.Credential, error) { return auth.EmptyCredential, nil }
	file := filepath.Join(r.cacheDir, "no-credentials.json") // Helm would look in the home directory
	store, err := r.credentials()
	if err != nil {
		return nil, err
	}
	if store != nil {
		file = r.credentialsFile
		authorizer.Credential = credentials.Credential(store)
	}
	return registry.NewClient(registry.ClientOptAuthorizer(authorizer), registry.ClientOptCredentialsFile(file),
		registry.ClientOptHTTPClient(client), registry.ClientOptWriter(io.Discard))
}

// credentials reads the file anew, as it may have been rotated; nil without one.
func (r *repositories) credentials() (credentials.Store, error) {
	if r.credentialsFile == "" {
		return nil, nil
	}
	store, err := credentials.NewFileStore(r.credentialsFile)
	if err != nil {
		return nil, fmt.Errorf("read the credentials of repositories: %w", err)
	}
	return store, nil
}
