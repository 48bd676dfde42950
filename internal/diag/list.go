package diag

import (
	"fmt"
	"slices"
)

// Diagnostics is a list of findings. A function that can find several returns this type; where it
// has to pass as an error, use [Diagnostics.Err], and errors.As to get it back.
type Diagnostics []Diagnostic

// Append adds findings at the end. One list can be appended to another with Append(list...).
func (ds *Diagnostics) Append(more ...Diagnostic) { *ds = append(*ds, more...) }

// HasErrors reports whether any of them is an error.
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == Error })
}

// Err returns the list, warnings included, when it has errors, and nil otherwise. It is how a list
// becomes an error: a conversion would make a non-nil error of an empty list.
func (ds Diagnostics) Err() error {
	if !ds.HasErrors() {
		return nil
	}
	return ds
}

// Error returns the first error and how many there are beside it, in one line.
func (ds Diagnostics) Error() string {
	errors, first := 0, -1
	for i, d := range ds {
		if d.Severity != Error {
			continue
		}
		if errors++; first < 0 {
			first = i
		}
	}
	switch errors {
	case 0:
		return fmt.Sprintf("no errors, %s", count(len(ds), "warning"))
	case 1:
		return ds[first].Error()
	default:
		return fmt.Sprintf("%s (and %s)", ds[first].Error(), count(errors-1, "more error"))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Sorted returns a list with the same findings ordered by file, place and code, each once. Those
// without a place come first. The order depends on the findings alone, so equal findings give equal
// reports however they were found.
func (ds Diagnostics) Sorted() Diagnostics {
	sorted := slices.Clone(ds)
	slices.SortFunc(sorted, Diagnostic.compare)
	return slices.CompactFunc(sorted, func(a, b Diagnostic) bool {
		a.HideSource, b.HideSource, a.HideAfter, b.HideAfter = false, false, false, false // the same finding; the one that hides comes first
		return a.compare(b) == 0
	})
}
