package helm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// maxDependencies bounds how deep charts that lie beside each other may depend on each other.
	maxDependencies = 4
	// maxChart bounds a chart's size in bytes; Helm itself takes no more.
	maxChart = 100 << 20
	// maxCached is how many charts stay in memory, of those by digest and of those that were downloaded.
	maxCached = 64
)

// source is a chart as files, from which a fresh chart is made for every use: Helm's actions change
// the charts that they get.
type source struct {
	digest       string
	files        []*loader.BufferedFile
	dependencies []*source

	once   sync.Once
	images map[string]any // see [source.tags]
	parsed sync.Once
	places *chartkeys.Keys // see [source.keys]

	judging sync.Mutex
	judged  map[string]judgement // see [source.judge]

	checked sync.Once
	lacks   string // see [source.whole]
}

// chart returns a new chart, which refers to nothing outside of itself.
func (s *source) chart() (*chart.Chart, error) {
	loaded, err := loader.LoadFiles(s.files)
	if err != nil {
		return nil, err
	}
	for _, dependency := range s.dependencies {
		below, err := dependency.chart()
		if err != nil {
			return nil, err
		}
		loaded.AddDependency(below)
	}
	if err := checkSchemas(loaded); err != nil {
		return nil, err
	}
	return loaded, nil
}

// charts finds charts and keeps them by the digest of their files.
type charts struct {
	options      Options
	repositories *repositories
	checkouts    *checkouts
	mu           sync.Mutex
	sources      map[string]*source // by digest
	found        map[string]*source // downloaded in this process, by [keyOf]
	flights      map[string]*flight // downloads that are under way
	running      contain.Background
	slots        chan struct{}
}

func newCharts(options Options) *charts {
	from := newRepositories(options)
	return &charts{
		options: options, repositories: from, checkouts: newCheckouts(options, from), slots: make(chan struct{}, maxDownloads),
		sources: map[string]*source{}, found: map[string]*source{}, flights: map[string]*flight{},
	}
}

// find returns the chart that a specification asks for. A chart that lies in the configuration and
// is wrong is a [unit.BlockedError], one that a repository does not give is a [chartError]; whatever else
// fails is worth another try.
func (c *charts) find(ctx context.Context, wanted unit.Chart) (*source, error) {
	found, err := c.look(ctx, wanted)
	if err != nil {
		return found, err
	}
	return found, found.whole(wanted)
}

// look finds a chart, whether it has all that it depends on or not.
func (c *charts) look(ctx context.Context, wanted unit.Chart) (*source, error) {
	switch {
	case wanted.Tree == nil && wanted.Digest == "":
		return nil, unit.Blocked(fmt.Sprintf("chart %s is not locked: run kupenstack-sync lock and commit %s", nameOf(wanted), chartlock.File))
	case wanted.Tree == nil:
		return c.download(ctx, wanted)
	}
	at := path.Join(path.Clean(wanted.Repository), wanted.Name)
	if !fs.ValidPath(at) {
		return nil, unit.Blocked(fmt.Sprintf("the path %q of chart %s leads out of the configuration", wanted.Repository, wanted.Name))
	}
	if info, err := fs.Stat(wanted.Tree, at); err == nil && info.IsDir() {
		found, err := c.directory(wanted.Tree, at, 0)
		if err != nil {
			return nil, err
		}
		return found, found.meets(wanted)
	}
	found, err := c.archives(wanted, at)
	if err != nil {
		return nil, err
	}
	return found, found.meets(wanted)
}

// meets tells whether what lies in a directory under the name of a chart is that chart, of a version that was asked for. The
// error is a [unit.BlockedError].
func (s *source) meets(wanted unit.Chart) error {
	if name := s.metadata().Name; name != "" && name != wanted.Name { // a chart without a name cannot be loaded, which is told
		return unit.Blocked(fmt.Sprintf("chart %s: the directory %s has the chart %q under this name: let name in its Chart.yaml be %s, or ask for the chart %s and give its folder that name",
			wanted.Name, wanted.Repository, name, wanted.Name, name))
	}
	if wanted.Version == "" {
		return nil
	}
	constraint, err := constraintOf(wanted.Version)
	if err != nil {
		return unit.Blocked(fmt.Sprintf("chart %s: %v", wanted.Name, err))
	}
	text := s.version()
	if version, err := semver.NewVersion(text); err == nil && constraint.Check(version) {
		return nil
	}
	return unit.Blocked(fmt.Sprintf("chart %s in the directory %s is of version %q, and %s is wanted", wanted.Name, wanted.Repository, text, wanted.Version))
}

// directory loads the chart in a folder of the configuration, with the charts beside it that it
// depends on by file://.
func (c *charts) directory(tree fs.FS, at string, depth int) (*source, error) {
	if depth > maxDependencies {
		return nil, unit.Blocked(fmt.Sprintf("chart %s depends on itself, or too deeply on other charts", at))
	}
	read, err := readFolder(tree, at)
	if err != nil {
		return nil, fmt.Errorf("read chart %s: %w", at, err)
	}
	digest := read.digest()
	beside, err := siblings(tree, at)
	if err != nil {
		return nil, err
	}
	var dependencies []*source
	for _, sibling := range beside {
		dependency, err := c.directory(tree, sibling, depth+1)
		if err != nil {
			return nil, err
		}
		dependencies = append(dependencies, dependency)
		digest = hashOf(digest, dependency.digest)
	}
	return c.keep(digest, func() (*source, error) {
		files, err := read.files()
		if err != nil {
			return nil, unit.Blocked(fmt.Sprintf("chart %s cannot be loaded: %v", at, err))
		}
		return &source{digest: digest, files: files, dependencies: dependencies}, nil
	})
}

