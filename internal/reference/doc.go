// Package reference turns the definition of the language into what people and editors read: a page
// of Markdown for each block, and a JSON Schema. A page about all bounds is made by its test, which
// takes them from the code of the packages that set them.
//
// In comes a [schema.Definition]; nothing about single blocks or attributes is known here. Out go
// the texts of files, which are the same for the same definition. A test writes them below schema/
// and fails when what lies there is older than the definition.
//
// The package reads and writes no files and evaluates nothing.
package reference

//go:generate go test -count=1 -run ^TestGenerated$ . -update
