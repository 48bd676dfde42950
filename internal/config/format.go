package config

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// formatRounds bounds how often a file is formatted until nothing moves any more. What one round moves
// can move its neighbours in the next.
const formatRounds = 4

// Formatter brings files into the canonical layout: indentation, spaces, equals signs and comments in
// columns, a newline at the end. The limits hold for each of its files and for all of them together.
type Formatter struct{ loader *loader }

// NewFormatter returns a formatter that no file was given to.
func NewFormatter(limits Limits) *Formatter { return &Formatter{&loader{limits: limits}} }

// Full tells whether there were more blocks or attributes than the limits allow. The diagnostics of the
// file that was one too many say so.
func (f *Formatter) Full() bool { return f.loader.full }

// Format returns a file in the canonical layout. Formatting the result again changes nothing, and it
// means what the file means. The file passes the same guards as in [Load]. With errors among the
// diagnostics, which say why it cannot be read, and with a warning that there is no such layout for it,
// the file is returned as it is.
func (f *Formatter) Format(src []byte, name string) ([]byte, diag.Diagnostics) {
	l := f.loader
	l.diags = nil
	if l.tooLarge(src, name) {
		return src, l.diags
	}
	body := l.parseBody(src, name)
	if body == nil {
		return src, l.diags
	}
	l.count(body, startOf(name))
	if l.full {
		return src, l.diags
	}
	return l.format(src, name), l.diags
}

// Layout brings what was just written as a configuration into the canonical layout. Files that people wrote
// are for a [Formatter], which looks at them first.
func Layout(src []byte) []byte { return hclwrite.Format(src) }

// format formats a file that can be parsed.
func (l *loader) format(src []byte, name string) []byte {
	formatted := src
	if n := len(src); n > 0 && src[n-1] != '\n' {
		formatted = append(slices.Clone(src), '\n')
	}
	var want hclsyntax.Tokens
	for range formatRounds {
		next := Layout(formatted)
		if bytes.Equal(next, formatted) {
			return formatted
		}
		if want == nil { // most files are in the canonical layout
			want = tokens(formatted)
		}
		if !slices.EqualFunc(want, tokens(next), sameToken) {
			break
		}
		if int64(len(next)) > l.limits.FileBytes {
			l.unformatted(name, fmt.Sprintf("with its parts where they usually stand the file would have more than %d bytes", l.limits.FileBytes), "break its long lines")
			return src
		}
		formatted = next
	}
	l.unformatted(name, "moving its parts to where they usually stand would change what they mean", "write what is unusual in it in another way")
	return src
}

func (l *loader) unformatted(name, why, hint string) {
	l.add(diag.Diagnostic{
		Severity: diag.Warning, Code: codeFormat, Subject: subject(startOf(name)), Summary: "file cannot be formatted",
		Detail: why, Hint: "the file stays as it is; " + hint,
	})
}

// tokens are what a file consists of without the space between.
func tokens(src []byte) hclsyntax.Tokens {
	list, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos) // the caller has parsed it
	return list
}

func sameToken(a, b hclsyntax.Token) bool {
	if a.Type != b.Type {
		return false
	}
	if a.Type == hclsyntax.TokenCHeredoc { // the lexer takes the space before the mark into it
		return bytes.Equal(bytes.TrimSpace(a.Bytes), bytes.TrimSpace(b.Bytes))
	}
	return bytes.Equal(a.Bytes, b.Bytes)
}
