package export

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Selection is what is exported.
type Selection struct {
	// Kinds are those of the objects; none means all.
	Kinds []string
	// Project is the name or id of the project whose objects are exported, and itself; "" means every
	// object of the kinds.
	Project string
}

// File is a file to be written, such as network.hcl.
type File struct {
	Name    string
	Content []byte
}

// Result is a configuration.
type Result struct {
	// Files are one for each kind that has objects, or several where one would be larger than a configuration may
	// have it, in the order of the reference, and last of all that of what is looked up.
	Files []File
	// Objects are how many are exported, and LookedUp how many are only referred to.
	Objects, LookedUp int
	// Managed are how many were left out, as a configuration manages them.
	Managed int
	// Unwritable are how many were left out, as they lack what a block of their kind has to have, such as what an
	// instance runs from, or are what no valid configuration has.
	Unwritable int
	// Unfit are how many were left out, as they cannot be taken over as they are, or at all.
	Unfit int
}

// Needed are the kinds of objects that an export of some kinds has to know: those, and what they refer to.
func Needed(language *schema.Definition, kinds []string) []string {
	needed := slices.Clone(kinds)
	if len(kinds) == 0 {
		needed = Kinds(language)
	}
	for _, kind := range slices.Clone(needed) {
		for _, other := range referred(language.Resource(kind)) {
			if !slices.Contains(needed, other) {
				needed = append(needed, other)
			}
		}
	}
	return needed
}

// Kinds are all kinds that can be exported, in the order of the reference.
func Kinds(language *schema.Definition) []string {
	return slices.DeleteFunc(language.Kinds(schema.ClassResource), func(kind string) bool { return language.Resource(kind).Cluster })
}

// referred are the kinds that attributes of a block refer to.
func referred(b *schema.Block) []string {
	var kinds []string
	for i := range b.Attributes {
		if r := b.Attributes[i].Reference; r != nil {
			kinds = append(kinds, r.Kind)
		}
		kinds = append(kinds, b.Attributes[i].Identifies...)
	}
	for i := range b.Blocks {
		kinds = append(kinds, referred(&b.Blocks[i].Block)...)
	}
	return kinds
}

// Export writes objects as a configuration that is valid beside a cloud block. The live ones are all that there are of the
// kinds in [Needed]. An error says that the selection means nothing in this cloud, unless it is a [RefusedError].
func Export(language *schema.Definition, live []unit.Live, by Selection) (Result, error) {
	wrong := map[key]bool{}
	var why string
	for range mostRounds {
		r, places, err := write(language, live, by, wrong)
		if err != nil {
			return Result{}, err
		}
		more, says := mistaken(language, r.Files, places)
		if says == "" {
			return r, nil
		}
		why = says
		if len(more) == 0 {
			break
		}
		maps.Copy(wrong, more)
	}
	return Result{}, &RefusedError{why}
}

// write writes objects, without those that are wrong, and tells where each is.
func write(language *schema.Definition, live []unit.Live, by Selection, wrong map[key]bool) (Result, []place, error) {
	e := &exporter{language: language, labels: map[string]map[string]string{}, data: map[string]map[string]string{}, live: map[string][]unit.Live{}, taken: map[string]bool{}, refers: map[string][]string{}, meant: map[string]bool{}}
	live = slices.SortedFunc(slices.Values(live), func(a, b unit.Live) int {
		return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID))
	})
	project, err := projectOf(live, by.Project)
	if err != nil {
		return Result{}, nil, err
	}
	var r Result
	var places []place
	chosen := map[string][]unit.Live{}
	for _, o := range live {
		e.live[o.Kind] = append(e.live[o.Kind], o)
	}
	for _, o := range live {
		switch {
		case len(by.Kinds) > 0 && !slices.Contains(by.Kinds, o.Kind), project != "" && o.Project != project && (o.Kind != Project || o.ID != project), o.Incidental, e.followsIncidental(o):
		case o.Managed:
			r.Managed++
		case o.Unfit:
			r.Unfit++
		case wrong[key{o.Kind, o.ID}], !writable(language.Resource(o.Kind), o):
			r.Unwritable++
		default:
			chosen[o.Kind] = append(chosen[o.Kind], o)
			e.label(o)
		}
	}
	for _, kind := range Kinds(language) {
		var blocks []string
		for _, o := range chosen[kind] {
			var b strings.Builder
			e.resource(&b, o)
			blocks = append(blocks, b.String())
		}
		r.Objects += len(blocks)
		written, begins := files(kind, blocks)
		r.Files = append(r.Files, written...)
		for i, at := range begins {
			at.of = key{kind, chosen[kind][i].ID}
			places = append(places, at)
		}
	}
	slices.Sort(e.lookups)
	r.LookedUp = len(e.lookups)
	looked, _ := files("data", e.lookups)
	r.Files = append(r.Files, looked...)
	return r, places, nil
}

