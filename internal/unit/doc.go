// Package unit holds the words that compose, plan, the engine, the drivers and the report share: a
// Unit is what is reconciled by itself, a State is what was seen of it, a Diff is what lies between.
//
// What comes in are decisions of compose; what goes out are values. The package does nothing: it
// reaches no cluster and no API, and knows neither HCL nor charts.
package unit
