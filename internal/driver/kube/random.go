package kube

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

const (
	alphabet       = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	passwordLength = 32
)

// newPassword returns a random alphanumeric text; a length of 0 means 32.
func newPassword(length int) redact.Secret {
	length = cmp.Or(max(length, 0), passwordLength)
	// Bytes from here on would make the first letters likelier than the others.
	const limit = 256 - 256%len(alphabet)
	text := make([]byte, 0, length)
	buffer := make([]byte, 2*length)
	for len(text) < length {
		_, _ = rand.Read(buffer) // it never fails: the program ends instead
		for _, b := range buffer {
			if int(b) < limit && len(text) < length {
				text = append(text, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return redact.NewSecret(string(text))
}

// newUUID returns a random UUID, version 4 of RFC 9562.
func newUUID() redact.Secret {
	var b [16]byte
	_, _ = rand.Read(b[:]) // as above
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return redact.NewSecret(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

// newFernetKey returns a random key as the Fernet format writes it: 32 bytes in the alphabet of URLs.
func newFernetKey() redact.Secret {
	var b [32]byte
	_, _ = rand.Read(b[:]) // as above
	return redact.NewSecret(base64.URLEncoding.EncodeToString(b[:]))
}