// refused tells whether an attribute that would be written has a value that the language does not take: one object must
// not have the whole configuration refused.
func refused(block *schema.Block, values map[string]cty.Value) bool {
	for i := range block.Attributes {
		a := &block.Attributes[i]
		v, known := values[a.Name]
		if known && a.Name != "name" && a.Presence != schema.Computed && !a.Sensitive && !a.Wish && a.Reference == nil && says(a, v) && a.Check(v) != "" {
			return true
		}
	}
	for i := range block.Blocks {
		inner := &block.Blocks[i]
		if slices.ContainsFunc(nestedIn(values, inner), func(element cty.Value) bool { return refused(&inner.Block, element.AsValueMap()) }) {
			return true
		}
	}
	return false
}

// Header is what a file in a directory begins with, so that a later export knows it again.
const Header = "# Written by kupenstack-sync export.\n\n"

// files puts blocks into files, each of a size that a configuration may have with its header, and tells where each begins.
func files(name string, blocks []string) ([]File, []place) {
	limit := int(config.DefaultLimits().FileBytes) - len(Header)
	var all []File
	var begins []place
	next := 1 // line
	for _, block := range blocks {
		content := config.Layout([]byte(block))
		lines := bytes.Count(content, []byte("\n")) + 1
		last := len(all) - 1
		if last >= 0 && len(all[last].Content)+1+len(content) <= limit {
			all[last].Content = append(append(all[last].Content, '\n'), content...)
			begins, next = append(begins, place{file: all[last].Name, line: next}), next+lines
			continue
		}
		of := File{name + ".hcl", content}
		if last >= 0 {
			of.Name = fmt.Sprintf("%s-%d.hcl", name, last+2)
		}
		all = append(all, of)
		begins, next = append(begins, place{file: of.Name, line: 1}), 1+lines
	}
	return all, begins
}

// writable tells whether an object has all that a block of its kind has to have, and nothing that none can have.
func writable(block *schema.Block, o unit.Live) bool {
	lacks := func(name string) bool {
		v, known := o.Values[name]
		return !known || v.IsNull() || !v.IsWhollyKnown()
	}
	if a := block.Attribute("name"); a != nil && a.Check(cty.StringVal(o.Title)) != "" || refused(block, o.Values) {
		return false
	}
	return !slices.ContainsFunc(block.Attributes, func(a schema.Attribute) bool {
		return a.Presence == schema.Required && !a.Sensitive && lacks(a.Name)
	}) && !slices.ContainsFunc(block.NeedsOne, func(ways []string) bool {
		return !slices.ContainsFunc(ways, func(name string) bool { return !lacks(name) })
	})
}

// followsIncidental tells whether an object is a part of one that comes and goes with others, such as what a service user may
// do, and where a service of OpenStack is.
func (e *exporter) followsIncidental(o unit.Live) bool {
	block := e.language.Resource(o.Kind)
	return slices.ContainsFunc(block.Attributes, func(a schema.Attribute) bool {
		v, known := o.Values[a.Name]
		return a.Belongs && known && !v.IsNull() && v.IsKnown() && slices.ContainsFunc(e.live[a.Reference.Kind], func(of unit.Live) bool {
			return of.Incidental && outputOf(of, a.Reference.Output) == v.AsString()
		})
	})
}

// Project is the kind that a selection is made by.
const Project = "project"

