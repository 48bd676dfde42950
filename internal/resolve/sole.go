package resolve

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// soleUses tells of objects that are to be created before the old ones are deleted, and would wait for ever for what
// only one object has at a time. Where OpenStack alone knows whether several can have it, it warns.
func (r *resolver) soleUses(m *model.Model) {
	for i := range m.Resources {
		o := &m.Resources[i]
		block := r.definition.Resource(o.Kind)
		if block == nil || !o.Lifecycle.CreateBeforeDestroy || o.Address.Mode() == addr.Data {
			continue
		}
		for j := range block.Attributes {
			a := &block.Attributes[j]
			if a.Sole == "" {
				continue
			}
			v, _ := o.Desired.GetAttr(a.Name).Unmark()
			if v.IsNull() || v.IsKnown() && v.CanIterateElements() && v.LengthInt() == 0 {
				continue
			}
			severity, why := diag.Error, a.Sole
			if a.Unless != "" {
				severity, why = diag.Warning, why+", unless "+a.Unless
			}
			hint := "take create_before_destroy out of its lifecycle"
			if a.Instead != "" {
				hint += ", or " + a.Instead
			}
			where := o.Ranges[a.Name]
			r.scope.add(diag.Diagnostic{
				Severity: severity, Code: codeConflict, Subject: &where, Context: &o.Range, Address: o.Address, Summary: "two cannot exist side by side",
				Detail: fmt.Sprintf("with create_before_destroy a new %s would wait for ever for what %s names: %s", o.Kind, a.Name, why), Hint: hint,
			})
		}
	}
}
