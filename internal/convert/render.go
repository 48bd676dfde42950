package convert

import (
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// attribute is one attribute of HCL to be written.
type attribute struct {
	name, expr string
	comments
}

// block is a block of HCL to be written.
type block struct {
	header     string
	attributes []attribute
	blocks     []*block
	comments
}

// render writes blocks as a formatted file.
func render(blocks []*block) []byte {
	var b strings.Builder
	for i, block := range blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		block.write(&b)
	}
	return config.Layout([]byte(b.String()))
}

func (bl *block) write(b *strings.Builder) {
	writeComments(b, bl.head)
	if !bl.empty() {
		writeComments(b, bl.line)
	}
	b.WriteString(bl.header + " {")
	if bl.empty() {
		b.WriteString("}" + trailing(bl.line) + "\n")
		return
	}
	b.WriteByte('\n')
	for _, a := range bl.attributes {
		a.write(b)
	}
	for i, inner := range bl.blocks {
		if i == 0 && len(bl.attributes) > 0 || i > 0 && (bl.blocks[i-1].large() || inner.large()) {
			b.WriteByte('\n')
		}
		inner.write(b)
	}
	writeComments(b, bl.foot)
	b.WriteString("}\n")
}

func (bl *block) empty() bool { return len(bl.attributes)+len(bl.blocks)+len(bl.foot) == 0 }

// large tells whether a block is set apart from its neighbours by an empty line.
func (bl *block) large() bool {
	return len(bl.head) > 0 || len(bl.line) > 0 && !bl.empty() || len(bl.attributes) > 1 ||
		slices.ContainsFunc(bl.attributes, func(a attribute) bool { return strings.Contains(a.expr, "\n") })
}

func (a *attribute) write(b *strings.Builder) {
	writeComments(b, a.head)
	if strings.Contains(a.expr, "\n") {
		writeComments(b, a.line)
	}
	b.WriteString(a.name + " = " + a.expr)
	if !strings.Contains(a.expr, "\n") {
		b.WriteString(trailing(a.line))
	}
	b.WriteByte('\n')
	writeComments(b, a.foot)
}

func writeComments(b *strings.Builder, lines []string) {
	for _, line := range lines {
		b.WriteString("# " + line + "\n")
	}
}

// trailing writes comments at the end of a line.
func trailing(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return " # " + strings.Join(lines, "; ")
}
