package resolve

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// smokeTest reads how the cloud is tested.
func (r *resolver) smokeTest(b *config.Block) *model.SmokeTest {
	t := &model.SmokeTest{Retry: r.text(b, "retry"), Range: b.Range, Ranges: ranges(b)}
	var edges []model.Edge
	for name, choice := range map[string]*model.Choice{"image": &t.Image, "flavor": &t.Flavor, "network": &t.Network, "project": &t.Project} {
		if a := b.Attribute(name); a != nil {
			edges = append(edges, r.choice(a, choice)...)
		}
	}
	t.Edges = r.withPools(r.edges(edges))
	if a := b.Attribute("volume"); a != nil {
		if v, ok := r.shown(a); ok && !v.IsNull() && v.IsKnown() {
			written := v.True()
			t.Volume = &written
		}
	}
	return t
}

// choice evaluates an attribute that names an object, and returns what it depends on. Which object it is has to be known,
// though not its id.
func (r *resolver) choice(a *config.Attribute, choice *model.Choice) []model.Edge {
	v, used, ok := r.scope.decode(a)
	if !ok || v.IsNull() || r.tooSensitive(a, v) {
		return nil
	}
	edges := r.scope.edgesOf(a, used)
	switch {
	case v.IsKnown():
		choice.ID = v.AsString()
	case len(edges) == 1 && edges[0].To.Kind() == a.Schema.Reference.Kind:
		choice.From = edges[0].To
	default:
		r.scope.wrong(codeValue, a, "which one is not known", fmt.Sprintf("%s has to name one %s, and which one it is depends on what is known only once it exists", a.Name, a.Schema.Reference.Kind),
			r.referenceHint(a.Schema))
	}
	return edges
}
