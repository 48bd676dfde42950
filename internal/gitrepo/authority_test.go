package gitrepo

import (
	"crypto/ed25519"
	"crypto/rand"
	"net"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// TestAuthoritiesOfHosts: a server is known by a certificate of an authority in the known hosts, by its own key, whatever certificate
// it shows beside that unless the authority is revoked, and by no certificate of another alone.
func TestAuthoritiesOfHosts(t *testing.T) {
	t.Parallel()
	signer := func() ssh.Signer {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		made, err := ssh.NewSignerFromKey(private)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	authority, other, host := signer(), signer(), signer()
	certificate := &ssh.Certificate{Key: host.PublicKey(), CertType: ssh.HostCert, ValidPrincipals: []string{"127.0.0.1"}, ValidBefore: ssh.CertTimeInfinity}
	if err := certificate.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	certified, err := ssh.NewCertSigner(certificate, host)
	if err != nil {
		t.Fatal(err)
	}
	invalid := func(change func(*ssh.Certificate)) ssh.Signer {
		of := &ssh.Certificate{Key: host.PublicKey(), CertType: ssh.HostCert, ValidPrincipals: []string{"127.0.0.1"}, ValidBefore: ssh.CertTimeInfinity}
		change(of)
		of.SignatureKey = authority.PublicKey() // by hand, as the library signs none that names no host
		text := of.Marshal()
		signature, err := authority.Sign(rand.Reader, text[:len(text)-4]) // without the length of the signature
		if err != nil {
			t.Fatal(err)
		}
		of.Signature = signature
		made, err := ssh.NewCertSigner(of, host)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	expired := invalid(func(c *ssh.Certificate) { c.ValidBefore = 1 })
	early := invalid(func(c *ssh.Certificate) { c.ValidAfter = ssh.CertTimeInfinity >> 1 })
	elsewhere := invalid(func(c *ssh.Certificate) { c.ValidPrincipals = []string{"git.example.org"} })
	anywhere := invalid(func(c *ssh.Certificate) { c.ValidPrincipals = nil })
	key := gitserver.NewKey(t)
	for name, c := range map[string]struct {
		authority, plain ssh.Signer // in the known hosts
		shows            []ssh.Signer
		known            bool
		revoked          ssh.Signer // there as well
	}{
		"certified":                     {authority, nil, []ssh.Signer{host, certified}, true, nil},
		"by another":                    {other, nil, []ssh.Signer{host, certified}, false, nil},
		"no certificate":                {authority, nil, []ssh.Signer{host}, false, nil},
		"no certificate, known itself":  {authority, host, []ssh.Signer{host}, true, nil},
		"known itself":                  {nil, host, []ssh.Signer{host, certified}, true, nil},
		"by another, known itself":      {other, host, []ssh.Signer{host, certified}, true, nil},
		"by a revoked one":              {authority, host, []ssh.Signer{host, certified}, false, authority},
		"by a revoked one, not known":   {other, host, []ssh.Signer{host, certified}, false, authority},
		"revoked itself":                {other, host, []ssh.Signer{host, certified}, false, host},
		"expired":                       {authority, nil, []ssh.Signer{host, expired}, false, nil},
		"expired, known itself":         {authority, host, []ssh.Signer{host, expired}, true, nil},
		"expired, another known":        {authority, signer(), []ssh.Signer{host, expired}, false, nil},
		"expired, revoked itself":       {authority, host, []ssh.Signer{host, expired}, false, host},
		"expired, by a revoked one":     {authority, host, []ssh.Signer{host, expired}, false, authority},
		"too early, known itself":       {authority, host, []ssh.Signer{host, early}, true, nil},
		"for another, known itself":     {authority, host, []ssh.Signer{host, elsewhere}, true, nil},
		"for another":                   {authority, nil, []ssh.Signer{host, elsewhere}, false, nil},
		"for no host":                   {authority, nil, []ssh.Signer{host, anywhere}, false, nil},
		"for no host, known itself":     {authority, host, []ssh.Signer{host, anywhere}, true, nil},
		"for no host, by a revoked one": {authority, host, []ssh.Signer{host, anywhere}, false, authority},
		"by another, another known":     {other, signer(), []ssh.Signer{host, certified}, false, nil},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			config := &ssh.ServerConfig{NoClientAuth: true}
			for _, signer := range c.shows {
				config.AddHostKey(signer)
			}
			_, _, _, _ = ssh.NewServerConn(conn, config) // the client tells how it ended
			_ = conn.Close()
		}()
		address := listener.Addr().String()
		lines := ""
		if c.authority != nil {
			lines += "@cert-authority " + knownhosts.Line([]string{address}, c.authority.PublicKey()) + "\n"
		}
		if c.plain != nil {
			lines += knownhosts.Line([]string{address}, c.plain.PublicKey()) + "\n"
		}
		if c.revoked != nil {
			lines += "@revoked " + knownhosts.Line([]string{address}, c.revoked.PublicKey()) + "\n"
		}
		at := location{scheme: schemeSSH, host: "127.0.0.1", port: listener.Addr().(*net.TCPAddr).Port, user: "git", path: "/cloud.git"}
		config, err := sshConfig(at, Credentials{SSHKey: redact.NewSecret(string(key.PEM)), KnownHosts: []byte(lines)}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, err = ssh.NewClientConn(conn, address, config)
		if (err == nil) != c.known {
			t.Errorf("%s: %v", name, err)
		}
		if says := "names no host that it is for"; name == "for no host" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v does not say that it %s", name, err, says)
		}
		if !c.known && err != nil {
			if kind, text := classify(err); kind != UnknownHost {
				t.Errorf("%s: %v is of the kind %v, %q", name, err, kind, text)
			}
		}
		_ = conn.Close()
		<-ended
		_ = listener.Close()
	}
}
