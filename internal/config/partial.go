package config

import (
	"bytes"
	"math"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// beginning tells whether something at the top of a file begins with these tokens, the first of which
// stands in the first column.
type beginning func(hclsyntax.Tokens) bool

// salvage tells the mistakes of syntax in a file, and returns what of it can be relied on. Behind a
// mistake the parser may take one thing for another: what follows a brace that is not closed, for the
// inside of a block. So each piece of the file, from the beginning of one block in the first column to
// that of the next, is parsed by itself. What is whole by itself counts; of the others nothing does, but
// for what [loader.torn] looks at.
func (l *loader) salvage(src []byte, name string, whole *hclsyntax.Body, mistakes hcl.Diagnostics, begins beginning) *hclsyntax.Body {
	if !tears(mistakes) {
		l.syntax(mistakes)
		return whole // as it is, with the first of those that are there twice
	}
	body := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, SrcRange: whole.SrcRange, EndRange: whole.EndRange}
	var told hcl.Diagnostics
	torn := false
	starts := append([]hcl.Pos{hcl.InitialPos}, l.beginnings(src, name, begins)...)
	for i, from := range starts {
		to := len(src)
		if i+1 < len(starts) {
			to = starts[i+1].Byte
		}
		piece := src[from.Byte:to]
		if found, _ := guard(piece, name, l.limits); found != nil {
			torn = true // a quote that is not closed makes code of text
			continue
		}
		file, diags := hclsyntax.ParseConfig(piece, name, from)
		inside, _ := file.Body.(*hclsyntax.Body)
		told = append(told, upToOpenQuote(diags)...)
		if tears(diags) {
			torn = true
			l.keepTorn(name, inside, diags)
			continue
		}
		body.Blocks = append(body.Blocks, slices.DeleteFunc(inside.Blocks, func(b *hclsyntax.Block) bool { return b.TypeRange.Start.Column != 1 })...)
		for key, a := range inside.Attributes {
			if body.Attributes[key] == nil && a.NameRange.Start.Column == 1 {
				body.Attributes[key] = a
			}
		}
	}
	if !torn || !tears(told) { // the pieces do not show what is wrong with the whole
		told = upToOpenQuote(mistakes)
	}
	l.syntax(told)
	return body
}

// tears tells whether some of the mistakes keep the parser from seeing what there is. An attribute that
// is there twice does not.
func tears(mistakes hcl.Diagnostics) bool {
	return slices.ContainsFunc(mistakes, func(d *hcl.Diagnostic) bool { return d.Severity == hcl.DiagError && d.Summary != redefined })
}

// upToOpenQuote leaves out what is told after a quote that is not closed: from there on the lexer takes
// text for code and code for text.
func upToOpenQuote(mistakes hcl.Diagnostics) hcl.Diagnostics {
	at := slices.IndexFunc(mistakes, func(d *hcl.Diagnostic) bool { return d.Summary == openQuote })
	if at < 0 {
		return mistakes
	}
	return mistakes[:at+1]
}

// maxRelexed is how many times the bytes of the largest file are read again behind quotes that are not
// closed, in all files together.
const maxRelexed = 4

// beginnings finds where the pieces of a file begin.
func (l *loader) beginnings(src []byte, name string, begins beginning) []hcl.Pos {
	var found []hcl.Pos
	for at := hcl.InitialPos; ; {
		tokens, _ := hclsyntax.LexConfig(src[at.Byte:], name, at)
		open := slices.IndexFunc(tokens, func(t hclsyntax.Token) bool { return t.Type == hclsyntax.TokenQuotedNewline })
		end := len(tokens)
		if open >= 0 {
			end = open
		}
		for i := range tokens[:end] {
			if tokens[i].Range.Start.Column == 1 && begins(tokens[i:]) {
				found = append(found, tokens[i].Range.Start)
			}
		}
		l.relexed += int64(len(src) - at.Byte)
		if open < 0 || l.relexed > maxRelexed*l.limits.FileBytes {
			return found
		}
		next, ok := nextBeginning(src, tokens[open].Range.Start, begins)
		if !ok {
			return found
		}
		at = next
	}
}

