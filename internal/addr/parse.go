package addr

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ParseError says where a text stops being an address.
type ParseError struct {
	Input    string
	Offset   int    // in bytes, from 0
	Expected string // what would have been right there
}

// Error names the place, what was expected there and what was found.
func (e *ParseError) Error() string {
	found := "the end"
	if e.Offset < len(e.Input) {
		_, size := utf8.DecodeRuneInString(e.Input[e.Offset:])
		found = fmt.Sprintf("%q", e.Input[e.Offset:e.Offset+size])
	}
	return fmt.Sprintf("invalid address %q: at byte %d: expected %s, found %s",
		shorten(e.Input, e.Offset), e.Offset, e.Expected, found)
}

// shorten keeps a message readable when somebody passes a whole file.
func shorten(s string, offset int) string {
	const around = 60
	from, to := max(0, offset-around), min(len(s), offset+around)
	text := s[from:to]
	if from > 0 {
		text = "…" + text
	}
	if to < len(s) {
		text += "…"
	}
	return text
}

// Parse reads an address of any kind. Errors are of type [*ParseError]. What Parse accepts, and
// its String method returns, is the canonical form: parsing that again changes nothing.
func Parse(s string) (Address, error) {
	p := parser{in: s}
	return p.address()
}

// ParseModule reads the address of a module; the empty string is the root.
func ParseModule(s string) (Module, error) {
	if s == "" {
		return Module{}, nil
	}
	return parseAs[Module](s, "a module, such as module.edge")
}

// ParseObject reads the address of a block or an object.
func ParseObject(s string) (Object, error) {
	return parseAs[Object](s, "a block or an object, such as network.web")
}

// ParseValue reads the address of a variable, a local or an output.
func ParseValue(s string) (Value, error) {
	return parseAs[Value](s, "a value, such as var.region")
}

// MustParseObject is [ParseObject] for addresses that are written in Go; it panics on an error.
func MustParseObject(s string) Object {
	o, err := ParseObject(s)
	if err != nil {
		panic(err)
	}
	return o
}

func parseAs[A Address](s, expected string) (A, error) {
	var none A
	a, err := Parse(s)
	if err != nil {
		return none, err
	}
	typed, ok := a.(A)
	if ok {
		return typed, nil
	}
	wrong := &ParseError{Input: s, Expected: expected}
	if _, module := a.(Module); module {
		wrong.Offset = len(s) // right so far, but it ends too early
	}
	return none, wrong
}

// parser reads one address from left to right; it needs no recursion, however deep modules nest.
type parser struct {
	in string
	at int
}

func (p *parser) rest() string { return p.in[p.at:] }

// take moves over text when it comes next.
func (p *parser) take(text string) bool {
	if !strings.HasPrefix(p.rest(), text) {
		return false
	}
	p.at += len(text)
	return true
}

func (p *parser) expected(what string) error {
	return &ParseError{Input: p.in, Offset: p.at, Expected: what}
}

func (p *parser) address() (Address, error) {
	var path strings.Builder // canonical, whatever escapes the input has
	for {
		start := p.at
		word, err := p.name("a kind, as in network.web, or module, data, var, local or output")
		if err != nil {
			return nil, err
		}
		switch word {
		case wordModule:
			if err := p.dot(); err != nil {
				return nil, err
			}
			step, err := p.step()
			if err != nil {
				return nil, err
			}
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			path.WriteString(wordModule + ".")
			path.WriteString(step.Name)
			step.Key.write(&path)
			if p.rest() == "" {
				return Module{path: path.String()}, nil
			}
			if !p.take(".") {
				return nil, p.expected(`"." or the end of the address`)
			}
		case wordVar, wordLocal, wordOutput:
			return p.value(Module{path: path.String()}, word)
		case wordData:
			if err := p.dot(); err != nil {
				return nil, err
			}
			start = p.at
			kind, err := p.name("the kind of the data block, as in data.network.public")
			if err != nil {
				return nil, err
			}
			return p.object(Module{path: path.String()}, Data, kind, start)
		default:
			return p.object(Module{path: path.String()}, Managed, word, start)
		}
	}
}

func (p *parser) value(m Module, word string) (Address, error) {
	if err := p.dot(); err != nil {
		return nil, err
	}
	name, err := p.name("the name of the value")
	if err != nil {
		return nil, err
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	kind := Variable
	switch word {
	case wordLocal:
		kind = Local
	case wordOutput:
		kind = Output
	}
	return Value{module: m, kind: kind, name: name}, nil
}

// object reads what follows the kind, which began at start.
func (p *parser) object(m Module, mode Mode, kind string, start int) (Address, error) {
	if reserved(kind) {
		p.at = start
		return nil, p.expected(fmt.Sprintf("the kind of a block, which %q cannot be", kind))
	}
	if err := p.dot(); err != nil {
		return nil, err
	}
	name, err := p.name("the name of the block")
	if err != nil {
		return nil, err
	}
	o := Object{module: m, mode: mode, kind: kind, name: name}
	if strings.HasPrefix(p.rest(), "[") {
		if o.key, err = p.key(); err != nil {
			return nil, err
		}
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	return o, nil
}

// step reads the name and key that follow "module.".
func (p *parser) step() (Step, error) {
	name, err := p.name("the name of the module")
	if err != nil {
		return Step{}, err
	}
	step := Step{Name: name}
	if strings.HasPrefix(p.rest(), "[") {
		if step.Key, err = p.key(); err != nil {
			return Step{}, err
		}
	}
	return step, nil
}

func (p *parser) name(what string) (string, error) {
	n := nameLength(p.rest())
	if n == 0 {
		return "", p.expected(what)
	}
	name := p.in[p.at : p.at+n]
	p.at += n
	return name, nil
}

func (p *parser) dot() error {
	if !p.take(".") {
		return p.expected(`"." and a name`)
	}
	return nil
}

func (p *parser) end() error {
	if p.rest() != "" {
		return p.expected("the end of the address (an attribute is not part of it)")
	}
	return nil
}
