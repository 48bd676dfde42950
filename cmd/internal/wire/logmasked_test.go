package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/zerologr"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// A log has what the masker knows in no text of a line, however JSON writes it, and all else as it was.
func TestLogHasNoSecrets(t *testing.T) {
	secrets := []string{
		"canary-plain", `canary-"quoted"\`, "canary-<&>\n\t\b of lines", "canary-\x7f\u2028\u00e9\x01", "canary-\xff",
		"info", "level", "time", "unit", `","error":"`, "1234",
	}
	for _, secret := range secrets {
		lines := func(known bool) (string, []map[string]any) {
			masker := redact.NewMasker()
			var out bytes.Buffer
			log, err := Logger(&out, "debug", masker)
			if err != nil {
				t.Fatal(err)
			}
			if known { // which it is at any time later
				masker.Add(redact.NewSecret(secret))
			}
			text := "login with " + secret + " refused"
			log.Info().Str("reason", text).Int("port", 1234).Strs("nodes", []string{"a", text}).Err(errors.New(text)).Msg(text)
			log.Info().Interface("unit", map[string]any{"below": []any{text, true, nil, 1.5}}).Send()
			library := zerologr.New(&log)
			library.Error(errors.New(text), text, "value", text)
			var all []map[string]any
			for line := range strings.Lines(out.String()) {
				var of map[string]any
				if err := json.Unmarshal([]byte(line), &of); err != nil {
					t.Fatalf("with %q known %t: %v:\n%s", secret, known, err, line)
				}
				for _, part := range texts(of) {
					if known && strings.Contains(part, strings.ToValidUTF8(secret, "\ufffd")) && part != of["level"] && part != of["time"] {
						t.Errorf("with %q there is %q:\n%s", secret, part, line)
					}
				}
				all = append(all, of)
			}
			return out.String(), all
		}
		said, _ := lines(true)
		if n := strings.Count(said, "login with "+redact.Mask+" refused"); n != 8 || strings.Contains(said, "canary") {
			t.Errorf("with %q it is masked %d times:\n%s", secret, n, said)
		}
		shown, _ := lines(false)
		if strings.Contains(shown, redact.Mask) || strings.Contains(secret, "canary") != strings.Contains(shown, "canary") {
			t.Errorf("what nobody knows is masked:\n%s", shown)
		}
		_, all := lines(true)
		if len(all) != 3 || all[0]["level"] != "info" || all[0]["port"] != 1234.0 || all[0]["time"] == nil || all[1]["unit"] == nil {
			t.Errorf("with %q the lines are %v", secret, all)
		}
	}
}

// texts are all within a value of JSON but keys.
func texts(value any) (all []string) {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		for _, element := range value {
			all = append(all, texts(element)...)
		}
	case map[string]any:
		for _, element := range value {
			all = append(all, texts(element)...)
		}
	}
	return all
}

// What is no line of JSON is masked as a text.
func TestLogOfOtherText(t *testing.T) {
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret("canary-word"))
	for text, want := range map[string]string{
		"":                            "",
		"is canary-word\n":            "is (sensitive)\n",
		`{"a":"canary-word`:           `{"a":"(sensitive)`,
		`{"a":"\x canary-word"} "b"`:  `{"a":"\x (sensitive)"} "b"`,
		`{"a":"b\`:                    `{"a":"b\`,
		`{"a":"canary\u002dword"} ok`: `{"a":"(sensitive)"} ok`,
	} {
		var out bytes.Buffer
		if n, err := (maskedLines{to: &out, masker: masker}).Write([]byte(text)); n != len(text) || err != nil || out.String() != want {
			t.Errorf("%s becomes %s, %d, %v", text, out.String(), n, err)
		}
	}
	broken := errors.New("no room")
	if n, err := (maskedLines{to: full{broken}, masker: masker}).Write([]byte("{}\n")); n != 0 || !errors.Is(err, broken) {
		t.Errorf("a write that fails gives %d, %v", n, err)
	}
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }
