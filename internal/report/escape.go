package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainCode is what can stand between backticks in a cell of a table as it is.
var plainCode = regexp.MustCompile(`^[\pL\pN ._/:,;=+@#%()\[\]{}"'*~^!?$-]+$`)

// ordered is the beginning of a numbered list.
var ordered = regexp.MustCompile(`^[0-9]{1,9}[.)]( |$)`)

// md returns a line of text so that Markdown shows it as it is, in a cell of a table, in a list or
// in a heading. Angle brackets and ampersands become entities, so that no renderer takes them for
// HTML, whatever it thinks of backslashes.
func md(s string) string {
	var b strings.Builder
	before := rune(0)
	for i, r := range s {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '$': // begins a formula
			b.WriteString("&#36;")
		case '\n', '\r':
			b.WriteByte(' ')
		case '\\', '`', '*', '[', ']', '|', '~', '{', '}':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '_': // within a word it means nothing
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if !word(before) || !word(after) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		case '#', '-', '+', '=': // these mean something at the beginning only
			if i == 0 {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		before = r
	}
	text := b.String()
	if ordered.MatchString(text) {
		end := strings.IndexAny(text, ".)")
		text = text[:end] + "\\" + text[end:]
	}
	return text
}

func word(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// code returns a name as code, or as escaped text when it has characters that end code.
func code(s string) string {
	if strings.TrimSpace(s) == s && plainCode.MatchString(s) {
		return "`" + s + "`"
	}
	return md(s)
}

// fence returns a text of several lines as a block of code that nothing in it can end.
func fence(language, text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	ticks := strings.Repeat("`", longest+1)
	return ticks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks + "\n"
}

// label returns a text as it stands between the quotes of a node's label in Mermaid. All that
// could mean something is written as Mermaid's own kind of entity.
func label(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf && !word(r) && !strings.ContainsRune(" ._/-", r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
