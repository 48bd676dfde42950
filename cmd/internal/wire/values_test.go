package wire

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// TestNamesOfValues: the name is that of the values under one key, and shows none of them.
func TestNamesOfValues(t *testing.T) {
	name := func(key, value string) string {
		t.Helper()
		name, err := nameValues(redact.NewSecret(key), &model.Model{Variables: map[string]cty.Value{"password": cty.StringVal(value).Mark(model.Sensitive)}})
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	const key = "a key of sixteen bytes or more"
	one := name(key, "hunter2")
	if one != name(key, "hunter2") || one == name(key, "hunter3") || one == name(key+"!", "hunter2") {
		t.Errorf("%s is not the name of one value under one key", one)
	}
	if !strings.HasPrefix(one, "hmac-sha256:") || strings.Contains(one, "hunter2") {
		t.Errorf("the name is %s", one)
	}
	if _, err := nameValues(redact.NewSecret("short"), &model.Model{}); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("with a short key: %v", err)
	}
}
