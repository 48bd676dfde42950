package helm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/Masterminds/semver/v3"
	"golang.org/x/sync/singleflight"
	"helm.sh/helm/v3/pkg/getter"
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
	transport       *http.Transport

	reads   singleflight.Group
	mu      sync.Mutex
	indexes map[string]*repo.IndexFile // by repository, for indexLife
}

func newRepositories(options Options) *repositories {
	return &repositories{
		cacheDir: options.CacheDir, credentialsFile: options.CredentialsFile, transport: options.Transport,
		indexes: map[string]*repo.IndexFile{},
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
	client, err := r.client(wanted.Repository)
	if err != nil {
		return nil, err
	}
	index, err := r.index(client, wanted.Repository)
	if err != nil {
		return nil, fmt.Errorf("the index: %w", err)
	}
	entry, err := index.Get(wanted.Name, wanted.Version)
	if err != nil {
		return nil, err
	}
	if len(entry.URLs) == 0 {
		return nil, fmt.Errorf("the index has no address for version %s", entry.Version)
	}
	address, err := repo.ResolveReferenceURL(wanted.Repository, entry.URLs[0])
	if err != nil {
		return nil, err
	}
	data, err := client.Get(address)
	if err != nil {
		return nil, err
	}
	if sum := strings.TrimPrefix(entry.Digest, digestPrefix); sum != "" && sum != sha256Of(data.Bytes()) {
		return nil, fmt.Errorf("version %s has another digest than the index says", entry.Version)
	}
	return data.Bytes(), nil
}

// client returns what reads a repository. The credentials go to the repository's own host only.
func (r *repositories) client(repository string) (getter.Getter, error) {
	options := []getter.Option{getter.WithTimeout(downloadTimeout), getter.WithTransport(r.transport), getter.WithURL(repository)}
	store, err := r.credentials()
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(repository)
	if err != nil {
		return nil, fmt.Errorf("the address of the repository: %w", err)
	}
	if store != nil {
		known, err := store.Get(context.Background(), at.Host) // a file
		if err != nil {
			return nil, fmt.Errorf("read the credentials of repositories: %w", err)
		}
		if known.Username != "" {
			options = append(options, getter.WithBasicAuth(known.Username, known.Password))
		}
	}
	return getter.NewHTTPGetter(options...)
}

// index reads the index of a repository, once for all charts that are asked for at about the same time.
func (r *repositories) index(client getter.Getter, repository string) (*repo.IndexFile, error) {
	r.mu.Lock()
	known := r.indexes[repository]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	read, err, _ := r.reads.Do(repository, func() (any, error) {
		text, err := client.Get(strings.TrimSuffix(repository, "/") + "/index.yaml")
		if err != nil {
			return nil, err
		}
		index, err := r.parse(text.Bytes())
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.indexes[repository] = index
		time.AfterFunc(indexLife, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.indexes, repository)
		})
		return index, nil
	})
	if err != nil {
		return nil, err
	}
	return read.(*repo.IndexFile), nil
}

// parse reads an index, which Helm does from files only. The file is nobody else's: another process may use
// the same directory.
func (r *repositories) parse(text []byte) (*repo.IndexFile, error) {
	file, err := temporary(r.cacheDir, text)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file) }()
	return repo.LoadIndexFile(file)
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
			return nil, fmt.Errorf("list the versions: %w", err)
		}
		if tag, err = registry.GetTagMatchingVersionOrConstraint(tags, wanted.Version); err != nil {
			return nil, err
		}
	}
	pulled, err := client.Pull(reference + ":" + tag)
	if err != nil {
		return nil, err
	}
	return pulled.Chart.Data, nil
}

// registry returns a client that knows the credentials of the given file and no others.
func (r *repositories) registry() (*registry.Client, error) {
	client := &http.Client{Timeout: downloadTimeout}
	if r.transport != nil {
		client.Transport = r.transport
	}
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
