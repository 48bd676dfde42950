package signature_test

import (
	"fmt"
	"strings"
	"testing"

	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
	"golang.org/x/crypto/ssh"

	"github.com/kupenstack/kupenstack-sync/internal/signature"
)

// Lines are read as ssh-keygen reads them, and those without names, which it does not take, with their options.
func TestLinesOfSigners(t *testing.T) {
	ada := sshKey(t)
	commit := []byte(with(unsigned, "gpgsig", signSSH(t, ada, "git", unsigned)))
	for before, name := range map[string]string{
		`ada `:                                     "ada",
		"ada\t":                                    "ada",
		"ada\tnamespaces=\"git\"\t":                "ada",
		`"ada lovelace" `:                          "ada lovelace",
		`ssh-admins@example.org `:                  "ssh-admins@example.org",
		`ada namespaces="!file,*" `:                "ada",
		`namespaces="git" `:                        ssh.FingerprintSHA256(ada.PublicKey()),
		`valid-after="20250101" `:                  ssh.FingerprintSHA256(ada.PublicKey()),
		`ada namespaces="*,!git" `:                 "",
		`ada namespaces="!g*,git" `:                "",
		`ada namespaces="[g]it" `:                  "",
		`"ada lovelace" namespaces="file" `:        "",
		"ada\tvalid-before=\"20260101\"\t":         "",
		`namespaces="file" `:                       "",
		`valid-before="20260101" `:                 "",
		`valid-after="20260102",NAMESPACES="git" `: "",
		// options behind another one, or behind names with a comma where a blank has to be
		`cert-authority,namespaces="file" `: "",
		`ada,namespaces="file" `:            "",
		`ada,valid-before="20200101" `:      "",
		`!ada `:                             "", // nobody's
		`ada,!bob `:                         "ada,!bob",
		// which of them counts nobody knows
		`ada valid-before="20200101",valid-before="20990101" `: "",
		`ada namespaces="git",namespaces="git" `:               "",
		`ada valid-before="00010101" `:                         "",
	} {
		signers, err := signature.Parse([]signature.File{{Name: "list", Content: []byte(before + line(ada))}})
		var by string
		if err == nil {
			by, err = signers.Verify(commit)
		}
		if by != name || (err == nil) != (name != "") {
			t.Errorf("%q: %q, %v", before, by, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	ada := sshKey(t)
	for content, says := range map[string]string{
		"":                                   "no signer is listed",
		"# nobody\n":                         "no signer is listed",
		"ada\n":                              "list: line 1: it is no line",
		"\nada ssh-ed25519 nonsense":         "list: line 2: it is no line",
		"ada cert-authority " + line(ada):    "certificates are not supported",
		"ada verify-required " + line(ada):   `the option "verify-required" is not known`,
		`ada namespaces="file" ` + line(ada): "no signer is listed",
		"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n":   "list: an OpenPGP key cannot be read",
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nAAAA\n-----END PGP PRIVATE KEY BLOCK-----\n": "list: it holds a pgp private key block",
	} {
		if _, err := signature.Parse([]signature.File{{Name: "list", Content: []byte(content)}}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", content, err)
		}
	}
	one, err := signature.Parse([]signature.File{{Name: "list", Content: []byte(line(ada) + "\n")}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := signature.Parse([]signature.File{{Name: "list", Content: []byte(line(ada) + " ada\n")}})
	if err != nil || one.Digest() == other.Digest() {
		t.Errorf("%v, %s", err, one.Digest())
	}
	commit := []byte(with(unsigned, "gpgsig", signSSH(t, ada, "git", unsigned)))
	for _, test := range []struct {
		signers *signature.Signers
		by      string
	}{{one, ssh.FingerprintSHA256(ada.PublicKey())}, {other, "ada"}} {
		if by, err := test.signers.Verify(commit); err != nil || by != test.by {
			t.Errorf("got %q, %v", by, err)
		}
	}
}

// A file may list signers of both kinds, in any order: a Secret may have one key for all of them.
func TestBothKindsInOneFile(t *testing.T) {
	ada, bob, eve := sshKey(t), pgpKey(t, "Bob", nil), pgpKey(t, "Eve", nil)
	for name, content := range map[string]string{
		"SSH first":     "# all\nada " + line(ada) + "\n" + public(t, bob) + public(t, eve),
		"OpenPGP first": public(t, bob) + public(t, eve) + "ada\t" + line(ada),
		"in between":    public(t, bob) + "The key of Ada is:\nada namespaces=\"git\" " + line(ada) + "\r\nand Eve's\n" + public(t, eve),
	} {
		signers, err := signature.Parse([]signature.File{{Name: "list", Content: []byte(content)}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if by, err := signers.Verify([]byte(with(unsigned, "gpgsig", signSSH(t, ada, "git", unsigned)))); err != nil || by != "ada" {
			t.Errorf("%s: Ada's is of %q, %v", name, by, err)
		}
		for _, key := range []*openpgp.Entity{bob, eve} {
			if by, err := signers.Verify([]byte(with(unsigned, "gpgsig", signPGP(t, key, unsigned, nil)))); err != nil {
				t.Errorf("%s: one of OpenPGP is of %q, %v", name, by, err)
			}
		}
	}
	content := public(t, bob) + "ada cert-authority " + line(ada)
	at := strings.Count(content, "\n") + 1
	if _, err := signature.Parse([]signature.File{{Name: "list", Content: []byte(content)}}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("list: line %d: certificates", at)) {
		t.Errorf("a line that does not count: %v", err)
	}
}
