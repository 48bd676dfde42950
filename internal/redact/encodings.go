package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MinLength is the length in bytes from which a value is removed from texts, not counting white
// space at its ends.
const MinLength = 4

func tooShort(value string) bool { return len(strings.TrimSpace(value)) < MinLength }

// minLine is the length from which a line of a value with several lines is a secret of its own.
// Shorter ones, and the boundaries of PEM blocks, are the same in everybody's files.
const minLine = 16

// forms returns the texts as which a value can appear: the value first, then its encodings.
// Duplicates are possible. The result is empty for a value that is too short.
func forms(value string) []string {
	if tooShort(value) {
		return nil
	}
	forms := []string{value}
	if readable := string([]rune(value)); readable != value { // in a JSON text there is a sign for each byte that is no character
		forms = append(forms, readable)
	}
	// Readers of files often drop the newline at the end.
	if trimmed := strings.TrimSpace(value); trimmed != value {
		forms = append(forms, trimmed)
	}
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			line = strings.TrimSpace(line)
			if len(line) >= minLine && !strings.HasPrefix(line, "-----") {
				forms = append(forms, line)
			}
		}
	}
	for _, plain := range forms { // range evaluates the slice once: encodings are not encoded again
		forms = append(forms, escaped(plain)...)
		forms = append(forms, base64Forms(plain)...)
	}
	return forms
}

// escaped returns the value as it stands within quotes or URLs.
func escaped(value string) []string {
	var forms []string
	for _, url := range []string{
		url.QueryEscape(value),
		url.PathEscape(value),
		strings.TrimPrefix(url.UserPassword("", value).String(), ":"),
		strings.ReplaceAll(url.QueryEscape(value), "+", "%20"),
		strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), "%2F", "/"), // Python's quote
	} {
		forms = append(forms, url, lowerPercent(url))
	}
	quote := strconv.Quote(value)
	ascii := strconv.QuoteToASCII(value)
	forms = append(forms, quote[1:len(quote)-1], ascii[1:len(ascii)-1])
	for _, html := range []bool{true, false} {
		text := jsonEscape(value, html)
		forms = append(forms, text, asciiJSON(text), jsonEscape(text, false))
	}
	hcl := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "${", "$${", "%{", "%%{")
	shell := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`")
	return append(forms,
		hcl.Replace(value),
		shell.Replace(value),
		strings.ReplaceAll(value, `'`, `'\''`),
		strings.ReplaceAll(value, `'`, `'"'"'`), // Python's shlex.quote
		strings.ReplaceAll(value, `'`, `''`),    // YAML
	)
}

// lowerPercent writes the hexadecimal digits of %2F in lower case.
func lowerPercent(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

func jsonEscape(s string, html bool) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(html)
	if err := encoder.Encode(s); err != nil {
		return s // cannot happen: every string has a form in JSON
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
}

// asciiJSON writes what is not ASCII as \uXXXX, as Python does.
func asciiJSON(s string) string {
	quoted := []byte{}
	for _, r := range s {
		if r < utf8.RuneSelf {
			quoted = utf8.AppendRune(quoted, r)
			continue
		}
		if r > 0xFFFF { // in JSON a pair of surrogates
			r -= 0x10000
			quoted = appendHex(appendHex(quoted, 0xD800+(r>>10)), 0xDC00+(r&0x3FF))
			continue
		}
		quoted = appendHex(quoted, r)
	}
	return string(quoted)
}

func appendHex(b []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// base64Forms returns the value encoded alone, and what remains the same of it wherever it stands
// in a longer text that is encoded as a whole: there it begins at one of three places in a group of
// three bytes, and the characters that also carry bits of its neighbours vary.
func base64Forms(value string) []string {
	var forms []string
	for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		raw := alphabet.WithPadding(base64.NoPadding)
		forms = append(forms, alphabet.EncodeToString([]byte(value)), raw.EncodeToString([]byte(value)))
		for before := range 3 {
			text := raw.EncodeToString(append(make([]byte, before), value...))
			from := []int{0, 2, 3}[before]
			to := len(text)
			if (before+len(value))%3 != 0 {
				to--
			}
			forms = append(forms, text[from:to])
		}
	}
	return forms
}
