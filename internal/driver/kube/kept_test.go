//go:build beds

package kube_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// TestKeptSecrets: a Secret is made once, what it holds is read by its mark alone, and only with that it goes.
func TestKeptSecrets(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	ref := unit.ObjectRef{APIVersion: "v1", Kind: "Secret", Namespace: w.name, Name: "ops-key"}
	if kept, err := w.cluster.Kept(w.ctx, ref); kept != nil || err != nil {
		t.Fatalf("nothing is there, and it is %v, %v", kept, err)
	}
	mine := func(value string) *unit.Kept {
		return &unit.Kept{Mark: "kupenstack:one", Type: "kubernetes.io/ssh-auth", Values: map[string]redact.Secret{"ssh-privatekey": redact.NewSecret(value)}}
	}
	if made, err := w.cluster.Keep(w.ctx, ref, mine("canary-first")); !made || err != nil {
		t.Fatalf("made %v, %v", made, err)
	}
	if made, err := w.cluster.Keep(w.ctx, ref, mine("canary-second")); made || err != nil {
		t.Errorf("it was made twice: %v, %v", made, err)
	}
	kept, err := w.cluster.Kept(w.ctx, ref)
	if err != nil || kept == nil || kept.Mark != "kupenstack:one" || kept.Values["ssh-privatekey"].Reveal() != "canary-first" {
		t.Fatalf("it is %v, %v", kept, err)
	}
	w.must(w.cluster.Discard(w.ctx, ref, "kupenstack:two"))
	if !w.exists("secrets", "ops-key") {
		t.Fatal("it went with another mark")
	}
	w.must(w.cluster.Discard(w.ctx, ref, "kupenstack:one"))
	w.must(w.cluster.Discard(w.ctx, ref, "kupenstack:one"))
	if w.exists("secrets", "ops-key") {
		t.Error("it did not go")
	}

	theirs := object(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: theirs, namespace: "+w.name+"}\nstringData: {ssh-privatekey: canary}")
	_, err = w.resource("secrets", w.name).Create(w.ctx, theirs, metav1.CreateOptions{})
	w.must(err)
	ref.Name = "theirs"
	if kept, err := w.cluster.Kept(w.ctx, ref); err != nil || kept == nil || kept.Mark != "" || len(kept.Values) > 0 {
		t.Errorf("what somebody else made is %v, %v", kept, err)
	}
	w.must(w.cluster.Discard(w.ctx, ref, "kupenstack:one"))
	if !w.exists("secrets", "theirs") {
		t.Error("what somebody else made went")
	}
}