// projectOf returns the id of the project that is meant by its name or id; "" for none.
func projectOf(live []unit.Live, wanted string) (string, error) {
	if wanted == "" {
		return "", nil
	}
	var named []string
	for _, o := range live {
		switch {
		case o.Kind != Project:
		case o.ID == wanted:
			return o.ID, nil
		case o.Title == wanted:
			named = append(named, o.ID)
		}
	}
	switch len(named) {
	case 1:
		return named[0], nil
	case 0:
		return "", fmt.Errorf("there is no project with the name or id %q that our user may see", wanted)
	}
	return "", fmt.Errorf("there are several projects with the name %q: give the id of one: %s", wanted, strings.Join(named, ", "))
}

// exporter writes blocks.
type exporter struct {
	language *schema.Definition
	live     map[string][]unit.Live       // by kind
	labels   map[string]map[string]string // of what is exported, by kind and id
	data     map[string]map[string]string // of what is looked up, the same
	taken    map[string]bool              // by kind and label
	lookups  []string                     // the data blocks
	refers   map[string][]string          // what blocks refer to, by their addresses, as far as they are written
	meant    map[string]bool              // what any of them refers to
}

// reference is the address of an object that has a value as an output, looked up where it is not exported; "" where there
// is no such object, and circular where that refers to the block already.
func (e *exporter) reference(from string, r *schema.Reference, value string) (address string, circular bool) {
	i := slices.IndexFunc(e.live[r.Kind], func(o unit.Live) bool { return outputOf(o, r.Output) == value })
	if i < 0 || value == "" {
		return "", false
	}
	o := e.live[r.Kind][i]
	if label := e.labels[o.Kind][o.ID]; label != "" {
		to := o.Kind + "." + label
		if slices.Contains(e.refers[from], to) {
			return to, false
		}
		// What nothing refers to is at the end of no way, however long those are that begin here.
		if to == from || e.meant[from] && e.leads(to, from, map[string]bool{}) {
			return to, true
		}
		e.refers[from], e.meant[to] = append(e.refers[from], to), true
		return to, false
	}
	if label := e.lookup(o); label != "" {
		return "data." + o.Kind + "." + label, false
	}
	return "", false
}

// leads tells whether the references that are written lead from one block to another, or are in it.
func (e *exporter) leads(from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	return slices.ContainsFunc(e.refers[from], func(next string) bool { return !seen[next] && e.leads(next, to, seen) })
}

func outputOf(o unit.Live, output string) string {
	switch output {
	case "id":
		return o.ID
	case "name":
		return o.Title
	}
	return ""
}

// lookup writes the data block of an object, once, and returns its label; "" for a kind that cannot be looked up.
func (e *exporter) lookup(o unit.Live) string {
	if label := e.data[o.Kind][o.ID]; label != "" {
		return label
	}
	block := e.language.Resource(o.Kind).DataBlock()
	by, value := "id", o.ID
	named := o.Concealed || slices.ContainsFunc(e.live[o.Kind], func(other unit.Live) bool {
		return other.ID != o.ID && other.Title == o.Title && within(other) == within(o)
	})
	if !named && o.Title != "" && block.Attribute("name") != nil {
		by, value = "name", o.Title
	}
	if a := block.Attribute(by); a == nil || a.Check(cty.StringVal(value)) != "" {
		return ""
	}
	if e.data[o.Kind] == nil {
		e.data[o.Kind] = map[string]string{}
	}
	label := e.free("data.", o.Kind, o.Title)
	e.data[o.Kind][o.ID] = label
	var beside string
	if a := block.Attribute(o.Within); a != nil && by == "name" {
		beside = fmt.Sprintf("%s = %s\n", a.Name, e.expression("data."+o.Kind+"."+label, a, o.Values[a.Name]))
	}
	e.lookups = append(e.lookups, fmt.Sprintf("data %q %q {\n%s = %s\n%s}\n", o.Kind, label, by, config.Quote(value), beside))
	return label
}

// within is what an object is in besides its name telling it from others, "" for nothing.
func within(o unit.Live) string {
	v, known := o.Values[o.Within]
	if !known || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return ""
	}
	return v.AsString()
}
