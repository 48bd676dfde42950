package compose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// knownVersions are the series of the broker and the database that the charts are known to work with, the first two numbers
// of their versions.
func knownVersions() map[string][]string {
	return map[string][]string{
		databaseService: {"11.4"},
		broker:          {"3.13", "4.0", "4.1", "4.2", "4.3"},
	}
}

// numbered are versions of numbers alone, with whatever an image of them is called behind a dash: 4.1.3-alpine, and not 4.x.
var numbered = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*([-_].*)?$`)

// checkVersion tells of a version of the broker or the database that nothing is known of. Who names the image says with it
// that the chart works with that. MariaDB's version names no image, as nobody publishes those that its chart can start by
// version: the known one is what the chart's own has, and any other one needs an image that somebody built.
func (c *composer) checkVersion(s *model.Service) {
	known, is := knownVersions()[s.Name]
	if s.Version == "" || !is {
		return
	}
	database := s.Name == databaseService
	if get(c.written[s.Name], tagsIn+"."+s.Name) != nil || !database && c.known() == nil {
		return
	}
	series := unit.Series(s.Version)
	if database && slices.Contains(known, s.Version) || !database && numbered.MatchString(s.Version) && slices.ContainsFunc(known, func(k string) bool { return k == series || strings.HasPrefix(k, series+".") }) {
		return
	}
	at := c.lastOrigin(s, "version")
	list := known[len(known)-1]
	if len(known) > 1 {
		list = strings.Join(known[:len(known)-1], ", ") + " and " + list
	}
	detail, hint := fmt.Sprintf("the chart is known to work with %s of %s, and not with %s", list, s.Name, s.Version), "write one of these; or, if the chart works with it, unknown_versions = true in charts"
	if database {
		detail = fmt.Sprintf("the images of the chart have %s of %s, and no image is known that the chart could start %s from", list, s.Name, s.Version)
		hint = fmt.Sprintf("write version = %q; or name an image of that version which has what the chart needs: images = { %s = … }", list, databaseService)
	}
	c.failAt(codeVersion, at, "unknown version", detail, hint)
}
