//go:build beds

package charts_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const (
	zone     = "topology.kubernetes.io/zone"
	taint    = "kupenstack.io/test"
	priority = "kupenstack-test"
)

// amountsOf are those that the test writes for a piece: no two pieces of a service have the same.
func amountsOf(i int) map[string]string {
	return map[string]string{
		"requests.cpu": fmt.Sprintf("%dm", 101+i), "requests.memory": fmt.Sprintf("%dMi", 201+i),
		"limits.cpu": fmt.Sprintf("%dm", 3001+i), "limits.memory": fmt.Sprintf("%dMi", 4001+i),
	}
}

// podSettings writes every setting of pods that a service takes.
func podSettings(s schema.Service) string {
	var text strings.Builder
	line := func(setting, format string, args ...any) {
		if s.Takes(setting) {
			fmt.Fprintf(&text, "    %s = %s\n", setting, fmt.Sprintf(format, args...))
		}
	}
	var pieces strings.Builder
	for i, piece := range s.Pieces() {
		of := amountsOf(i)
		fmt.Fprintf(&pieces, "      %s = { requests = { cpu = %q, memory = %q }, limits = { cpu = %q, memory = %q } }\n",
			piece, of["requests.cpu"], of["requests.memory"], of["limits.cpu"], of["limits.memory"])
	}
	line(schema.Resources, "{\n%s    }", pieces.String())
	line(schema.Tolerations, "[{ key = %q, operator = \"Exists\" }]", taint)
	line(schema.PriorityClass, "%q", priority)
	line(schema.AntiAffinity, "\"required\"")
	line(schema.TopologyKey, "%q", zone)
	line(schema.LogLevel, "\"error\"")
	var replicas, budgets []string
	for i, part := range s.Parts {
		n := 3
		if (s.Name == "cinder" && (part == "volume" || part == "backup")) || (s.Name == "manila" && (part == "share" || part == "data")) {
			n = 1
		}
		replicas = append(replicas, fmt.Sprintf("%s = %d", part, n))
		if slices.Contains(s.Budgets, part) {
			budgets = append(budgets, fmt.Sprintf("%s = %d", part, 1+i%2))
		}
	}
	line(schema.DisruptionBudget, "{ %s }", strings.Join(budgets, ", "))
	line("replicas", "{ %s }", strings.Join(replicas, ", "))
	return text.String()
}

// podReleases are the releases of a cloud whose default profile says everything of all pods that can be said.
func podReleases(t *testing.T, network string) []*unit.Release {
	t.Helper()
	var profile strings.Builder
	for _, s := range schema.New().Services() {
		fmt.Fprintf(&profile, "  service %q {\n%s  }\n", s.Name, podSettings(s))
	}
	return releases(composed.Everything(t, network, "ceph", "profile \"pods\" {\n"+profile.String()+"}\n", "profile = profile.pods"))
}

// TestOpenStackHelmPods renders OpenStack-Helm's charts with all settings of pods: each of them arrives in the pods
// that it is for, and of resources that nobody wrote none.
func TestOpenStackHelmPods(t *testing.T) {
	dir := checkoutOfCharts(t)
	running := map[string]bool{} // the pieces that were seen
	for _, network := range []string{"ovs", "ovn"} {
		for _, r := range podReleases(t, network) {
			t.Run(network+" "+r.Name, func(t *testing.T) {
				known, _ := schema.New().Service(r.Name)
				upstream := theirs(t, dir, r.Name)
				values := withSecrets(r)
				if told := unknown(helm.KeysOf(upstream), pathsIn(values, nil), values); len(told) > 0 {
					t.Errorf("the chart knows nothing of %q", told)
				}
				checkCleared(t, known, r, values, at(upstream.Values, "pod.resources"))
				text, err := json.Marshal(values)
				if err != nil {
					t.Fatal(err)
				}
				objects := loosely(t, upstream, string(text))
				for _, o := range objects {
					if template, _ := o.pods(); template != nil {
						checkAmounts(t, known, o, template, running)
						checkPlacement(t, known, o, template)
					}
				}
				checkBudgets(t, known, objects)
				if logged := strings.Join(renderedBy(t, theirs(t, dir, r.Name), r), "\n"); known.Takes(schema.LogLevel) && !slices.ContainsFunc(
					[]string{"level = ERROR", "'level': 'ERROR'", "log_level = 4"}, func(line string) bool { return strings.Contains(logged, line) }) {
					t.Error("the level of what is logged arrives nowhere")
				}
			})
		}
	}
	for _, s := range schema.New().Services() {
		for _, piece := range s.Pieces() {
			if s.Takes(schema.Resources) && !running[s.Name+"."+piece] {
				t.Errorf("nothing that runs has the resources of %s of %s", piece, s.Name)
			}
		}
	}
}

