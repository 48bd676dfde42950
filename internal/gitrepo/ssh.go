package gitrepo

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

const sshPort = 22

// dialSSH starts a command of Git on the server. The whole conversation ends with ctx.
func dialSSH(ctx context.Context, at location, c Credentials, service string, cacheDir string, may *leave) (*pipes, error) {
	config, err := sshConfig(at, c, cacheDir)
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", at.sshAddress())
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, contain.Callback(func() { _ = conn.SetDeadline(time.Unix(1, 0)) }))
	fail := func(err error) (*pipes, error) {
		stop()
		_ = conn.Close() // the first error says why
		return nil, err
	}
	secured, channels, requests, err := ssh.NewClientConn(asking{conn, may}, at.sshAddress(), config)
	if err != nil {
		return fail(err)
	}
	client := ssh.NewClient(secured, channels, requests)
	session, err := client.NewSession()
	if err != nil {
		return fail(err)
	}
	p := &pipes{hear: func() { await(session) }, end: func() error {
		stop()
		_ = session.Close() // it fails when the command has ended by itself
		return client.Close()
	}}
	if p.in, err = session.StdinPipe(); err != nil {
		return fail(err)
	}
	if p.out, err = session.StdoutPipe(); err != nil {
		return fail(err)
	}
	session.Stderr = &p.said
	if err := session.Start(service + " " + shellQuote(at.path)); err != nil {
		return fail(err)
	}
	return p, nil
}

// await waits for a command that has closed its output to end, as its last words come beside that
// output. One that does not end is left alone after a while; closing the connection ends the waiting.
func await(session *ssh.Session) {
	ended := make(chan struct{})
	contain.Go(func() {
		defer close(ended)
		_ = session.Wait() // how it ended is in what it said
	})
	patience := time.NewTimer(5 * time.Second)
	defer patience.Stop()
	select {
	case <-ended:
	case <-patience.C:
	}
}

func sshConfig(at location, c Credentials, cacheDir string) (*ssh.ClientConfig, error) {
	if len(c.KnownHosts) == 0 {
		return nil, &Error{Kind: UnknownHost, Where: at.display, Text: "connecting over SSH needs known hosts: give the server's line of a known_hosts file, for example the output of ssh-keyscan after checking it"}
	}
	known, err := knownHosts(c.KnownHosts, cacheDir)
	if err != nil {
		return nil, err
	}
	config := &ssh.ClientConfig{User: at.user, HostKeyCallback: saysNothing(orItsKey(known)), HostKeyAlgorithms: knownAlgorithms(known, at)}
	if config.User == "" {
		config.User = c.Username
	}
	if config.User == "" {
		config.User = "git"
	}
	if c.SSHKey.IsEmpty() {
		return nil, &Error{Kind: Refused, Where: at.display, Text: "connecting over SSH needs a private key"}
	}
	signer, err := ssh.ParsePrivateKey([]byte(c.SSHKey.Reveal()))
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) && !c.Passphrase.IsEmpty() {
		signer, err = ssh.ParsePrivateKeyWithPassphrase([]byte(c.SSHKey.Reveal()), []byte(c.Passphrase.Reveal()))
	}
	switch {
	case errors.As(err, &locked):
		return nil, &Error{Kind: Refused, Where: at.display, Text: "the SSH key is encrypted: give its passphrase"}
	case err != nil:
		return nil, &Error{Kind: Refused, Where: at.display, Text: "the SSH key cannot be read: it must be a private key in PEM or OpenSSH's format, with the right passphrase if it has one"}
	}
	config.Auth = []ssh.AuthMethod{ssh.PublicKeys(signer)}
	return config, nil
}

// knownHosts parses lines of a known_hosts file, which the library takes from files only.
func knownHosts(lines []byte, dir string) (_ ssh.HostKeyCallback, err error) {
	if err := readable(lines); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, "known-hosts-*")
	if err != nil {
		return nil, fmt.Errorf("writing the known hosts for reading them: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.Write(lines)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("writing the known hosts for reading them: %w", err)
	}
	known, err := knownhosts.New(file.Name())
	if err != nil {
		return nil, errors.New("the known hosts cannot be read: " + strings.TrimPrefix(err.Error(), "knownhosts: "+file.Name()+": "))
	}
	return known, nil
}

// readable fails for a line that is none of a known_hosts file. The library leaves such lines out without a word, and with one that
// was to revoke a key, that key would be good. Those with keys of kinds that are not supported say nothing about others.
func readable(lines []byte) error {
	number := 0
	for line := range bytes.Lines(lines) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		marker, _, _, _, _, err := ssh.ParseKnownHosts(line)
		switch {
		case err == nil && (marker == "" || marker == "cert-authority" || marker == "revoked"), err != nil && strings.Contains(err.Error(), "unknown key algorithm"):
		case err == nil:
			return fmt.Errorf("the known hosts cannot be read: line %d: there is no marker @%s", number, marker)
		case errors.Is(err, io.EOF):
			return fmt.Errorf("the known hosts cannot be read: line %d: it has no key", number)
		default:
			return fmt.Errorf("the known hosts cannot be read: line %d: %s", number, strings.TrimPrefix(err.Error(), "ssh: "))
		}
	}
	return nil
}

