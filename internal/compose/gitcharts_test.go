package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// A chart of another Git repository is taken from the commit that was locked. A commit with the same chart changes
// no release.
func TestLockedChartOfGit(t *testing.T) {
	const repository = "git+https://git.example.org/charts.git//deploy?ref=main"
	m, ev := composed.Text(t, `cloud "c" {
  release = "2026.1"
  charts { repository = "`+repository+`" }
  service "mariadb" {}
}
`)
	release := func(commit, digest string) *unit.Release {
		t.Helper()
		entry := chartlock.Entry{Wanted: chartlock.Wanted{Repository: repository, Name: "mariadb"}, Version: "2026.1.0", Commit: commit, Digest: digest}
		return composed.Release(t, composed.Compose(t, m, ev, compose.Facts{Lock: chartlock.New([]chartlock.Entry{entry})}), "mariadb")
	}
	first, second := strings.Repeat("0f", 20), strings.Repeat("1e", 20)
	was := release(first, "sha256:0f")
	if want := (unit.Chart{Name: "mariadb", Repository: repository, Version: "2026.1.0", Commit: first, Digest: "sha256:0f"}); was.Chart != want {
		t.Errorf("got %+v, want %+v", was.Chart, want)
	}
	if same := release(second, "sha256:0f"); same.Chart.Commit != second || same.Digest() != was.Digest() {
		t.Errorf("another commit with the same chart: %+v, a change: %t", same.Chart, same.Digest() != was.Digest())
	}
	if other := release(second, "sha256:1e"); other.Digest() == was.Digest() {
		t.Error("another chart is no change")
	}
}
