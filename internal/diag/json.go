package diag

import (
	"encoding/json"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// document is the JSON form of a diagnostic; see the package's documentation.
type document struct {
	Severity   Severity `json:"severity"`
	Code       Code     `json:"code"`
	Summary    string   `json:"summary"`
	Detail     string   `json:"detail,omitempty"`
	Hint       string   `json:"hint,omitempty"`
	Subject    *Range   `json:"subject,omitempty"`
	Context    *Range   `json:"context,omitempty"`
	Address    string   `json:"address,omitempty"`
	HideSource bool     `json:"hide_source,omitempty"`
	HideAfter  bool     `json:"hide_after,omitempty"`
	Snippet    *snippet `json:"snippet,omitempty"`
}

// MarshalJSON writes the form that the package's documentation describes, without a snippet.
func (d Diagnostic) MarshalJSON() ([]byte, error) { return json.Marshal(d.document()) }

func (d Diagnostic) document() document {
	doc := document{d.Severity, d.Code, d.Summary, d.Detail, d.Hint, d.Subject, d.Context, "", d.HideSource, d.HideAfter, nil}
	if d.Address != nil {
		doc.Address = d.Address.String()
	}
	return doc
}

// UnmarshalJSON reads what MarshalJSON writes. Fields that it does not know are passed over.
func (d *Diagnostic) UnmarshalJSON(text []byte) error {
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("read a diagnostic: %w", err)
	}
	read := Diagnostic{doc.Severity, doc.Code, doc.Summary, doc.Detail, doc.Hint, doc.Subject, doc.Context, nil, doc.HideSource, doc.HideAfter}
	if doc.Address != "" {
		address, err := addr.Parse(doc.Address)
		if err != nil {
			return fmt.Errorf("read a diagnostic: %w", err)
		}
		read.Address = address
	}
	*d = read
	return nil
}

// MarshalJSON writes an array, also for a list that is nil.
func (ds Diagnostics) MarshalJSON() ([]byte, error) {
	if ds == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]Diagnostic(ds))
}
