package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// pods checks what one layer wrote of the pods of a service.
func (c *checker) pods(service schema.Service, s Setting) {
	if !slices.Contains(schema.PodSettings(), s.Name) {
		return
	}
	if !service.Takes(s.Name) {
		c.fail(codeService, s.Range, "not for this service", fmt.Sprintf("the chart of %s has no place for %s, or none that does what it says", service.Name, s.Name),
			fmt.Sprintf("take the line away; %s is for: %s", s.Name, strings.Join(schema.TakenBy(s.Name), ", ")))
		return
	}
	v, _ := s.Value.UnmarkDeep()
	switch s.Name {
	case schema.Resources:
		for _, piece := range slices.Sorted(maps.Keys(elements(v))) {
			if !slices.Contains(service.Resourced(), piece) {
				c.fail(codeService, s.At(piece), "unknown piece", fmt.Sprintf("%s has no piece %q that resources could be given to", service.Name, piece),
					"there are: "+strings.Join(service.Resourced(), ", "))
			}
		}
	case schema.Tolerations:
		if _, err := TolerationsOf(v); err != nil {
			c.fail(codeInvalid, s.Range, "not a toleration", fmt.Sprintf("tolerations of %s: %v", service.Name, err),
				`write, for example: tolerations = [{ key = "dedicated", value = "openstack", effect = "NoSchedule" }]`)
		}
	case schema.DisruptionBudget:
		if _, err := Counts(service.Budgets, v); err != nil {
			c.fail(codeService, s.Range, "invalid disruption_budget", fmt.Sprintf("disruption_budget of %s: %v", service.Name, err),
				fmt.Sprintf("write, for example: disruption_budget = { %s = 2 }", service.Budgets[0]))
		}
	}
}

// requests checks that no layers together ask for more than they allow.
func (c *checker) requests(s *Service) {
	for _, piece := range slices.Sorted(maps.Keys(s.Pods.Resources)) {
		r := s.Pods.Resources[piece]
		name := r.exceeding()
		if name == "" {
			continue
		}
		request, limit := r.Requests.CPU, r.Limits.CPU
		if name == "memory" {
			request, limit = r.Requests.Memory, r.Limits.Memory
		}
		where := s.Range
		for i := range s.Settings { // the later over the earlier
			for _, of := range []string{"requests", "limits"} {
				if v, ok := Part(s.Settings[i].Value, piece, of, name); s.Settings[i].Name == schema.Resources && ok && !v.IsNull() {
					where = s.Settings[i].At(piece, of, name)
				}
			}
		}
		c.fail(codeInvalid, where, "a request above its limit",
			fmt.Sprintf("%s of %s asks for %s of %s and may use %s: Kubernetes takes no such pod", piece, s.Name, request, name, limit), "write a lower request, or a higher limit")
	}
}
