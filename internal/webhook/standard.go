package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// standardSecret is how a secret begins whose rest is a key in base64: GitLab calls it a signing token, and shows it once.
const standardSecret = "whsec_"

// tolerance is how far the time in a request may be from ours, in either direction, as the specification has it. Who sends a
// recorded one again later is refused, also by a process that does not know it any more.
const tolerance = 5 * time.Minute

// standard is what Standard Webhooks say of a request: it is signed together with its id and its time, so that no two are
// the same. See "Signature scheme" in their specification, and GitLab's "Signing tokens".
type standard struct {
	id, sent   string
	signatures string // several while the sender's key is exchanged, with spaces between
}

func standardOf(h http.Header) standard {
	return standard{h.Get("Webhook-Id"), h.Get("Webhook-Timestamp"), h.Get("Webhook-Signature")}
}

// genuine tells whether a request is signed with a secret, and of these minutes.
func (s standard) genuine(body []byte, secret string, now time.Time) bool {
	key, err := standardKey(secret)
	seconds, bad := strconv.ParseInt(s.sent, 10, 64)
	if err != nil || bad != nil || s.id == "" || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, s.id+"."+s.sent+".") // a hash takes everything
	_, _ = mac.Write(body)
	want := mac.Sum(nil)
	for one := range strings.FieldsSeq(s.signatures) {
		text, is := strings.CutPrefix(one, "v1,")
		if got, err := base64.StdEncoding.DecodeString(text); is && err == nil && hmac.Equal(got, want) {
			return true
		}
	}
	return false
}

// standardKey returns the key that a secret stands for.
func standardKey(secret string) ([]byte, error) {
	text, is := strings.CutPrefix(secret, standardSecret)
	key, err := base64.StdEncoding.DecodeString(text)
	if !is || err != nil || len(key) == 0 {
		return nil, errors.New("what follows whsec_ is no key in base64: copy the whole signing token")
	}
	return key, nil
}

// CheckSecret returns what is wrong with a secret, nil for nothing: one that begins as a signing token does has to be one.
func CheckSecret(secret string) error {
	if !strings.HasPrefix(secret, standardSecret) {
		return nil
	}
	_, err := standardKey(secret)
	return err
}
