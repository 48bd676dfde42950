//go:build beds

package demo_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// clock writes a duration as minutes and seconds.
func clock(d time.Duration) string {
	d = d.Round(time.Second)
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// follow tells what goes on until the cloud is what the newest commit says: how many are ready from
// the metrics, who it is from the status branch, which is written at most every half minute unless
// the verdict changes.
func (s *story) follow(t *testing.T, began time.Time) world.Status {
	t.Helper()
	verdict, told := "", tally{}
	world.Await(t, converges, func() (bool, string) {
		now := time.Since(began)
		if counts := s.counts(t); counts != told.text && now-told.at >= 2*time.Second {
			told = tally{counts, now}
			say("  %s  %s", clock(now), counts)
		}
		status, ok := s.ReadStatus(t)
		if !ok || status.Applied.Hash != s.commit {
			return false, "no report of " + s.commit
		}
		if names := beyond(ready(s.last, "service"), ready(status, "service")); len(names) > 0 {
			say("  %s  ready: %s", clock(now), strings.Join(names, ", "))
		}
		s.last = status
		if status.Verdict != verdict {
			say("  %s  the status branch says: %s", clock(now), status.Verdict)
			verdict = status.Verdict
		}
		return verdict == "converged", verdict + ", " + told.text
	})
	return s.last
}

// await waits in silence for a verdict about the commit in force.
func (s *story) await(t *testing.T, verdict string) world.Status {
	t.Helper()
	world.Await(t, reacts, func() (bool, string) {
		status, ok := s.ReadStatus(t)
		s.last = status
		return ok && status.Verdict == verdict && status.Applied.Hash == s.commit, fmt.Sprintf("%+v", status)
	})
	return s.last
}

// tally is what was told of the daemon's metrics, and when.
type tally struct {
	text string
	at   time.Duration
}

// ready returns the names of a kind's units that are ready.
func ready(status world.Status, kind string) []string {
	var names []string
	for i := range status.Units {
		if name, ok := strings.CutPrefix(status.Units[i].Address, kind+"."); ok && status.Units[i].Phase == "ready" {
			names = append(names, name)
		}
	}
	return names
}

// beyond returns which names are not among the old ones.
func beyond(old, names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(old, name) })
}

// gauge finds the number of units of a class in a phase.
var gauge = regexp.MustCompile(`(?m)^kupenstack_units\{class="(\w+)",phase="(\w+)"\} (\d+)$`)

// counts says how many services, nodes and resources are ready, from the daemon's metrics.
func (s *story) counts(t *testing.T) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.daemon.URL+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	done, all := map[string]int{}, map[string]int{}
	for _, m := range gauge.FindAllStringSubmatch(string(body), -1) {
		n, err := strconv.Atoi(m[3])
		if err != nil {
			t.Fatal(err)
		}
		kind := map[string]string{"infrastructure": "services", "service": "services", "node": "nodes", "resource": "resources"}[m[1]]
		all[kind] += n
		if m[2] == "ready" {
			done[kind] += n
		}
	}
	if done["services"] == 0 && len(ready(s.last, "service")) > 0 {
		return "everything is looked at anew"
	}
	return fmt.Sprintf("%d of %d services, %d of %d nodes, %d of %d resources are ready",
		done["services"], all["services"], done["nodes"], all["nodes"], done["resources"], all["resources"])
}
