package addr_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "cloud.prod": "", "service.nova": "service.nova", "module.edge": "module.edge", `instance.web["a"]`: `instance.web["a"]`,
		"data.network.public": "error: data.network.public is only looked up", "var.x": "error: var.x is no address of an object", "nova": "error: ",
	} {
		a, err := addr.ParseTarget(text)
		if problem, wrong := strings.CutPrefix(want, "error: "); wrong {
			if err == nil || !strings.HasPrefix(err.Error(), problem) {
				t.Errorf("%q: got %v, want an error: %s", text, err, problem)
			}
			continue
		}
		if err != nil || a.String() != want {
			t.Errorf("%q: got %v, %v", text, a, err)
		}
	}
}
