package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// longestID is more than any service of OpenStack gives an id.
const longestID = 255

// imports takes the import blocks.
func (r *resolver) imports(m *model.Model) {
	taken := map[addr.Object]model.Import{}
	owners := map[[2]string]addr.Object{}
	for _, s := range r.config.Imports {
		good := s.To != nil && r.importable(s)
		leave := r.scope.within(s.Block)
		for _, i := range r.importsOf(s) { // also for the mistakes in what stands beside a wrong address
			if !good {
				break
			}
			same := [2]string{i.To.Kind(), i.ID}
			first, twice := taken[i.To]
			owner, owned := owners[same]
			owned = owned && i.ID != "" // what filters find is known later
			switch {
			case twice:
				r.scope.fail(codeImport, s.To.Range, "imported twice", fmt.Sprintf("%s is also imported at %s", i.To, place(first.Range)), "keep one of the two blocks")
			case owned:
				r.scope.fail(codeImport, s.To.Range, "one object under two addresses", fmt.Sprintf("the object with this id is also imported as %s", owner), "correct the id, or keep one of the two")
			case r.importTarget(s, i.To):
				taken[i.To], owners[same] = i, i.To
				m.Imports = append(m.Imports, i)
			}
		}
		leave()
	}
}

// importable tells whether a block imports a resource, and whether that is there.
func (r *resolver) importable(s *config.Statement) bool {
	defer r.scope.within(s.Block)()
	o, ok := s.To.Address.(addr.Object)
	switch {
	case !ok:
		r.scope.fail(codeImport, s.To.Range, "cannot be imported", fmt.Sprintf("%s is a module, and an import is for one object", s.To.Address), "name a resource in it")
		return false
	case r.definition.Resource(o.Kind()) == nil:
		r.scope.fail(codeImport, s.To.Range, "cannot be imported", fmt.Sprintf("%s is a %s, and only resources are imported", o, o.Kind()), "take the block away")
		return false
	case r.definition.Resource(o.Kind()).Cluster:
		r.scope.fail(codeImport, s.To.Range, "cannot be imported", fmt.Sprintf("%s is in the cluster, where what has its name is taken over without an import", o), "take the block away")
		return false
	}
	if s.To.ModuleKeys != nil {
		return true // of which module it is, and whether it is there, depends on the keys
	}
	to := r.standing(r.root, o.Block(), true)
	if !to.there && !to.told && !r.config.Partial {
		r.scope.fail(codeImport, s.To.Range, "imported to nowhere", to.detail, orHint(to.advice(), "add it, or correct the address"))
	}
	return to.there
}

// importTarget tells whether one object stands under an address.
func (r *resolver) importTarget(s *config.Statement, to addr.Object) bool {
	now := r.standing(r.root, to, false)
	switch {
	case now.there || now.told || now.open:
	case s.To.ModuleKeys != nil:
		if !r.config.Partial {
			r.scope.fail(codeImport, s.To.Range, "imported to nowhere", now.detail, orHint(now.advice(), "add it, or correct the address"))
		}
	case now.lacks == lacksKey:
		r.scope.fail(codeImport, s.To.Range, "key is missing", now.detail, now.advice())
	case now.lacks == lacksForEach:
		r.scope.fail(codeImport, s.To.Range, "no keys", now.detail, now.advice())
	default:
		r.scope.fail(codeImport, s.To.Range, "unknown key", now.detail, now.advice())
	}
	return now.there || now.open
}

// importsOf evaluates a block, for each element where it has for_each. What is wrong with its address keeps
// nothing else in it from being told.
func (r *resolver) importsOf(s *config.Statement) []model.Import {
	defer func() { r.scope.each = cty.NilVal }()
	var object addr.Object
	if s.To != nil {
		object, _ = s.To.Address.(addr.Object)
	}
	repeat := s.Attribute("for_each")
	if repeat == nil {
		i, ok := r.importOf(s, object)
		if !ok {
			return nil
		}
		return []model.Import{i}
	}
	single := !object.IsZero() && r.definition.Resource(object.Kind()) != nil && !s.To.Computed()
	if single {
		r.scope.fail(codeImport, s.To.Range, "one address for several objects", "a block with for_each imports one object for each element, and all of them would get this address",
			fmt.Sprintf("write: to = %s[each.key]", object.Block()))
	}
	elements, _, ok := r.forEach(repeat)
	if !ok {
		r.overEach(repeat, object, func(addr.Object) { r.importOf(s, object) })
		return nil
	}
	if r.imported += len(elements); r.imported > maxObjects {
		r.scope.fail(codeTooLarge, s.Range, "too many objects", fmt.Sprintf("import blocks can take over at most %d objects, all together", maxObjects), "take away those that were applied everywhere")
		return nil
	}
	var imports []model.Import
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		r.scope.each = cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(key), "value": elements[key]})
		if i, ok := r.importOf(s, object); ok && !single {
			imports = append(imports, i)
		}
	}
	return imports
}

