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
// The order of evaluation is found once for the configuration as it is written: a graph over values
// and blocks of every call of a module, whatever for_each makes of the call. Each step is then taken
// in all instances of its module, which look names up in their own tables. So an expression costs
// what it names, and what one instance does is independent of the others. Modules can be nested
// sixteen deep, have a thousand instances, and declare a hundred thousand things in all of them
// together; for_each and modules can make twenty thousand objects, ten thousand of one block, and
// depends_on two hundred thousand edges; expressions that name a module as a whole can take two
// hundred thousand values.
//
// Blocks that say what becomes of objects (moved, import, removed, suspended) are taken last, when it is known
// what stands at each address. Those of a module count once for each instance of it, at most a thousand
// of a kind; imports are at most twenty thousand.
//
// Settings of services come in layers: the cloud's own block, then the default profile, then a
// node's profile, each profile after those that it builds on. A profile that is reached several
// times counts once, where it is reached first. How values of two layers meet is [model.Merge]'s
// business; where each was written stays known.
//
// One cause leads to one diagnostic: what depends on something broken is passed over in
// silence, and a mistake in a module is told once, with the first instance that has it. The cost
// of evaluating is bounded by a budget.
//
// The package reads no files but those of the configuration's own tree, no environment, no clock
// and no random numbers, so the same revision always means the same.
package resolve

//go:generate go test -count=1 -run ^TestFunctionsPage$ . -update
