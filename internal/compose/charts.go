package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxNamed is how many charts without a lock are named; of more there is the number.
const maxNamed = 5

// chart tells where the chart of a service is: beside the configuration, or in a repository.
func (c *composer) chart(name string) unit.Chart {
	charts := c.m.Cloud.Charts
	if charts == nil {
		return unit.Chart{Name: name}
	}
	return c.locked(unit.Chart{Name: name, Repository: charts.Repository, Version: charts.Version}, charts.Range)
}

// known are the series that the chart of a service has to be of; nil for any.
func (c *composer) known() []string {
	if charts := c.m.Cloud.Charts; charts != nil && charts.Unknown {
		return nil
	}
	return series()
}

// series are the versions of OpenStack-Helm's charts, without their last number, that the tables of this package
// were made for and tried with.
func series() []string { return []string{"2026.1"} }

// locked returns the chart that another one was locked to: a repository may have something else under the
// same version tomorrow. One that lies beside the configuration is of the same commit anyway.
func (c *composer) locked(chart unit.Chart, where diag.Range) unit.Chart {
	if !strings.Contains(chart.Repository, "://") {
		chart.Tree = c.facts.Tree
		return chart
	}
	if c.facts.Unlocked {
		return chart
	}
	wanted := chartlock.Wanted{Repository: chart.Repository, Name: chart.Name, Constraint: chart.Version}
	entry, found := c.facts.Lock.Find(wanted)
	if !found {
		c.unlocked[where] = append(c.unlocked[where], wanted)
		return chart
	}
	chart.Version, chart.Digest, chart.Commit = entry.Version, entry.Digest, entry.Commit
	return chart
}

// tellUnlocked tells in one go of all charts of a place that have no lock: one command mends it.
func (c *composer) tellUnlocked() {
	if c.diags.HasErrors() {
		return // which keep them from being locked
	}
	places := slices.SortedFunc(maps.Keys(c.unlocked), func(a, b diag.Range) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start.Line, b.Start.Line))
	})
	for _, where := range places {
		wanted := c.unlocked[where]
		var names []string
		for _, w := range wanted {
			names = append(names, w.Name)
		}
		if more := len(names) - maxNamed; more > 0 {
			names = append(names[:maxNamed], fmt.Sprintf("%d others", more))
		}
		list := names[0]
		if last := len(names) - 1; last > 0 {
			list = strings.Join(names[:last], ", ") + " and " + names[last]
		}
		version := ""
		if constraint := wanted[0].Constraint; constraint != "" {
			version = fmt.Sprintf(" with version = %q", constraint)
		}
		c.fail(codeUnlocked, where, noAddress(), "charts are not locked",
			fmt.Sprintf("%s has no entry for %s of %s%s, so that nobody could tell what would be deployed", chartlock.File, list, wanted[0].Repository, version),
			"run kupenstack-sync lock, and commit "+chartlock.File)
	}
}
