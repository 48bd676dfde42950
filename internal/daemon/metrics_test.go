package daemon_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/budget"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

// TestMetricsSayWhatIs: a commit is in force once it was admitted, and only attempts to publish are counted.
func TestMetricsSayWhatIs(t *testing.T) {
	desk := newDesk(t)
	budgets := map[string]*budget.Budget{"kubernetes": budget.New(0), "openstack": budget.New(100)}
	rendered := uint64(7)
	d := &daemon.Daemon{Tracker: desk.tracker, Publisher: desk.publisher, Budgets: budgets, Rendered: func() uint64 { return rendered }}
	running := engine.New(engine.Options{})
	says := func(e *engine.Engine, yes bool, line string) {
		t.Helper()
		if text := d.Measure(e); strings.Contains(text, "\n"+line) != yes {
			t.Errorf("%q is %v:\n%s", line, !yes, text[strings.Index(text, "# HELP kupenstack"):])
		}
	}
	says(running, false, "kupenstack_revision_info{")
	for range 3 {
		budgets["kubernetes"].Spend()
		budgets["openstack"].Spend()
	}
	says(running, true, `kupenstack_api_requests_total{api="kubernetes"} 3`)
	says(running, false, `kupenstack_api_budget_left{api="kubernetes"}`)
	says(running, true, `kupenstack_api_requests_total{api="openstack"} 3`)
	says(running, true, `kupenstack_api_budget_left{api="openstack"} 97`)
	says(running, true, "kupenstack_charts_rendered_total 7")
	rendered++
	says(running, true, "kupenstack_charts_rendered_total 8")
	first := desk.tracker.State().Applied.Hash
	_ = desk.tracker.Keep(t.Context(), first) // a directory keeps nothing
	in := `kupenstack_revision_info{commit="` + first + `"} 1`
	says(running, true, in)
	desk.commit(configuration + "project \"two\" {}\n")
	if desk.tracker.State().Applied.Hash == first {
		t.Fatal("it did not take the second revision")
	}
	says(running, true, in) // the second one may yet be refused
	says(nil, false, "kupenstack_revision_info{")

	for range 3 {
		desk.publish(engine.PhaseReady, "", true, 1, 0)
	}
	says(running, true, `kupenstack_reports_total{result="published"} 1`)
	desk.target.fail = errors.New("refused")
	if _, err := desk.publisher.Publish(t.Context(), desk.snapshot(engine.PhaseFailed, "x"), nil, true); err == nil {
		t.Fatal("it published all the same")
	}
	says(running, true, `kupenstack_reports_total{result="failed"} 1`)
	says(running, true, `kupenstack_reports_total{result="published"} 1`)
}
