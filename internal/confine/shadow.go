//go:build !race

package confine

const shadowed = false