// siblings returns the folders that a chart depends on by file:// and does not bring along.
func siblings(tree fs.FS, at string) ([]string, error) {
	text, err := fs.ReadFile(tree, path.Join(at, "Chart.yaml"))
	if err != nil {
		return nil, unit.Blocked(fmt.Sprintf("chart %s has no Chart.yaml", at))
	}
	var metadata chart.Metadata
	if err := yaml.Unmarshal(text, &metadata); err != nil {
		return nil, unit.Blocked(fmt.Sprintf("%s/Chart.yaml: %v", at, err))
	}
	var found []string
	for _, dependency := range metadata.Dependencies {
		relative, beside := strings.CutPrefix(dependency.Repository, "file://")
		if dependency.Name == "" || !beside || bundled(tree, at, dependency.Name) {
			continue
		}
		sibling := path.Join(at, relative)
		if _, err := fs.Stat(tree, path.Join(sibling, "Chart.yaml")); !fs.ValidPath(sibling) || err != nil {
			return nil, unit.Blocked(fmt.Sprintf("chart %s depends on %s, and there is no chart at %s", at, dependency.Name, sibling))
		}
		found = append(found, sibling)
	}
	return found, nil
}

func bundled(tree fs.FS, at, name string) bool {
	if _, err := fs.Stat(tree, path.Join(at, "charts", name, "Chart.yaml")); err == nil {
		return true
	}
	archives, _ := fs.Glob(tree, path.Join(at, "charts", name+"-*.tgz")) // the pattern is well formed
	return slices.ContainsFunc(archives, func(file string) bool { return versionOf(path.Base(file), name) != nil })
}

// archiveVersion splits the name of a packed chart.
var archiveVersion = regexp.MustCompile(`^(.+?)-(v?[0-9].*)\.tgz$`)

// versionOf returns the version in the name of a packed chart; nil when it is another chart's.
func versionOf(file, name string) *semver.Version {
	parts := archiveVersion.FindStringSubmatch(file)
	if parts == nil || parts[1] != name {
		return nil
	}
	version, err := semver.NewVersion(parts[2])
	if err != nil {
		return nil
	}
	return version
}

// archives loads the newest packed chart of the configuration that fits.
func (c *charts) archives(wanted unit.Chart, at string) (*source, error) {
	constraint, err := constraintOf(wanted.Version)
	if err != nil {
		return nil, unit.Blocked(fmt.Sprintf("chart %s: %v", wanted.Name, err))
	}
	files, err := fs.Glob(wanted.Tree, at+"-*.tgz")
	if err != nil {
		return nil, unit.Blocked(fmt.Sprintf("chart %s: the path %q: %v", wanted.Name, wanted.Repository, err))
	}
	var best string
	var newest *semver.Version
	for _, file := range files {
		version := versionOf(path.Base(file), wanted.Name)
		if version != nil && constraint.Check(version) && (newest == nil || version.GreaterThan(newest)) {
			best, newest = file, version
		}
	}
	if best == "" {
		return nil, unit.Blocked(fmt.Sprintf("there is no chart %s in the directory %s", strings.TrimSpace(wanted.Name+" "+wanted.Version), wanted.Repository))
	}
	data, err := fs.ReadFile(wanted.Tree, best)
	if err != nil {
		return nil, fmt.Errorf("read chart %s: %w", best, err)
	}
	return c.packed(best, data)
}

// packed loads a packed chart.
func (c *charts) packed(name string, data []byte) (*source, error) {
	digest := hashOf(string(data))
	return c.keep(digest, func() (*source, error) {
		if len(data) > maxChart {
			return nil, unit.Blocked(fmt.Sprintf("chart %s is larger than %d MiB", name, maxChart>>20))
		}
		loaded, err := loader.LoadArchive(strings.NewReader(string(data)))
		if err != nil {
			return nil, unit.Blocked(fmt.Sprintf("chart %s cannot be loaded: %v", name, err))
		}
		return &source{digest: digest, files: buffered(loaded)}, nil
	})
}

// keep loads what is not in memory yet.
func (c *charts) keep(digest string, load func() (*source, error)) (*source, error) {
	c.mu.Lock()
	known := c.sources[digest]
	c.mu.Unlock()
	if known != nil {
		return known, nil
	}
	loaded, err := load()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	forgetOne(c.sources)
	c.sources[digest] = loaded
	return loaded, nil
}

// hashOf returns the SHA-256 of texts, so that no two lists of texts have the same.
func hashOf(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(sum, "%d ", len(text))
		sum.Write([]byte(text))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func constraintOf(version string) (*semver.Constraints, error) {
	if version == "" {
		version = ">=0.0.0-0"
	}
	constraint, err := semver.NewConstraint(version)
	if err != nil {
		return nil, fmt.Errorf("the version %q: %w", version, err)
	}
	return constraint, nil
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
