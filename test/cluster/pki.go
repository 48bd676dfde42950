package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// pki is the certificate authority of one cluster and the directory with what it issued.
type pki struct {
	dir         string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	caPEM       []byte
}

// keyPair is an issued certificate with its key, both in PEM.
type keyPair struct {
	certificate, key []byte
}

// newPKI makes an authority and writes ca.crt, ca.key and the key pair sa.key, sa.pub that
// signs the tokens of service accounts.
func newPKI(dir string) (*pki, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	authority := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "testbed-ca"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	p := &pki{dir: dir, certificate: authority, key: key}
	pair, err := p.sign(authority, key)
	if err != nil {
		return nil, err
	}
	p.caPEM = pair.certificate
	if err := p.write("ca", pair); err != nil {
		return nil, err
	}
	return p, p.writeServiceAccountKeys()
}

func (p *pki) writeServiceAccountKeys() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	private, err := encodeKey(key)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.path("sa.key"), private, 0o600); err != nil {
		return err
	}
	return os.WriteFile(p.path("sa.pub"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), 0o600)
}

// server issues the certificate of every server of the cluster and writes NAME.crt and NAME.key.
func (p *pki) server(name string) error {
	pair, err := p.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)},
		DNSNames: []string{
			"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
			"kubernetes.default.svc.cluster.local",
		},
	})
	if err != nil {
		return err
	}
	return p.write(name, pair)
}

// client issues the certificate of a user, who is a member of the groups.
func (p *pki) client(user string, groups ...string) (keyPair, error) {
	return p.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (p *pki) issue(template *x509.Certificate) (keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, err
	}
	return p.sign(template, key)
}

func (p *pki) sign(template *x509.Certificate, key *ecdsa.PrivateKey) (keyPair, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return keyPair{}, err
	}
	template.SerialNumber = serial
	// The machine's clock may be set while a bed lives.
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().AddDate(1, 0, 0)
	der, err := x509.CreateCertificate(rand.Reader, template, p.certificate, &key.PublicKey, p.key)
	if err != nil {
		return keyPair{}, fmt.Errorf("certificate of %s: %w", template.Subject.CommonName, err)
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return keyPair{}, err
	}
	return keyPair{certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key: keyPEM}, nil
}

func (p *pki) write(name string, pair keyPair) error {
	if err := os.WriteFile(p.path(name+".crt"), pair.certificate, 0o600); err != nil {
		return err
	}
	return os.WriteFile(p.path(name+".key"), pair.key, 0o600)
}

func (p *pki) path(name string) string { return filepath.Join(p.dir, name) }

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
