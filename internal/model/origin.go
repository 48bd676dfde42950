package model

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Origin tells where a value was written and, as far as it was written out, where each part of it
// was.
type Origin struct {
	Range  diag.Range
	Inside map[string]*Origin // by key, or by index for blocks; nil for what was computed as a whole
}

// At returns where the part at a path was written: where the closest part around it was, when it
// was not written by itself.
func (o *Origin) At(path ...string) diag.Range {
	if o == nil {
		return diag.Range{}
	}
	for _, key := range path {
		inner := o.Inside[key]
		if inner == nil {
			break
		}
		o = inner
	}
	return o.Range
}

// At returns where the part of a setting's value at a path was written.
func (s *Setting) At(path ...string) diag.Range { return orElse(s.Origin.At(path...), s.Range) }

// Part returns what a setting has at a path, and how far down the path it stands: what is no map decides
// about everything that would be inside. It returns false for a setting that has nothing there.
func (s *Setting) Part(path ...string) (v cty.Value, at []string, ok bool) {
	for depth := range len(path) + 1 {
		v, ok := Part(s.Value, path[:depth]...)
		if !ok {
			break
		}
		if t := v.Type(); depth == len(path) || !t.IsObjectType() && !t.IsMapType() || v.IsNull() {
			return v, path[:depth], true
		}
	}
	return cty.NilVal, nil, false
}
