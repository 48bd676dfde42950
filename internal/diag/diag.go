package diag

import (
	"cmp"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// Severity says whether a diagnostic stops what was asked for.
type Severity uint8

// The severities.
const (
	Error   Severity = iota // it does: the zero value, so that nothing is a warning by accident
	Warning                 // it does not
)

// String returns "error" or "warning".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	default:
		return fmt.Sprintf("Severity(%d)", uint8(s))
	}
}

// MarshalText returns what String does, and fails for values that are neither.
func (s Severity) MarshalText() ([]byte, error) {
	if s > Warning {
		return nil, fmt.Errorf("%v is no severity", s)
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (s *Severity) UnmarshalText(text []byte) error {
	switch string(text) {
	case "error":
		*s = Error
	case "warning":
		*s = Warning
	default:
		return fmt.Errorf("%q is no severity: expected error or warning", text)
	}
	return nil
}

// Code names a kind of mistake for good: what finds it defines it, documentation explains it,
// scripts match it. It is the finding package's area and words with dashes, as in
// "config.unknown-attribute".
type Code string

// Pos is a place in a file.
type Pos struct {
	Line   int `json:"line"`   // from 1
	Column int `json:"column"` // in characters as a person counts them, from 1
	Byte   int `json:"byte"`   // in the file, from 0
}

// Range is a part of a file. End is the first place after it.
type Range struct {
	File  string `json:"file"`
	Start Pos    `json:"start"`
	End   Pos    `json:"end"`
}

// String returns the beginning of the range in the form that editors open: main.hcl:12:5.
func (r Range) String() string {
	return fmt.Sprintf("%s:%d:%d", visible(r.File), r.Start.Line, r.Start.Column)
}

// Compare orders ranges by file, beginning and end.
func (r Range) Compare(other Range) int {
	return cmp.Or(
		cmp.Compare(r.File, other.File),
		r.Start.compare(other.Start),
		r.End.compare(other.End),
	)
}

func (p Pos) compare(other Pos) int {
	return cmp.Or(
		cmp.Compare(p.Line, other.Line),
		cmp.Compare(p.Column, other.Column),
		cmp.Compare(p.Byte, other.Byte),
	)
}

// Diagnostic is one finding. Summary is required; texts begin in lower case and have no full stop
// at the end unless they are several sentences. No text may contain the value of a variable or of
// a secret.
type Diagnostic struct {
	Severity Severity
	Code     Code
	Summary  string // what is wrong, in a line
	Detail   string // why, and what was expected; may have several lines
	Hint     string // what to do about it

	Subject *Range       // where it is wrong; nil when that is no place in a file
	Context *Range       // what to show around the subject, such as the block's header
	Address addr.Address // what it is about; nil when it is nothing with an address

	// HideSource keeps the lines of the source out of what is printed, for a subject that may be a
	// secret written in plain text.
	HideSource bool
	// HideAfter shows the line of the subject up to the subject's end, as behind the name of something
	// may stand a secret written in plain text.
	HideAfter bool
}

// Error returns the place, the code and the summary in one line, so that a single diagnostic can be
// an error, too.
func (d Diagnostic) Error() string {
	text := visible(d.Summary)
	if d.Code != "" {
		text = fmt.Sprintf("%s [%s]", text, d.Code)
	}
	if d.Subject != nil {
		text = fmt.Sprintf("%v: %s", d.Subject, text)
	}
	return text
}

// compare orders diagnostics by file, place and code, and then by everything else, so that only
// equal ones compare as 0. Those without a place come first.
func (d Diagnostic) compare(other Diagnostic) int {
	if c := compareRanges(d.Subject, other.Subject); c != 0 {
		return c
	}
	if c := cmp.Or(
		cmp.Compare(d.Code, other.Code),
		cmp.Compare(d.Severity, other.Severity),
		addr.Compare(d.Address, other.Address),
		cmp.Compare(d.Summary, other.Summary),
		cmp.Compare(d.Detail, other.Detail),
		cmp.Compare(d.Hint, other.Hint),
	); c != 0 {
		return c
	}
	if c := compareRanges(d.Context, other.Context); c != 0 {
		return c
	}
	return cmp.Compare(other.hides(), d.hides()) // of two that differ only in this, the safe one is kept
}

// hides grows with what is not shown.
func (d Diagnostic) hides() int {
	switch {
	case d.HideSource:
		return 2
	case d.HideAfter:
		return 1
	default:
		return 0
	}
}

func compareRanges(a, b *Range) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	default:
		return a.Compare(*b)
	}
}
