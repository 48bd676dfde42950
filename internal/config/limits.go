package config

import "github.com/hashicorp/hcl/v2"

// Limits bound what one configuration may be. Every excess is a diagnostic that names the limit.
type Limits struct {
	Files      int   // how many *.hcl files
	FileBytes  int64 // the size of one of them
	TotalBytes int64 // the size of all of them
	Blocks     int   // blocks, nested ones included, in all files
	Attributes int   // attributes in all files

	FileErrors int // mistakes of syntax that are told of one file
	Errors     int // mistakes that are told in all

	Nesting  int // brackets, templates and blocks inside each other; directories
	Unary    int // signs and ! in a row
	Operands int // operators, steps and indexes in one expression, brackets apart
	Digits   int // digits of a number, and its exponent
	Pieces   int // pieces of text in a row; every line of a template is one, and a $ or % begins one
}

// DefaultLimits are far above what people write. What is within them can be read, evaluated and
// formatted by a process with the limits on memory and time that package confine sets, unless it
// is made to cost more than what it says; a test holds them to that.
func DefaultLimits() Limits {
	return Limits{
		Files:      2000,
		FileBytes:  256 << 10,
		TotalBytes: 4 << 20,
		Blocks:     12_000,
		Attributes: 50_000,
		FileErrors: 20,
		Errors:     500,
		Nesting:    64,
		Unary:      8,
		Operands:   500,
		Digits:     100,
		Pieces:     8000,
	}
}

// excess says which limit a file breaks and where.
type excess struct {
	where hcl.Range
	what  string // "brackets and templates inside each other"
	limit int
}
