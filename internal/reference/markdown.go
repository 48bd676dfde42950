package reference

import "strings"

// page gathers Markdown.
type page struct{ strings.Builder }

// bytes returns the page with a note where it comes from.
func (p *page) bytes() []byte {
	return []byte(p.String() + "---\n\nGenerated from the package `schema` by `make generate`.\n")
}

// prose is the text of a definition, which is no Markdown.
func prose(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`, "`", "\\`").Replace(text)
}

func (p *page) paragraph(text string) { p.WriteString(text + "\n\n") }

// list writes sentences, which are no Markdown, each behind a dash.
func (p *page) list(sentences []string) {
	for _, s := range sentences {
		p.WriteString("- " + prose(s) + "\n")
	}
	p.WriteString("\n")
}

func (p *page) code(text string) { p.paragraph("```hcl\n" + text + "```") }

// row adds a row of a table, the first of which is its head.
func (p *page) row(cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	p.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// end ends a table.
func (p *page) end() { p.WriteString("\n") }
