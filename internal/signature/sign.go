package signature

import (
	"bytes"
	"fmt"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Key signs commits.
type Key struct{ signer ssh.Signer }

// ParseKey reads a private key without a passphrase, as ssh-keygen writes it. The error holds nothing of it.
func ParseKey(key redact.Secret) (*Key, error) {
	signer, err := ssh.ParsePrivateKey([]byte(key.Reveal()))
	if err != nil {
		return nil, fmt.Errorf("the key for signing cannot be read: %w", err)
	}
	return &Key{signer}, nil
}

// Sign returns the signature of a commit that has none, in armor. Another attempt may succeed only with another key.
func (k *Key) Sign(commit []byte) (string, error) {
	made, err := sshsig.Sign(bytes.NewReader(commit), k.signer, sshsig.HashSHA512, namespace)
	if err != nil {
		return "", fmt.Errorf("signing a commit: %w", err)
	}
	return string(sshsig.Armor(made)), nil
}
