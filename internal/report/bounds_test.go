package report

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// taken is how much memory is allocated by a call, garbage included.
func taken(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLastReportThatUnfolds: what anybody may have written to the branch takes up no more memory than a report of ours.
func TestLastReportThatUnfolds(t *testing.T) {
	const mib = 1 << 20
	many := func(before, each, after string) []byte {
		return []byte(before + strings.Repeat(each+",", 7*mib/(len(each)+1)) + each + after)
	}
	for name, text := range map[string][]byte{
		"units":             many(`{"units":[`, `{}`, `]}`),
		"units of nothing":  many(`{"units":[`, `null`, `]}`),
		"numbers as units":  many(`{"units":[`, `0`, `]}`),
		"remembered":        many(`{"remembered":[`, `{}`, `]}`),
		"commits":           many(`{"commits":[`, `{}`, `]}`),
		"nodes":             many(`{"nodes":[`, `{}`, `]}`),
		"healed":            many(`{"units":[{"healed":[`, `{}`, `]}]}`),
		"what was done":     many(`{"units":[{"did":[`, `""`, `]}]}`),
		"units within text": many(`{"x":"\"[","units":[`, `{}`, `]}`),
		"lists of lists":    []byte(`{"x":` + strings.Repeat("[", 7*mib)),
		"all the file":      []byte(`{"x":"` + strings.Repeat("x", 30*mib) + `"}`),
	} {
		t.Run(name, func(t *testing.T) {
			if n := taken(func() { readLast(text) }); n > 4*mib {
				t.Errorf("%d bytes of a report took %d of memory", len(text), n)
			}
		})
	}
}

// TestReadsALargeReport: the bounds are beyond what the largest reports of ours have.
func TestReadsALargeReport(t *testing.T) {
	var units []string
	for n := range 20_000 {
		units = append(units, fmt.Sprintf(`{"address":"project.p%d","phase":"ready","did":["update"],"needs":["cloud.one","project.two"],"healed":[{"path":"a","effect":"in-place"},{"path":"b"}]}`, n))
	}
	text := `{"applied":{"hash":"1"},"units":[` + strings.Join(units, ",") + `]}`
	if last := readLast([]byte(text)); last == nil || len(last.Units) != len(units) || len(last.Units[7].Healed) != 2 {
		t.Errorf("of %d bytes this is left: %v", len(text), last == nil)
	}
	for text, want := range map[string]int{
		`{}`: 0, `[]`: 1, `{"a":[1,2,{"b":1,"c":[3]}],"d":"[,"}`: 4, `["\",[",2]`: 2, `{"a":"\\","b":[1]}`: 1, `]],`: 0, `"`: 0, `"\`: 0,
	} {
		if n := elements([]byte(text)); n != want {
			t.Errorf("%s has %d elements, want %d", text, n, want)
		}
	}
}

// TestHistoryThatUnfolds: a line is asked for two texts, and for nothing that somebody may have put beside them.
func TestHistoryThatUnfolds(t *testing.T) {
	const mib = 1 << 20
	var phases strings.Builder
	for n := 0; phases.Len() < 2*mib; n++ {
		fmt.Fprintf(&phases, `"%x":1,`, n)
	}
	const hash = "0123456789abcdef0123456789abcdef01234567"
	line := `{"commit":"` + hash + `","result":"converged","phases":{` + phases.String() + `"x":1}}` + "\n"
	in := &Input{History: []byte(line), Now: time.Unix(1_700_000_000, 0)}
	var found []recordedLine
	if n := taken(func() { found = recordedLines(in, hash) }); n > mib || len(found) != 1 || found[0].Result != VerdictConverged {
		t.Errorf("%d lines took %d of memory", len(found), n)
	}
}

// TestHeadThatUnfolds: of a plan nothing is kept that is longer than what we write.
func TestHeadThatUnfolds(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	h := ReadPlanHead(fmt.Appendf(nil, `{"planned":{"ref":%q,"commit":%[1]q,"in_force":%[1]q,"at":%[1]q,"result":%[1]q,"summary":%[1]q}}`, long))
	for _, text := range []string{h.Ref, h.Commit, h.InForce, h.At, string(h.Result), h.Summary} {
		if len(text) != maxHeadText {
			t.Errorf("it keeps %d bytes", len(text))
		}
	}
}
