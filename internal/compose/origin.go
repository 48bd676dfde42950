package compose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// origin is where something of a service's settings was written, in whatever layer.
type origin struct {
	where, block diag.Range
	about        addr.Object // whose block it is: the service of the cloud, or a profile
}

// failAt is fail for what was written in a setting.
func (c *composer) failAt(code diag.Code, at origin, summary, detail, hint string) {
	c.fail(code, at.where, at.about, summary, detail, hint)
	if at.block != (diag.Range{}) {
		c.diags[len(c.diags)-1].Context = &at.block
	}
}

// originOf is where a setting was written, at a path inside of it.
func (c *composer) originOf(s *model.Service, written *model.Setting, path ...string) origin {
	at := origin{where: written.At(path...), block: s.Range, about: s.Address}
	for i := range c.m.Profiles {
		p := &c.m.Profiles[i]
		if p.Address.String() != written.Layer {
			continue
		}
		at.about = p.Address
		for _, block := range p.Services {
			if block.Name == s.Name {
				at.block = block.Range
			}
		}
	}
	return at
}

// lastOrigin is where the setting that counts was written: the highest one with the name. Without any it
// is the service's block.
func (c *composer) lastOrigin(s *model.Service, name string) origin {
	for i := range slices.Backward(s.Settings) {
		if s.Settings[i].Name == name {
			return c.originOf(s, &s.Settings[i])
		}
	}
	return origin{where: s.Range, about: s.Address}
}

// decides finds the highest of the settings with a name that has something at a path. Of those that only
// add to a list the first one counts that blames accepts; nil accepts all.
func (c *composer) decides(s *model.Service, settings []model.Setting, name string, path []string, blames func(cty.Value) bool) (origin, bool) {
	for i := range slices.Backward(settings) {
		written := &settings[i]
		if written.Name != name {
			continue
		}
		v, at, ok := written.Part(path...)
		if !ok || blames != nil && model.Adds(v) && !blames(model.Settle(v)) {
			continue
		}
		return c.originOf(s, written, at...), true
	}
	return origin{where: s.Range, about: s.Address}, false
}

// keys are the steps of a path that maps have, down to the first list.
func keys(path cty.Path) []string {
	var keys []string
	for _, step := range path {
		attribute, ok := step.(cty.GetAttrStep)
		if !ok {
			break
		}
		keys = append(keys, attribute.Name)
	}
	return keys
}

// pathText writes a path inside of a setting as an expression would.
func pathText(name string, path cty.Path) string {
	var text strings.Builder
	text.WriteString(name)
	for _, step := range path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text.WriteString(keyText(step.Name))
		case cty.IndexStep:
			fmt.Fprintf(&text, "[%s]", step.Key.AsBigFloat().String())
		}
	}
	return text.String()
}

func keyText(key string) string {
	for i, r := range key {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return "[" + strconv.Quote(key) + "]"
		}
	}
	return "." + key
}
