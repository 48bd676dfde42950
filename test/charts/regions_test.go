//go:build beds

package charts_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmOfAnotherRegion renders a cloud that shares its Keystone with others: every program is told in which region to
// look, in the file that it reads, and none in that of the charts.
func TestOpenStackHelmOfAnotherRegion(t *testing.T) {
	const region = "north"
	dir := checkoutOfCharts(t)
	told := 0
	// Whoever logs in to Keystone looks for another service then, but in these sections.
	sections, logins := regexp.MustCompile(`(?m)^(?:\S+: )?\[`), map[string]bool{"keystone_authtoken": true, "service_user": true, "service_auth": true}
	for _, r := range releases(composed.Everything(t, "ovs", "lvm", "", `region = "`+region+`"`)) {
		all := strings.Join(wantSound(t, dir, r), "\n---\n")
		for line := range strings.Lines(all) {
			if strings.Contains(line, "RegionOne") && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				t.Errorf("%s is about another region: %.120q", r.Name, line)
			}
		}
		for _, section := range sections.Split(all, -1) {
			name, _, _ := strings.Cut(section, "]")
			if strings.Contains(section, "\nauth_url = ") && !logins[name] && !strings.Contains(section, "region_name = "+region+"\n") {
				t.Errorf("[%s] of %s does not say which region it is", name, r.Name)
			}
		}
		for _, path := range leaves(r.Values, "") {
			names := strings.Split(path, ".")
			if len(names) != 4 || names[0] != "conf" || at(r.Values, path) != region {
				continue
			}
			if told++; !regexp.MustCompile(`\[` + names[2] + `\](\n[^\[\n].*)*\n` + names[3] + ` = ` + region + `\n`).MatchString(all) {
				t.Errorf("%s of %s is not in what it reads", path, r.Name)
			}
		}
	}
	if told < 30 {
		t.Errorf("only %d options say which region it is", told)
	}
}
