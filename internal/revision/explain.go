package revision

import "github.com/kupenstack/kupenstack-sync/internal/explain"

// Explain tells where the values of what has the address come from, of the named service alone
// unless that is empty; see [explain.Explain].
func (l *Loaded) Explain(address, service string) ([]explain.Explanation, error) {
	return explain.Explain(l.Model, l.evaluator, address, service)
}
