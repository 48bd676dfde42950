package helm

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// maxRelease bounds what a stored release may unpack to; Kubernetes' limit for the packed one is 1 MiB, and texts of
	// charts become a tenth of their size at best.
	maxRelease = 32 << 20
	// maxParts bounds how many objects and lists it may have, braces in its texts included: each of two bytes takes up
	// hundreds of them once it is read.
	maxParts = 1 << 19
)

// stored is what the metadata of a revision's Secret tells.
type stored struct {
	secret          string
	resourceVersion string
	version         int
	status          release.Status
	labels          map[string]string
	made            time.Time // of the Secret
}

// revision is a revision of a release with what it consists of.
type revision struct {
	stored
	description string
	deployed    time.Time
	toolkit     bool // its chart is one of OpenStack-Helm's
	config      map[string]any
	objects     []*unstructured.Unstructured // as Helm applied them
	hooks       []*release.Hook
	after       []hook           // the hooks that run after it was applied
	previous    []unit.ObjectRef // what the revisions before had, and this one has not
	keeps       []unit.ObjectRef // what hooks have made to stay, and its pods mount
	inForce     []held           // the objects of the revision that is deployed: this one, or the last before it that was
	unread      *unreadableError // of the one before it, or its own
	bare        bool             // nothing but its labels is known
}

// ownedByHelm selects the Secrets in which Helm keeps revisions.
const ownedByHelm = "owner=helm"

// list returns the revisions of releases, oldest first, by namespace and name. It asks for metadata
// only. An empty namespace means all, an empty name every release.
func (d *Driver) list(ctx context.Context, namespace, name string) (map[string][]stored, error) {
	selector := ownedByHelm
	if name != "" {
		selector += ",name=" + name
	}
	items, err := d.api.Metadata(ctx, secrets(), namespace, selector)
	if err != nil {
		return nil, fmt.Errorf("list the releases: %w", err)
	}
	found := map[string][]stored{}
	for i := range items {
		item := &items[i]
		version, err := strconv.Atoi(item.Labels["version"])
		if err != nil {
			continue // no Secret of Helm's
		}
		id := item.Namespace + "/" + item.Labels["name"]
		found[id] = append(found[id], stored{
			secret: item.Name, resourceVersion: item.ResourceVersion, version: version,
			status: release.Status(item.Labels["status"]), labels: item.Labels, made: item.CreationTimestamp.Time,
		})
	}
	for _, history := range found {
		slices.SortFunc(history, func(a, b stored) int { return cmp.Compare(a.version, b.version) })
	}
	return found, nil
}

// base returns the last version that was deployed completely, 0 when none was or when the release
// was uninstalled since.
func base(history []stored) int {
	for i := len(history) - 1; i >= 0; i-- {
		switch history[i].status {
		case release.StatusDeployed, release.StatusSuperseded:
			return history[i].version
		case release.StatusUninstalled:
			return 0
		default:
		}
	}
	return 0
}

// newest returns the newest revision with its content, which is only read when it changed.
func (d *Driver) newest(ctx context.Context, namespace, name string, history []stored) (*revision, error) {
	id := namespace + "/" + name
	if len(history) == 0 {
		d.mu.Lock()
		delete(d.revisions, id)
		d.mu.Unlock()
		return nil, nil
	}
	last := history[len(history)-1]
	if known := d.known(id, last); known != nil {
		return known, nil
	}
	// Releases and credentials are looked at at the same time, and both want this: one reads it.
	found, err, _ := d.reads.Do(id+" "+last.secret+" "+last.resourceVersion, func() (any, error) {
		if known := d.known(id, last); known != nil {
			return known, nil
		}
		return d.readNewest(ctx, namespace, name, history, nil)
	})
	read, _ := found.(*revision)
	return read, err
}

// known returns a revision if it was read already and did not change since, else nil.
func (d *Driver) known(id string, of stored) *revision {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.revisions[id]
	if known == nil || known.secret != of.secret || known.resourceVersion != of.resourceVersion {
		return nil
	}
	return known
}

