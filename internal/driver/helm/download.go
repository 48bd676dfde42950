package helm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v3/pkg/getter"
	"helm.sh/helm/v3/pkg/registry"
	"helm.sh/helm/v3/pkg/repo"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// downloadTimeout bounds one request to a repository.
const downloadTimeout = time.Minute

// download returns a chart of a repository, from the disk where its exact version lies there. What
// a constraint stands for is asked once for each process.
func (c *charts) download(wanted unit.Chart) (*source, error) {
	key := hashOf(wanted.Repository, wanted.Name, wanted.Version)
	c.mu.Lock()
	known := c.found[key]
	c.mu.Unlock()
	if known != nil {
		return known, nil
	}
	name := fmt.Sprintf("%s %s of %s", wanted.Name, wanted.Version, wanted.Repository)
	file := filepath.Join(c.options.CacheDir, key+".tgz")
	data, err := os.ReadFile(file)
	if _, exact := semver.StrictNewVersion(wanted.Version); exact != nil || err != nil {
		if data, err = c.fetch(wanted); err != nil {
			return nil, fmt.Errorf("download chart %s: %w", name, err)
		}
		if err := save(file, data); err != nil {
			return nil, fmt.Errorf("keep chart %s: %w", name, err)
		}
	}
	loaded, err := c.packed(name, data)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found[key] = loaded
	return loaded, nil
}

func (c *charts) fetch(wanted unit.Chart) ([]byte, error) {
	if registry.IsOCI(wanted.Repository) {
		return c.fetchOCI(wanted)
	}
	if strings.HasPrefix(wanted.Repository, "https://") {
		return c.fetchHTTPS(wanted)
	}
	return nil, unit.Blocked(fmt.Sprintf("the repository %q begins with neither https:// nor oci://", wanted.Repository))
}

// fetchHTTPS looks the version up in the repository's index.
func (c *charts) fetchHTTPS(wanted unit.Chart) ([]byte, error) {
	client, err := getter.NewHTTPGetter(getter.WithTimeout(downloadTimeout), getter.WithTransport(c.options.Transport))
	if err != nil {
		return nil, err
	}
	text, err := client.Get(strings.TrimSuffix(wanted.Repository, "/") + "/index.yaml")
	if err != nil {
		return nil, fmt.Errorf("the index: %w", err)
	}
	file := filepath.Join(c.options.CacheDir, hashOf(wanted.Repository, wanted.Name, wanted.Version)+".index")
	if err := save(file, text.Bytes()); err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file) }()
	index, err := repo.LoadIndexFile(file) // Helm reads indexes from files only
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
	if sum := strings.TrimPrefix(entry.Digest, "sha256:"); sum != "" && sum != sha256Of(data.Bytes()) {
		return nil, fmt.Errorf("version %s has another digest than the index says", entry.Version)
	}
	return data.Bytes(), nil
}

// fetchOCI pulls the newest tag that fits.
func (c *charts) fetchOCI(wanted unit.Chart) ([]byte, error) {
	client, err := c.registry()
	if err != nil {
		return nil, err
	}
	reference := strings.TrimSuffix(strings.TrimPrefix(wanted.Repository, "oci://"), "/") + "/" + wanted.Name
	tag := wanted.Version
	if _, err := semver.StrictNewVersion(wanted.Version); err != nil {
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
func (c *charts) registry() (*registry.Client, error) {
	client := &http.Client{Timeout: downloadTimeout}
	if c.options.Transport != nil {
		client.Transport = c.options.Transport
	}
	authorizer := auth.Client{Client: client, Cache: auth.NewCache()}
	authorizer.Credential = func(context.Context, string) (auth.Credential, error) { return auth.EmptyCredential, nil }
	file := filepath.Join(c.options.CacheDir, "no-credentials.json") // Helm would look in the home directory
	if c.options.CredentialsFile != "" {
		file = c.options.CredentialsFile
		store, err := credentials.NewFileStore(file)
		if err != nil {
			return nil, fmt.Errorf("read the credentials of registries: %w", err)
		}
		authorizer.Credential = credentials.Credential(store)
	}
	return registry.NewClient(registry.ClientOptAuthorizer(authorizer), registry.ClientOptCredentialsFile(file),
		registry.ClientOptHTTPClient(client), registry.ClientOptWriter(io.Discard))
}

// save writes a file at once, so that a killed process leaves no half of it.
func save(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), "download-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	if _, err := temporary.Write(data); err != nil {
		_ = temporary.Close()
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
