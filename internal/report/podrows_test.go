package report

import (
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

func TestPodRows(t *testing.T) {
	got := podRows(&model.Pods{
		Resources: map[string]model.Resources{
			"server": {Limits: model.Amounts{Memory: "2Gi"}},
			"api":    {Requests: model.Amounts{CPU: "500m", Memory: "1Gi"}, Limits: model.Amounts{CPU: "2"}},
		},
		Tolerations: []model.Toleration{
			{Key: "dedicated", Value: "openstack", Effect: "NoSchedule"}, {Key: "gpu", Operator: "Exists"}, {Operator: "Exists", Effect: "NoExecute"},
		},
		Budgets: map[string]int{"osapi": 2, "api_metadata": 1}, LogLevel: "debug",
	})
	want := [][2]string{
		{"Resources of api", "500m CPU requested, 1Gi memory requested, at most 2 CPU"},
		{"Resources of server", "at most 2Gi memory"},
		{"Tolerations", "dedicated=openstack:NoSchedule, gpu, any:NoExecute"},
		{"Disruption budget", "api_metadata: 1, osapi: 2"},
		{"Log level", "debug"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("the rows are %q, want %q", got, want)
	}
	if rows := podRows(&model.Pods{}); rows != nil {
		t.Errorf("of nothing the rows are %q", rows)
	}
}
