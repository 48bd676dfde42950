// Package schema is the single source of truth of the configuration language: which blocks
// there are, which attributes each of them has, and everything that is true of an
// attribute wherever it is written.
//
// Nothing comes in; typed data goes out. Decoding, validation, plans, the reference and the
// editors' schema read it and hold no knowledge of single attributes of their own.
//
// The package parses nothing, evaluates nothing and knows neither HCL nor OpenStack's
// clients. A [Definition] is never changed after [New], so it may be shared freely: each command makes one at its top
// and hands it down to all that reads, plans, deploys and explains, so that none of that knows another language.
//
// # Adding a kind of resource
//
// A kind inside OpenStack is one [Block], which one of the lists that [New] puts together has to name, and one file of the
// driver, whose documentation says what that has. The block alone says what everything but the driver has to know:
//
//   - how it is written: Labels, Attributes, Blocks, Rules, NeedsOne; what refers to what, by Reference, which also puts
//     things in order; examples, from which the reference is made and tested.
//   - which service keeps the objects (API), so that they wait for it where the cloud deploys it, and it stays as long as they
//     are on record; what they take of the quota of their project (Quota), and which limits there are of it because of them (Keeps).
//   - what a change means: Change and Cost of each attribute, Loses, Unique, OneName, Sole.
//   - how an object is found again: Unmarked, ChosenID, and Lookup of each attribute; what of it is on record as ours:
//     Connects, Joins, Repeats, and Keys or Spells of a block in it.
//   - how it is exported: Wish, Belongs. What is made of a file has Content.
//
// TestBedKindToCome and TestBedKindToComeOfCinder, of the driver, lead kinds that are not listed from their blocks through everything:
// they are validated, planned, made, changed, replaced, explained, exported and taken over on real services, with no other source
// changed. Where a source has to name a kind all the same, TestKindsAreNamedAtHome lists it with the reason.
package schema
