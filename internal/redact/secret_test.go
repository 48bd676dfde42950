package redact_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"text/template"

	"github.com/go-logr/zerologr"
	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

const value = "hunter2-hunter2"

type holder struct {
	Exported   redact.Secret
	unexported redact.Secret
	pointer    *redact.Secret
}

func TestSecretShowsItsMaskOnly(t *testing.T) {
	secret := redact.NewSecret(value)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%08.3f", "%t", "%10s"} {
		if got := fmt.Sprintf(verb, secret); got != redact.Mask {
			t.Errorf("%s shows %q", verb, got)
		}
		if got := fmt.Sprintf(verb, &secret); got != redact.Mask {
			t.Errorf("%s of a pointer shows %q", verb, got)
		}
	}
	if secret.String() != redact.Mask || secret.GoString() != redact.Mask || secret.Masked().String() != redact.Mask {
		t.Error("String, GoString or Masked is not the mask")
	}
	if got := fmt.Sprint(redact.Secret{}); got != redact.Mask {
		t.Errorf("the empty secret shows %q", got)
	}
}

func TestSecretInsideOtherValuesIsNotShown(t *testing.T) {
	secret := redact.NewSecret(value)
	inside := []any{
		holder{secret, secret, &secret},
		&holder{secret, secret, &secret},
		[]redact.Secret{secret},
		map[string]redact.Secret{"a": secret},
		map[string]any{"a": []any{holder{Exported: secret, unexported: secret}}},
		fmt.Errorf("login with %v failed", secret),
		errors.Join(fmt.Errorf("%+v", holder{unexported: secret})),
	}
	for _, x := range inside {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%p", "%T"} {
			assertHidden(t, verb, fmt.Sprintf(verb, x))
		}
		text, err := json.Marshal(x)
		if err != nil {
			t.Error(err)
		}
		assertHidden(t, "JSON", string(text))

		var out bytes.Buffer
		logger := zerolog.New(&out)
		logger.Info().Interface("a", x).Any("b", x).Stringer("c", secret).Fields(map[string]any{"d": x}).Msgf("%v", x)
		logr := zerologr.New(&logger)
		logr.Info("message", "a", x, "b", secret)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("message", "a", x, "b", secret)
		slog.New(slog.NewTextHandler(&out, nil)).Info("message", "a", x, "b", secret)
		assertHidden(t, "a log", out.String())
		if strings.Count(out.String(), redact.Mask) < 4 {
			t.Errorf("a log shows no mask: %s", out.String())
		}
	}
	var out bytes.Buffer
	if err := template.Must(template.New("").Parse("{{.}} {{.Exported}} {{printf `%s` .Exported}}")).Execute(&out, holder{Exported: secret}); err != nil {
		t.Error(err)
	}
	assertHidden(t, "a template", out.String())
	text, err := xml.Marshal(holder{Exported: secret})
	if err != nil || !strings.Contains(string(text), redact.Mask) {
		t.Errorf("in XML it is %s, %v", text, err)
	}
	assertHidden(t, "XML", string(text))
}

func assertHidden(t *testing.T, how, text string) {
	t.Helper()
	for _, form := range []string{value, fmt.Sprintf("%x", value), fmt.Sprintf("%X", value), fmt.Sprintf("%d", []byte(value))} {
		if strings.Contains(text, form) {
			t.Errorf("%s shows the value: %s", how, text)
		}
	}
}

func TestSecretInJSON(t *testing.T) {
	text, err := json.Marshal(map[string]any{"password": redact.NewSecret(value), "shown": redact.NewSecret(value).Masked()})
	if want := `{"password":"(sensitive)","shown":"(sensitive)"}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	// A mask that was written must not come back as a value.
	for _, into := range []any{&redact.Secret{}, &redact.Masked{}} {
		if err := json.Unmarshal([]byte(`"(sensitive)"`), into); err == nil {
			t.Errorf("text is read as a %T", into)
		}
	}
}

func TestRevealAndEqual(t *testing.T) {
	secret := redact.NewSecret(value)
	if secret.Reveal() != value || secret.IsEmpty() {
		t.Errorf("the value is %q", secret.Reveal())
	}
	var none redact.Secret
	if none.Reveal() != "" || !none.IsEmpty() || !redact.NewSecret("").IsEmpty() {
		t.Error("the zero secret is not empty")
	}
	tests := []struct {
		a, b redact.Secret
		want bool
	}{
		{secret, redact.NewSecret(strings.Clone(value)), true},
		{secret, redact.NewSecret(value + "x"), false},
		{secret, redact.NewSecret(value[1:]), false},
		{secret, none, false},
		{none, redact.NewSecret(""), true},
	}
	for _, tt := range tests {
		if tt.a.Equal(tt.b) != tt.want || tt.b.Equal(tt.a) != tt.want {
			t.Errorf("%q and %q: want equal %v", tt.a.Reveal(), tt.b.Reveal(), tt.want)
		}
	}
}

func TestDigest(t *testing.T) {
	digester, err := redact.NewDigester(redact.NewSecret("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	got := digester.Digest(redact.NewSecret("value"))
	// printf %s value | openssl dgst -sha256 -hmac 0123456789abcdef
	if want := "hmac-sha256:b14c4f9b6250524c8d3bad08ce67bfff73b0e9ea80cc436ff1061aebc0ef3147"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got == digester.Digest(redact.NewSecret("value2")) {
		t.Error("two values have one digest")
	}
	other, err := redact.NewDigester(redact.NewSecret("0123456789abcdeg"))
	if err != nil {
		t.Fatal(err)
	}
	if got == other.Digest(redact.NewSecret("value")) {
		t.Error("the key makes no difference")
	}
	if _, err := redact.NewDigester(redact.NewSecret("short")); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("a short key gives %v", err)
	}
	assertHidden(t, "a digester", fmt.Sprintf("%+v %#v", digester, digester))
	defer func() {
		if recover() == nil {
			t.Error("a digester without a key works")
		}
	}()
	redact.Digester{}.Digest(redact.NewSecret("value"))
}
