// Package plan decides what has to change: units, states and the inventory go in, changes with
// their reasons and costs come out, and so does what must not happen.
//
// It is pure. The engine uses the same [Decide] for one unit at a time that [Make] uses for all,
// so a plan and what is done differ only where the world moved in between.
//
// Who a unit is (its uid, its marks, the id to import) is decided in [Identity] alone. [Relocate] makes
// the moves of a configuration before anything else is decided.
package plan
