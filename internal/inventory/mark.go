package inventory

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Marker makes the uids and marks of one installation. The zero Marker has no key and must not be
// used; create it with [NewMarker].
type Marker struct {
	installation string
	key          redact.Secret
}

// NewMarker returns the marker of an installation.
func NewMarker(installation string, key redact.Secret) Marker {
	return Marker{installation: installation, key: key}
}

// UID returns the uid of what is created for an address. It follows from the address, so that a
// lost inventory is found again by the marks.
func (m Marker) UID(a addr.Object) string { return m.sum("uid", a.String()) }

// generations is how many things of one address can be told apart while they take each other's place.
const generations = 4

// UIDs returns the uids that things of an address can have, the one for the next thing first: those
// that are used are left out, as what was moved away keeps the one that it was created with. A nil
// used leaves out none, and the first one is that of [Marker.UID].
func (m Marker) UIDs(a addr.Object, used func(uid string) bool) []string {
	var uids []string
	uid := m.UID(a)
	for n := 1; len(uids) < generations; n++ {
		if used == nil || !used(uid) {
			uids = append(uids, uid)
		}
		uid = m.sum(fmt.Sprintf("uid %d", n), a.String())
	}
	return uids
}

const markPrefix = "kupenstack:"

// Digest returns a text that tells whether a value is another one than before. It holds nothing by
// which somebody who reads it could find out the value.
func (m Marker) Digest(value string) string { return m.sum("value", value) }

// Mark returns the text that an object bears as a sign that it is ours. It holds nothing that a
// tenant who reads it could use to forge one for another object.
func (m Marker) Mark(uid string) string {
	return markPrefix + uid + "." + m.sum("mark", uid)
}

// Own returns the uid that a mark of this installation is of, and false for any other text.
func (m Marker) Own(mark string) (uid string, ok bool) {
	text, ok := strings.CutPrefix(mark, markPrefix)
	uid, _, dotted := strings.Cut(text, ".")
	return uid, ok && dotted && hmac.Equal([]byte(mark), []byte(m.Mark(uid)))
}

func (m Marker) sum(use, text string) string {
	mac := hmac.New(sha256.New, []byte(m.key.Reveal()))
	mac.Write([]byte(strings.Join([]string{use, m.installation, text}, "\x00"))) // a hash never returns an error
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(mac.Sum(nil)[:10]))
}
