package resolve

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// lookOverCloud looks for mistakes in a cloud that is one too many, of which nothing is made.
func (r *resolver) lookOverCloud(b *config.Block, l *layers) {
	defer r.scope.within(b)()
	var c model.Cloud
	r.cloud(b, &c)
	if a := b.Attribute("profile"); a != nil {
		r.profileExists(l, a, c.Profile)
	}
	for _, service := range b.Nested("service") {
		r.written(service, cloudLayer)
		r.backends(service)
	}
}

// mayHave tells whether the configuration may have a service that the first cloud has no block for: where
// there is no cloud that could be read, or another one has it, which is told.
func (r *resolver) mayHave(service string) bool {
	return r.config.Cloud == nil || slices.ContainsFunc(r.config.OtherClouds, func(b *config.Block) bool {
		return slices.ContainsFunc(b.Nested("service"), func(s *config.Block) bool { return s.Label() == service })
	})
}

// defaultKnown tells whether it is known which profile is the default: not without a cloud that could be
// read, nor where another one says so, which is told.
func (r *resolver) defaultKnown() bool {
	return r.config.Cloud != nil && !slices.ContainsFunc(r.config.OtherClouds, func(b *config.Block) bool { return b.Attribute("profile") != nil })
}
