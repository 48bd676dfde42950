package helm

import (
	"reflect"
	"testing"
)

func TestSetPutsASecretIntoTheValues(t *testing.T) {
	tests := []struct {
		name string
		path []string
		want map[string]any // nil for an error
	}{
		{"a new map", []string{"a", "b"}, map[string]any{"n": int64(1), "l": []any{map[string]any{}}, "a": map[string]any{"b": "pw"}}},
		{"an element of a list", []string{"l", "0", "x"}, map[string]any{"n": int64(1), "l": []any{map[string]any{"x": "pw"}}}},
		{"in place of a value", []string{"n"}, map[string]any{"n": "pw", "l": []any{map[string]any{}}}},
		{"below a number", []string{"n", "x"}, nil},
		{"beyond a list", []string{"l", "1", "x"}, nil},
		{"nowhere", nil, nil},
	}
	for _, tt := range tests {
		original := map[string]any{"n": int64(1), "l": []any{map[string]any{}}}
		values, _ := copied(original).(map[string]any)
		err := set(values, tt.path, "pw")
		if (err == nil) != (tt.want != nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.want != nil && !reflect.DeepEqual(values, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, values, tt.want)
		}
		if got, ok := lookup(values, tt.path); tt.want != nil && (!ok || got != "pw") {
			t.Errorf("%s: looked up %v", tt.name, got)
		}
		if !reflect.DeepEqual(original, map[string]any{"n": int64(1), "l": []any{map[string]any{}}}) {
			t.Errorf("%s: the specification was changed: %v", tt.name, original)
		}
	}
}

func TestGuessedSecretsAreValuesAndNotNames(t *testing.T) {
	found := guessedSecrets(map[string]any{
		"endpoints": map[string]any{"auth": []any{map[string]any{"password": "old-password", "username": "somebody"}}},
		"secrets":   map[string]any{"oslo_db": map[string]any{"admin": "keystone-db-admin"}},
		"labels":    map[string]any{"node_selector_key": "openstack-control-plane"},
		"short":     map[string]any{"password": "abc"},
	})
	if len(found) != 1 || found[0].Reveal() != "old-password" {
		t.Errorf("found %d", len(found))
	}
}

func TestVersionOfPackedCharts(t *testing.T) {
	tests := []struct{ file, name, want string }{
		{"nova-1.2.3.tgz", "nova", "1.2.3"},
		{"nova-2025.2.1+abc.tgz", "nova", "2025.2.1+abc"},
		{"nova-cell-1.2.3.tgz", "nova-cell", "1.2.3"},
		{"nova-cell-1.2.3.tgz", "nova", ""},
		{"nova.tgz", "nova", ""},
		{"nova-x.tgz", "nova", ""},
	}
	for _, tt := range tests {
		got := ""
		if version := versionOf(tt.file, tt.name); version != nil {
			got = version.String()
		}
		if got != tt.want {
			t.Errorf("%s as %s: %q, want %q", tt.file, tt.name, got, tt.want)
		}
	}
}
