package signature

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

// publicKeyBlock is the type of armor around public keys.
const publicKeyBlock = "PGP PUBLIC KEY BLOCK"

const expired = "is signed by %s, and the key or the signature has expired"

// addOpenPGP adds the keys of a file, which may have several blocks of armor one after the other, with other text
// between them.
func (s *Signers) addOpenPGP(content []byte) error {
	for {
		start := bytes.Index(content, []byte(armored))
		if start < 0 {
			return nil
		}
		content = content[start:]
		end := bytes.Index(content[len(armored):], []byte(armored))
		block := content
		if end >= 0 {
			block, content = content[:len(armored)+end], content[len(armored)+end:]
		} else {
			content = nil
		}
		decoded, err := armor.Decode(bytes.NewReader(block))
		if err != nil {
			return fmt.Errorf("an OpenPGP key cannot be read: %w", err)
		}
		if decoded.Type != publicKeyBlock {
			return fmt.Errorf("it holds a %s: only public keys belong here", strings.ToLower(decoded.Type))
		}
		keys, err := openpgp.ReadKeyRing(decoded.Body)
		if err != nil {
			return fmt.Errorf("an OpenPGP key cannot be read: %w", err)
		}
		for _, key := range keys {
			s.addKey(key)
		}
	}
}

// addKey adds a key, or to the copy of it that is listed already what this one says as well. As with gpg they are one key then: what
// one copy revokes is revoked, and each word of the key about itself counts at its time.
func (s *Signers) addKey(key *openpgp.Entity) {
	at := slices.IndexFunc(s.openpgp, func(e *openpgp.Entity) bool { return bytes.Equal(e.PrimaryKey.Fingerprint, key.PrimaryKey.Fingerprint) })
	if at < 0 {
		s.openpgp = append(s.openpgp, key)
		return
	}
	listed := s.openpgp[at]
	listed.Revocations = append(listed.Revocations, key.Revocations...)
	listed.DirectSignatures = append(listed.DirectSignatures, key.DirectSignatures...)
	for name, identity := range key.Identities {
		if same := listed.Identities[name]; same != nil {
			same.SelfCertifications = append(same.SelfCertifications, identity.SelfCertifications...)
			same.Revocations = append(same.Revocations, identity.Revocations...)
			continue
		}
		identity.Primary, listed.Identities[name] = listed, identity
	}
	for _, subkey := range key.Subkeys {
		at := slices.IndexFunc(listed.Subkeys, func(k openpgp.Subkey) bool { return bytes.Equal(k.PublicKey.Fingerprint, subkey.PublicKey.Fingerprint) })
		if at < 0 {
			subkey.Primary = listed
			listed.Subkeys = append(listed.Subkeys, subkey)
			continue
		}
		same := &listed.Subkeys[at]
		same.Bindings = append(same.Bindings, subkey.Bindings...)
		same.Revocations = append(same.Revocations, subkey.Revocations...)
	}
}

// verifyOpenPGP checks a commit's signature with keys as they are at a time: one that has expired or was revoked
// counts no more, as with git verify-commit.
func (s *Signers) verifyOpenPGP(c commit, now time.Time) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	block, err := armor.Decode(bytes.NewReader(c.signature))
	if err != nil {
		return "", untrusted("has an OpenPGP signature that cannot be read: %s", plain(err.Error()))
	}
	config := &packet.Config{Time: func() time.Time { return now }}
	found, err := openpgp.VerifyDetachedSignatureReader(s.openpgp, bytes.NewReader(c.signed), block.Body, config)
	if err == nil {
		_, err = io.Copy(io.Discard, found.UnverifiedBody)
	}
	if err == nil {
		err = found.SignatureError
	}
	var by *openpgp.Entity
	id := ""
	if found != nil && len(found.SignatureCandidates) > 0 {
		by = found.SignatureCandidates[0].SignedByEntity
		id = fmt.Sprintf(", %016X", found.SignatureCandidates[0].IssuerKeyId)
	}
	if err != nil {
		if by := s.renewed(c, now, config); by != nil {
			return nameOf(by, now), nil
		}
	}
	switch {
	case errors.Is(err, pgperrors.ErrUnknownIssuer):
		return "", untrusted("is signed with an OpenPGP key that is not among those of --verify%s", id)
	case errors.Is(err, pgperrors.ErrKeyExpired), errors.Is(err, pgperrors.ErrSignatureExpired):
		return "", untrusted(expired, nameOf(by, now))
	case errors.Is(err, pgperrors.ErrKeyRevoked):
		return "", untrusted("is signed by %s, whose key is revoked", nameOf(by, now))
	case err != nil:
		return "", untrusted("has an OpenPGP signature that does not hold: %s", plain(err.Error()))
	case found.SignedBy == nil || found.SignedBy.Entity == nil:
		return "", untrusted("has an OpenPGP signature of nobody")
	}
	by = found.SignedBy.Entity
	// The library asks whether the key was good when the signature says that it was made, which whoever has an old
	// key can choose.
	if _, good := by.SigningKeyById(now, found.SignedBy.PublicKey.KeyId, config); !good {
		return "", untrusted(expired, nameOf(by, now))
	}
	return nameOf(by, now), nil
}

// renewed returns whose key has made the signature where that key is good now, though not by what is listed of the time
// when the signature was made; nil for nobody's. Whoever gives a key more time signs anew what the key says of itself, gpg
// exports that alone, and the library holds it against the signature's time, when there was no such word yet. As with Git, only
// the first signature of a block counts.
func (s *Signers) renewed(c commit, now time.Time, config *packet.Config) *openpgp.Entity {
	block, err := armor.Decode(bytes.NewReader(c.signature))
	if err != nil {
		return nil
	}
	first, err := packet.NewReader(block.Body).Next()
	signature, ok := first.(*packet.Signature)
	if err != nil || !ok || signature.IssuerKeyId == nil || signature.SigType != packet.SigTypeBinary {
		return nil
	}
	critical := func(n *packet.Notation) bool { return n.IsCritical }
	if signature.SigExpired(now) || config.RejectMessageHashAlgorithm(signature.Hash) || slices.ContainsFunc(signature.Notations, critical) {
		return nil
	}
	for _, by := range s.openpgp.EntitiesById(*signature.IssuerKeyId) {
		key, good := by.SigningKeyById(now, *signature.IssuerKeyId, config)
		if !good || signature.CreationTime.Before(key.PublicKey.CreationTime) {
			continue
		}
		hash, err := signature.PrepareVerify()
		if err != nil {
			return nil
		}
		_, _ = hash.Write(c.signed) // a hash takes everything
		if key.PublicKey.VerifySignature(hash, signature) == nil {
			return by
		}
	}
	return nil
}

func nameOf(e *openpgp.Entity, now time.Time) string {
	if e == nil {
		return "somebody who is listed"
	}
	if _, identity := e.PrimaryIdentity(now, nil); identity != nil {
		return plain(identity.Name)
	}
	return e.PrimaryKey.KeyIdString()
}

// plain makes foreign text fit for one line.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), unicode.IsControl), " ")
}
