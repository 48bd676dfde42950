package compose

import "github.com/kupenstack/kupenstack-sync/internal/model"

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
