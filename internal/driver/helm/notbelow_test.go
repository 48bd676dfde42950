package helm

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Whatever the version was written in, and also where the chart had brought it, a broker does not get an older one.
func TestAProgramThatKeepsDataGetsNoOlderVersion(t *testing.T) {
	broker := func(kind, image string) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": kind, "metadata": map[string]any{"namespace": "o", "name": "rabbitmq"},
			"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{
				map[string]any{"name": "rabbitmq", "image": image}, map[string]any{"name": "exporter", "image": "e:1.0"},
			}}}},
		}}}
	}
	for _, test := range []struct{ was, is, want string }{
		{"docker.io/rabbitmq:4.3.5", "docker.io/rabbitmq:3.13", "runs 4.3 of rabbitmq, and an older version (3.13)"},
		{"docker.io/rabbitmq:4.3.5", "registry.example.org:5000/rabbitmq:4.2-management@sha256:00", "an older version (4.2)"},
		{"docker.io/rabbitmq:3.13", "docker.io/rabbitmq:5.0", "one major version after the other"},
		{"docker.io/rabbitmq:4.3.5", "docker.io/rabbitmq:4.3.1", ""},
		{"docker.io/rabbitmq:3.13", "docker.io/rabbitmq:4.3.5", ""},
		{"docker.io/rabbitmq:4.3.5", "docker.io/rabbitmq:latest", ""},
		{"docker.io/rabbitmq:20261101", "docker.io/rabbitmq:4.3", ""},
		{"registry.example.org:5000/rabbitmq", "docker.io/rabbitmq:4.3", ""},
	} {
		r := &revision{inForce: inForce(broker(kindStatefulSet, test.was))}
		got := r.goesBelow(broker(kindStatefulSet, test.is), []string{"rabbitmq"})
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("from %s to %s: %q", test.was, test.is, got)
		}
	}
	// What upgrades that failed were to bring counts as well.
	for _, test := range []struct {
		tried []string
		is    string
		want  string
	}{
		{[]string{"4.3"}, "4.2", "an upgrade of StatefulSet o/rabbitmq to 4.3 of rabbitmq failed"},
		{[]string{"4.4", "4.3"}, "4.3", "to 4.4 of rabbitmq failed"},
		{[]string{"4.3", "4.4"}, "4.3", "the last one is sh.helm.release.v1.rabbitmq.v3"},
		{[]string{"4.3"}, "4.3", ""},
		{[]string{"4.3"}, "4.4", ""},
		{[]string{"latest"}, "4.2", ""},
	} {
		var tried [][]*unstructured.Unstructured
		for _, version := range test.tried {
			tried = append(tried, broker(kindStatefulSet, "rabbitmq:"+version))
		}
		r := &revision{stored: stored{secret: "sh.helm.release.v1.rabbitmq.v3"}, inForce: inForce(broker(kindStatefulSet, "rabbitmq:4.2"), tried...)}
		got := r.goesBelow(broker(kindStatefulSet, "rabbitmq:"+test.is), []string{"rabbitmq"})
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("from 4.2 to %s after %q: %q", test.is, test.tried, got)
		}
	}
	r := &revision{inForce: inForce(broker(kindStatefulSet, "rabbitmq:4.3"))}
	if got := r.goesBelow(broker(kindStatefulSet, "rabbitmq:3.13"), []string{"exporter"}); got != "" {
		t.Errorf("of a container that keeps nothing: %s", got)
	}
	if got := (*revision)(nil).goesBelow(broker(kindStatefulSet, "rabbitmq:3.13"), []string{"rabbitmq"}); got != "" {
		t.Errorf("of a first installation: %s", got)
	}
}
