// Package schema is the single source of truth of the configuration language: which blocks
// there are, which attributes each of them has, and everything that is true of an
// attribute wherever it is written.
//
// Nothing comes in; typed data goes out. Decoding, validation, plans, the reference and the
// editors' schema read it and hold no knowledge of single attributes of their own. A new
// kind of resource is one [Block] here and one driver elsewhere.
//
// The package parses nothing, evaluates nothing and knows neither HCL nor OpenStack's
// clients. A [Definition] is never changed after [New], so it may be shared freely: each command makes one at its top
// and hands it down to all that reads, plans, deploys and explains, so that none of that knows another language.
package schema
