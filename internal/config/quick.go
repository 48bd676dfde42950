package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// quick tells whether a file is surely within the limits, for a fraction of what it takes to find
// all tokens with their places. It knows the plain part of the language, in which nearly everything
// is written, and gives up at anything else, such as heredocs, escapes and directives; then, and
// when a limit is exceeded, [guard] decides. So where it errs, it must err to no.
//
// Of such a file it returns places to cut it at, each behind a line that ends something at the top.
func quick(src []byte, limits Limits) (cuts []hcl.Pos, good bool) {
	q := quickly{guardian: guardian{limits: limits, stack: make([]level, 1, 16)}, src: src, line: 1}
	for q.at < len(src) {
		var good bool
		if q.top().open == hclsyntax.TokenOQuote {
			good = q.text()
		} else {
			good = q.code()
		}
		if !good {
			return nil, false
		}
	}
	q.cut()
	return q.cuts, len(q.stack) == 1
}

// quickly walks along one file.
type quickly struct {
	guardian
	src  []byte
	at   int
	line int // that at is in

	cuts   []hcl.Pos
	tokens int     // since the last of them
	end    hcl.Pos // the last place behind a line at the top; zero when there is none behind the last cut
	before int     // the tokens up to there
}

// newline takes the token that ends a line. At the top the file can be cut behind it.
func (q *quickly) newline(t hclsyntax.TokenType, length int) bool {
	if !q.token(t, length) {
		return false
	}
	q.line++
	if len(q.stack) == 1 {
		q.cut()
		q.end, q.before = hcl.Pos{Line: q.line, Column: 1, Byte: q.at}, q.tokens
	}
	return true
}

// cut cuts the file where something ended at the top before, when the piece would be too long with what
// came since.
func (q *quickly) cut() {
	if q.tokens > pieceTokens && q.end.Byte > 0 && q.end.Byte < len(q.src) {
		q.cuts = append(q.cuts, q.end)
		q.tokens -= q.before
		q.end, q.before = hcl.Pos{}, 0
	}
}

// peek is the byte that many places ahead; 0 at the end, which no file can hold.
func (q *quickly) peek(ahead int) byte {
	if q.at+ahead < len(q.src) {
		return q.src[q.at+ahead]
	}
	return 0
}

// token passes a token on and goes behind it. It reports whether the limits hold.
func (q *quickly) token(t hclsyntax.TokenType, length int) bool {
	token := hclsyntax.Token{Type: t, Bytes: q.src[q.at : q.at+length]}
	q.at += length
	q.tokens++
	return q.take(&token, nil) == nil && len(q.huge) == 0
}

// text goes to the end of a quoted text or to its next interpolation.
func (q *quickly) text() bool {
	q.tokens++ // what stands in it, if anything does
	for ; q.at < len(q.src); q.at++ {
		switch q.src[q.at] {
		case '"':
			return q.token(hclsyntax.TokenCQuote, 1)
		case '\\', '\n', '\r', '%':
			return false
		case '$':
			switch q.peek(1) {
			case '$':
				return false
			case '{':
				return q.peek(2) != '~' && q.token(hclsyntax.TokenTemplateInterp, 2)
			}
			if q.top().pieces += 2; q.top().pieces >= q.limits.Pieces { // itself, and what comes behind it
				return false
			}
		}
	}
	return false
}

// code takes what comes next outside of texts.
func (q *quickly) code() bool {
	c := q.src[q.at]
	switch {
	case c == ' ' || c == '\t':
		q.at++
		return true
	case c == '\n':
		return q.newline(hclsyntax.TokenNewline, 1)
	case c == '#':
		return q.comment()
	case letter(c):
		length := 1
		for letter(q.peek(length)) || digit(q.peek(length)) || q.peek(length) == '-' {
			length++
		}
		return q.token(hclsyntax.TokenIdent, length)
	case digit(c):
		return q.digits()
	default:
		return q.sign(c)
	}
}

func (q *quickly) comment() bool {
	length := 1
	for next := q.peek(length); next != 0 && next != '\n'; next = q.peek(length) {
		if next == '\r' {
			return false
		}
		length++
	}
	if q.peek(length) == '\n' {
		return q.newline(hclsyntax.TokenComment, length+1) // which it holds
	}
	return q.token(hclsyntax.TokenComment, length)
}

func (q *quickly) digits() bool {
	length := 1
	for digit(q.peek(length)) {
		length++
	}
	if q.peek(length) == '.' && digit(q.peek(length+1)) {
		for length++; digit(q.peek(length)); {
			length++
		}
	}
	if letter(q.peek(length)) || q.peek(length) >= 0x80 {
		return false // an exponent, or a mistake
	}
	return q.token(hclsyntax.TokenNumberLit, length)
}

// sign takes brackets and operators. A bracket that closes something else is a mistake.
func (q *quickly) sign(c byte) bool {
	next := q.peek(1)
	switch c {
	case '"':
		return q.token(hclsyntax.TokenOQuote, 1)
	case '{', '[', '(':
		return q.token(hclsyntax.TokenType(c), 1)
	case '}':
		if q.top().open == hclsyntax.TokenTemplateInterp {
			return q.token(hclsyntax.TokenTemplateSeqEnd, 1)
		}
		return q.closing(c)
	case ']', ')':
		return q.closing(c)
	case '=', '!', '<', '>':
		if c == '<' && next == '<' {
			return false // a heredoc
		}
		if next == '=' {
			return q.token(compared(c), 2)
		}
		if c == '=' && next == '>' {
			return q.token(hclsyntax.TokenFatArrow, 2)
		}
		return q.token(hclsyntax.TokenType(c), 1)
	case '/', '.', ':':
		if next == '/' || next == '*' || next == c {
			return false // a comment, the dots of a call, a function's namespace
		}
		return q.token(hclsyntax.TokenType(c), 1)
	case '+', '-', '*', '%', '?', ',':
		return q.token(hclsyntax.TokenType(c), 1)
	case '&':
		return next == c && q.token(hclsyntax.TokenAnd, 2)
	case '|':
		return next == c && q.token(hclsyntax.TokenOr, 2)
	default:
		return false
	}
}

func (q *quickly) closing(c byte) bool {
	return closes(q.top().open) == hclsyntax.TokenType(c) && q.token(hclsyntax.TokenType(c), 1)
}

// compared is the token of a sign that an equals sign follows.
func compared(c byte) hclsyntax.TokenType {
	switch c {
	case '=':
		return hclsyntax.TokenEqualOp
	case '!':
		return hclsyntax.TokenNotEqual
	case '<':
		return hclsyntax.TokenLessThanEq
	default:
		return hclsyntax.TokenGreaterThanEq
	}
}

func letter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }
