package suspension

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// The bounds of what the cluster keeps.
const (
	maxKept   = 1000 // suspensions
	maxText   = 500  // characters of a reason, or of a name
	maxLength = 1 << 20
)

// version is that of the document. It grows when a field changes its meaning or goes.
const version = 1

// ErrTooMany says that no more can be kept.
var ErrTooMany = fmt.Errorf("there are %d suspensions already: take back some, or one that stands for several", maxKept)

type document struct {
	Version     int    `json:"version"`
	Suspensions []kept `json:"suspensions"`
}

type kept struct {
	// Target is the address, "" for the whole cloud.
	Target string    `json:"target"`
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until,omitzero"`
}

// Encode returns the document that the cluster keeps. The error is [ErrTooMany].
func Encode(list []Suspension) ([]byte, error) {
	if len(list) > maxKept {
		return nil, ErrTooMany
	}
	d := document{Version: version, Suspensions: []kept{}}
	for i := range list {
		s := &list[i]
		k := kept{By: cut(s.By), Reason: cut(s.Reason), Since: s.Since.UTC().Truncate(time.Second), Until: s.Until.UTC().Truncate(time.Second)}
		if !s.Whole() {
			k.Target = s.Target.String()
		}
		d.Suspensions = append(d.Suspensions, k)
	}
	return json.MarshalIndent(d, "", "  ")
}

// Decode reads that document, nil for none. An error says what is wrong with it: then nobody knows what is to
// be left alone.
func Decode(data []byte) ([]Suspension, error) {
	if data == nil {
		return nil, nil
	}
	if len(data) > maxLength {
		return nil, fmt.Errorf("it is longer than %d bytes", maxLength)
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if d.Version != version {
		return nil, fmt.Errorf("it has the version %d, and this program knows %d: use the program that wrote it", d.Version, version)
	}
	if len(d.Suspensions) > maxKept {
		return nil, fmt.Errorf("it has more than %d suspensions", maxKept)
	}
	list := make([]Suspension, 0, len(d.Suspensions))
	for _, k := range d.Suspensions {
		s := Suspension{By: cut(k.By), Reason: cut(k.Reason), Since: k.Since, Until: k.Until}
		var err error
		if s.Target, err = addr.ParseTarget(k.Target); err != nil {
			return nil, err
		}
		if s.By == "" {
			s.By = "somebody"
		}
		list = append(list, s)
	}
	return Standing(time.Time{}, list), nil
}

// cut keeps a text to its bound, and to one line that steers no terminal.
func cut(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }), " ")
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText-1]) + "…" // by which whoever masks it knows that there was more
}
