package addons

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// life is that of certificates: longer than any test.
const life = 24 * time.Hour

// authority signs all certificates of a cluster.
type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
	pem         []byte
}

func newAuthority() (*authority, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "played authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(life),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{key: private, certificate: certificate, pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, nil
}

// sign returns a certificate for names, and its key.
func (a *authority) sign(names []string) (certificate, private []byte, err error) {
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial, DNSNames: names, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(life),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.certificate, own.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		return nil, nil, err
	}
	var key bytes.Buffer
	if err := pem.Encode(&key, &pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}); err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key.Bytes(), nil
}

// certificate writes the Secret that a Certificate asks for, and says that it did.
func (p *player) certificate(ctx context.Context, object *unstructured.Unstructured) error {
	name, _, err := unstructured.NestedString(object.Object, "spec", "secretName")
	if err != nil {
		return err
	}
	names, _, err := unstructured.NestedStringSlice(object.Object, "spec", "dnsNames")
	if err != nil {
		return err
	}
	secrets := p.client.CoreV1().Secrets(object.GetNamespace())
	if _, err := secrets.Get(ctx, name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
		certificate, private, err := p.authority.sign(names)
		if err != nil {
			return err
		}
		if _, err := secrets.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Type: corev1.SecretTypeTLS,
			Data: map[string][]byte{corev1.TLSCertKey: certificate, corev1.TLSPrivateKeyKey: private, "ca.crt": p.authority.pem},
		}, metav1.CreateOptions{}); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	return p.ready(ctx, object)
}

// ready has the condition of that name, for the object as it is now.
func (p *player) ready(_ context.Context, object *unstructured.Unstructured) error {
	return setConditions(object, []string{"status", "conditions"}, "Ready")
}

// setConditions makes all these conditions true. The times of those that are stay.
func setConditions(object *unstructured.Unstructured, path []string, types ...string) error {
	old, _, err := unstructured.NestedSlice(object.Object, path...)
	if err != nil {
		return err
	}
	return unstructured.SetNestedSlice(object.Object, conditions(object, old, types...), path...)
}

func conditions(object *unstructured.Unstructured, old []any, types ...string) []any {
	since := map[any]any{}
	for _, c := range old {
		if c, ok := c.(map[string]any); ok {
			since[c["type"]] = c["lastTransitionTime"]
		}
	}
	var all []any
	for _, kind := range types {
		at := since[kind]
		if at == nil {
			at = time.Now().UTC().Format(time.RFC3339)
		}
		all = append(all, map[string]any{
			"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": at, "observedGeneration": object.GetGeneration(),
		})
	}
	return all
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
