// Package resolve evaluates a configuration: variables, locals, references, functions, the
// layers of profiles.
//
// In come a decoded configuration and the values of its variables. Out go a model, in which
// outputs of resources that nobody knows yet are unknown values, an [Evaluator], which computes
// the desired value of one resource again once outputs are known, and all mistakes that can be
// found without asking OpenStack.
//
// Evaluation has these two stages and one code path: [Evaluator.Desired] without outputs is what
// the model holds. What decides the shape of the whole (keys of for_each, settings of services,
// profiles, nodes) has to be known at the first stage.
//
// One cause leads to one diagnostic: what depends on something broken is passed over in
// silence. The cost of evaluating is bounded by a budget.
//
// The package reads no files, no environment, no clock and no random numbers, so the same
// configuration always means the same.
package resolve
