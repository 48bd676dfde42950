package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const ellipsis = "…"

// spare is how many times its limit a text may be long before white space is taken out of it.
const spare = 4

// line returns a text from elsewhere as one line that may be shown: no credentials in URLs, no
// control characters, at most so many characters.
func line(s string, limit int) string {
	if len(s) <= limit && clean(s) {
		return s
	}
	s = mask(strings.ToValidUTF8(s, "\uFFFD"))
	s = cut(s, spare*limit) // so that what is cut off anyway costs little
	return cut(strings.Join(strings.Fields(visible(s)), " "), limit)
}

// clean tells of most texts that need nothing done that this is so.
func clean(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && before == ' ' || c == '/' && before == '/' {
			return false
		}
		before = c
	}
	return before != ' ' || s == ""
}

// lines does the same for each of many texts.
func lines(texts []string, limit int) []string {
	var clean []string
	for _, s := range texts {
		clean = append(clean, line(s, limit))
	}
	return clean
}

// block returns a text of several lines that may be shown. It keeps how lines are indented.
func block(s string, limit int) string {
	parts := strings.Split(strings.TrimRight(mask(strings.ToValidUTF8(s, "\uFFFD")), "\r\n"), "\n")
	for i, part := range parts {
		parts[i] = strings.TrimRight(visible(strings.ReplaceAll(strings.TrimRight(part, "\r"), "\t", "    ")), " ")
	}
	return cut(strings.Join(parts, "\n"), limit)
}

// cut shortens a text to a number of characters. It comes after masking: half a secret is not
// recognised.
func cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n++; n >= limit {
			return strings.TrimRight(s[:i], " ") + ellipsis
		}
	}
	return s
}

// visible shows characters that a terminal or a browser would act on by their numbers; those that
// separate lines become spaces.
func visible(s string) string {
	acts := func(r rune) bool {
		if r < utf8.RuneSelf {
			return r < ' ' || r == 0x7f
		}
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	if strings.IndexFunc(s, acts) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029':
			b.WriteByte(' ')
		case acts(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var (
	// What stands before the host of a URL. A password may have an @ in it.
	userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s/?#"'<>]*)@`)
	// A password with a slash or the like in it: what follows the colon is no port.
	brokenUserinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s/?#@:\["'<>]*:[0-9]*[^\s0-9/?#"'<>][^\s"'<>]*)@`)
	// The same where the text was cut before the @, so that it may be what looks like a host; and where it was cut before that.
	cutUserinfo  = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s/?#@"'<>…]+)…`)
	cutBroken    = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s/?#@:\["'<>…]*:[0-9]*[^\s0-9/?#@"'<>…][^\s@"'<>…]*)…`)
	restUserinfo = regexp.MustCompile(`…[^\s"'<>…]+@`)
	// Parameters that carry access, as in the URLs that are signed in advance.
	parameter = regexp.MustCompile(`(?i)([?&;…][^\s=&;"'<>]*(?:token|password|passwd|secret|signature|credential|api_?key)[^\s=&;"'<>]*=)[^\s&#;"'<>]+`)
	// Names of settings whose values are not shown, even where nobody marked them.
	secretName = regexp.MustCompile(`(?i)(password|passwd|secret|token|private_key|credential|api_?key)$`)
)

// mask takes out what has the form of a credential in a URL.
func mask(s string) string {
	if strings.Contains(s, ellipsis) {
		s = restUserinfo.ReplaceAllString(s, ellipsis+unit.TextSensitive+"@")
		s = parameter.ReplaceAllString(s, "${1}"+unit.TextSensitive)
	}
	if !strings.Contains(s, "://") {
		return s
	}
	hide := func(match string) string {
		scheme, rest, _ := strings.Cut(match, "://")
		if strings.HasSuffix(strings.ToLower(scheme), "ssh") && !strings.ContainsRune(rest, ':') {
			return match // the name of an account, as in ssh://git@
		}
		return scheme + "://" + unit.TextSensitive + "@"
	}
	s = brokenUserinfo.ReplaceAllStringFunc(s, hide)
	s = userinfo.ReplaceAllStringFunc(s, hide)
	if strings.Contains(s, ellipsis) {
		s = cutBroken.ReplaceAllString(s, "${1}"+unit.TextSensitive+ellipsis)
		s = cutUserinfo.ReplaceAllString(s, "${1}"+unit.TextSensitive+ellipsis)
	}
	return parameter.ReplaceAllString(s, "${1}"+unit.TextSensitive)
}

// visibleValue cleans the texts of a value that [unit.Visible] returned.
func visibleValue(v any, limit int) any {
	switch v := v.(type) {
	case string:
		return block(v, limit)
	case []any:
		clean := make([]any, 0, len(v))
		for _, element := range v {
			clean = append(clean, visibleValue(element, limit))
		}
		return clean
	case map[string]any:
		clean := make(map[string]any, len(v))
		for key, element := range v {
			if _, text := element.(string); text && secretName.MatchString(key) {
				element = unit.TextSensitive
			}
			clean[line(key, limit)] = visibleValue(element, limit)
		}
		return clean
	default:
		return v
	}
}

// beginning returns a value without what would stand behind so many characters when it is written as
// indented JSON: what is cut off anyway costs nothing then, however large or deep it is.
func beginning(v any, limit int) any {
	left := limit
	var keep func(v any, depth int) any
	keep = func(v any, depth int) any {
		left -= 2*depth + 1 // its line has no less
		switch v := v.(type) {
		case []any:
			kept := make([]any, 0, min(len(v), max(1, left)))
			for i := 0; i < len(v) && left > 0; i++ {
				kept = append(kept, keep(v[i], depth+1))
			}
			return kept
		case map[string]any:
			kept := map[string]any{}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if left <= 0 {
					break
				}
				kept[key] = keep(v[key], depth+1)
			}
			return kept
		default:
			return v
		}
	}
	return keep(v, 0)
}
