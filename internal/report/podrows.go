package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// podRows are what the configuration says of the pods of a service, as titles and texts.
func podRows(p *model.Pods) [][2]string {
	var rows [][2]string
	add := func(title string, texts ...string) {
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
		if len(texts) > 0 {
			rows = append(rows, [2]string{title, strings.Join(texts, ", ")})
		}
	}
	amount := func(format, quantity string) string {
		if quantity == "" {
			return ""
		}
		return fmt.Sprintf(format, quantity)
	}
	for _, piece := range slices.Sorted(maps.Keys(p.Resources)) {
		r := p.Resources[piece]
		add("Resources of "+piece,
			amount("%s CPU requested", r.Requests.CPU), amount("%s memory requested", r.Requests.Memory),
			amount("at most %s CPU", r.Limits.CPU), amount("at most %s memory", r.Limits.Memory))
	}
	var stood []string
	for _, t := range p.Tolerations {
		stood = append(stood, tolerationText(t))
	}
	add("Tolerations", stood...)
	add("Priority class", p.PriorityClass)
	add("Anti-affinity", p.AntiAffinity)
	add("Topology key", p.TopologyKey)
	var least []string
	for _, part := range slices.Sorted(maps.Keys(p.Budgets)) {
		least = append(least, fmt.Sprintf("%s: %d", part, p.Budgets[part]))
	}
	add("Disruption budget", least...)
	add("Log level", p.LogLevel)
	return rows
}

// tolerationText writes a toleration as kubectl does.
func tolerationText(t model.Toleration) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	if t.Effect != "" {
		text += ":" + t.Effect
	}
	if t.Key == "" {
		text = "any" + text
	}
	return text
}
