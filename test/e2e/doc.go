// Package e2e runs the built commands against real servers: pushes, what they lead to, what heals,
// what a kill in the middle leaves behind, and what is gone in the end. It asserts on the APIs and
// on the status branch, never on what the commands think.
package e2e
