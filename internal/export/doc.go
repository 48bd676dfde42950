// Package export writes the objects of a cloud as a configuration that manages them.
//
// In come objects as the driver lists them, of the kinds that are asked for and of those that they refer to. Out
// goes formatted HCL: a block for each object, with references in place of ids, and an import block, so that a
// plan adopts what is there and changes nothing. What is referred to and not exported is looked up by a data block,
// by its name where no other object has it, else by its id. Objects that bear a mark are managed by a
// configuration already and are left out, as are those that come and go with others.
//
// An object that lacks what its block has to have, such as an instance that runs from a volume and has no image, or has a value that
// the language does not take, or several that break a rule between them, is left out and counted: what is written was read as a
// configuration and is valid. Only what can be written and was seen is in a block; nothing that is sensitive is.
//
// The package reads and writes no files and asks no server.
package export