// nextBeginning looks for a piece line by line, as the lexer has lost its way.
func nextBeginning(src []byte, after hcl.Pos, begins beginning) (hcl.Pos, bool) {
	at := after
	for {
		n := bytes.IndexByte(src[at.Byte:], '\n')
		if n < 0 {
			return at, false
		}
		at = hcl.Pos{Line: at.Line + 1, Column: 1, Byte: at.Byte + n + 1}
		line := src[at.Byte:]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		if tokens, _ := hclsyntax.LexConfig(line, "", at); len(tokens) > 0 && tokens[0].Range.Start.Column == 1 && begins(tokens) {
			return at, true
		}
	}
}

// beginsBlock knows the kinds of blocks at the top of a file.
func (l *loader) beginsBlock(tokens hclsyntax.Tokens) bool {
	if tokens[0].Type != hclsyntax.TokenIdent || len(tokens) < 2 {
		return false
	}
	switch tokens[1].Type {
	case hclsyntax.TokenOQuote, hclsyntax.TokenOBrace, hclsyntax.TokenIdent:
		kind := string(tokens[0].Bytes)
		return kind == schema.DataKind || l.config.Definition.Block(kind) != nil
	default:
		return false
	}
}

// beginsAttribute knows attributes at the top of a file.
func beginsAttribute(tokens hclsyntax.Tokens) bool {
	return tokens[0].Type == hclsyntax.TokenIdent && len(tokens) > 1 && tokens[1].Type == hclsyntax.TokenEqual
}

// keepTorn keeps the block that a mistake of syntax stands in, with what stands before the mistake.
func (l *loader) keepTorn(name string, piece *hclsyntax.Body, mistakes hcl.Diagnostics) {
	if len(piece.Blocks) == 0 || piece.Blocks[0].Body == nil {
		return
	}
	first := math.MaxInt
	for _, d := range mistakes {
		if d.Subject != nil {
			first = min(first, d.Subject.Start.Byte)
		}
	}
	b := *piece.Blocks[0]
	if b.TypeRange.Start.Column != 1 || b.DefRange().End.Byte > first {
		return
	}
	before := *b.Body
	before.Attributes = hclsyntax.Attributes{}
	for key, a := range b.Body.Attributes {
		if a.SrcRange.End.Byte < first {
			before.Attributes[key] = a
		}
	}
	before.Blocks = slices.DeleteFunc(slices.Clone(b.Body.Blocks), func(inner *hclsyntax.Block) bool { return inner.CloseBraceRange.End.Byte >= first })
	b.Body = &before
	l.tornBlocks[name] = append(l.tornBlocks[name], &b)
}

// torn tells what is wrong within a block that has a mistake of syntax, as far as it stands before that
// and can be told without what is missing. Nothing refers to the block.
func (l *loader) torn(b *hclsyntax.Block) {
	def := l.config.Definition.Block(b.Type)
	if b.Type == schema.DataKind && len(b.Labels) > 0 {
		if kind := l.config.Definition.Resource(b.Labels[0]); kind != nil {
			def = kind.DataBlock()
		}
	}
	if def == nil {
		return
	}
	resource := def.Class == schema.ClassResource && b.Type != schema.DataKind
	switch {
	case def.Kind == "locals" || def.Kind == schema.ModuleKind:
		return
	case b.Type != schema.DataKind && !l.belongs(b, def):
		return
	}
	address := addr.Object{}
	if len(b.Labels) > 0 && resource {
		address = l.object(addr.Managed, def.Kind, b.Labels[len(b.Labels)-1])
	}
	defer l.within(b, address)()
	l.kind = def.Kind
	l.incomplete, l.lookup = b, b.Type == schema.DataKind
	l.body(b, def, resource)
	l.incomplete, l.lookup = nil, false
}
