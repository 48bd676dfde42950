package model

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestRequestsAboveLimits(t *testing.T) {
	for _, c := range []struct {
		requests, limits Amounts
		want             string
	}{
		{Amounts{CPU: "1"}, Amounts{CPU: "1000m"}, ""},
		{Amounts{CPU: "1.001"}, Amounts{CPU: "1000m"}, "cpu"},
		{Amounts{CPU: "4"}, Amounts{}, ""},
		{Amounts{Memory: "1Gi"}, Amounts{Memory: "1024Mi"}, ""},
		{Amounts{Memory: "1Gi"}, Amounts{Memory: "1073M"}, "memory"},
		{Amounts{Memory: "1Ki"}, Amounts{Memory: "1k"}, "memory"},
		{Amounts{Memory: "1G"}, Amounts{Memory: "1Gi"}, ""},
		{Amounts{CPU: "1", Memory: "2T"}, Amounts{CPU: "2", Memory: "1Ti"}, "memory"},
	} {
		if got := (Resources{Requests: c.requests, Limits: c.limits}).exceeding(); got != c.want {
			t.Errorf("%v within %v: %q, want %q", c.requests, c.limits, got, c.want)
		}
	}
}

func TestTolerations(t *testing.T) {
	for _, c := range []struct {
		toleration Toleration
		good       bool
	}{
		{Toleration{Key: "a", Value: "b"}, true},
		{Toleration{Key: "example.org/a", Operator: schema.OperatorExists, Effect: "NoExecute"}, true},
		{Toleration{Operator: schema.OperatorExists}, true},
		{Toleration{}, false},
		{Toleration{Key: "a"}, false},
		{Toleration{Value: "b"}, false},
		{Toleration{Key: "a b", Value: "c"}, false},
		{Toleration{Key: "a", Operator: schema.OperatorExists, Value: "b"}, false},
		{Toleration{Key: "a", Operator: "In", Value: "b"}, false},
		{Toleration{Key: "a", Value: "b", Effect: "Never"}, false},
	} {
		if problem := c.toleration.check(); (problem == "") != c.good {
			t.Errorf("%v: %q", c.toleration, problem)
		}
	}
}

// TestPodLayers: what a layer does not write stays as it is below, but for a list.
func TestPodLayers(t *testing.T) {
	text := cty.StringVal
	object := func(kv ...any) cty.Value {
		of := map[string]cty.Value{}
		for i := 0; i+1 < len(kv); i += 2 {
			of[kv[i].(string)] = kv[i+1].(cty.Value)
		}
		return cty.ObjectVal(of)
	}
	nova, _ := schema.New().Service("nova")
	got := PodsOf(nova, []Setting{
		{Name: schema.Resources, Value: object("osapi", object("requests", object("cpu", text("1"), "memory", text("1Gi"))))},
		{Name: schema.DisruptionBudget, Value: cty.NumberIntVal(2)},
		{Name: schema.Tolerations, Value: cty.TupleVal([]cty.Value{object("key", text("a"), "value", text("b"))})},
		{Name: schema.Resources, Value: object("osapi", object("requests", object("cpu", text("2"))), "compute", object("limits", object("memory", text("3Gi"))))},
		{Name: schema.DisruptionBudget, Value: object("api_metadata", cty.NumberIntVal(1))},
		{Name: schema.Tolerations, Value: cty.EmptyTupleVal},
	})
	if r := got.Resources["osapi"]; r.Requests != (Amounts{CPU: "2", Memory: "1Gi"}) || r.Limits != (Amounts{}) || got.Resources["compute"].Limits.Memory != "3Gi" {
		t.Errorf("the resources are %v", got.Resources)
	}
	if got.Budgets["osapi"] != 2 || got.Budgets["api_metadata"] != 1 || got.Tolerations == nil || len(got.Tolerations) != 0 {
		t.Errorf("the budgets are %v, the tolerations %v", got.Budgets, got.Tolerations)
	}
}
