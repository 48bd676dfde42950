package unit

import (
	"regexp"
	"strconv"
	"strings"
)

var firstNumbers = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?`)

// Series is the first two numbers of a version, or the first one where there is no other: 4.2 of 4.2.1-alpine.
func Series(version string) string { return firstNumbers.FindString(version) }

// VersionStep is the way between two versions of a program that keeps data.
type VersionStep string

// The ways.
const (
	VersionStays VersionStep = "stays" // or goes up by no more than one major version, or is not known of one of the two
	VersionDown  VersionStep = "down"  // what the newer one wrote the older one may not read
	VersionSkips VersionStep = "skips" // a major version that would have to convert what there is
)

// VersionStepOf tells which way leads from a version to another, by their first two numbers as far as both have them.
func VersionStepOf(was, is string) VersionStep {
	before, after := numbersOf(was), numbersOf(is)
	for i := range min(len(before), len(after)) {
		switch step := after[i] - before[i]; {
		case step < 0:
			return VersionDown
		case step > 1 && i == 0:
			return VersionSkips
		case step > 0:
			return VersionStays
		}
	}
	return VersionStays
}

func numbersOf(version string) []int {
	var numbers []int
	for text := range strings.SplitSeq(Series(version), ".") {
		n, err := strconv.Atoi(text)
		if err != nil {
			break
		}
		numbers = append(numbers, n)
	}
	return numbers
}
