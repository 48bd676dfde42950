package gitserver

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// Key is an ed25519 key pair: a client's deploy key, a server's host key, or a key that
// signs commits.
type Key struct {
	Path   string // file with the private key in OpenSSH's format; it ends with the test
	PEM    []byte // content of that file
	Signer ssh.Signer
}

// NewKey makes a key pair.
func NewKey(t testing.TB) *Key {
	t.Helper()
	key, err := newKey(t.TempDir())
	if err != nil {
		t.Fatalf("make an SSH key: %v", err)
	}
	return key
}

func newKey(dir string) (*Key, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "test")
	if err != nil {
		return nil, err
	}
	key := &Key{Path: filepath.Join(dir, "id_ed25519"), PEM: pem.EncodeToMemory(block), Signer: signer}
	if err := os.WriteFile(key.Path, key.PEM, 0o600); err != nil {
		return nil, fmt.Errorf("write the private key: %w", err)
	}
	return key, nil
}

// AuthorizedKey returns the public key as one line of an authorized_keys file, without
// a line break. With a principal and a space before it, it is a line of Git's file of
// allowed signers.
func (k *Key) AuthorizedKey() string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k.Signer.PublicKey())))
}
