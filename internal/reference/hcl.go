package reference

import (
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// Literal writes a known value as an expression on one line.
func Literal(v cty.Value) string {
	switch t := v.Type(); {
	case v.IsNull():
		return "null"
	case t == cty.String:
		return quote(v.AsString())
	case t == cty.Number:
		return v.AsBigFloat().Text('f', -1)
	case t == cty.Bool:
		return strconv.FormatBool(v.True())
	case t.IsObjectType() || t.IsMapType():
		return mapLiteral(v)
	default:
		return listLiteral(v)
	}
}

func mapLiteral(v cty.Value) string {
	if v.LengthInt() == 0 {
		return "{}"
	}
	var fields []string
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		name := key.AsString()
		if !addr.ValidName(name) {
			name = quote(name)
		}
		fields = append(fields, name+" = "+Literal(element))
	}
	return "{ " + strings.Join(fields, ", ") + " }"
}

func listLiteral(v cty.Value) string {
	var elements []string
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		elements = append(elements, Literal(element))
	}
	return "[" + strings.Join(elements, ", ") + "]"
}

func quote(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "${", "$${", "%{", "%%{").Replace(s)
	return `"` + s + `"`
}

// heredoc tells whether a value reads better as lines of its own.
func heredoc(v cty.Value) bool {
	return !v.IsNull() && v.Type() == cty.String && strings.HasSuffix(v.AsString(), "\n")
}

// source writes HCL in the canonical layout.
type source struct {
	text    strings.Builder
	depth   int
	pending []assignment // lines whose equals signs stand in one column
	gap     bool         // the next thing follows an empty line
}

type assignment struct{ name, value string }

func (s *source) line(text string) {
	if text != "" {
		text = strings.Repeat("  ", s.depth) + text
	}
	s.text.WriteString(text + "\n")
}

// block writes a block; body writes what is inside.
func (s *source) block(header string, body func(inside *source)) {
	s.flush()
	if s.gap {
		s.line("")
	}
	inside := &source{depth: s.depth + 1}
	body(inside)
	if text := inside.String(); text == "" {
		s.line(header + " {}")
	} else {
		s.line(header + " {")
		s.text.WriteString(text)
		s.line("}")
	}
	s.gap = true
}

func (s *source) assign(name, value string) {
	s.pending = append(s.pending, assignment{name, value})
}

func (s *source) assignLines(name, text string) {
	s.flush()
	if s.gap {
		s.line("")
	}
	s.line(name + " = <<-EOT")
	for line := range strings.Lines(text) {
		s.line("  " + strings.TrimSuffix(line, "\n"))
	}
	s.line("EOT")
	s.gap = true
}

// flush writes the pending assignments.
func (s *source) flush() {
	if s.gap && len(s.pending) > 0 {
		s.line("")
	}
	width := 0
	for _, a := range s.pending {
		width = max(width, len(a.name))
	}
	for _, a := range s.pending {
		s.line(a.name + strings.Repeat(" ", width-len(a.name)) + " = " + a.value)
	}
	if len(s.pending) > 0 {
		s.gap = true
	}
	s.pending = nil
}

func (s *source) String() string {
	s.flush()
	return s.text.String()
}
