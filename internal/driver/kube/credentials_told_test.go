package kube

import (
	"encoding/base64"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestGeneratedCredentialsAreToldByNobody: also by a process that made none of them, once it has seen them, whoever says them. A word
// that somebody has for a password stays a word.
func TestGeneratedCredentialsAreToldByNobody(t *testing.T) {
	const generated = "canaryCanaryCanaryCanaryCanary12"
	s := lostSet(memory{})
	s.cluster.masker = redact.NewMasker()
	data := map[string]any{}
	for key, value := range map[string]string{"root": generated, "token": "keystone", "unused": ""} {
		data[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	live := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{AnnotationUnit: "service.keystone"}}, "data": data,
	}}
	const says = "500: mysql://keystone:" + generated + "@mariadb/keystone"
	if told := s.cluster.Mask(says); told != says {
		t.Errorf("before it was seen it is known: %s", told)
	}
	for range 2 {
		if _, err := s.state(t.Context(), objects{s.ref(): live}); err != nil {
			t.Fatal(err)
		}
		if told, want := s.cluster.Mask(says), strings.Replace(says, generated, redact.Mask, 1); told != want {
			t.Errorf("got %s, want %s", told, want)
		}
	}
	live.SetAnnotations(map[string]string{unit.AnnotationRelease: "theirs"})
	data["root"] = base64.StdEncoding.EncodeToString([]byte("another-one-of-somebody-else"))
	if state, err := s.state(t.Context(), objects{s.ref(): live}); err != nil || state.Health != unit.HealthFailed {
		t.Errorf("got %+v, %v", state, err)
	}
	if told := s.cluster.Mask("another-one-of-somebody-else"); strings.Contains(told, redact.Mask) {
		t.Error("what is in a Secret of somebody else's is taken for ours")
	}
}

// A credential of which a part is known for another one is learned as a whole.
func TestCredentialsWithAnotherOneInside(t *testing.T) {
	const inside, whole = "canary-of-ours", "canary-of-ours-and-the-rest-of-it"
	c := &Cluster{masker: redact.NewMasker()}
	c.masker.Add(redact.NewSecret(inside))
	c.learn(map[string]redact.Secret{"root": redact.NewSecret(whole)})
	if told := c.Mask("it is " + whole); told != "it is "+redact.Mask {
		t.Errorf("got %s", told)
	}
}
