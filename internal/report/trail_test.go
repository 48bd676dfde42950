package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// trail is what status.json says of one thing.
type trail struct {
	Address  string `json:"address"`
	LastGood string `json:"last_good"`
	FirstBad string `json:"first_bad"`
}

type trails struct {
	Commits  []struct{ Hash, Subject string } `json:"commits"`
	Services []trail                          `json:"services"`
	Nodes    []trail                          `json:"nodes"`
	Units    []trail                          `json:"units"`
}

func trailsOf(t *testing.T, status []byte) (all trails, of func(list []trail, address string) trail) {
	t.Helper()
	valid(t, statusSchema(t), status)
	if err := json.Unmarshal(status, &all); err != nil {
		t.Fatal(err)
	}
	return all, func(list []trail, address string) trail {
		for _, one := range list {
			if one.Address == address {
				return one
			}
		}
		t.Fatalf("there is no %s in %+v", address, list)
		return trail{}
	}
}

func numbered(n int) report.Commit {
	return report.Commit{Hash: strings.Repeat(fmt.Sprint(n), 40), Subject: fmt.Sprint("commit ", n), Author: "Ada", Time: noon}
}

func hashOf(n int) string {
	if n == 0 {
		return ""
	}
	return numbered(n).Hash
}

// What a unit's commits are follows from one report to the next, whichever process makes it.
func TestLastGoodAndFirstBadCommit(t *testing.T) {
	const ready, failed, moving = engine.PhaseReady, engine.PhaseFailed, engine.PhaseProgressing
	type step struct {
		commit    int // 0: the process has only begun
		phase     engine.Phase
		undecided bool
		good, bad int // 0: none
	}
	tests := map[string][]step{
		"always ready":              {{commit: 1, phase: ready, good: 1}, {commit: 2, phase: ready, good: 2}},
		"never ready":               {{commit: 1, phase: failed, bad: 1}, {commit: 2, phase: failed, bad: 1}, {commit: 3, phase: ready, good: 3}},
		"broken by a commit":        {{commit: 1, phase: ready, good: 1}, {commit: 2, phase: failed, good: 1, bad: 2}, {commit: 3, phase: failed, good: 1, bad: 2}, {commit: 4, phase: ready, good: 4}},
		"broken from outside":       {{commit: 1, phase: ready, good: 1}, {commit: 1, phase: failed, good: 1, bad: 1}, {commit: 2, phase: failed, good: 1, bad: 1}, {commit: 2, phase: ready, good: 2}},
		"on its way":                {{commit: 1, phase: ready, good: 1}, {commit: 2, phase: moving, good: 1, bad: 2}, {commit: 2, phase: ready, good: 2}},
		"not looked at yet":         {{commit: 1, phase: ready, good: 1}, {commit: 2, phase: ready, undecided: true, good: 1}, {commit: 2, phase: failed, good: 1, bad: 2}},
		"not looked at, and broken": {{commit: 1, phase: failed, bad: 1}, {commit: 2, phase: ready, undecided: true, bad: 1}, {commit: 2, phase: ready, good: 2}},
		"cannot be observed":        {{commit: 1, phase: ready, good: 1}, {commit: 1, phase: failed, undecided: true, good: 1}, {commit: 1, phase: ready, good: 1}},
		"a process that begins":     {{commit: 1, phase: ready, good: 1}, {commit: 2, phase: failed, good: 1, bad: 2}, {}, {}, {commit: 3, phase: failed, good: 1, bad: 2}},
		"begins while all is well":  {{commit: 1, phase: ready, good: 1}, {}, {commit: 2, phase: failed, good: 1, bad: 2}},
		"no longer wanted":          {{commit: 1, phase: ready, good: 1}, {commit: 2, phase: engine.PhaseKept}, {commit: 3, phase: failed, bad: 3}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			var last []byte
			for i, s := range steps {
				in := under(cloud(), numbered(s.commit))
				if s.commit == 0 {
					in = report.Input{Version: "1.2.3", Head: good(), Now: noon, Last: last}
					last = statusOf(in)
					valid(t, statusSchema(t), last)
					continue
				}
				for _, address := range []string{"service.keystone", "node.two", "network.web"} {
					u := of(&in, address)
					u.Phase, u.Decided = s.phase, !s.undecided
				}
				in.Last = last
				last = statusOf(in)
				all, of := trailsOf(t, last)
				want := trail{"", hashOf(s.good), hashOf(s.bad)}
				brief := want
				if s.phase == ready && s.good == s.commit {
					brief.LastGood = "" // that goes without saying
				}
				for address, got := range map[string]trail{
					"service.keystone": of(all.Services, "service.keystone"), "node.two": of(all.Nodes, "node.two"),
				} {
					if want.Address = address; got != want {
						t.Errorf("step %d: %+v, want %+v", i+1, got, want)
					}
					if brief.Address = address; of(all.Units, address) != brief {
						t.Errorf("step %d: the unit is %+v, want %+v", i+1, of(all.Units, address), brief)
					}
				}
				if brief.Address = "network.web"; of(all.Units, brief.Address) != brief {
					t.Errorf("step %d: the resource is %+v, want %+v", i+1, of(all.Units, brief.Address), brief)
				}
				for _, n := range []int{s.good, s.bad} {
					if n == 0 || n == s.commit {
						continue
					}
					if !bytes.Contains(last, fmt.Appendf(nil, `"subject": "commit %d"`, n)) {
						t.Errorf("step %d: nothing is said of commit %d", i+1, n)
					}
				}
				if len(all.Commits) > 2 {
					t.Errorf("step %d: commits that nothing names: %+v", i+1, all.Commits)
				}
			}
		})
	}
}

