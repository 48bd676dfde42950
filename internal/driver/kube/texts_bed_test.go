//go:build beds

package kube_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// A key that is taken out of the stringData of a Secret goes: whoever takes a password out of Git means that.
func TestATextTakenOutOfASecretGoes(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	for _, texts := range []string{"{k: v, gone: old}", "{k: v}"} {
		secret := "apiVersion: v1\nkind: Secret\nmetadata: {namespace: " + w.name + ", name: s}\nstringData: " + texts
		w.converge(d, w.target("manifest", objects(t, secret)), told)
	}
	live, err := w.resource("secrets", w.name).Get(w.ctx, "s", metav1.GetOptions{})
	w.must(err)
	if data, _ := live.Object["data"].(map[string]any); len(data) != 1 || data["k"] != "dg==" {
		t.Errorf("it has %v", data)
	}
}
