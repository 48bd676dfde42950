package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const tabWidth = 4

// cell is a character as it is shown, with all that combines with it, and the columns it takes.
type cell struct {
	text  string
	width int
}

// appendCells appends the characters of a part of a line that begins at a column, and returns the
// column after it. Characters that a terminal would act on are shown by their number.
func appendCells(cells []cell, s string, column int) ([]cell, int) {
	joined := false // after a joiner that makes one character of several
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		text := s[:size]
		s = s[size:]
		c := cell{text: text, width: runeWidth(r)}
		switch {
		case r == '\t':
			n := tabWidth - column%tabWidth
			c = cell{text: strings.Repeat(" ", n), width: n}
		case r == utf8.RuneError && size == 1:
			c = cell{text: "\uFFFD", width: 1}
		case combines(r) || joined:
			joined = r == zeroWidthJoiner
			if len(cells) > 0 {
				last := &cells[len(cells)-1]
				last.text += text
				if r == emojiPresentation && last.width == 1 {
					last.width, column = 2, column+1
				}
				continue
			}
			c = cell{text: text, width: 0}
		case !unicode.IsPrint(r): // also the spaces that look like a space and are none
			c = escapedCell(r)
		}
		cells = append(cells, c)
		column += c.width
	}
	return cells, column
}

const (
	zeroWidthJoiner   = '\u200d'
	emojiPresentation = '\ufe0f'
)

// combines reports whether r has no column of its own but changes the character before it.
func combines(r rune) bool {
	return r == zeroWidthJoiner || unicode.In(r, unicode.Mn, unicode.Me) || 0x1F3FB <= r && r <= 0x1F3FF
}

func runeWidth(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

func escapedCell(r rune) cell {
	text := fmt.Sprintf("<U+%04X>", r)
	return cell{text: text, width: len(text)}
}

// visible returns a text of which a terminal shows every character and acts on none: no escape
// sequences, and nothing that reverses the direction of what follows.
func visible(s string) string {
	if strings.IndexFunc(s, acts) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case acts(r):
			b.WriteString(escapedCell(r).text)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func acts(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && r != zeroWidthJoiner
}