// A page of what is well does not change with each commit.
func TestPagesNameNoCommitWhileAllIsWell(t *testing.T) {
	first, _ := report.Render(under(cloud(), numbered(1)))
	next := under(cloud(), numbered(2))
	next.Last = first[report.FileStatus]
	second, _ := report.Render(next)
	for file, text := range first {
		if strings.HasSuffix(file, ".md") && file != report.FileReadme && !bytes.Equal(text, second[file]) {
			t.Errorf("%s changed to\n%s", file, second[file])
		}
	}
	if page := string(first["services/keystone.md"]); !strings.Contains(page, "| Last good commit | the one in force |") {
		t.Errorf("the page of a service is\n%s", page)
	}
}

// Somebody else's file is shown as text, or not at all, and is bounded.
func TestTrailsOfAForgedReport(t *testing.T) {
	var units []string
	for i := range 3000 {
		units = append(units, fmt.Sprintf(`{"address":"network.n%d","last_good":"%040d"}`, i, i))
	}
	in := under(cloud(), numbered(2))
	keystone := of(&in, "service.keystone")
	keystone.Phase = engine.PhaseFailed
	in.Last = []byte(`{"commits":[{"hash":"<b>|x","subject":"a ` + "`" + `|<script>","time":"yesterday"}],` +
		`"units":[{"address":"service.keystone","last_good":"<b>|x","first_bad":"https://u:hunter25@h/"},` + strings.Join(units, ",") + `]}`)
	files, _ := report.Render(in)
	all, of := trailsOf(t, files[report.FileStatus])
	if got := of(all.Services, "service.keystone"); got.LastGood != "<b>|x" || strings.Contains(got.FirstBad, "hunter25") {
		t.Errorf("the service has %+v", got)
	}
	if len(all.Commits) != 1 {
		t.Errorf("the commits are %+v", all.Commits)
	}
	for _, bad := range []string{"<script>", "<b>"} {
		if page := string(files["services/keystone.md"]); strings.Contains(strings.ReplaceAll(page, "`<b>", ""), bad) {
			t.Errorf("the page has %s:\n%s", bad, page)
		}
	}
	if bytes.Contains(files[report.FileStatus], []byte("network.n2999")) {
		t.Error("trails stay of what there is no more")
	}
}
