package openstack

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/crypto/ssh"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The keys of the Secret of a pair; the first is what Kubernetes wants in one of its type.
const (
	pairType   = "kubernetes.io/ssh-auth"
	privateKey = "ssh-privatekey"
	publicKey  = "ssh-publickey"
)

// newPair generates a key pair.
func newPair(comment string) (*unit.Kept, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate a key pair: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, comment)
	if err != nil {
		return nil, fmt.Errorf("generate a key pair: %w", err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("generate a key pair: %w", err)
	}
	return &unit.Kept{
		Type:   pairType,
		Values: map[string]redact.Secret{privateKey: redact.NewSecret(string(pem.EncodeToMemory(block)))},
		Plain:  map[string]string{publicKey: string(ssh.MarshalAuthorizedKey(key))},
	}, nil
}

// publicOf is the public key of the private one that a Secret holds, whatever it says beside that; "" where it holds none.
func publicOf(kept *unit.Kept) string {
	signer, err := ssh.ParsePrivateKey([]byte(kept.Value(privateKey).Reveal()))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

// joins finds the pair of the key that a Secret holds.
func (k keypairKind) joins(objects []*object, t unit.Target, ref unit.ObjectRef, kept *unit.Kept) {
	key := publicOf(kept)
	for _, o := range objects {
		other := resource(t) != nil && o.id != t.ID && o.title != nameOf(k, t, desiredOf(t)) // somebody may use the key elsewhere, too
		if key != "" && !other && bareKey(textOf(o.values.get("public_key"))) == bareKey(key) {
			o.mark = kept.Mark
			o.values.set(secretName, nameIn(t, ref))
		}
	}
}

// hindrance is that the private key was lost: nobody but the Secret had it.
func (k keypairKind) hindrance(want cty.Value, o *object, _ []unit.Field) (problem string, held []string) {
	return lostSecret(want, o, fmt.Sprintf("no Secret of ours holds the private key of the key pair %q: where it was lost or changed, put it back into ssh-privatekey, as instances have no other one; "+
		"where the pair is somebody else's, or a new one is wanted, write another label and name", o.title)), []string{secretName}
}

// effect refuses what would replace a pair that was generated, also where its Secret was lost: the instances that started
// with it could not be reached.
func (k keypairKind) effect(_ string, want cty.Value, o *object, usual unit.Effect) unit.Effect {
	if o.mark != "" || textOf(attribute(want, secretName)) != "" {
		return unit.Refused
	}
	return usual
}

func (k keypairKind) makeable(want cty.Value) string { return unkept(want, k.keeper) }