// TestOpenStackHelmLogLevelOfHorizon has Horizon log for debugging: its chart lets nothing less than INFO through to what all its
// loggers hand on to. What comes after that in the settings counts.
func TestOpenStackHelmLogLevelOfHorizon(t *testing.T) {
	dir := checkoutOfCharts(t)
	units := composed.Everything(t, "ovs", "", "\nprofile \"base\" {\n  service \"horizon\" { log_level = \"debug\" }\n}\n", "  profile = profile.base")
	text := strings.Join(renderedBy(t, theirs(t, dir, "horizon"), composed.Release(t, units, "horizon")), "\n")
	_, after, found := strings.Cut(text, "\nLOGGING = {\n")
	if !found || !strings.Contains(after, "\nLOGGING[\"handlers\"][\"console\"][\"level\"] = \"DEBUG\"\n") {
		t.Error("messages for debugging are not let through")
	}
}

// checkCleared wants the values that a chart is rendered with to have no resources but those that were written, and
// what is taken away to be there.
func checkCleared(t *testing.T, known schema.Service, r *unit.Release, values map[string]any, theirs any) {
	t.Helper()
	if !known.Takes(schema.Resources) {
		return
	}
	own, _ := at(values, "pod.resources").(map[string]any)
	defaults, _ := theirs.(map[string]any)
	for _, path := range leaves(own, "") {
		if at(own, path) == nil && at(defaults, path) == nil {
			t.Errorf("%s is taken away, which the chart does not have", path)
		}
	}
	merged := chartutil.CoalesceTables(clone(own), clone(defaults))
	for _, path := range leaves(merged, "") {
		if v := at(merged, path); path != "enabled" && v != nil && !written(known, v) {
			if inner, isMap := v.(map[string]any); !isMap || len(inner) > 0 {
				t.Errorf("%s has %v, which nobody wrote", path, v)
			}
		}
	}
}

// written tells whether an amount is one of those of a service's pieces.
func written(known schema.Service, v any) bool {
	for i := range known.Pieces() {
		for _, amount := range amountsOf(i) {
			if amount == fmt.Sprint(v) {
				return true
			}
		}
	}
	return false
}

// checkAmounts wants the containers of a pod to have amounts of one piece or none, and those of a pod that runs all the
// time to have some.
func checkAmounts(t *testing.T, known schema.Service, o object, template *corev1.PodTemplateSpec, running map[string]bool) {
	t.Helper()
	found := false
	for _, c := range slices.Concat(template.Spec.InitContainers, template.Spec.Containers) {
		if len(c.Resources.Requests)+len(c.Resources.Limits) == 0 {
			continue
		}
		found = true
		i := slices.IndexFunc(known.Pieces(), func(piece string) bool {
			of := amountsOf(slices.Index(known.Pieces(), piece))
			return c.Resources.Requests.Cpu().String() == of["requests.cpu"] && c.Resources.Requests.Memory().String() == of["requests.memory"] &&
				c.Resources.Limits.Cpu().String() == of["limits.cpu"] && c.Resources.Limits.Memory().String() == of["limits.memory"]
		})
		if i < 0 {
			t.Errorf("%s of %s has %v, which nobody wrote", c.Name, o, c.Resources)
			continue
		}
		running[known.Name+"."+known.Pieces()[i]] = true
	}
	if serves(o) && !found && known.Takes(schema.Resources) {
		t.Errorf("%s has no resources", o)
	}
}

func serves(o object) bool {
	return slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, o.kind)
}

// checkPlacement looks at where pods may run, and what goes first.
func checkPlacement(t *testing.T, known schema.Service, o object, template *corev1.PodTemplateSpec) {
	t.Helper()
	if !serves(o) {
		return
	}
	stands := slices.ContainsFunc(template.Spec.Tolerations, func(s corev1.Toleration) bool { return s.Key == taint && s.Operator == "Exists" })
	if known.Takes(schema.Tolerations) != stands && o.meta.GetName() != "nova-compute-ironic" { // which the chart lets stand none
		t.Errorf("%s has the tolerations %v", o, template.Spec.Tolerations)
	}
	if known.Takes(schema.PriorityClass) != (template.Spec.PriorityClassName == priority) {
		t.Errorf("%s has the priority class %q", o, template.Spec.PriorityClassName)
	}
	if o.kind == "DaemonSet" || !known.Takes(schema.AntiAffinity) || o.meta.GetName() == "ovn-northd" { // of which the chart spreads none
		return
	}
	affinity := template.Spec.Affinity
	if affinity == nil || affinity.PodAntiAffinity == nil || len(affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) != 1 ||
		affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].TopologyKey != zone {
		t.Errorf("%s has the affinity %v", o, affinity)
	}
}

// checkBudgets wants a budget for each part that can have one, of pods that there are.
func checkBudgets(t *testing.T, known schema.Service, objects []object) {
	t.Helper()
	found := 0
	for _, o := range objects {
		budget, is := o.typed.(*policyv1.PodDisruptionBudget)
		if !is || budget.Spec.MinAvailable.IntValue() == 0 {
			continue
		}
		found++
		covers := slices.ContainsFunc(objects, func(other object) bool {
			template, _ := other.pods()
			return template != nil && serves(other) && labels.SelectorFromSet(budget.Spec.Selector.MatchLabels).Matches(labels.Set(template.Labels))
		})
		if !covers {
			t.Errorf("%s is for no pods", o)
		}
	}
	if found != len(known.Budgets) {
		t.Errorf("%d budgets of %q", found, known.Budgets)
	}
}
