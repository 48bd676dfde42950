package config

import (
	"bytes"
	"io/fs"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Cache keeps the syntax of the last configuration that was loaded without mistakes, so that
// loading it again with a few other files reads only those. What it gives out is shared with the
// configurations before, none of which is changed any more. One goroutine at a time may use it.
type Cache struct {
	language *schema.Definition
	limits   Limits
	dirs     []string // whose files were listed, that of the configuration first
	files    map[string]*kept
}

// kept is one file that was read without a mistake.
type kept struct {
	src        []byte
	body       *hclsyntax.Body
	attributes map[*hclsyntax.Attribute]*Attribute
	lists      map[*hclsyntax.Attribute][]*Attribute // of those that are lists of expressions
}

// Load does what the function [Load] does. With judged set, the caller knows from elsewhere that
// the files that the cache does not have pass the scan of their tokens, so that it is left out.
func (c *Cache) Load(language *schema.Definition, fsys fs.FS, dir string, limits Limits, judged bool) (*Config, diag.Diagnostics) {
	if c.language != language || c.limits != limits {
		c.language, c.limits, c.files = language, limits, nil
	}
	l := newLoader(language, limits)
	l.cache, l.judged = c, judged
	l.fresh = make(map[string]*kept, len(c.files))
	config, diags := l.load(fsys, dir)
	if !diags.HasErrors() {
		c.dirs, c.files = l.dirs, l.fresh
	}
	return config, diags
}

// recall returns the body of a file that is the same as before, or nil.
func (l *loader) recall(name string, src []byte) *hclsyntax.Body {
	if l.cache == nil {
		return nil
	}
	before := l.cache.files[name]
	if before == nil || !bytes.Equal(before.src, src) {
		return nil
	}
	l.sources[name] = before.src // so that it is there once
	l.fresh[name] = before
	return before.body
}

// keep notes a file that was read.
func (l *loader) keep(name string, src []byte, body *hclsyntax.Body) {
	if l.cache != nil {
		l.fresh[name] = &kept{src: src, body: body, attributes: map[*hclsyntax.Attribute]*Attribute{}}
	}
}

// attribute decodes an attribute, or returns what it was decoded to before. Decoding changes the
// expression, which others may be using then.
func (l *loader) attribute(a *hclsyntax.Attribute, def *schema.Attribute) *Attribute {
	if l.now == nil {
		return l.decodeAttribute(a, def)
	}
	decoded := l.now.attributes[a]
	if decoded == nil {
		decoded = l.decodeAttribute(a, def)
		l.now.attributes[a] = decoded
	}
	return decoded
}

// list decodes a list of expressions in brackets, with the same care.
func (l *loader) list(a *hclsyntax.Attribute, decode func() []*Attribute) []*Attribute {
	if l.now == nil {
		return decode()
	}
	decoded, known := l.now.lists[a]
	if !known {
		decoded = decode()
		if l.now.lists == nil {
			l.now.lists = map[*hclsyntax.Attribute][]*Attribute{}
		}
		l.now.lists[a] = decoded
	}
	return decoded
}
