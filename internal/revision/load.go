package revision

import (
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Loaded is a configuration that was read and understood.
type Loaded struct {
	ID    string
	Model *model.Model

	tree      fs.FS
	dir       string // of the configuration in it
	evaluator *resolve.Evaluator
	lock      *chartlock.Lock
	warnings  diag.Diagnostics // of reading it
}

// Findings are diagnostics with the files that they speak of.
type Findings struct {
	Diagnostics diag.Diagnostics
	source      func(file string) ([]byte, bool)
}

// Text prints the findings with the lines that they are about.
func (f Findings) Text(color bool) string {
	var b strings.Builder
	printer := diag.Printer{Source: f.source, Color: color}
	_ = printer.Print(&b, f.Diagnostics.Sorted()) // a builder takes everything
	return b.String()
}

// Sourced returns the findings in order, for programs.
func (f Findings) Sourced() diag.Sourced {
	return diag.Sourced{Diagnostics: f.Diagnostics.Sorted(), Source: f.source}
}

// Options are what reading a configuration takes besides its files.
type Options struct {
	// Language is what the files are written in.
	Language *schema.Definition

	Given []config.Given // the values that its variables are given
	Keys  config.Keys    // what encrypted files are opened with
	// TearDown is the name of the cloud that is to be taken away whatever the configuration says, "" for none.
	TearDown string
}

func (o Options) equal(other Options) bool {
	return o.Language == other.Language && slices.Equal(o.Given, other.Given) && o.TearDown == other.TearDown && o.Keys.Optional == other.Keys.Optional &&
		o.Keys.Identities.Reveal() == other.Keys.Identities.Reveal()
}

// Load reads the configuration at a path of a tree ("." for all of it). Without errors among the
// findings it returns the configuration, with errors nil.
func Load(id string, tree fs.FS, path string, options Options) (*Loaded, Findings) {
	cfg, diags := config.Load(options.Language, tree, path, config.DefaultLimits())
	return evaluate(id, tree, path, cfg, options, diags)
}

// evaluate does what is left once the files were read.
func evaluate(id string, tree fs.FS, at string, cfg *config.Config, options Options, diags diag.Diagnostics) (*Loaded, Findings) {
	cfg.Keys = options.Keys
	diags.Append(config.LoadValues(cfg, options.Given, config.DefaultLimits())...)
	m, evaluator, more := resolve.Parts(cfg, nil)
	diags.Append(more...)
	if options.TearDown != "" && !cfg.Faulty && !diags.HasErrors() {
		diags.Append(tearDown(m, options.TearDown)...)
	}
	sound := m
	if diags.HasErrors() {
		sound = nil
	}
	diags.Append(checkCharts(tree, cfg, sound)...)
	diags.Append(checkContents(tree, cfg.Dir, sound)...)
	lock, more := readLock(tree, at)
	diags.Append(more...)
	if diags.HasErrors() {
		diags.Append(compose.Check(m, evaluator, diags, compose.Written{Partial: cfg.Partial, Setting: cfg.Setting})...)
		return nil, Findings{Diagnostics: diags.Sorted(), source: cfg.Source}
	}
	return &Loaded{ID: id, Model: m, tree: tree, dir: cfg.Dir, evaluator: evaluator, lock: lock, warnings: diags.Sorted()}, Findings{Diagnostics: diags.Sorted(), source: cfg.Source}
}

// Lock returns the lock of charts in the configuration; nil without one.
func (l *Loaded) Lock() *chartlock.Lock { return l.lock }

// warned returns what the configuration is warned of, with what composing it has added.
func (l *Loaded) warned(composing diag.Diagnostics) diag.Diagnostics {
	return slices.Concat(l.warnings, composing).Sorted()
}

// Compose returns what the engine takes, with the facts as they are now. With errors among the
// diagnostics it returns nil.
func (l *Loaded) Compose(facts compose.Facts) (*engine.Revision, diag.Diagnostics) {
	facts.Tree, facts.Dir, facts.Lock = l.tree, l.dir, l.lock
	units, diags := compose.Compose(l.Model, l.evaluator, facts)
	if diags.HasErrors() {
		return nil, diags
	}
	cloud := &l.Model.Cloud
	r := &engine.Revision{ID: l.ID, Units: units, Removed: map[addr.Object]bool{}, CleanUps: map[addr.Object][]string{}, Ranges: map[string]diag.Range{}}
	r.Moves, r.Imports, r.Removals = l.Model.Moves, plan.ImportsOf(l.Model.Imports), l.Model.Removals
	r.Suspensions = l.Model.Suspensions
	maps.Copy(r.Ranges, cloud.Ranges)
	r.Ranges[""] = cloud.Range
	for i := range cloud.Services {
		s := &cloud.Services[i]
		if !s.Enabled {
			r.Removed[s.Address] = true
		}
		if !s.Enabled && len(s.CleanUp) > 0 && !l.Model.TearDown { // data stays when the whole cloud goes
			r.CleanUps[s.Address] = s.CleanUp
		}
		for _, setting := range s.Settings {
			r.Ranges[plan.FixedAt(s.Address.String(), setting.Name)] = setting.Range
			for part := range s.Replicas {
				if v, at, ok := setting.Part(part); ok && setting.Name == "replicas" && !v.IsNull() {
					r.Ranges[plan.FixedAt(s.Address.String(), "replicas."+part)] = setting.At(at...)
					r.Ranges[plan.FixedAt(s.Address.String(), unit.FixedMembers+part)] = setting.At(at...)
				}
			}
		}
		if cloud.TLS != nil {
			r.Ranges[plan.FixedAt(s.Address.String(), compose.FixedTLS)] = cloud.TLS.Range
		}
		for _, b := range s.Backends {
			r.Ranges[plan.FixedAt(s.Address.String(), compose.FixedBackend(b.Name))] = b.Range
		}
		for i := range l.Model.Profiles {
			p := &l.Model.Profiles[i]
			r.Ranges[plan.FixedAt(s.Address.String(), compose.FixedInstancesIn(p.Slot))] = p.Range
			r.Ranges[plan.FixedAt(s.Address.String(), compose.FixedClusterIn(p.Slot))] = p.Range
		}
		if cloud.Ceph != nil {
			for name, attribute := range map[string]string{compose.FixedImages: "images", compose.FixedBackups: "backups", compose.FixedInstances: "instances"} {
				where, written := cloud.Ceph.Ranges[attribute]
				if !written {
					where = cloud.Ceph.Range
				}
				r.Ranges[plan.FixedAt(s.Address.String(), name)] = where
			}
		}
	}
	if len(cloud.Services) > 0 { // also when all of them are to go
		r.Deployment = inventory.Deployment{
			Cloud: cloud.Name, Release: cloud.Release, Region: cloud.Region, Namespace: cloud.Namespace,
			NetworkBackend: cloud.NetworkBackend, StorageBackend: cloud.StorageBackend,
		}
	}
	return r, diags
}
