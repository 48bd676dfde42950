// Package readme checks README.md against the code: its example is a configuration without
// mistakes, and the flags, exit codes, metrics, targets, folders and messages that it names exist.
// It needs no servers.
package readme
