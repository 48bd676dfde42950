package compose

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// defaultReplicas are those that we decide on where nothing is written. An even number of brokers,
// which the chart has, loses its majority with half of them; and clients must know the number.
func defaultReplicas() map[string]map[string]int {
	return map[string]map[string]int{"rabbitmq": {"server": 3}}
}

// replicaValues are the copies of each part of a service. The parts have the names that the charts
// have for them.
func replicaValues(s *model.Service) []setting {
	var list []setting
	for _, counts := range []map[string]int{defaultReplicas()[s.Name], s.Replicas} {
		for part, n := range counts {
			list = append(list, setting{path: "pod.replicas." + part, value: int64(n)})
		}
	}
	return list
}

// alone is a part of a service of which there may be one only, as long as all that there are go by one name: they
// would take what is meant for each other. The name is that of what they work for, so it cannot just be changed.
type alone struct{ part, host string }

// alones are such parts of OpenStack-Helm's charts.
func alones() map[string]alone {
	return map[string]alone{
		"cinder": {part: "volume", host: "conf.cinder.DEFAULT.host"},
		"manila": {part: "share", host: "conf.manila.DEFAULT.host"},
	}
}

// checkAlone refuses several of such a part, unless something else is said of their name.
func (c *composer) checkAlone(s *model.Service, values map[string]any) {
	of, ok := alones()[s.Name]
	if !ok || covers(values, of.host) && !sharesHost(values) {
		return
	}
	if n, _ := get(values, "pod.replicas."+of.part).(int64); n > 1 {
		c.failAt(codeValue, c.lastOrigin(s, "replicas"), "more than one with the same name",
			fmt.Sprintf("%s of %s cannot run %d times: all of them would go by one name, and take each other's work", of.part, s.Name, n),
			fmt.Sprintf("write %s = 1 in replicas; Kubernetes starts it elsewhere when its node is lost", of.part))
	}
}
