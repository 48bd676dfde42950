//go:build race

package confine

// shadowed says that the race detector keeps a shadow of the memory, which the kernel would
// count as ours.
const shadowed = true
