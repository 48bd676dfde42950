// Package diag makes findings about a configuration, and about what is done with it, values: a
// [Diagnostic] says what is wrong, where, and what to do. [Diagnostics] is a list of them that
// travels as an error; errors.As finds it again.
//
// A [Printer] renders them for people, with the lines of the source they are about:
//
//	error[config.unknown-attribute]: unknown attribute "replica"
//	  --> clouds/prod/main.hcl:12:5
//	    |
//	  9 | service "keystone" {
//	    : ...
//	 12 |   replica = 3
//	    |   ^^^^^^^
//	    = in service.keystone
//	    = a service has no attribute of that name
//	    = hint: did you mean "replicas"?
//
// For programs a diagnostic is a JSON object. Its field names are stable: severity ("error" or
// "warning"), code, summary, and where they are known detail, hint, subject, context, address,
// hide_source and hide_after. subject and context are objects of file, start and end; start and end are objects of
// line and column, counted from 1, and byte, counted from 0. address is a string in the form of
// package addr. The list is an array. Both directions work, so diagnostics can cross a process.
//
// A [Sourced] list also has the lines that its findings are about: snippet, which is missing where
// there is nothing to show or the lines may hold a secret, is an object of context (the line that the
// context begins with, such as a block's header, or null), code (the line that the subject begins
// in), start_line (its number), highlight_start_offset and highlight_end_offset (the part of code
// that is the subject, in bytes). These are Terraform's names and meanings, with one difference: code
// is always a single line. Of a line of thousands of bytes it has what is near the subject.
//
// In: facts from the packages that find them, and on rendering a function that returns the contents
// of files. Out: text, JSON, errors. The package reads no files, knows neither HCL nor any code that
// others define, and never prints the value of a variable. What it prints of sources and of other
// texts has its control characters made visible, since both can come from strangers.
package diag
