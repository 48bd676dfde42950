package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// MinDigestKey is the least length in bytes of a digester's key.
const MinDigestKey = 16

// Digester names secrets by a keyed hash: the same value has the same name, and without the key
// nobody can try out values. Create it with [NewDigester]; the zero Digester panics.
type Digester struct {
	key Secret
}

// NewDigester returns a digester for a key, which fails when that has fewer than [MinDigestKey]
// bytes.
func NewDigester(key Secret) (Digester, error) {
	if n := len(key.Reveal()); n < MinDigestKey {
		return Digester{}, fmt.Errorf("the key for digests has %d bytes: at least %d are needed", n, MinDigestKey)
	}
	return Digester{key: key}, nil
}

// Digest returns "hmac-sha256:" and 64 hexadecimal digits.
func (d Digester) Digest(value Secret) string {
	if d.key.IsEmpty() {
		panic("redact: digest without a key")
	}
	mac := hmac.New(sha256.New, []byte(d.key.Reveal()))
	mac.Write([]byte(value.Reveal())) // a hash never returns an error
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))
}
