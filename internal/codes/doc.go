// Package codes explains the codes of diagnostics: what each one means and what to do about it.
//
// It is the one list of all codes. A test reads the sources of the project and fails when a code is
// defined that the list does not have, or the list has one that is not defined any more. Out goes a
// page of Markdown, which is generated to schema/reference/diagnostics.md.
//
// The package imports none of the packages that find the mistakes, and reads no files.
package codes

//go:generate go test -count=1 -run ^TestPage$ . -update
