package addr

import "errors"

// errZero keeps an address that was never set from being written as an empty string that cannot be
// read back. Where an address is optional, encode it with omitzero.
var errZero = errors.New("the zero address names nothing and has no text")

// MarshalText returns the string form.
func (m Module) MarshalText() ([]byte, error) { return []byte(m.path), nil }

// UnmarshalText sets m to what [ParseModule] reads.
func (m *Module) UnmarshalText(text []byte) (err error) {
	*m, err = ParseModule(string(text))
	return err
}

// MarshalText returns the string form; it fails for the zero Object.
func (o Object) MarshalText() ([]byte, error) {
	if o.IsZero() {
		return nil, errZero
	}
	return []byte(o.String()), nil
}

// UnmarshalText sets o to what [ParseObject] reads.
func (o *Object) UnmarshalText(text []byte) (err error) {
	*o, err = ParseObject(string(text))
	return err
}

// MarshalText returns the string form; it fails for the zero Value.
func (v Value) MarshalText() ([]byte, error) {
	if v.IsZero() {
		return nil, errZero
	}
	return []byte(v.String()), nil
}

// UnmarshalText sets v to what [ParseValue] reads.
func (v *Value) UnmarshalText(text []byte) (err error) {
	*v, err = ParseValue(string(text))
	return err
}
