package helm

import (
	"reflect"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestPlainOf(t *testing.T) {
	for text, want := range map[string]any{
		`"a \"b\""`: `a "b"`, "42": int64(42), "12345678901": int64(12345678901), "0.5": 0.5, "true": true,
	} {
		got, err := plainOf(unit.ValueSecret{Given: redact.NewSecret(text)}, redact.NewSecret(text))
		if err != nil || got != want {
			t.Errorf("%s is %#v (%v)", text, got, err)
		}
	}
	if got, err := plainOf(unit.ValueSecret{Name: "n"}, redact.NewSecret("42")); err != nil || got != "42" {
		t.Errorf("what is in a Secret became %#v (%v)", got, err)
	}
	if _, err := plainOf(unit.ValueSecret{}, redact.NewSecret("canary")); err == nil {
		t.Error("what is no JSON is taken")
	}
}

// A release remembers what was sensitive in it when no specification says so any more.
func TestNotedSensitive(t *testing.T) {
	values := map[string]any{"a": map[string]any{"b": "canary-1", "list": []any{nil, int64(123456)}}, "generated": "x", "flag": true}
	noteSensitive(values, []unit.ValueSecret{
		{Path: []string{"a", "b"}, Name: "n", Key: "k", Opted: true},
		{Path: []string{"a", "list", "1"}, Given: redact.NewSecret("123456")},
		{Path: []string{"flag"}, Given: redact.NewSecret("true")},
		{Path: []string{"generated"}, Name: "kupenstack-credentials", Key: "g"},
		{Path: []string{"gone"}, Given: redact.NewSecret("1")},
	})
	masker := redact.NewMasker()
	found := notedSensitive(values)
	masker.Add(found...)
	if got := masker.Text("canary-1 123456 true x").String(); got != redact.Mask+" "+redact.Mask+" true x" {
		t.Errorf("masked is %q", got)
	}
	plain := map[string]any{"a": 1}
	noteSensitive(plain, []unit.ValueSecret{{Path: []string{"a"}, Name: "kupenstack-credentials", Key: "g"}})
	if !reflect.DeepEqual(plain, map[string]any{"a": 1}) {
		t.Errorf("a release without sensitive values has %v", plain)
	}
}
