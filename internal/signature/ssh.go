package signature

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// namespace is what Git's signatures are made for; one that was made for something else counts for nothing here.
const namespace = "git"

// sshSigner is a line of a file of allowed signers.
type sshSigner struct {
	name          string
	key           ssh.PublicKey
	after, before time.Time // zero for no bound
}

// addSSH adds the signers of a file. The lines are those of ssh-keygen's "ALLOWED SIGNERS": names, options, a key.
// Lines that are only a key, as a forge shows them, are taken as well.
func (s *Signers) addSSH(content []byte) error {
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		signer, ok, err := parseLine(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		if ok {
			s.ssh = append(s.ssh, signer)
		}
	}
	return nil
}

// parseLine reads a signer; false is for one who may sign other things than commits.
func parseLine(line string) (sshSigner, bool, error) {
	var signer sshSigner
	counts, written := true, map[string]bool{}
	if names, rest := cutNames(line); names != "" {
		signer.name, line = names, rest
		counts = slices.ContainsFunc(strings.Split(names, ","), func(name string) bool { return matches(names, name) }) // else it is nobody's
	}
	key, comment, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return signer, false, fmt.Errorf("it is no line of a file of allowed signers, such as \"ada@example.org ssh-ed25519 AAAA…\", nor an OpenPGP key in ASCII armor: %w", err)
	}
	signer.key = key
	if signer.name == "" {
		signer.name = comment
	}
	if signer.name == "" {
		signer.name = ssh.FingerprintSHA256(key)
	}
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		name, value = strings.ToLower(name), strings.Trim(value, `"`)
		if written[name] { // which of them is meant nobody knows
			return signer, false, fmt.Errorf("the option %q is written twice", name)
		}
		written[name] = true
		switch name {
		case "namespaces":
			counts = counts && matches(value, namespace)
		case "valid-after":
			signer.after, err = parseTime(value)
		case "valid-before":
			signer.before, err = parseTime(value)
		case "cert-authority":
			err = fmt.Errorf("certificates are not supported: list the keys themselves")
		default:
			err = fmt.Errorf("the option %q is not known", name)
		}
		if err != nil {
			return signer, false, err
		}
	}
	return signer, counts, nil
}

// cutNames takes the names off the beginning of a line, which may be in quotes; "" where it begins with options or the key. Were
// options taken for names, a key would count without them.
func cutNames(line string) (names, rest string) {
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		names, rest, _ = strings.Cut(quoted, `"`)
		return names, strings.TrimSpace(rest)
	}
	at := strings.IndexAny(line, " \t")
	if at < 0 {
		return "", line
	}
	names, rest = line[:at], strings.TrimSpace(line[at:])
	isKey := strings.HasPrefix(rest, "AAAA") // as what is behind a key's type always does
	if isKey || slices.ContainsFunc(strings.Split(names, ","), isOption) {
		return "", line
	}
	return names, rest
}

// isOption tells whether a word is an option, which may stand behind others.
func isOption(word string) bool {
	name, _, _ := strings.Cut(strings.ToLower(word), "=")
	return slices.Contains([]string{"namespaces", "valid-after", "valid-before", "cert-authority"}, name)
}

// matches tells whether a list of patterns allows a text, such as the namespace of Git's signatures. As with ssh-keygen one behind a
// "!" that matches forbids it, whatever the others say.
func matches(patterns, text string) bool {
	literal := strings.NewReplacer(`\`, `\\`, "[", `\[`) // these patterns know * and ? alone
	allowed := false
	for pattern := range strings.SplitSeq(patterns, ",") {
		pattern, not := strings.CutPrefix(pattern, "!")
		if ok, err := path.Match(literal.Replace(pattern), text); !ok || err != nil {
			continue
		}
		if not {
			return false
		}
		allowed = true
	}
	return allowed
}

// parseTime reads a time as ssh-keygen does: YYYYMMDD[HHMM[SS]][Z]. Without a Z that is in the zone of whoever
// wrote it, which nobody knows here: it is taken as UTC.
func parseTime(text string) (time.Time, error) {
	digits := strings.TrimSuffix(text, "Z")
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if t, err := time.Parse(layout, digits); err == nil && t.Unix() > 0 { // ssh-keygen knows none before
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time such as 20261231 or 20261231235959Z", text)
}

func (s *Signers) isSSH(signature []byte) bool {
	return bytes.HasPrefix(signature, []byte("-----BEGIN "+sshsig.PEMType))
}

// verifySSH checks a commit's signature. When keys count is compared with the time of the commit, as Git does.
func (s *Signers) verifySSH(c commit) (string, error) {
	signature, err := sshsig.Unarmor(c.signature)
	if err != nil {
		return "", untrusted("has an SSH signature that cannot be read: %s", plain(err.Error()))
	}
	if signature.Signature.Format == ssh.KeyAlgoRSA { // the format of SSH's signatures forbids it, and the library does not look
		return "", untrusted("has an SSH signature that rests on SHA-1, which is not safe")
	}
	key := signature.PublicKey.Marshal()
	late := ""
	for _, signer := range s.ssh {
		if !bytes.Equal(signer.key.Marshal(), key) {
			continue
		}
		if err := sshsig.Verify(bytes.NewReader(c.signed), signature, signer.key, signature.HashAlgorithm, namespace); err != nil {
			return "", untrusted("has an SSH signature that does not hold: %s", plain(err.Error()))
		}
		if !signer.after.IsZero() && c.committed.Before(signer.after) || !signer.before.IsZero() && !c.committed.Before(signer.before) {
			late = signer.name
			continue
		}
		return plain(signer.name), nil
	}
	if late != "" {
		return "", untrusted("is signed by %s at a time at which that key does not count", plain(late))
	}
	return "", untrusted("is signed with an SSH key that is not among those of --verify, %s", ssh.FingerprintSHA256(signature.PublicKey))
}