// knownAlgorithms are those of the keys that are known for the host. Without them, a server with
// several keys can show one of another kind, which looks like a changed key.
func knownAlgorithms(known ssh.HostKeyCallback, at location) []string {
	probe, err := ssh.NewPublicKey(ed25519.PublicKey(make([]byte, ed25519.PublicKeySize)))
	if err != nil {
		return nil
	}
	var mismatch *knownhosts.KeyError
	if !errors.As(known(at.sshAddress(), &net.TCPAddr{}, probe), &mismatch) {
		return nil
	}
	var certified, plain []string
	for _, key := range mismatch.Want {
		if isAuthority(known, at, key.Key, probe) {
			// The server's own key may be of any kind, and it shows its certificate only when that is asked for first.
			certified = []string{ssh.CertAlgoED25519v01, ssh.CertAlgoECDSA256v01, ssh.CertAlgoECDSA384v01, ssh.CertAlgoECDSA521v01, ssh.CertAlgoRSASHA512v01, ssh.CertAlgoRSASHA256v01}
		}
		kind := key.Key.Type()
		if kind == ssh.KeyAlgoRSA {
			plain = append(plain, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
			continue
		}
		plain = append(plain, kind)
	}
	slices.Sort(plain)
	return append(certified, slices.Compact(plain)...)
}

// orItsKey goes by a server's own key where its certificate is of no authority in the known hosts, or is not valid now or for the
// host, as ssh does unless one of the two keys is revoked there: in sshconnect.c of OpenSSH's portable release, as it is at
// 0ef0f5a83983, check_host_key leaves for "fail" whatever sshkey_cert_check_host finds wrong, and from there drops the
// certificate and tries its key, if the status is not HOST_REVOKED. The server has proved that it has that key. Where that is not
// known either, what is wrong with a certificate of an authority that is known tells more. One that names no host is of none, as for
// ssh since OpenSSH 10.3: an authority that leaves the names out by mistake would let one server pass for each other. The library
// refuses it as well, and does not say why.
func orItsKey(known ssh.HostKeyCallback) ssh.HostKeyCallback {
	return func(hostname string, remote net.Addr, key ssh.PublicKey) error {
		err := known(hostname, remote, key)
		certificate, ok := key.(*ssh.Certificate)
		if ok && isInvalid(err) && len(certificate.ValidPrincipals) == 0 {
			err = errNamesNoHost
		}
		if !ok || certificate.CertType != ssh.HostCert || !hasNoAuthority(err) && !isInvalid(err) {
			return err
		}
		var revoked *knownhosts.RevokedError
		if errors.As(known(hostname, remote, certificate.SignatureKey), &revoked) {
			return revoked
		}
		plain := known(hostname, remote, certificate.Key)
		var mismatch *knownhosts.KeyError
		if errors.As(plain, &mismatch) && isInvalid(err) {
			return err
		}
		return plain
	}
}

// saysNothing has no panic about a server's key be told with its value: the library asks in a goroutine of its own.
func saysNothing(known ssh.HostKeyCallback) ssh.HostKeyCallback {
	return func(hostname string, remote net.Addr, key ssh.PublicKey) (err error) {
		contain.Callback(func() { err = known(hostname, remote, key) })()
		return err
	}
}

var errNamesNoHost = errors.New("the certificate of the host names no host that it is for: have one signed with the host's name (ssh-keygen -h -n), or add the server's own key to the known hosts")

// isInvalid tells of what the library says of a certificate by an authority that is known whether it is about when and where
// that counts, and not about who made it.
func isInvalid(err error) bool {
	return errors.Is(err, errNamesNoHost) || err != nil && slices.ContainsFunc([]string{"cert has expired", "cert is not yet valid", "not in the set of valid principals", "unsupported critical option"},
		func(part string) bool { return strings.Contains(err.Error(), part) })
}

// hasNoAuthority tells of what the library says of a certificate that nobody who has signed it is in the known hosts.
func hasNoAuthority(err error) bool {
	return err != nil && strings.Contains(err.Error(), "no authorities for hostname")
}

// isAuthority tells whether a known key is one that certifies the host's, of a line with @cert-authority: the library says of
// a certificate of any other one that there is no such authority, before it finds that nobody has signed this.
func isAuthority(known ssh.HostKeyCallback, at location, key, probe ssh.PublicKey) bool {
	certificate := &ssh.Certificate{Key: probe, SignatureKey: key, CertType: ssh.HostCert}
	err := known(at.sshAddress(), &net.TCPAddr{}, certificate)
	return err != nil && !hasNoAuthority(err)
}

// shellQuote quotes for the shell that many servers pass the command to.
func shellQuote(s string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(s) + "'"
}
