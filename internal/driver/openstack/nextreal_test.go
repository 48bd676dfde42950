package openstack

import "github.com/kupenstack/kupenstack-sync/schema"

// NextBlocks are the blocks of kinds to come that real services have already.
func NextBlocks() []schema.Block { return []schema.Block{addressGroupBlock(), groupTypeBlock()} }

// NewWithNext is [New] with these kinds, of which the language has the blocks.
func NewWithNext(options Options) *Driver {
	return assemble(options, addressGroups(options.Language), groupTypes(options.Language))
}
