package codes

import (
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Entry explains a code.
type Entry struct {
	Code diag.Code
	// Text is a paragraph of Markdown: what the code means, and what to do.
	Text string
}

// area is the first word of codes and what their mistakes have in common.
type area struct {
	name, title, text string
	entries           []Entry
}

// Entries returns all codes in the order of the page: as files become a cloud, and by name.
func Entries() []Entry {
	var all []Entry
	for _, a := range areas() {
		all = append(all, a.entries...)
	}
	return all
}

// Page returns the reference of the codes in Markdown.
func Page() []byte {
	var b strings.Builder
	b.WriteString(`# Diagnostics

Whatever is wrong with a configuration is told with a code in brackets, such as
` + "`error[config.unknown-attribute]`" + `, and in the JSON of ` + "`--output json`" + ` as ` + "`code`" + `. A code keeps its meaning, so
scripts can rely on it; the texts beside it may change. An error keeps the configuration from being
applied: the last good revision stays in force. A warning keeps nothing from happening.
`)
	for _, a := range areas() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", a.title, a.text)
		for _, e := range a.entries {
			fmt.Fprintf(&b, "\n### `%s`\n\n%s\n", e.Code, e.Text)
		}
	}
	b.WriteString("\n---\n\nGenerated from the package `internal/codes` by `make generate`.\n")
	return []byte(b.String())
}

func areas() []area {
	return append(language(), deployment()...)
}
