package crash

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Diff compares two worlds. It returns one line for each fact that differs, sorted by name;
// none when the worlds are equal.
func Diff(want, got map[string]string) []string {
	names := maps.Clone(want)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, got)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		wanted, expected := want[name]
		value, found := got[name]
		switch {
		case !found:
			lines = append(lines, fmt.Sprintf("%s is missing, want %q", name, wanted))
		case !expected:
			lines = append(lines, fmt.Sprintf("%s is %q, want it not to be there", name, value))
		case value != wanted:
			lines = append(lines, fmt.Sprintf("%s is %q, want %q", name, value, wanted))
		}
	}
	return lines
}

// difference is Diff as an error.
func difference(want, got map[string]string) error {
	if lines := Diff(want, got); len(lines) > 0 {
		return errors.New("the world differs from the undisturbed one:\n\t" + strings.Join(lines, "\n\t"))
	}
	return nil
}
