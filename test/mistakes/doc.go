// Package mistakes holds the table of what people get wrong in a configuration: the kinds of mistakes
// by the places where they are made. Every cell is either a case below testdata, with what a person is
// told about it, or has a reason why there is none.
//
// A case is testdata/PLACE/KIND.txtar. Its comment says what somebody did; lines of it may be
//
//	alone             the usual block of the cloud is not added
//	path: DIRECTORY   as --path has it
//	var: NAME=VALUE   as --var has it
//	file: PATH        as --var-file has it
//	command: convert  the files are documents of YAML for convert
//	mistakes: N       how many errors are told, 1 unless written
//	warnings: N       how many warnings are told, none unless written
//	nowhere           what is told has no place in a file
//
// The file "want" in it is the golden text, which `go test -update` writes. The cases below
// testdata/together are outside of the table: they are about several mistakes at once, and about what
// follows from one.
//
// The tests call what `kupenstack-sync validate` and `kupenstack-sync convert` call, and hold every
// diagnostic to the same promises in text and JSON. README.md is the table for people.
package mistakes

//go:generate go test -count=1 -run ^TestTableIsWritten$ . -update
