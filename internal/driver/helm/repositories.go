package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/Masterminds/semver/v3"
	"golang.org/x/sync/singleflight"
	"helm.sh/helm/v3/pkg/registry"
	"helm.sh/helm/v3/pkg/repo"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// downloadTimeout bounds one request to a repository.
const downloadTimeout = time.Minute

// indexLife is how long the index of a repository stays in memory: as long as its charts are asked for
// one after the other.
const indexLife = time.Minute

// digestPrefix is what the digests of charts begin with.
const digestPrefix = "sha256:"

// ociPrefix is what addresses in registries begin with.
const ociPrefix = registry.OCIScheme + "://"

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
		cacheDir: options.CacheDir, credentialsFile: options.CredentialsFile, transport: overTLS{asItIs{guard.Asked{Next: through, Ask: options.Reads}}},
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
	if reference, isOCI := strings.CutPrefix(address, ociPrefix); isOCI { // as Bitnami's repository has them
		return r.fetchIndexed(reference, entry)
	}
	var data []byte
	err = from.read(address, maxDownload, errLargeChart, func(body io.Reader) (err error) {
		data, err = io.ReadAll(body)
		return err
	})
	if err != nil {
		return nil, err
	}
	return data, asIndexed(entry, sha256Of(data))
}

// asIndexed tells when none of the digests of a chart is the one that the index has for it.
func asIndexed(entry *repo.ChartVersion, digests ...string) error {
	if sum := strings.TrimPrefix(entry.Digest, digestPrefix); sum != "" && !slices.Contains(digests, sum) {
		return fmt.Errorf("version %s has another digest than the index says", entry.Version)
	}
	return nil
}

// fetchIndexed pulls what the index of a repository says is in a registry. The digest there may be that of the packed chart, or
// of its manifest.
func (r *repositories) fetchIndexed(reference string, entry *repo.ChartVersion) ([]byte, error) {
	client, _, err := r.registry()
	if err != nil {
		return nil, err
	}
	pulled, err := client.Pull(reference)
	if err != nil {
		return nil, outwardly{err}
	}
	return pulled.Chart.Data, asIndexed(entry, sha256Of(pulled.Chart.Data), strings.TrimPrefix(pulled.Manifest.Digest, digestPrefix))
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
		time.AfterFunc(indexLife, contain.Callback(func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.indexes, repository)
		}))
		return read, nil
	})
	if err != nil {
		return nil, err
	}
	return read.(*index), nil
}

// fetchOCI pulls the newest tag that fits.
func (r *repositories) fetchOCI(wanted unit.Chart) ([]byte, error) {
	client, authorizer, err := r.registry()
	if err != nil {
		return nil, err
	}
	reference := strings.TrimSuffix(strings.TrimPrefix(wanted.Repository, ociPrefix), "/") + "/" + wanted.Name
	pull := func(tag string) ([]byte, error) {
		pulled, err := client.Pull(reference + ":" + tag)
		if err != nil {
			return nil, outwardly{err}
		}
		return pulled.Chart.Data, nil
	}
	if versionOfTag(wanted.Version) != nil {
		data, err := pull(wanted.Version)
		if !errors.Is(err, errdef.ErrNotFound) {
			return data, err
		}
		// The tag may have a v more or less, or what is behind a +: repositories of files find such versions, too.
		if tag, failed := newestTag(authorizer, reference, wanted.Version); failed == nil {
			return pull(tag)
		}
		return nil, err
	}
	tag, err := newestTag(authorizer, reference, wanted.Version)
	if err != nil {
		return nil, err
	}
	return pull(tag)
}

// newestTag returns the newest of the tags of a chart that fits. Helm's client would pass over those with a v before the
// version, as cert-manager, Rook and others have them.
func newestTag(authorizer *auth.Client, reference, wanted string) (string, error) {
	constraint, err := semver.NewConstraint(cmp.Or(wanted, "*"))
	if err != nil {
		return "", fmt.Errorf("the version %q: %w", wanted, err)
	}
	from, err := remote.NewRepository(reference)
	if err != nil {
		return "", err
	}
	from.Client = authorizer
	var best string
	var newest *semver.Version
	err = from.Tags(context.Background(), "", func(tags []string) error { // the time of the client bounds each page, and its size all of them
		for _, tag := range tags {
			tag = strings.ReplaceAll(tag, "_", "+") // which tags cannot have
			version := versionOfTag(tag)
			if version != nil && constraint.Check(version) && (newest == nil || version.GreaterThan(newest)) {
				best, newest = tag, version
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("list the versions: %w", outwardly{err})
	case best == "":
		return "", fmt.Errorf("it has no version %s", cmp.Or(wanted, "that is no pre-release"))
	}
	return best, nil
}

// versionOfTag is the version that a tag stands for, nil for none. Tags such as 1.2 move on.
func versionOfTag(tag string) *semver.Version {
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(tag, "v")); err != nil {
		return nil
	}
	version, err := semver.NewVersion(tag)
	if err != nil {
		return nil
	}
	return version
}

// registry returns a client that knows the credentials of the given file and no others, and what it asks with.
func (r *repositories) registry() (*registry.Client, *auth.Client, error) {
	// It asks for one chart, so that all its answers are bounded together.
	client := &http.Client{Timeout: downloadTimeout, Transport: newBounded(r.transport, maxDownload, errLargeChart)}
	authorizer := auth.Client{Client: client, Cache: auth.NewCache()}
	authorizer.Credential = func(context.Context, string) (auth.Credential, error) { return auth.EmptyCredential, nil }
	file := filepath.Join(r.cacheDir, "no-credentials.json") // Helm would look in the home directory
	store, err := r.credentials()
	if err != nil {
		return nil, nil, err
	}
	if store != nil {
		file = r.credentialsFile
		authorizer.Credential = credentials.Credential(store)
	}
	known, err := registry.NewClient(registry.ClientOptAuthorizer(authorizer), registry.ClientOptCredentialsFile(file),
		registry.ClientOptHTTPClient(client), registry.ClientOptWriter(io.Discard))
	return known, &authorizer, err
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