// readNewest reads the last revision of a history, and what is left of those before it. What is in
// known is not asked for.
func (d *Driver) readNewest(ctx context.Context, namespace, name string, history []stored, known contents) (*revision, error) {
	history = needed(history)
	if len(history) > maxUnfinished {
		return nil, fmt.Errorf("the release has %d revisions after the last one that was deployed, and Helm keeps fewer: delete the Secrets in %s of the type helm.sh/release.v1 that Helm did not write", len(history)-1, namespace)
	}
	read, err := d.read(ctx, namespace, history[len(history)-1], known)
	if err != nil || read == nil {
		return nil, err
	}
	if run := read.labels[labelRun]; run != "" {
		if read.after, err = d.hooksOf(read.hooks, postEvent(run), namespace, name); err != nil {
			return nil, err
		}
	}
	// What a failed upgrade left may still have objects of the revision before it.
	has := map[unit.ObjectRef]bool{}
	for _, ref := range refsOf(read.objects) {
		has[ref] = true
	}
	tried := [][]*unstructured.Unstructured{read.objects}
	if read.status == release.StatusDeployed {
		read.inForce = inForce(read.objects)
	}
	for i := len(history) - 2; i >= 0; i-- {
		older, err := d.read(ctx, namespace, history[i], known)
		if errors.As(err, &read.unread) && read.status == release.StatusDeployed {
			continue
		}
		if err != nil {
			return nil, err
		}
		if older == nil {
			continue
		}
		if older.status == release.StatusDeployed && read.unfinished() {
			read.inForce = inForce(older.objects, tried...)
		}
		tried = append(tried, older.objects)
		for _, object := range older.objects {
			if ref := refOf(object); !has[ref] && !stays(object) {
				has[ref] = true
				read.previous = append(read.previous, ref)
			}
		}
	}
	if !read.whole() {
		return read, nil // that Secret may be put back, or deleted, which changes nothing of the newest one
	}
	d.mu.Lock()
	d.revisions[namespace+"/"+name] = read
	d.mu.Unlock()
	return read, nil
}

// read returns a revision, nil when it is gone.
func (d *Driver) read(ctx context.Context, namespace string, of stored, known contents) (*revision, error) {
	secret, err := known[namespace+"/"+of.secret], error(nil)
	if secret == nil {
		secret, err = d.api.Secret(ctx, namespace, of.secret)
	}
	if err != nil {
		return nil, fmt.Errorf("read revision %d: %w", of.version, err)
	}
	if secret == nil {
		return nil, nil
	}
	decoded, err := decode(secret.Data["release"])
	if err != nil {
		return nil, &unreadableError{version: of.version, secret: namespace + "/" + of.secret, err: err}
	}
	objects, err := d.owned(split(decoded.Manifest), namespace, decoded.Name, nil)
	if err != nil {
		return nil, fmt.Errorf("read the manifest of revision %d: %w", of.version, err)
	}
	keeps, err := d.keepsOf(decoded, objects, namespace)
	if err != nil {
		return nil, fmt.Errorf("read the hooks of revision %d: %w", of.version, err)
	}
	of.resourceVersion, of.status, of.labels = secret.ResourceVersion, decoded.Info.Status, secret.Labels
	return &revision{
		stored: of, description: decoded.Info.Description, deployed: decoded.Info.LastDeployed.Time, toolkit: usesToolkit(decoded.Chart),
		config: decoded.Config, objects: objects, hooks: decoded.Hooks, keeps: keeps,
	}, nil
}

// tooMuchError says that what is stored of a release takes up more than any release does.
type tooMuchError struct{ text string }

// Error says what there is too much of.
func (e *tooMuchError) Error() string { return e.text }

// unpack returns the text of a release that Helm's driver for Secrets packed.
func unpack(data []byte) ([]byte, error) {
	packed, err := base64.StdEncoding.DecodeString(string(data))
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxRelease+1))
	if len(text) > maxRelease {
		return nil, &tooMuchError{fmt.Sprintf("it unpacks to more than %d MiB", maxRelease>>20)}
	}
	if err != nil {
		return nil, err
	}
	if partsOf(text) > maxParts {
		return nil, &tooMuchError{fmt.Sprintf("it has more than %d objects and lists", maxParts)}
	}
	return text, nil
}

// partsOf is how many objects and lists a text may have.
func partsOf(text []byte) int { return bytes.Count(text, []byte("{")) + bytes.Count(text, []byte("[")) }

// decode unpacks a release as Helm's driver for Secrets packs it. Helm's own function is not
// exported, and panics on one that is broken.
func decode(data []byte) (*release.Release, error) {
	text, err := unpack(data)
	if err != nil {
		return nil, err
	}
	return parse(text)
}

// parse reads the text of a release.
func parse(text []byte) (*release.Release, error) {
	decoded := new(release.Release)
	if err := json.Unmarshal(text, decoded); err != nil {
		return nil, fmt.Errorf("it is no release of Helm 3")
	}
	if decoded.Info == nil {
		return nil, fmt.Errorf("it has no status")
	}
	if slices.Contains(decoded.Hooks, nil) {
		return nil, fmt.Errorf("one of its hooks is none")
	}
	return decoded, nil
}
