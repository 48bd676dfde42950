package redact

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
)

// Mask is what is shown in place of a secret, whatever its length.
const Mask = "(sensitive)"

// Secret is a value that must not be shown. The zero Secret is empty.
//
// The value is inside a function: printers that reach unexported fields by reflection (fmt for a
// secret within an unexported field, spew) find nothing to print. Hence secrets cannot be compared
// with ==; use Equal.
type Secret struct {
	value func() string
}

// NewSecret wraps a value.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{value: func() string { return value }}
}

// Reveal returns the value. Call it where the value is handed to the system that needs it, not
// earlier.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return s.value()
}

// IsEmpty reports whether the value is the empty string.
func (s Secret) IsEmpty() bool { return s.value == nil }

// Equal reports whether the values are the same, in a time that tells nothing about them or their
// lengths.
func (s Secret) Equal(other Secret) bool {
	a, b := sha256.Sum256([]byte(s.Reveal())), sha256.Sum256([]byte(other.Reveal()))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// Masked returns the text to show for s.
func (s Secret) Masked() Masked { return Masked{text: Mask} }

// String returns [Mask].
func (s Secret) String() string { return Mask }

// GoString returns [Mask].
func (s Secret) GoString() string { return Mask }

// Format writes [Mask], whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) {
	fmt.Fprint(f, Mask)
}

// MarshalText returns [Mask]. There is no UnmarshalText: a mask is not a value.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Mask), nil }

// MarshalJSON returns [Mask] as a string of JSON. There is no UnmarshalJSON: a mask is not a value.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(Mask) }

// Masked is text without secrets. It comes from a [Secret] or a [Masker] only.
type Masked struct {
	text string
}

// String returns the text.
func (m Masked) String() string { return m.text }

// MarshalText returns the text.
func (m Masked) MarshalText() ([]byte, error) { return []byte(m.text), nil }