func (r *resolver) importOf(s *config.Statement, to addr.Object) (model.Import, bool) {
	found := false
	if s.To != nil {
		to, found = r.withKeys(s.To, to)
	}
	i := model.Import{To: to, Range: s.Range}
	id, by := s.Attribute("id"), s.Attribute(schema.FilterName)
	written, ok := map[string]cty.Value{}, true
	for _, a := range s.Attributes {
		if a == id || a == by {
			v, _, good := r.scope.decode(a)
			written[a.Name], ok = v, ok && good
		}
	}
	there := func(name string) bool { return written[name] != cty.NilVal && !written[name].IsNull() }
	switch {
	case !ok:
	case there("id") && there(schema.FilterName):
		r.scope.conflicts(s.Block, s.Schema, written)
		ok = false
	case there("id"):
		i.ID, ok = r.importedID(id, to, written["id"])
	case there(schema.FilterName):
		i.Filter, ok = r.importedBy(by, to, written[schema.FilterName])
	default:
		r.scope.fail(codeImport, s.Range, "nothing to import", "it is not said which object is taken over", `write: id = "d32019d3-bc6e-4319-9c1d-6722fc136a22", or filter = { name = "office" }`)
		ok = false
	}
	return i, found && ok
}

// importedID takes the id of an object.
func (r *resolver) importedID(id *config.Attribute, to addr.Object, v cty.Value) (string, bool) {
	switch {
	case v.IsMarked():
		r.scope.wrong(codeImport, id, "sensitive id", "the id of an object is shown in plans and reports, and this value is sensitive", unsealHint(v, "use nonsensitive() if it is no secret"))
	case !r.isID(to, v.AsString()):
		kind := "object"
		if !to.IsZero() {
			kind = strings.ReplaceAll(to.Kind(), "_", " ")
		}
		r.scope.wrong(codeImport, id, "not an id", "an import needs the id that OpenStack gave the object, and this cannot be one",
			fmt.Sprintf("write the id as OpenStack shows it for the %s, without blanks and line breaks", kind))
	default:
		return v.AsString(), true
	}
	return "", false
}

// importedBy takes what an object is searched by. It returns false where its kind is not known, which was told.
func (r *resolver) importedBy(filter *config.Attribute, to addr.Object, v cty.Value) (cty.Value, bool) {
	switch {
	case filter.Schema.Mapping:
	case !to.IsZero() && r.definition.Resource(to.Kind()).Unmarked:
		r.scope.wrong(codeImport, filter, "import by filter", fmt.Sprintf("%s bears no mark, so that what a filter finds may belong to another block", config.Indefinite(to.Kind())),
			"write the id in place of the filter, which kupenstack-sync export tells")
	case v.ContainsMarked():
		r.scope.wrong(codeImport, filter, "sensitive filter", "what an object is searched by is shown in plans and reports, and a part of this is sensitive", unsealHint(v, "use nonsensitive() if it is no secret"))
	case !slices.ContainsFunc(slices.Collect(maps.Values(v.AsValueMap())), func(v cty.Value) bool { return !v.IsNull() }):
		r.scope.wrong(codeImport, filter, "empty filter", "every object has all of no attributes", config.Example(filter.Schema))
	default:
		return v, true
	}
	return cty.NilVal, false
}

// withKeys returns the address with the keys that are computed.
func (r *resolver) withKeys(place *config.Place, to addr.Object) (addr.Object, bool) {
	all := true
	if place.ModuleKeys != nil {
		var module addr.Module
		for i, step := range to.Module().Steps() {
			if computed := place.ModuleKeys[i]; computed != nil {
				key, ok := r.importKey(computed)
				step.Key, all = key, all && ok
			}
			child, err := module.Child(step.Name, step.Key)
			if err != nil {
				return to, false // the names were read from the address
			}
			module = child
		}
		to = to.In(module)
	}
	if place.Key == nil {
		return to, all
	}
	key, ok := r.importKey(place.Key)
	return to.WithKey(key), ok && all
}

func (r *resolver) importKey(a *config.Attribute) (addr.Key, bool) {
	v, _, ok := r.scope.eval(a)
	if !ok {
		return addr.Key{}, false
	}
	key, err := convert.Convert(v, cty.String)
	if err != nil || key.IsMarked() || key.IsNull() || !key.IsKnown() {
		r.scope.wrong(codeImport, a, "not a key", "a key is a text that is known when the configuration is loaded, and no secret", "write a text, each.key or each.value, or a variable or local")
		return addr.Key{}, false
	}
	return addr.StringKey(key.AsString()), true
}

// isID tells whether a text can be the id of an object. Of some kinds single words may be apart in one; so may they of
// one that is not known.
func (r *resolver) isID(to addr.Object, id string) bool {
	block := r.definition.Resource(to.Kind())
	spaced := block == nil || block.ChosenID
	stray := func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) && (r != ' ' || !spaced) }
	return strings.Trim(id, ".") != "" && len(id) <= longestID && strings.TrimSpace(id) == id && !strings.ContainsFunc(id, stray)
}
