package chartkeys_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
)

// toolkit are templates of the library that put what is below pod into pods.
const toolkit = `
{{ define "helm-toolkit.snippets.kubernetes_tolerations" }}{{ $pod := index .Values.pod.tolerations .c }}{{ toYaml $pod.tolerations }}{{ end }}
{{ define "helm-toolkit.snippets.kubernetes_pod_security_context" }}{{ toYaml (index .Values.pod.security_context .c "pod") }}{{ end }}
{{ define "helm-toolkit.snippets.kubernetes_probe" }}{{ $o := index .Values.pod.probes .c .d .e }}{{ if $o.enabled }}{{ $o.params | toYaml }}{{ end }}{{ end }}
{{ define "helm-toolkit.snippets.kubernetes_pod_anti_affinity" }}{{ index .Values.pod.affinity.anti.type .c }}{{ end }}
`

// TestShapes is about what the library puts into pods as it is: there is nothing but what Kubernetes knows.
func TestShapes(t *testing.T) {
	for written, want := range map[string]string{
		"pod: {tolerations: {api: {enabled: true, tolerations: [{key: a, operator: Exists, effect: NoSchedule, tolerationSeconds: 3}]}}}": "",
		"pod: {tolerations: {api: {tolerations: [{key: a}, {key: b, efect: NoSchedule}]}}}":                                               "pod.tolerations.api.tolerations[1].efect: did you mean effect?",
		"pod: {tolerations: {engine: {toleration: []}}}":                                                                                  "pod.tolerations.engine.toleration: did you mean pod.tolerations.engine.tolerations?",
		"pod: {tolerations: {api: {enabled: true, known_to_chart: 1}}}":                                                                   "",
		"pod: {tolerations: {api: {read_by_chart: true}}}":                                                                                "",
		"pod: {tolerations: {api: {tolerations: none}}}":                                                                                  "",
		"pod: {security_context: {api: {pod: {runAsUser: 1, fsGroup: 2}}}}":                                                               "",
		"pod: {security_context: {api: {pod: {fsGrop: 2}}}}":                                                                              "pod.security_context.api.pod.fsGrop: did you mean pod.security_context.api.pod.fsGroup?",
		"pod: {security_context: {api: {pod: {seLinuxOptions: {lvel: s0}}}}}":                                                             "pod.security_context.api.pod.seLinuxOptions.lvel: did you mean pod.security_context.api.pod.seLinuxOptions.level?",
		"pod: {security_context: {api: {container: {api: {privilegd: true}}}}}":                                                           "pod.security_context.api.container.api.privilegd: did you mean pod.security_context.api.container.api.privileged?",
		"pod: {security_context: {api: {containers: {api: {}}}}}":                                                                         "pod.security_context.api.containers: did you mean pod.security_context.api.container?",
		"pod: {probes: {api: {a: {liveness: {params: {periodSecond: 1}}}}}}":                                                              "pod.probes.api.a.liveness.params.periodSecond: did you mean pod.probes.api.a.liveness.params.periodSeconds?",
		"pod: {probes: {api: {a: {liveness: {params: {httpGet: {prt: 1}}}}}}}":                                                            "pod.probes.api.a.liveness.params.httpGet.prt: did you mean pod.probes.api.a.liveness.params.httpGet.port?",
		"pod: {probes: {api: {a: {liveness: {params: {exec: {command: []}}}}}}}":                                                          "",
		"pod: {probes: {api: {a: {liveness: {port: 1}}}}}":                                                                                "",
		"pod: {probes: {rpc_timeout: 60}}":                                                                                                "",
		"pod: {lifecycle: {upgrades: {deployments: {rolling_updat: {max_surge: 1}}}}}":                                                    "pod.lifecycle.upgrades.deployments.rolling_updat: did you mean pod.lifecycle.upgrades.deployments.rolling_update?",
		"pod: {lifecycle: {upgrades: {daemonsets: {api: {max_unavailabl: 1}}}}}":                                                          "pod.lifecycle.upgrades.daemonsets.api.max_unavailabl: did you mean pod.lifecycle.upgrades.daemonsets.api.max_unavailable?",
		"pod: {lifecycle: {upgrades: {daemonsets: {revision_history: 1}}}}":                                                               "",
		"pod: {lifecycle: {termination_grace_perod: {api: {timeout: 3}}}}":                                                                "pod.lifecycle.termination_grace_perod: did you mean pod.lifecycle.termination_grace_period?",
		"pod: {lifecycle: {disruption_budget: {api: {min_available: 1, max_available: 1}}}}":                                              "pod.lifecycle.disruption_budget.api.max_available: did you mean pod.lifecycle.disruption_budget.api.min_available?",
		"pod: {affinity: {anti: {typo: {default: x}}}}":                                                                                   "pod.affinity.anti.typo: did you mean pod.affinity.anti.type?",
		"pod: {affinity: {anti: {topologyKey: {api: x}}}}":                                                                                "",
		"pod: {affinity: {node: {a: x}}}":                                                                                                 "pod.affinity.node: there are: anti",
	} {
		got := unknownIn(t, written, `{{ include "helm-toolkit.snippets.kubernetes_pod_anti_affinity" . }}`)
		if got != want {
			t.Errorf("%s: %q, want %q", written, got, want)
		}
	}
	for _, template := range []string{
		`{{ toYaml .Values.pod.lifecycle }}`, `{{ toYaml .Values.pod.lifecycle.upgrades }}`, `{{ with .Values.pod.lifecycle }}{{ toYaml .upgrades }}{{ end }}`,
		`{{ index .Values.pod.lifecycle.upgrades .x }}`, `{{ .Values.pod.lifecycle.upgrades.ours }}`,
	} {
		if got := unknownIn(t, "pod: {lifecycle: {upgrades: {ours: 1}}}", template); got != "" {
			t.Errorf("of a chart with %s: %s", template, got)
		}
	}
	const affinity = "pod: {affinity: {node: {a: x}}}"
	if got := unknownIn(t, affinity, ""); got != "" {
		t.Errorf("of a chart that does not use the library's: %s", got)
	}
	if got := unknownIn(t, affinity, `{{ include "helm-toolkit.snippets.kubernetes_pod_anti_affinity" . }}{{ toYaml .Values.pod.affinity }}`); got != "" {
		t.Errorf("of a chart that hands it on itself: %s", got)
	}
}

func unknownIn(t *testing.T, written, template string) string {
	t.Helper()
	k := chartkeys.New(chartkeys.Chart{
		Toolkit: true, Library: map[string]string{"_toolkit.tpl": toolkit},
		Defaults: tree(t, "pod: {lifecycle: {a: 1}, tolerations: {api: {enabled: false, known_to_chart: 1}}, affinity: {anti: {type: {default: x}}}, probes: {a: {}}, security_context: {a: {}}}"),
		Templates: map[string]string{"a.yaml": template + `{{ .Values.pod.tolerations.api.read_by_chart }}{{ .Values.pod.probes.api.a.liveness.port }}
			{{ include "helm-toolkit.snippets.kubernetes_tolerations" . }}{{ include "helm-toolkit.snippets.kubernetes_pod_security_context" . }}
			{{ include "helm-toolkit.snippets.kubernetes_probe" . }}`},
	})
	values := tree(t, written)
	paths := pathsOf(values, nil)
	var told []string
	for _, u := range k.Unknown(paths, []any{values}) {
		told = append(told, strings.Join(paths[u.Index], ".")+u.Within+": "+u.Hint)
	}
	slices.Sort(told)
	return strings.Join(told, "\n")
}
