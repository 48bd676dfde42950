//go:build beds

package charts_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestMembersOfTheCache wants no configuration of any service to have the one address of several memcacheds, behind which
// each client would meet a cache of its own, and to have the names of their pods: by our charts, and by OpenStack-Helm's
// where there is a checkout.
func TestMembersOfTheCache(t *testing.T) {
	const members = 3
	var want []string
	for i := range members {
		want = append(want, fmt.Sprintf("memcached-memcached-%d.memcached.openstack.svc.cluster.local:11211", i))
	}
	lists := regexp.MustCompile(`[a-z0-9.,:-]*memcached\.openstack\.svc\.cluster\.local:11211[a-z0-9.,:-]*`)
	for _, network := range []string{"ovs", "ovn"} {
		source := composed.Source(network, "ceph", "profile = profile.m") + fmt.Sprintf("profile \"m\" {\n  service \"memcached\" { replicas = %d }\n}\n", members)
		m, ev := composed.Text(t, source)
		units := composed.Compose(t, m, ev, compose.Facts{})
		found := 0
		for _, name := range charts.Names() {
			r := units["service."+name]
			if r.Spec == nil {
				continue
			}
			objects := strings.Join(renderedBy(t, load(t, name), composed.Release(t, units, name)), "\n")
			if dir := os.Getenv(charts.CheckoutVariable); dir != "" {
				objects += strings.Join(renderedBy(t, theirs(t, dir, name), composed.Release(t, units, name)), "\n")
			}
			for _, list := range lists.FindAllString(objects, -1) {
				found++
				if got := strings.Split(list, ","); !slices.Equal(got, want) {
					t.Errorf("%s with %s has the caches %s", name, network, list)
				}
			}
		}
		if found < 14 { // services
			t.Errorf("with %s, %d lists of caches were found", network, found)
		}
	}
}
