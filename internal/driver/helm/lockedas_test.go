package helm

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestLockedForAnother: an entry of the lock file with the digest of another chart, or of another version, as there is after a
// merge by hand, is refused wherever that chart lies on the disk, and not only where it would have to be fetched.
func TestLockedForAnother(t *testing.T) {
	p, g := publish(t), newGitBed(t)
	for _, version := range []string{"1.3.0", "1.4.0"} {
		p.add(t, "glance", version, version)
	}
	p.add(t, "nova", "1.4.0", "another chart")
	for kind, at := range map[string]struct {
		repository string
		options    Options
	}{
		"https": {p.URL, p.options(t)},
		"oci":   {strings.Replace(p.URL, "https://", "oci://", 1) + "/charts", p.options(t)},
		"git":   {g.address(""), g.options},
	} {
		t.Run(kind, func(t *testing.T) {
			locked, err := Lock(t.Context(), at.options, []chartlock.Wanted{wantedOf(at.repository, "glance", ""), wantedOf(at.repository, "nova", "")})
			if err != nil {
				t.Fatal(err)
			}
			glance, nova := locked[0], locked[1]
			if _, err := newCharts(at.options).find(t.Context(), chartOf(glance)); err != nil {
				t.Error(err)
			}
			another, older := nova, glance
			another.Digest, older.Version = glance.Digest, "1.2.0"
			for _, entry := range []chartlock.Entry{another, older} {
				from := newCharts(at.options)
				want := "has in charts.lock.json the digest of chart glance " + glance.Version + ": take its entry from an earlier commit, or run kupenstack-sync lock --upgrade=" + entry.Name
				for range 2 { // what was found once is not taken from memory either
					if found, err := from.find(t.Context(), chartOf(entry)); found != nil || !unit.IsBlocked(err) || !strings.Contains(err.Error(), want) {
						t.Errorf("%s %s: found %v, %v; want %q", entry.Name, entry.Version, found != nil, err, want)
					}
				}
				if _, err := from.atHand(t.Context(), chartOf(entry)); !unit.IsBlocked(err) {
					t.Errorf("%s %s at hand: %v", entry.Name, entry.Version, err)
				}
			}
		})
	}
}
