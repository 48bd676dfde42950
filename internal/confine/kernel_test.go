//go:build linux && !race

package confine_test

const kernelHoldsMemory = true
