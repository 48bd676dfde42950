package addr

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The words that begin an address or a reference and therefore cannot be the kind of a block.
const (
	wordModule = "module"
	wordData   = "data"
	wordVar    = "var"
	wordLocal  = "local"
	wordOutput = "output"
	wordEach   = "each"
)

// ValidName reports whether s is an identifier of HCL: a letter or _ first, then letters, digits,
// _ and -. Letters and digits are those of Unicode.
func ValidName(s string) bool {
	return s != "" && nameLength(s) == len(s)
}

// ValidKind reports whether s can be the kind of a block: a name that is none of the words which
// begin other addresses and references.
func ValidKind(s string) bool {
	return ValidName(s) && !reserved(s)
}

func reserved(s string) bool {
	switch s {
	case wordModule, wordData, wordVar, wordLocal, wordOutput, wordEach:
		return true
	}
	return false
}

// nameLength is the length of the name that s begins with, 0 if there is none.
func nameLength(s string) int {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if !startsName(r) && (i == 0 || !continuesName(r)) {
			return i
		}
		i += size
	}
	return len(s)
}

// startsName and continuesName are ID_Start and ID_Continue of Unicode's annex 31, as HCL has them,
// with _ at the beginning and - later on. Letters younger than Go's tables and the joiners that
// nobody sees, which HCL takes too, are refused.
func startsName(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_'
	}
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) && !unicode.Is(unicode.Pattern_Syntax, r)
}

func continuesName(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '-' || '0' <= r && r <= '9'
	}
	return unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) &&
		!unicode.Is(unicode.Pattern_Syntax, r)
}

// checkName returns an error that a person can act on when s is no name.
func checkName(what, s string) error {
	if ValidName(s) {
		return nil
	}
	return fmt.Errorf("%s %q is not an identifier: expected a letter or _, then letters, digits, _ and -", what, s)
}

// natural compares strings as people sort them: runs of digits by their number. Strings that
// differ only in leading zeros are told apart by their bytes, which keeps the order total.
func natural(a, b string) int {
	if a == b {
		return 0
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	for same > 0 && digits(a[same-1:]) > 0 { // back to where the number begins
		same--
	}
	x, y := a[same:], b[same:]
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		if m > 0 && n > 0 {
			if c := compareNumbers(x[:m], y[:n]); c != 0 {
				return c
			}
			x, y = x[m:], y[n:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	if c := cmp.Compare(len(x), len(y)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}
