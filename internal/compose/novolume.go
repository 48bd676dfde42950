package compose

import (
	"cmp"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// keeping is where the chart of a service that keeps data takes whether it has a volume for that.
type keeping struct {
	volume, directory string // the latter is whether a directory of the node stands in for it; "" where the chart has none
	part, data        string
}

// keepings are the charts that can do without a volume. OVN's other database is made anew from the one here.
func keepings() map[string]keeping {
	return map[string]keeping{
		"mariadb":  {"volume.enabled", "volume.use_local_path_for_single_pod_cluster.enabled", "server", "the databases of all services"},
		"rabbitmq": {"volume.enabled", "volume.use_local_path.enabled", "server", "queues and users"},
		"ovn":      {"volume.ovn_ovsdb_nb.enabled", "", "ovn_ovsdb_nb", "the networks"},
	}
}

// tellNoVolume warns where people have a chart keep data in what goes with a pod, or stays behind on its node. A cloud may run
// so, and has no way back then, as the claims of a StatefulSet cannot change: that is why it is not refused.
func (c *composer) tellNoVolume(s *model.Service, values map[string]any) {
	k, known := keepings()[s.Name]
	if !known || get(values, k.volume) != false && !takenAway(values, k.volume) {
		return
	}
	why := fmt.Sprintf("%s keeps %s in its pods then, and loses them with these", s.Name, k.data)
	hint := "take it away: then each pod has a volume"
	if k.directory != "" && get(values, k.directory) == true {
		if len(c.nodesFor(values, k.part)) < 2 {
			return
		}
		why = fmt.Sprintf("%s keeps %s on the disk of whichever node its pod starts on, and finds none of them on another one", s.Name, k.data)
		hint += fmt.Sprintf("; or say with labels.%s in values which node it is", k.part)
	}
	at, text := c.whereKey(s, s.Settings, steps(k.volume))
	c.failAt(codeUnsafe, at, "data without a volume", fmt.Sprintf("%s is %s: %s", text, cmp.Or(plainText(get(values, k.volume)), "null"), why), hint)
	c.diags[len(c.diags)-1].Severity = diag.Warning
}
