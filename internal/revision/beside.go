package revision

import (
	"io/fs"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
)

// Names are what one can ask about in a configuration.
type Names struct {
	Addresses []string
	Services  []string // of the cloud, by name
}

// Beside returns what is known to be in a configuration that has mistakes. It reads it in this process: only
// for one that was tried in another one, whose findings are [Findings.Sound].
func Beside(tree fs.FS, path string, options Options) Names {
	cfg, _ := config.Load(options.Language, tree, path, config.DefaultLimits())
	cfg.Keys = options.Keys
	_ = config.LoadValues(cfg, options.Given, config.DefaultLimits())
	m, evaluator, _ := resolve.Parts(cfg, nil)
	var n Names
	if cfg.Cloud != nil {
		n.Addresses = append(n.Addresses, "cloud")
		for _, b := range cfg.Cloud.Nested("service") {
			n.Addresses = append(n.Addresses, b.Address.String())
			n.Services = append(n.Services, b.Label())
		}
	}
	var blocks []string
	for _, b := range slices.Concat(cfg.Profiles, cfg.Nodes) {
		if b.ForEach == nil { // else it is known by key, or not at all
			blocks = append(blocks, b.Address.String())
		}
	}
	for i := range m.Nodes {
		blocks = append(blocks, m.Nodes[i].Address.String())
	}
	slices.Sort(blocks)
	n.Addresses = append(n.Addresses, slices.Compact(blocks)...)
	for _, o := range evaluator.Objects() {
		n.Addresses = append(n.Addresses, o.String())
	}
	return n
}

// Sound tells whether reading came to its end, so that reading the same again does no harm.
func (f Findings) Sound() bool {
	return !slices.ContainsFunc(f.Diagnostics, func(d diag.Diagnostic) bool { return confine.Ended(d.Code) })
}
