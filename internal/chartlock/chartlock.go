package chartlock

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/Masterminds/semver/v3"
)

// File is the name of the lock file. It lies at the top of the configuration.
const File = "charts.lock.json"

// MaxSize bounds the file in bytes, some thousands of charts.
const MaxSize = 1 << 20

// format is the version of the file's own form. Whoever finds a higher one does not guess.
const format = 1

// Wanted is a chart as the configuration asks for it.
type Wanted struct {
	Repository string `json:"repository"` // https://, oci://, or of Git: see [ParseGit]
	Name       string `json:"name"`
	Constraint string `json:"constraint,omitempty"` // "" for any version
}

// Compare orders charts by repository, name and constraint.
func (w Wanted) Compare(other Wanted) int {
	return cmp.Or(cmp.Compare(w.Repository, other.Repository), cmp.Compare(w.Name, other.Name), cmp.Compare(w.Constraint, other.Constraint))
}

// String names the chart as a person would.
func (w Wanted) String() string {
	if w.Constraint == "" {
		return w.Name + " of " + w.Repository
	}
	return w.Name + " " + w.Constraint + " of " + w.Repository
}

// Entry is what a chart was locked to.
type Entry struct {
	Wanted
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // of a chart of a Git repository
	Digest  string `json:"digest"`           // of the packed chart, or of the files of one of Git: sha256:…
}

// Fits tells whether the version of the entry is one that a constraint allows.
func (e Entry) Fits(constraint string) bool {
	if constraint == "" {
		constraint = ">=0.0.0-0"
	}
	allowed, err := semver.NewConstraint(constraint)
	if err != nil {
		return false
	}
	version, err := semver.NewVersion(e.Version)
	return err == nil && allowed.Check(version)
}

// Lock is a lock file. Nil is one without entries.
type Lock struct {
	Entries []Entry // sorted, none of them twice
	Images  []Image // sorted, none of them twice; nil where images were never locked
}

// Find returns the entry of a chart, and false when there is none.
func (l *Lock) Find(wanted Wanted) (Entry, bool) {
	if l == nil {
		return Entry{}, false
	}
	i, found := slices.BinarySearchFunc(l.Entries, wanted, func(e Entry, w Wanted) int { return e.Compare(w) })
	if !found {
		return Entry{}, false
	}
	return l.Entries[i], true
}

// Nearest returns an entry of the same chart whose version the constraint allows as well: the newest, so
// that a constraint can be written otherwise without any other version.
func (l *Lock) Nearest(wanted Wanted) (Entry, bool) {
	var best Entry
	var newest *semver.Version
	if l == nil {
		return best, false
	}
	for _, e := range l.Entries {
		if e.Repository != wanted.Repository || e.Name != wanted.Name || !e.Fits(wanted.Constraint) {
			continue
		}
		if version, err := semver.NewVersion(e.Version); err == nil && (newest == nil || version.GreaterThan(newest)) {
			best, newest = e, version
		}
	}
	best.Wanted = wanted
	return best, newest != nil
}

// document is the file's form.
type document struct {
	Format int     `json:"format"`
	Charts []Entry `json:"charts"`
	Images []Image `json:"images,omitzero"` // none is something else than never
}

// New returns a lock with these entries and images; images that are nil were never locked.
func New(entries []Entry, images ...Image) *Lock {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b Entry) int { return a.Compare(b.Wanted) })
	return &Lock{
		Entries: slices.CompactFunc(sorted, func(a, b Entry) bool { return a.Wanted == b.Wanted }),
		Images:  sortedImages(images),
	}
}

// Bytes returns the file's content. The same entries give the same bytes.
func (l *Lock) Bytes() []byte {
	d := document{Format: format, Charts: []Entry{}}
	if l != nil {
		d.Charts, d.Images = append(d.Charts, l.Entries...), l.Images
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // a constraint such as >=1.0 is for people, too
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d); err != nil {
		panic(fmt.Sprintf("chartlock: %v", err)) // texts and a number
	}
	return b.Bytes()
}

// ParseError says what is wrong with a lock file, and in which line; 0 when it is none in particular.
type ParseError struct {
	Line   int
	Reason string
	// Newer says that a later version of this program wrote it.
	Newer bool
}

// Error returns the reason.
func (e *ParseError) Error() string { return e.Reason }

var (
	digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	commitPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// Parse reads a lock file. The error is a [*ParseError].
func Parse(text []byte) (*Lock, error) {
	if len(text) > MaxSize {
		return nil, &ParseError{Reason: fmt.Sprintf("it is larger than %d KiB", MaxSize>>10)}
	}
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, syntaxError(text, err)
	}
	if head.Format != format {
		return nil, &ParseError{Reason: fmt.Sprintf("its format is %d, and this program knows %d", head.Format, format), Newer: head.Format > format}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var d document
	if err := decoder.Decode(&d); err != nil {
		return nil, syntaxError(text, err)
	}
	for _, e := range d.Charts {
		if reason := e.wrong(); reason != "" {
			return nil, &ParseError{Reason: fmt.Sprintf("the entry of %q: %s", e.Name, reason)}
		}
	}
	for _, i := range d.Images {
		if reason := i.wrong(); reason != "" {
			return nil, &ParseError{Reason: fmt.Sprintf("the entry of %q: %s", i.Name, reason)}
		}
	}
	lock := New(d.Charts, d.Images...)
	if len(lock.Entries) != len(d.Charts) {
		return nil, &ParseError{Reason: "it has two entries for the same chart, as after a merge"}
	}
	if len(lock.Images) != len(d.Images) {
		return nil, &ParseError{Reason: "it has two entries for the same image, as after a merge"}
	}
	return lock, nil
}

func (e Entry) wrong() string {
	switch {
	case e.Name == "" || e.Repository == "":
		return "name and repository are needed"
	case !digestPattern.MatchString(e.Digest):
		return "the digest is not sha256: and 64 hexadecimal digits"
	case IsGit(e.Repository) && !commitPattern.MatchString(e.Commit):
		return "the commit is not 40 hexadecimal digits"
	case !IsGit(e.Repository) && e.Commit != "":
		return "it has a commit, and its repository is none of Git"
	}
	return e.Misfit()
}

// Misfit tells why the version of the entry is none that can be locked; "" when it can. Whoever makes entries asks the
// same as who reads them. Charts may be of a version such as 1.2, which their repository has to find again.
func (e Entry) Misfit() string {
	switch {
	case !e.Fits(e.Version):
		return fmt.Sprintf("%q is not a version", e.Version)
	case !e.Fits(e.Constraint):
		return fmt.Sprintf("version %s is not among those of its constraint %q", e.Version, e.Constraint)
	}
	return ""
}

func syntaxError(text []byte, err error) *ParseError {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mismatch):
		offset = mismatch.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		offset = int64(len(text))
	}
	e := &ParseError{Reason: err.Error()}
	if 0 <= offset && offset <= int64(len(text)) {
		e.Line = 1 + bytes.Count(text[:offset], []byte("\n"))
	}
	return e
}
