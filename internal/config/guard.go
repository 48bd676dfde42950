package config

import (
	"bytes"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// guard looks at the tokens of a file before anything parses it, and returns where it goes
// beyond the limits. The parser and the evaluator descend into what is nested by calling
// themselves, so a small file of parentheses could overflow the stack, which Go cannot
// survive. What the guard lets through costs both of them a bounded depth.
//
// The second result is what the lexer itself has against the file. It comes back from the parser,
// unless there is so much of it that parsing is not worth it.
func guard(src []byte, filename string, limits Limits) (*excess, hcl.Diagnostics) {
	tokens, diags := hclsyntax.LexConfig(src, filename, hcl.InitialPos) // a loop, whatever comes
	return guardTokens(tokens, limits), diags
}

func guardTokens(tokens hclsyntax.Tokens, limits Limits) *excess {
	g := newGuardian(limits)
	if found := g.run(tokens); found != nil {
		return found
	}
	if len(g.huge) > 0 {
		return &excess{g.huge[0], ofNumbers, limits.Digits}
	}
	return nil
}

func newGuardian(limits Limits) *guardian {
	return &guardian{limits: limits, stack: make([]level, 1, 16)}
}

// run returns the first excess but for those of numbers, which it gathers.
func (g *guardian) run(tokens hclsyntax.Tokens) *excess {
	for i := range tokens {
		if found := g.take(&tokens[i], next(tokens, i)); found != nil {
			return found
		}
	}
	return nil
}

// guardian counts along the tokens of one file.
type guardian struct {
	limits Limits
	stack  []level     // the open brackets and templates, the file itself first
	unary  int         // signs in a row up to here
	huge   []hcl.Range // numbers that are too long
}

// level is one open bracket, template or block.
type level struct {
	open hclsyntax.TokenType
	// operands counts what makes one expression deep without a bracket: the parser and the
	// evaluator descend into a ? b : c ? d : e, a + b + c and a.b[c].d.
	operands int
	// pieces counts the pieces of text in a row, which the parser joins one by one, so that what it
	// costs grows with their square.
	pieces int
	// directives is how many %{ if and %{ for } are open in a template.
	directives int
}

func next(tokens hclsyntax.Tokens, i int) *hclsyntax.Token {
	if i+1 < len(tokens) {
		return &tokens[i+1]
	}
	return nil
}

func (g *guardian) take(t, following *hclsyntax.Token) *excess {
	if t.Type == hclsyntax.TokenMinus || t.Type == hclsyntax.TokenBang {
		if g.unary++; g.unary > g.limits.Unary {
			return &excess{t.Range, "signs in a row", g.limits.Unary}
		}
	} else if t.Type != hclsyntax.TokenNewline && t.Type != hclsyntax.TokenComment {
		g.unary = 0
	}
	switch t.Type {
	case hclsyntax.TokenOBrack:
		g.top().operands++ // it may be an index
		return g.push(t)
	case hclsyntax.TokenOBrace, hclsyntax.TokenOParen, hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp:
		return g.push(t)
	case hclsyntax.TokenTemplateControl:
		if found := g.direct(t, following); found != nil {
			return found
		}
		return g.push(t)
	case hclsyntax.TokenCBrack, hclsyntax.TokenCBrace, hclsyntax.TokenCParen, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
		g.pop(t)
	case hclsyntax.TokenComma:
		g.top().operands = 0
	case hclsyntax.TokenNewline:
		g.line()
	case hclsyntax.TokenComment:
		if bytes.HasSuffix(t.Bytes, []byte("\n")) { // a comment to the end of the line holds the newline
			g.line()
		}
	case hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit:
		if g.top().pieces++; g.top().pieces > g.limits.Pieces {
			return &excess{t.Range, ofPieces, g.limits.Pieces}
		}
	case hclsyntax.TokenNumberLit:
		if g.tooLong(t.Bytes) {
			g.huge = append(g.huge, t.Range)
		}
	default:
		if deepens(t.Type) {
			if g.top().operands++; g.top().operands > g.limits.Operands {
				return &excess{t.Range, "operators and steps in one expression", g.limits.Operands}
			}
		}
	}
	return nil
}

// line takes a newline, which ends an expression in a body or an object, and nowhere else.
func (g *guardian) line() {
	if open := g.top().open; open == 0 || open == hclsyntax.TokenOBrace {
		g.top().operands = 0
	}
}

// ofNumbers is what there are too many of in a number that is too long.
const ofNumbers = "digits in a number"

// ofPieces is what there are too many of in a text that is cut into too many pieces.
const ofPieces = "pieces of text in a row, where every line is one and a $ or % begins one"

// tooLong tells of a number what would become millions of digits as soon as somebody prints it.
func (g *guardian) tooLong(digits []byte) bool {
	if e := bytes.IndexAny(digits, "eE"); e >= 0 {
		exponent, err := strconv.Atoi(string(digits[e+1:]))
		if err != nil || max(exponent, -exponent) > g.limits.Digits {
			return true
		}
	}
	return len(digits) > g.limits.Digits
}

func (g *guardian) top() *level { return &g.stack[len(g.stack)-1] }

func (g *guardian) push(t *hclsyntax.Token) *excess {
	g.top().pieces = 0
	g.stack = append(g.stack, level{open: t.Type})
	depth := len(g.stack) - 1
	for i := range g.stack {
		depth += g.stack[i].directives
	}
	if depth > g.limits.Nesting {
		return &excess{t.Range, "blocks, brackets and templates inside each other", g.limits.Nesting}
	}
	if operands := g.stack[len(g.stack)-2].operands; operands > g.limits.Operands {
		return &excess{t.Range, "operators and steps in one expression", g.limits.Operands}
	}
	return nil
}

// pop closes the innermost level. Brackets that do not match are an error to the parser; here a
// closing one too many must not reach below the file itself, and one of another kind must not
// hide the depth that the parser will see, so it closes nothing.
func (g *guardian) pop(t *hclsyntax.Token) {
	if len(g.stack) > 1 && closes(g.top().open) == t.Type {
		g.stack = g.stack[:len(g.stack)-1]
	}
}

// direct counts the directives of the template that a %{ stands in.
func (g *guardian) direct(t, following *hclsyntax.Token) *excess {
	if following == nil || following.Type != hclsyntax.TokenIdent {
		return nil
	}
	switch string(following.Bytes) {
	case "if", "for":
		g.top().directives++
	case "endif", "endfor":
		g.top().directives = max(0, g.top().directives-1)
	}
	if g.top().directives > g.limits.Nesting {
		return &excess{t.Range, "template directives inside each other", g.limits.Nesting}
	}
	return nil
}

func closes(open hclsyntax.TokenType) hclsyntax.TokenType {
	switch open {
	case hclsyntax.TokenOBrace:
		return hclsyntax.TokenCBrace
	case hclsyntax.TokenOBrack:
		return hclsyntax.TokenCBrack
	case hclsyntax.TokenOParen:
		return hclsyntax.TokenCParen
	case hclsyntax.TokenOQuote:
		return hclsyntax.TokenCQuote
	case hclsyntax.TokenOHeredoc:
		return hclsyntax.TokenCHeredoc
	case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		return hclsyntax.TokenTemplateSeqEnd
	default:
		return hclsyntax.TokenNil
	}
}

// deepens tells whether a token can make an expression deeper without a bracket.
func deepens(t hclsyntax.TokenType) bool {
	switch t {
	case hclsyntax.TokenStar, hclsyntax.TokenSlash, hclsyntax.TokenPlus, hclsyntax.TokenMinus, hclsyntax.TokenPercent,
		hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual, hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq,
		hclsyntax.TokenGreaterThan, hclsyntax.TokenGreaterThanEq, hclsyntax.TokenAnd, hclsyntax.TokenOr, hclsyntax.TokenBang,
		hclsyntax.TokenDot, hclsyntax.TokenQuestion, hclsyntax.TokenColon, hclsyntax.TokenDoubleColon:
		return true
	default:
		return false
	}
}
