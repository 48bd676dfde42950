package diag

import (
	"encoding/json"
	"strings"
)

// Sourced is a list of findings with the files that they are about. Its JSON has a snippet for each
// finding whose file is known; see the package's documentation.
type Sourced struct {
	Diagnostics Diagnostics
	// Source returns the contents of a file as they were when the diagnostics were made, and
	// whether it has them. Nil means that it has none.
	Source func(file string) ([]byte, bool)
}

// MarshalJSON writes an array, also for a list that is nil.
func (s Sourced) MarshalJSON() ([]byte, error) {
	documents := make([]document, 0, len(s.Diagnostics))
	for _, d := range s.Diagnostics {
		doc := d.document()
		if s.Source != nil && d.Subject != nil && !d.HideSource {
			if source, ok := s.Source(d.Subject.File); ok {
				doc.Snippet = snippetOf(source, d)
			}
		}
		documents = append(documents, doc)
	}
	return json.Marshal(documents)
}

// snippet is what a program shows of the source without having the file.
type snippet struct {
	Context   *string `json:"context"`
	Code      string  `json:"code"`
	StartLine int     `json:"start_line"`
	From      int     `json:"highlight_start_offset"`
	To        int     `json:"highlight_end_offset"`
}

// maxContext bounds the bytes of a context, which is a block's header and not a value.
const maxContext = 1024

// snippetOf returns nil when the source cannot be the one that the diagnostic was made from. It shows
// no line that the text of the diagnostic does not show, too.
func snippetOf(source []byte, d Diagnostic) *snippet {
	lines := excerpt(source, d)
	if len(lines) == 0 {
		return nil
	}
	s := &snippet{}
	if !lines[0].marked {
		context := text(clipRight(strings.TrimSpace(lines[0].text), maxContext))
		s.Context = &context
		lines = lines[1:]
	}
	first := lines[0]
	head := text(clipLeft(first.text[:first.from], maxLine))
	subject := text(clipRight(first.text[first.from:first.to], maxLine))
	tail := ""
	if first.to-first.from <= maxLine {
		tail = text(clipRight(first.text[first.to:], maxLine))
	}
	s.Code, s.StartLine = head+subject+tail, first.number
	s.From, s.To = len(head), len(head)+len(subject)
	return s
}

// text returns what JSON can hold; the encoder would do the same, but after the bytes were counted.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
