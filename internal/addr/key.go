package addr

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Key tells the objects of one block apart. The zero Key means that there is none.
type Key struct {
	value string
	set   bool // the empty string is a key, too
}

// StringKey returns the key for one element of a for_each. Bytes that are not UTF-8, which HCL
// cannot write, become U+FFFD.
func StringKey(s string) Key {
	return Key{value: strings.ToValidUTF8(s, "\uFFFD"), set: true}
}

// Value returns the key's string, and whether there is a key.
func (k Key) Value() (string, bool) { return k.value, k.set }

// String returns the key as an address has it, ["a"], and nothing for no key.
func (k Key) String() string {
	if !k.set {
		return ""
	}
	var b strings.Builder
	k.write(&b)
	return b.String()
}

// Compare puts no key first and orders the others by their value, numbers as numbers.
func (k Key) Compare(other Key) int {
	if k.set != other.set {
		return cmp.Compare(boolInt(k.set), boolInt(other.set))
	}
	return natural(k.value, other.value)
}

// contains reports whether k is other or stands for all keys.
func (k Key) contains(other Key) bool { return !k.set || k == other }

// write appends the key as a quoted template of HCL. What a terminal would not show as itself is
// written as an escape, so that two keys that look alike are alike.
func (k Key) write(b *strings.Builder) {
	if !k.set {
		return
	}
	b.WriteString(`["`)
	for i, r := range k.value {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '$', '%': // ${ and %{ begin a template; doubled, they are text
			b.WriteRune(r)
			if strings.HasPrefix(k.value[i+1:], "{") {
				b.WriteRune(r)
			}
		default:
			switch {
			case unicode.IsPrint(r):
				b.WriteRune(r)
			case r > 0xFFFF:
				fmt.Fprintf(b, `\U%08x`, r)
			default:
				fmt.Fprintf(b, `\u%04x`, r)
			}
		}
	}
	b.WriteString(`"]`)
}

// key reads a key that begins at the parser's position with [.
func (p *parser) key() (Key, error) {
	p.at++
	if !p.take(`"`) {
		return Key{}, p.expected(`a key in double quotes, such as ["a"]`)
	}
	// Most keys have nothing to decode and share the input's memory.
	if n := strings.IndexAny(p.in[p.at:], `"\$%`+"\n\r"); n >= 0 && p.in[p.at+n] == '"' && utf8.ValidString(p.in[p.at:p.at+n]) {
		value := p.in[p.at : p.at+n]
		p.at += n + 1
		return p.closeKey(value)
	}
	var b strings.Builder
	for {
		rest := p.rest()
		switch {
		case rest == "" || rest[0] == '\n' || rest[0] == '\r':
			return Key{}, p.expected(`the closing " of the key`)
		case rest[0] == '"':
			p.at++
			return p.closeKey(b.String())
		case rest[0] == '\\':
			r, size := unescape(rest)
			if size == 0 {
				return Key{}, p.expected(`one of the escapes \" \\ \n \r \t \uXXXX \UXXXXXXXX`)
			}
			b.WriteRune(r)
			p.at += size
		case strings.HasPrefix(rest, "$${"), strings.HasPrefix(rest, "%%{"):
			b.WriteString(rest[1:3])
			p.at += 3
		case strings.HasPrefix(rest, "${"), strings.HasPrefix(rest, "%{"):
			return Key{}, p.expected("plain text: a key is no template; write $${ or %%{ for the characters themselves")
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if r == utf8.RuneError && size == 1 {
				return Key{}, p.expected("text in UTF-8")
			}
			b.WriteString(rest[:size])
			p.at += size
		}
	}
}

func (p *parser) closeKey(value string) (Key, error) {
	if !p.take("]") {
		return Key{}, p.expected(`] after the key`)
	}
	return Key{value: value, set: true}, nil
}

// unescape decodes the escape that s begins with and returns its length, 0 if it is none.
func unescape(s string) (rune, int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case '"', '\\':
		return rune(s[1]), 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return unescapeHex(s, 6)
	case 'U':
		return unescapeHex(s, 10)
	}
	return 0, 0
}

func unescapeHex(s string, size int) (rune, int) {
	if len(s) < size {
		return 0, 0
	}
	var n uint64
	for _, c := range []byte(s[2:size]) {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 || c < '0' {
			return 0, 0
		}
		n = n<<4 | uint64(digit)
	}
	if n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), size
}
