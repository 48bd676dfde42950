//go:build beds

package addons_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"

	"github.com/kupenstack/kupenstack-sync/test/addons"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// TestInstall makes an object of each kind that is played, and reads what its controller would have written.
func TestInstall(t *testing.T) {
	c := testbed.PrivateCluster(t, cluster.Options{})
	addons.Install(t, c.RESTConfig(), addons.CertManager(), addons.Gateway(), addons.Rook())
	objects, err := dynamic.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []struct {
		group, plural, kind string
		spec                map[string]any
		status              []string // a path that gets a value
	}{
		{"cert-manager.io", "issuers", "Issuer", map[string]any{"selfSigned": map[string]any{}}, []string{"conditions"}},
		{"cert-manager.io", "certificates", "Certificate", map[string]any{
			"secretName": "signed", "dnsNames": []any{"api.example.org"}, "issuerRef": map[string]any{"name": "it"},
		}, []string{"conditions"}},
		{"gateway.networking.k8s.io", "httproutes", "HTTPRoute", map[string]any{"parentRefs": []any{map[string]any{"name": "public"}}}, []string{"parents"}},
		{"ceph.rook.io", "cephblockpools", "CephBlockPool", map[string]any{"replicated": map[string]any{"size": int64(3)}}, []string{"phase"}},
		{"ceph.rook.io", "cephclients", "CephClient", map[string]any{"caps": map[string]any{"mon": "profile rbd"}}, []string{"info", "secretName"}},
	} {
		client := objects.Resource(schema.GroupVersionResource{Group: o.group, Version: "v1", Resource: o.plural}).Namespace("default")
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": o.group + "/v1", "kind": o.kind, "metadata": map[string]any{"name": "it"}, "spec": o.spec,
		}}
		if _, err := client.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
			t.Fatalf("%s: %v", o.kind, err)
		}
		err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			live, err := client.Get(ctx, "it", metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			_, found, err := unstructured.NestedFieldNoCopy(live.Object, append([]string{"status"}, o.status...)...)
			return found, err
		})
		if err != nil {
			t.Errorf("the status of a %s: %v", o.kind, err)
		}
	}
	secrets := c.Client().CoreV1().Secrets("default")
	signed, err := secrets.Get(t.Context(), "signed", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(signed.Data[corev1.TLSCertKey], signed.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(signed.Data["ca.crt"])
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: "api.example.org", Roots: roots}); err != nil {
		t.Error(err)
	}
	if user, err := secrets.Get(t.Context(), "rook-ceph-client-it", metav1.GetOptions{}); err != nil || len(user.Data["it"]) == 0 {
		t.Errorf("the key of the user: %v", err)
	}
}
