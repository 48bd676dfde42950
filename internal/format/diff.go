package format

import (
	"fmt"
	"strings"
)

// around is how many lines are shown on either side of a change.
const around = 3

// Diff returns what formatting changes in the file as a unified diff, which patch -p1 and git apply
// take. The layout never adds or takes away a line, so the lines of both texts belong together by
// their numbers.
func (f *File) Diff() string {
	before, after := lines(f.Before), lines(f.After)
	name := strings.TrimPrefix(f.Name, "/")
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", name, name)
	for _, h := range hunks(before, after) {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.from+1, h.to-h.from, h.from+1, h.to-h.from)
		for i := h.from; i < h.to; {
			if before[i] == after[i] {
				write(&b, ' ', before[i])
				i++
				continue
			}
			first := i
			for i < h.to && before[i] != after[i] {
				i++
			}
			for _, line := range before[first:i] {
				write(&b, '-', line)
			}
			for _, line := range after[first:i] {
				write(&b, '+', line)
			}
		}
	}
	return b.String()
}

// hunk is a part of the lines with changes that are near each other.
type hunk struct{ from, to int }

func hunks(before, after []string) []hunk {
	var found []hunk
	for i := range min(len(before), len(after)) {
		if before[i] == after[i] {
			continue
		}
		from, to := max(0, i-around), min(len(before), i+1+around)
		if n := len(found); n > 0 && from <= found[n-1].to {
			found[n-1].to = to
		} else {
			found = append(found, hunk{from, to})
		}
	}
	return found
}

// lines returns the lines of a text with their breaks.
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	split := strings.SplitAfter(string(text), "\n")
	if last := len(split) - 1; split[last] == "" {
		split = split[:last]
	}
	return split
}

func write(b *strings.Builder, sign byte, line string) {
	b.WriteByte(sign)
	b.WriteString(line)
	if !strings.HasSuffix(line, "\n") {
		b.WriteString("\n\\ No newline at end of file\n")
	}
}
