package signature_test

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/kupenstack/kupenstack-sync/internal/signature"
)

// unsigned is a raw commit with a header that few know.
const unsigned = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor Ada <ada@example.org> 1767225600 +0000\ncommitter Ada <ada@example.org> 1767225600 +0000\nencoding UTF-8\n\nChange\n\nwith a body\n"

// with puts a signature into a commit where Git has it.
func with(commit, header, armored string) string {
	head, message, _ := strings.Cut(commit, "\n\n")
	return head + "\n" + header + " " + strings.ReplaceAll(strings.TrimSuffix(armored, "\n"), "\n", "\n ") + "\n\n" + message
}

func sshKey(t *testing.T) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func line(key ssh.Signer) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
}

func signSSH(t *testing.T, key ssh.Signer, namespace, text string) string {
	t.Helper()
	made, err := sshsig.Sign(strings.NewReader(text), key, sshsig.HashSHA512, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return string(sshsig.Armor(made))
}

func pgpKey(t *testing.T, name string, config *packet.Config) *openpgp.Entity {
	t.Helper()
	key, err := openpgp.NewEntity(name, "", strings.ToLower(name)+"@example.org", config)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func public(t *testing.T, key *openpgp.Entity) string {
	t.Helper()
	var b bytes.Buffer
	w, err := armor.Encode(&b, "PGP PUBLIC KEY BLOCK", nil)
	if err == nil {
		err = errors.Join(key.Serialize(w), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}

func signPGP(t *testing.T, key *openpgp.Entity, text string, config *packet.Config) string {
	t.Helper()
	var b bytes.Buffer
	if err := openpgp.ArmoredDetachSign(&b, []*openpgp.Entity{key}, strings.NewReader(text), &openpgp.SignParams{Config: config}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestVerify(t *testing.T) {
	t.Parallel()
	ada, bob := sshKey(t), sshKey(t)
	past := &packet.Config{Time: func() time.Time { return time.Now().Add(-48 * time.Hour) }, KeyLifetimeSecs: 3600}
	cleo, dan, old := pgpKey(t, "Cleo", nil), pgpKey(t, "Dan", nil), pgpKey(t, "Old", past)
	revoked := pgpKey(t, "Eve", nil)
	byRevoked := signPGP(t, revoked, unsigned, nil)
	if err := revoked.Revoke(packet.KeyCompromised, "stolen", nil); err != nil {
		t.Fatal(err)
	}
	lists := []signature.File{
		{Name: "ssh", Content: []byte("# people\n\nada@example.org " + line(ada) + "\n")},
		{Name: "pgp", Content: []byte("Cleo's key:\n" + public(t, cleo) + "and others\n" + public(t, old) + public(t, revoked))},
	}
	signers, err := signature.Parse(lists)
	if err != nil {
		t.Fatal(err)
	}
	byAda, byCleo := with(unsigned, "gpgsig", signSSH(t, ada, "git", unsigned)), with(unsigned, "gpgsig", signPGP(t, cleo, unsigned, nil))
	for name, test := range map[string]struct{ commit, by, says string }{
		"SSH":                     {byAda, "ada@example.org", ""},
		"OpenPGP":                 {byCleo, "Cleo <cleo@example.org>", ""},
		"both formats of Git":     {with(byAda, "gpgsig-sha256", "-----BEGIN SSH SIGNATURE-----\nother\n"), "ada@example.org", ""},
		"nobody":                  {unsigned, "", "is not signed"},
		"only the other format":   {with(unsigned, "gpgsig-sha256", signSSH(t, ada, "git", unsigned)), "", "is not signed"},
		"a key that is not known": {with(unsigned, "gpgsig", signSSH(t, bob, "git", unsigned)), "", "an SSH key that is not among those of --verify, " + ssh.FingerprintSHA256(bob.PublicKey())},
		"another purpose":         {with(unsigned, "gpgsig", signSSH(t, ada, "file", unsigned)), "", "does not hold: namespace"},
		"another text":            {strings.Replace(byAda, "Change", "Changes", 1), "", "SSH signature that does not hold"},
		"another header":          {strings.Replace(byAda, "encoding UTF-8", "encoding UTF-9", 1), "", "SSH signature that does not hold"},
		"two trees":               {"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4905\n" + byAda, "", `the header "tree" twice`},
		"two signatures":          {with(byAda, "gpgsig", signSSH(t, ada, "git", unsigned)), "", `the header "gpgsig" twice`},
		"rubbish":                 {with(unsigned, "gpgsig", "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----"), "", "cannot be read"},
		"another kind":            {with(unsigned, "gpgsig", "-----BEGIN SIGNED MESSAGE-----\nAAAA\n-----END SIGNED MESSAGE-----"), "", "neither of OpenPGP nor of SSH"},
		"no commit":               {"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904", "", "none that Git makes"},
		"OpenPGP, not known":      {with(unsigned, "gpgsig", signPGP(t, dan, unsigned, nil)), "", "an OpenPGP key that is not among those of --verify, " + dan.PrimaryKey.KeyIdString()},
		"OpenPGP, another text":   {strings.Replace(byCleo, "Change", "Changes", 1), "", "OpenPGP signature that does not hold"},
		"OpenPGP, expired":        {with(unsigned, "gpgsig", signPGP(t, old, unsigned, past)), "", "Old <old@example.org>, and the key or the signature has expired"},
		"OpenPGP, revoked":        {with(unsigned, "gpgsig", byRevoked), "", "Eve <eve@example.org>, whose key is revoked"},
		"OpenPGP, rubbish":        {with(unsigned, "gpgsig", "-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----"), "", "OpenPGP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by, err := signers.Verify([]byte(test.commit))
			var bad *signature.Untrusted
			switch {
			case test.says == "" && (err != nil || by != test.by):
				t.Errorf("got %q, %v", by, err)
			case test.says != "" && (by != "" || !errors.As(err, &bad) || !strings.Contains(err.Error(), test.says)):
				t.Errorf("got %q, %v", by, err)
			}
		})
	}
}

// renew gives a key of three days ago, of which a day was left to live, no end: what it says of itself is an hour old then, and
// what it said before is gone, as where gpg has done it.
func renew(t *testing.T, key *openpgp.Entity) {
	t.Helper()
	anew := func(says *packet.Signature) *packet.Signature {
		says.CreationTime, says.KeyLifetimeSecs = time.Now().Add(-time.Hour), nil
		return says
	}
	for _, identity := range key.Identities {
		if err := anew(identity.SelfCertifications[0].Packet).SignUserId(identity.UserId.Id, key.PrimaryKey, key.PrivateKey, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range key.Subkeys {
		anew(sub.Bindings[0].Packet)
		if err := sub.ReSign(nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRenewedKeys has keys whose time was extended after they had signed a commit: gpg exports what a key says of itself as of
// then, and git verify-commit goes by that. What is wrong with a signature stays wrong.
func TestRenewedKeys(t *testing.T) {
	t.Parallel()
	made := &packet.Config{Time: func() time.Time { return time.Now().Add(-72 * time.Hour) }, KeyLifetimeSecs: 24 * 3600}
	for name, c := range map[string]struct {
		age           time.Duration // of the signature
		lives         uint32        // seconds of the signature; for good unless given
		subkey, twice bool
		revoked       bool
		other         bool   // it is of another commit
		says          string // "" for nothing
	}{
		"the key":            {age: 70 * time.Hour},
		"its subkey":         {age: 70 * time.Hour, subkey: true},
		"listed twice":       {age: time.Minute, twice: true},
		"while it had ended": {age: 40 * time.Hour},
		"revoked since":      {age: 70 * time.Hour, revoked: true, says: "does not hold"},
		"another commit":     {age: 70 * time.Hour, other: true, says: "does not hold"},
		"older than the key": {age: 80 * time.Hour, says: "does not hold"},
		"to come":            {age: -time.Hour, says: "expired"},
		"a brief signature":  {age: 70 * time.Hour, lives: 3600, says: "does not hold"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := pgpKey(t, "Ada", made)
			by := key.PrivateKey
			if c.subkey {
				if err := key.AddSigningSubkey(made); err != nil {
					t.Fatal(err)
				}
				by = key.Subkeys[len(key.Subkeys)-1].PrivateKey
			}
			list := ""
			if c.twice {
				list = public(t, key)
			}
			renew(t, key)
			if c.revoked {
				if err := key.Revoke(packet.KeySuperseded, "another one", nil); err != nil {
					t.Fatal(err)
				}
			}
			list += public(t, key)
			signers, err := signature.Parse([]signature.File{{Name: "list", Content: []byte(list)}})
			if err != nil {
				t.Fatal(err)
			}
			commit := with(unsigned, "gpgsig", signAt(t, by, c.age, c.lives))
			if c.other {
				commit = strings.Replace(commit, "Change", "Changes", 1)
			}
			got, err := signers.Verify([]byte(commit))
			if c.says == "" && (err != nil || got != "Ada <ada@example.org>") || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("got %q, %v, want %q", got, err, c.says)
			}
		})
	}
}

// TestKeysListedTwice has copies of a key in the list, in any order: as with gpg, they are one key of which all holds that they
// say, each at its time, be it that there is more time or that it was revoked.
func TestKeysListedTwice(t *testing.T) {
	t.Parallel()
	made := &packet.Config{Time: func() time.Time { return time.Now().Add(-72 * time.Hour) }, KeyLifetimeSecs: 24 * 3600}
	key := pgpKey(t, "Ada", made)
	old := public(t, key)
	if err := key.AddSigningSubkey(made); err != nil {
		t.Fatal(err)
	}
	renew(t, key)
	renewed, by := public(t, key), []*packet.PrivateKey{key.PrivateKey, key.Subkeys[len(key.Subkeys)-1].PrivateKey}
	if err := key.Subkeys[len(key.Subkeys)-1].Revoke(packet.NoReason, "lost", nil); err != nil {
		t.Fatal(err)
	}
	without := public(t, key)
	if err := key.Revoke(packet.KeyCompromised, "stolen", nil); err != nil {
		t.Fatal(err)
	}
	revoked := public(t, key)
	for _, test := range []struct {
		lists     []string
		good, sub bool // what the key signed, and what its subkey did
	}{
		{[]string{old, renewed}, true, true},
		{[]string{renewed, without}, true, false},
		{[]string{old, without}, true, false},
		{[]string{renewed, revoked}, false, false},
		{[]string{old, revoked}, false, false},
	} {
		for _, files := range [][]string{{test.lists[0], test.lists[1]}, {test.lists[1], test.lists[0]}} {
			signers, err := signature.Parse([]signature.File{{Name: "one", Content: []byte(files[0])}, {Name: "two", Content: []byte(files[1])}})
			if err != nil {
				t.Fatal(err)
			}
			for n, want := range []bool{test.good, test.sub} {
				for _, age := range []time.Duration{70 * time.Hour, 40 * time.Hour, time.Minute} {
					if got, err := signers.Verify([]byte(with(unsigned, "gpgsig", signAt(t, by[n], age, 0)))); (err == nil) != want || want && got != "Ada <ada@example.org>" {
						t.Errorf("of %d files with the second first %v, signed %v ago by key %d: got %q, %v, want it to be good: %v", len(files), files[0] == test.lists[1], age, n, got, err, want)
					}
				}
			}
		}
	}
}

// TestRenewedByGPG has a key that gpg has made for a year and given more time when that had passed, and what it had signed in
// between: a signature that git verify-commit calls good, and one on SHA-1.
func TestRenewedByGPG(t *testing.T) {
	t.Parallel()
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join("testdata", "renewed", name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	signers, err := signature.Parse([]signature.File{{Name: "key.asc", Content: read("key.asc")}})
	if err != nil {
		t.Fatal(err)
	}
	if by, err := signers.Verify([]byte(with(unsigned, "gpgsig", string(read("sha256.asc"))))); err != nil || by != "Ada <ada@example.org>" {
		t.Errorf("got %q, %v", by, err)
	}
	if by, err := signers.Verify([]byte(with(unsigned, "gpgsig", string(read("sha1.asc"))))); err == nil {
		t.Errorf("on SHA-1: got %q", by)
	}
}

// signAt signs a commit so long ago, whatever the key says of that time.
func signAt(t *testing.T, by *packet.PrivateKey, age time.Duration, lives uint32) string {
	t.Helper()
	made := &packet.Signature{Version: 4, SigType: packet.SigTypeBinary, PubKeyAlgo: by.PubKeyAlgo, Hash: crypto.SHA256, CreationTime: time.Now().Add(-age), IssuerKeyId: &by.KeyId}
	if lives > 0 {
		made.SigLifetimeSecs = &lives
	}
	sum := crypto.SHA256.New()
	_, _ = io.WriteString(sum, unsigned) // a hash takes everything
	if err := made.Sign(sum, by, nil); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := armor.Encode(&b, "PGP SIGNATURE", nil)
	if err == nil {
		err = errors.Join(made.Serialize(w), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// When a key counts is compared with when the commit was made, which is 2026-01-01.
func TestTimesOfSigners(t *testing.T) {
	t.Parallel()
	ada := sshKey(t)
	commit := []byte(with(unsigned, "gpgsig", signSSH(t, ada, "git", unsigned)))
	for options, good := range map[string]bool{
		`namespaces="git"`:                    true,
		`namespaces="file,g*"`:                true,
		`valid-before="20260102"`:             true,
		`valid-after="202512311200Z"`:         true,
		`valid-before="20260101"`:             false,
		`valid-after="20260101000001Z"`:       false,
		`valid-after="2026",valid-before="x"`: false,
	} {
		signers, err := signature.Parse([]signature.File{{Name: "list", Content: []byte("ada " + options + " " + line(ada))}})
		if strings.Contains(options, "2026\"") {
			if err == nil || !strings.Contains(err.Error(), `list: line 1: "2026" is no time`) {
				t.Errorf("%s: %v", options, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", options, err)
		}
		if by, err := signers.Verify(commit); (err == nil) != good || good && by != "ada" {
			t.Errorf("%s: got %q, %v", options, by, err)
		}
	}
}

// Whatever a commit or a list holds, reading it ends, and nothing that was not signed passes.
func FuzzVerify(f *testing.F) {
	t := &testing.T{}
	ada := sshKey(t)
	signers, err := signature.Parse([]signature.File{{Name: "list", Content: []byte(line(ada))}})
	if err != nil {
		f.Fatal(err)
	}
	good := with(unsigned, "gpgsig", signSSH(t, ada, "git", unsigned))
	f.Add([]byte(unsigned))
	f.Add([]byte(good))
	f.Add([]byte(with(unsigned, "gpgsig", "-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----")))
	f.Fuzz(func(t *testing.T, commit []byte) {
		if _, err := signers.Verify(commit); err == nil && !strings.HasSuffix(string(commit), "\n\nChange\n\nwith a body\n") {
			t.Errorf("%q passes", commit)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("ada namespaces=\"git\" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ"))
	f.Add([]byte("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if signers, err := signature.Parse([]signature.File{{Name: "list", Content: content}}); (signers == nil) == (err == nil) {
			t.Errorf("%v, %v", signers, err)
		}
	})
}
