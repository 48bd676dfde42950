package config

import "github.com/kupenstack/kupenstack-sync/internal/diag"

// Setting returns which attribute of which service, in the cloud or in a profile, something was written in;
// of a block inside of the service's, it is that block's kind. False means that it is anywhere else, or in a
// dynamic block, whose service only evaluation tells.
func (c *Config) Setting(at diag.Range) (service, name string, ok bool) {
	for _, layer := range append([]*Block{c.Cloud}, c.Profiles...) {
		if layer == nil {
			continue
		}
		for _, s := range layer.Nested("service") {
			if name := s.holds(at); name != "" && s.Iterator == "" {
				return s.Label(), name, true
			}
		}
	}
	return "", "", false
}

// holds returns the attribute or the block inside of this one that something was written in, "" for none.
func (b *Block) holds(at diag.Range) string {
	for _, a := range b.Attributes {
		if surrounds(a.NameRange, at) || surrounds(a.Range, at) {
			return a.Name
		}
	}
	for _, inner := range b.Blocks {
		if inner.holds(at) != "" {
			return inner.Schema.Kind
		}
	}
	return ""
}

func surrounds(outer, inner diag.Range) bool {
	return outer.File == inner.File && outer.Start.Byte <= inner.Start.Byte && inner.Start.Byte <= outer.End.Byte
}
