package explain

import (
	"encoding/json"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// The JSON form of an explanation. The names of its fields do not change.
type document struct {
	Address addr.Object     `json:"address"`
	Service string          `json:"service,omitempty"`
	Layers  []layerDocument `json:"layers"` // the lowest first
	Values  []valueDocument `json:"values"`
	Notes   []string        `json:"notes"`
}

type layerDocument struct {
	Name  string     `json:"name"`
	Range diag.Range `json:"range"`
}

type shownDocument struct {
	Value     any         `json:"value"` // a text in place of what is sensitive or unknown
	Sensitive bool        `json:"sensitive,omitempty"`
	Unknown   bool        `json:"unknown,omitempty"`
	Source    string      `json:"source"` // written, label or default
	Layer     string      `json:"layer,omitempty"`
	Range     *diag.Range `json:"range,omitempty"`
	Adds      string      `json:"adds,omitempty"` // append or prepend
}

type valueDocument struct {
	Path string `json:"path"`
	shownDocument
	Lower []lowerDocument `json:"lower"` // the highest first
}

type lowerDocument struct {
	shownDocument
	Counts bool `json:"counts"` // it was added to, not replaced
}

// MarshalJSON writes the explanation for programs: address, service, layers, values and notes; of
// each value its path, value, source, layer, range and what lies below it. Equal explanations
// have equal texts.
func (e Explanation) MarshalJSON() ([]byte, error) {
	d := document{Address: e.Address, Service: e.Service, Layers: []layerDocument{}, Values: []valueDocument{}, Notes: append([]string{}, e.Notes...)}
	for _, l := range e.Layers {
		d.Layers = append(d.Layers, layerDocument(l))
	}
	for i := range e.Values {
		v := &e.Values[i]
		value := valueDocument{Path: v.Path, shownDocument: shown(v.Effective, v.Set), Lower: []lowerDocument{}}
		for _, l := range v.Lower {
			value.Lower = append(value.Lower, lowerDocument{shown(l.Shown, l.Set), l.Counts})
		}
		d.Values = append(d.Values, value)
	}
	return json.Marshal(d)
}

func shown(s Shown, from Source) shownDocument {
	d := shownDocument{Value: s.Value, Sensitive: s.Sensitive, Unknown: s.Unknown, Source: from.Kind, Layer: from.Layer, Adds: from.Adds}
	if from.Range != (diag.Range{}) {
		d.Range = &from.Range
	}
	return d
}
