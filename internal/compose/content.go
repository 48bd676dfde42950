package compose

import (
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// content is the file that becomes what is in an object, where one is written. Whoever read the configuration has
// looked for it.
func (c *composer) content(r *model.Resource) *unit.Content {
	name, written := c.definition.Resource(r.Kind).ContentOf(r.Desired)
	if !written || c.facts.Tree == nil {
		return nil
	}
	return unit.NewContent(c.facts.Tree, c.facts.Dir, name)
}
