package addons

import (
	"context"
	"crypto/rand"
	"encoding/base64"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// phase has that which Rook gives to what is there.
func (p *player) phase(_ context.Context, object *unstructured.Unstructured) error {
	return unstructured.SetNestedField(object.Object, "Ready", "status", "phase")
}

// user keeps the key of a user where Rook does: in rook-ceph-client-<name>, under the name of the user.
func (p *player) user(ctx context.Context, object *unstructured.Unstructured) error {
	user := object.GetName()
	if other, _, _ := unstructured.NestedString(object.Object, "spec", "name"); other != "" {
		user = other
	}
	secrets, name := p.client.CoreV1().Secrets(object.GetNamespace()), "rook-ceph-client-"+object.GetName()
	if _, err := secrets.Get(ctx, name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
		key := base64.StdEncoding.EncodeToString([]byte(rand.Text()))
		if _, err := secrets.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Type: "kubernetes.io/rook", Data: map[string][]byte{user: []byte(key)},
		}, metav1.CreateOptions{}); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(object.Object, name, "status", "info", "secretName"); err != nil {
		return err
	}
	return p.phase(ctx, object)
}
