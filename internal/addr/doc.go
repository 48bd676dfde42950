// Package addr names the things of a configuration.
//
// An [Address] is an immutable value: comparable with ==, usable as the key of a map, made of
// strings only. Its string form is what a person writes, and [Parse] reads it back:
//
//	service.keystone                     a block, or the one object it stands for
//	instance.web["a"]                    one object of a block with for_each
//	data.network.public                  a block that looks something up
//	module.edge["fra"].network.web       a block inside an instance of a module
//	module.edge                          a module: the call, with all its instances
//	var.x, local.x, output.x             a named value; module.edge.var.x inside a module
//
// There are three kinds of address. An [Object] is what units, inventory, plans and reports talk
// about. A [Module] is a place where objects stand, and a target that means all of them. A [Value]
// (variable, local, output) is never managed; it has an address because evaluation orders values
// and blocks in one graph, which needs comparable nodes, and because diagnostics name them. What
// else an expression can refer to (each.key, an attribute as in network.web.id, a module's output
// as in module.edge.id) exists only within an expression and belongs to the code that evaluates it.
//
// An address without a key stands for the block as a whole, so it contains the addresses with
// keys; see Contains. Keys are strings because for_each is the only repetition in the language.
//
// In: names and keys, or text. Out: addresses, their text, their order. The package never looks at
// a configuration: that an address is well formed says nothing about whether such a thing exists.
// It does not normalise Unicode: names and keys are compared byte by byte, in the form in which the
// configuration has them (HCL brings the strings that become keys into normal form C).
package addr
