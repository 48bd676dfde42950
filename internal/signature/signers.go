package signature

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

// Signers are those whose signatures count. They are not changed once they were parsed, and several goroutines may
// ask them at once.
type Signers struct {
	// The library notes on the keys which of their own signatures it has checked, so one asks at a time.
	mu      sync.Mutex
	openpgp openpgp.EntityList
	ssh     []sshSigner
	digest  string
}

// File is a list of signers.
type File struct {
	Name    string // for errors
	Content []byte
}

// armored is how OpenPGP keys in ASCII begin.
const armored = "-----BEGIN PGP "

// Parse reads lists of signers. What kind a file is of shows in its content; one may be of both. The error names the file and the
// line, and that nobody is listed is one, too: nobody's commit could be applied then.
func Parse(files []File) (*Signers, error) {
	s := &Signers{}
	sum := sha256.New()
	for _, file := range files {
		fmt.Fprintf(sum, "%d\n", len(file.Content))
		sum.Write(file.Content)
		var err error
		if bytes.Contains(file.Content, []byte(armored)) {
			if err = s.addOpenPGP(file.Content); err == nil {
				err = s.addSSH(between(file.Content))
			}
		} else {
			err = s.addSSH(file.Content)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	if len(s.openpgp)+len(s.ssh) == 0 {
		return nil, errors.New("no signer is listed: give OpenPGP public keys in ASCII armor, or lines as in a file of allowed signers of SSH")
	}
	s.digest = hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// between returns the lines with SSH keys that stand between blocks of armor, each in its place, so that errors name it. Whoever
// has one file for all, as a Secret has one key for it, writes both kinds into it; any other text there means nothing.
func between(content []byte) []byte {
	lines := bytes.Split(content, []byte("\n"))
	inside := false
	for i, line := range lines {
		inside = inside || bytes.Contains(line, []byte(armored))
		ends := bytes.Contains(line, []byte("-----END PGP "))
		if inside || !bytes.Contains(line, []byte(" AAAA")) && !bytes.Contains(line, []byte("\tAAAA")) { // as every SSH key has it behind its type
			lines[i] = nil
		}
		inside = inside && !ends
	}
	return bytes.Join(lines, []byte("\n"))
}

// Digest tells lists apart: it is another one when another list was parsed.
func (s *Signers) Digest() string { return s.digest }

// Untrusted says why a commit is not to be trusted. Another attempt gives the same answer.
type Untrusted struct{ reason string }

// Error returns the reason, as the end of a sentence about the commit.
func (u *Untrusted) Error() string { return u.reason }

func untrusted(format string, values ...any) error {
	return &Untrusted{fmt.Sprintf(format, values...)}
}

// Verify returns the name of who has signed the commit whose raw object this is. Every error is an
// [Untrusted]; its text may hold what the commit says of itself, without control characters.
func (s *Signers) Verify(commit []byte) (string, error) {
	c, err := split(commit)
	if err != nil {
		return "", err
	}
	if s.isSSH(c.signature) {
		return s.verifySSH(c)
	}
	if bytes.HasPrefix(c.signature, []byte(armored)) {
		return s.verifyOpenPGP(c, time.Now())
	}
	return "", untrusted("has a signature that is neither of OpenPGP nor of SSH")
}
