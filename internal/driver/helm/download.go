package helm

import (
	"context"
	"errors"
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

// downloadPatience is how long anybody waits for a download from its beginning on. One that takes longer goes
// on, within the deadlines of its requests, for those who ask later.
const downloadPatience = 30 * time.Second

// maxDownloads bounds the downloads at a time.
const maxDownloads = 8

// chartError says that a repository does not give a chart. Another try may help.
type chartError struct {
	name string
	err  error
}

func (e *chartError) Error() string { return fmt.Sprintf("download chart %s: %v", e.name, e.err) }
func (e *chartError) Unwrap() error { return e.err }

// flight is a download that is under way. What came of it can be read once it has landed.
type flight struct {
	begun  time.Time
	landed chan struct{}
	loaded *source
	err    error
}

// download returns a chart of a repository, from the disk where its exact version lies there. What
// a constraint stands for is asked once for each process.
func (c *charts) download(ctx context.Context, wanted unit.Chart) (*source, error) {
	known, f := c.begin(wanted)
	if known != nil {
		return known, nil
	}
	select {
	case <-f.landed:
		return c.end(wanted, f)
	default: // one that is late already must not win over one that has landed
	}
	ctx, cancel := context.WithDeadline(ctx, f.begun.Add(downloadPatience))
	defer cancel()
	select {
	case <-f.landed:
		return c.end(wanted, f)
	case <-ctx.Done():
		return nil, &chartError{nameOf(wanted), fmt.Errorf("the repository has not answered for %v", time.Since(f.begun).Round(time.Second))}
	}
}

// end takes what a flight has brought. One that failed has to be told of before there is another one.
func (c *charts) end(wanted unit.Chart, f *flight) (*source, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key := keyOf(wanted); c.flights[key] == f {
		delete(c.flights, key)
	}
	return f.loaded, f.err
}

func keyOf(wanted unit.Chart) string {
	return hashOf(wanted.Repository, wanted.Name, wanted.Version)
}

// begin returns a chart that was downloaded before, or else the flight that brings it, which begins when
// nobody has asked for it yet.
func (c *charts) begin(wanted unit.Chart) (*source, *flight) {
	key := keyOf(wanted)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.found[key]; known != nil {
		return known, nil
	}
	if f := c.flights[key]; f != nil {
		return nil, f
	}
	f := &flight{begun: time.Now(), landed: make(chan struct{})}
	c.flights[key] = f
	go func() {
		defer close(f.landed)
		c.slots <- struct{}{}
		f.loaded, f.err = c.bring(key, wanted)
		<-c.slots
		c.mu.Lock()
		defer c.mu.Unlock()
		if f.err == nil {
			c.found[key] = f.loaded
			delete(c.flights, key)
		}
	}()
	return nil, f
}

func nameOf(wanted unit.Chart) string {
	return fmt.Sprintf("%s %s of %s", wanted.Name, wanted.Version, wanted.Repository)
}

// bring reads a chart from the disk or its repository.
func (c *charts) bring(key string, wanted unit.Chart) (*source, error) {
	name := nameOf(wanted)
	file := filepath.Join(c.options.CacheDir, key+".tgz")
	data, err := os.ReadFile(file)
	if _, exact := semver.StrictNewVersion(wanted.Version); exact != nil || err != nil {
		data, err = c.fetch(wanted)
		if err != nil && !unit.IsBlocked(err) {
			err = &chartError{name, err}
		}
		if err != nil {
			return nil, err
		}
		if err := save(file, data); err != nil {
			return nil, fmt.Errorf("keep chart %s: %w", name, err)
		}
	}
	return c.packed(name, data)
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
	index, err := c.index(text.Bytes())
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

// index reads an index, which Helm does from files only. The file is nobody else's: another process may use
// the same directory.
func (c *charts) index(text []byte) (*repo.IndexFile, error) {
	file, err := temporary(c.options.CacheDir, text)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file) }()
	return repo.LoadIndexFile(file)
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
	written, err := temporary(filepath.Dir(file), data)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(written) }()
	return os.Rename(written, file)
}

// temporary writes a file with a name of its own and returns that.
func temporary(dir string, data []byte) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(dir, "download-")
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}
