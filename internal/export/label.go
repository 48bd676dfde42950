package export

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// label gives an object that is exported its label.
func (e *exporter) label(o unit.Live) string {
	if e.labels[o.Kind] == nil {
		e.labels[o.Kind] = map[string]string{}
	}
	label := e.free("", o.Kind, e.told(o))
	e.labels[o.Kind][o.ID] = label
	return label
}

// told is what an object is called by. A kind without names has titles that may be made of ids, such as that of a role
// assignment: those of what it refers to are told by name, as nobody knows objects by their ids.
func (e *exporter) told(o unit.Live) string {
	block := e.language.Resource(o.Kind)
	if block.Attribute("name") != nil {
		return o.Title
	}
	var names []string
	for i := range block.Attributes {
		a := &block.Attributes[i]
		v, known := o.Values[a.Name]
		if a.Reference == nil || a.Reference.Output != "id" || !known || !says(a, v) || v.Type() != cty.String {
			continue
		}
		for _, of := range e.live[a.Reference.Kind] {
			if of.ID == v.AsString() && of.ID != "" && of.Title != "" {
				names = append(names, of.ID, of.Title)
			}
		}
	}
	return strings.NewReplacer(names...).Replace(o.Title)
}

// free makes a label of a title, and another one where that is taken among the addresses that begin alike.
func (e *exporter) free(begin, kind, title string) string {
	label := labelOf(kind, title)
	for n := 2; e.taken[begin+kind+"."+label]; n++ {
		label = fmt.Sprintf("%s_%d", labelOf(kind, title), n)
	}
	e.taken[begin+kind+"."+label] = true
	return label
}

// longestLabel leaves room for what tells equal labels apart.
const longestLabel = 200

// labelOf turns a title into something that can be a label: letters, digits, dashes and underscores.
func labelOf(kind, title string) string {
	label := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, title)
	label = label[:min(len(label), longestLabel)]
	if strings.Trim(label, "_-") == "" {
		return kind
	}
	if first := label[0]; first >= '0' && first <= '9' || first == '-' {
		label = "_" + label
	}
	return label
}
