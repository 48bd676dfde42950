//go:build race || !linux

package confine_test

const kernelHoldsMemory = false
