// Package inventory knows what we own. An entry is written before anything is changed, so that a
// process can be killed at any point and the next one still knows of everything that may exist.
//
// Entries lie in a few shards of a store that offers optimistic locking; writes that are asked for
// at the same time share one request. The package decides nothing: which entries there are, and
// what becomes of them, is for plan and the engine.
package inventory
