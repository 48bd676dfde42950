package resolve

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Origin returns where the block of an address and everything in it was written; nil when there is
// no such block. The objects of a block with for_each share it.
func (e *Evaluator) Origin(a addr.Object) *model.Origin {
	b := e.find(a)
	if b == nil {
		return nil
	}
	if b.Dynamic() {
		if made := e.made(a); made != nil {
			return made.Origin()
		}
	}
	return b.Made().Origin()
}

// made evaluates an object again for the blocks that the dynamic ones in it make; nil when that is none.
func (e *Evaluator) made(a addr.Object) *config.Made {
	b := e.block(a)
	if b == nil || b.at(a.Key()) == nil {
		return nil
	}
	made := &config.Made{Block: b.config, Inside: map[string][]*config.Made{}}
	s := e.lateScope(b.at(a.Key()), nil, nil)
	s.made = made
	s.rebuild(b.at(a.Key()))
	return made
}

// Written returns what the block of the cloud or of a node has, by attribute, evaluated and with the
// marks that the model does without; of blocks inside those that are not services, in the order in which they are
// written where there can be several. What is not written is not there.
func (e *Evaluator) Written(a addr.Object) map[string]cty.Value {
	b := e.find(a)
	if b == nil {
		return nil
	}
	s := &scope{e: e, findings: &findings{told: map[told]*saying{}}, module: e.root, files: newFiles(e.config, e.files), budget: config.NewBudget(config.DefaultCosts())}
	if key, keyed := a.Key().Value(); keyed {
		value, ok := s.element(b.ForEach, key, cty.StringVal(key)) // of a set the value is the key
		if !ok {
			return nil
		}
		s.each = eachObject(a, value)
	}
	return s.written(b)
}

func (s *scope) written(b *config.Block) map[string]cty.Value {
	values := map[string]cty.Value{}
	for _, a := range b.Attributes {
		if v, _, ok := s.decode(a); ok {
			values[a.Name] = v
		}
	}
	for i := range b.Schema.Blocks {
		def := &b.Schema.Blocks[i]
		inner := b.Nested(def.Kind)
		switch {
		case len(inner) == 0 || def.Class == schema.ClassService: // which has layers
		case def.Single() && len(inner) == 1:
			values[def.Kind] = cty.ObjectVal(s.written(inner[0]))
		case !def.Single():
			var all []cty.Value
			for _, one := range inner {
				all = append(all, cty.ObjectVal(s.written(one)))
			}
			values[def.Kind] = cty.TupleVal(all)
		}
	}
	return values
}

// find returns the block of an address as it is written.
func (e *Evaluator) find(a addr.Object) *config.Block {
	if b := e.block(a); b != nil {
		return b.config
	}
	if b := e.config.Cloud; b != nil && b.Address == a.Block() {
		return b
	}
	for _, b := range e.config.Nodes {
		if _, keyed := a.Key().Value(); b.Address == a.Block() && keyed == (b.ForEach != nil) {
			return b
		}
	}
	return nil
}
