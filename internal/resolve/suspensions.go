package resolve

import (
	"fmt"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// suspensions takes the suspended blocks.
func (r *resolver) suspensions(m *model.Model, blocks []*stated) {
	first := map[addr.Address]*stated{}
	for _, s := range blocks {
		leave := r.scope.enter(s.module, s.Block)
		one := suspension.Suspension{Target: s.from, Reason: r.text(s.Block, "reason"), Range: s.Range}
		if until := r.text(s.Block, "until"); until != "" {
			one.Until, _ = time.Parse(time.RFC3339, until) // its format was checked
		}
		if s.from != nil && r.suspendable(s, &one, first) {
			m.Suspensions = append(m.Suspensions, one)
		}
		leave()
	}
}

// suspendable tells whether what a block names is something that can be left alone. That it is not in the
// configuration is told: it may have been taken out, or be misspelt.
func (r *resolver) suspendable(s *stated, one *suspension.Suspension, first map[addr.Address]*stated) bool {
	o, isObject := s.from.(addr.Object)
	switch cloud := r.config.Cloud; {
	case isObject && (o.Kind() == schema.CloudKind || o.Kind() == "service" || o.Kind() == nodeKind) && (!s.module.path.IsRoot() || !o.Module().IsRoot()):
		r.scope.fail(codeSuspended, s.From.Range, "not in a module", "the cloud, its services and its nodes are at the root of the configuration", "move the block to a file of the root")
		return false
	case isObject && o.Kind() == schema.CloudKind && cloud == nil: // told
		return false
	case isObject && o.Kind() == schema.CloudKind && o.Name() != cloud.Label():
		r.scope.fail(codeSuspended, s.From.Range, "another cloud", fmt.Sprintf("there is no %s: this configuration describes %s", o, cloud.Address), fmt.Sprintf("write: target = %s", cloud.Address))
		return false
	case isObject && o.Kind() == schema.CloudKind:
		one.Target = addr.Module{}
	case isObject && o.Kind() == "service":
		if _, known := r.definition.Service(o.Name()); !known {
			r.scope.fail(codeSuspended, s.From.Range, "unknown service", fmt.Sprintf("there is no service named %q, now or before", o.Name()), r.serviceHint(o.Name()))
			return false
		}
	}
	if before := first[one.Target]; before != nil {
		r.scope.fail(codeSuspended, s.From.Range, "suspended twice", fmt.Sprintf("%s is also suspended at %s", s.name(s.from), place(before.Range)), "keep one of the two blocks")
		return false
	}
	first[one.Target] = s
	if one.Whole() {
		return true
	}
	if now := r.standing(s.module, s.from, !keyed(s.from)); !now.there && !now.told && !now.open {
		r.scope.add(diag.Diagnostic{
			Severity: diag.Warning, Code: codeSuspended, Summary: "what is suspended is not in the configuration", Subject: &s.From.Range,
			Detail: fmt.Sprintf("there is no %s; if it is on record it is not deleted for as long as this block is there", s.name(s.from)),
			Hint:   "check the address, or take the block away",
		})
	}
	return true
}
