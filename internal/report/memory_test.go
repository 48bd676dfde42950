package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A process that takes over has done nothing yet, and yet has nothing new to report.
func TestAnotherProcessTellsNothingNew(t *testing.T) {
	in := degraded()
	healed := []unit.Field{{Path: "data.nova.conf", Before: "a|b", After: "c"}}
	of(&in, "service.keystone").Did, of(&in, "service.keystone").Healed = []unit.Action{unit.ActionCreate, unit.ActionUpdate}, healed
	first, _ := report.Render(in)
	for _, test := range []struct {
		name   string
		change func(*report.Input)
		same   bool
	}{
		{"the same commit", func(*report.Input) {}, true},
		{"another commit", func(in *report.Input) { in.Applied.Hash = strings.Repeat("9", 40) }, false},
		{"no report", func(in *report.Input) { in.Last = nil }, false},
		{"somebody else's file", func(in *report.Input) { in.Last = []byte("{\"units\": 7") }, false},
		{"an action that is none", func(in *report.Input) {
			in.Last = bytes.ReplaceAll(in.Last, []byte(`"create"`), []byte(`"<script>"`))
		}, false},
		{"more was done since", func(in *report.Input) { of(in, "service.keystone").Did = []unit.Action{unit.ActionRestart} }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			later := degraded()
			later.Last, later.History = first[report.FileStatus], first[report.HistoryFile(noon)]
			of(&later, "service.keystone").Did, of(&later, "service.keystone").Healed = nil, nil
			test.change(&later)
			second, _ := report.Render(later)
			if same := bytes.Equal(first[report.FileStatus], second[report.FileStatus]); same != test.same {
				t.Errorf("the same: %t\n%s", same, second[report.FileStatus])
			}
			for name, text := range second {
				if bytes.Contains(text, []byte("<script>")) {
					t.Errorf("%s shows what is no action", name)
				}
			}
		})
	}
}
