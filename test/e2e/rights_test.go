//go:build beds

package e2e_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// spared are the rights that a run over all services makes no use of, and why the roles have them. An entry is a right,
// or the verb or the resource of some.
func spared() map[string]map[string]string {
	const (
		apply  = "an apply of what is not there needs it, and is a patch in the log"
		one    = "asked for where a watch may be behind, and by what looks an object up"
		lists  = "for servers that do not stream a watch's first list, and what looks a kind up"
		others = "the charts of this run have none; others of OpenStack-Helm, or of chart blocks, do"
		absent = "the cluster of this run does not serve the kind"
		whole  = "puts back a list whole where somebody changed what tells its elements apart"
		roles  = "the API server asks for it when roles are written, which no log has"
	)
	return map[string]map[string]string{
		world.Daemon: {
			"create": apply, "get": one, "list": lists, "update": whole,
			"delete":                               "not everything is taken out of the configuration of this run",
			"configmaps":                           "suspensions and requests, and manifest blocks",
			"services":                             "manifest blocks",
			"watch pods":                           others,
			"get pods/log":                         "with --logs-in-report",
			"certificates.cert-manager.io":         absent,
			"httproutes.gateway.networking.k8s.io": absent,
			"backendtlspolicies.gateway.networking.k8s.io":      absent,
			"openstackcloudconfigurationprofiles.kupenstack.io": "the configuration of this run has no profile",
			"horizontalpodautoscalers.autoscaling":              others,
			"networkpolicies.networking.k8s.io":                 others,
			"roles.rbac.authorization.k8s.io":                   others,
			"rolebindings.rbac.authorization.k8s.io":            others,
			"clusterroles.rbac.authorization.k8s.io":            others,
			"clusterrolebindings.rbac.authorization.k8s.io":     others,
		},
		world.Charts: {
			"list": lists, "update": whole, "escalate": roles, "bind": roles,
			"patch": "not every kind differs in this run",
			"pods":  "tests that charts have, and those that a rollout replaces one by one",
			"nodes": "charts hand it out, and have to have it for that",
			"customresourcedefinitions.apiextensions.k8s.io": others,
			"horizontalpodautoscalers.autoscaling":           others,
			"ingresses.networking.k8s.io":                    others,
			"networkpolicies.networking.k8s.io":              others,
			"roles.rbac.authorization.k8s.io":                others,
			"rolebindings.rbac.authorization.k8s.io":         others,
			"clusterroles.rbac.authorization.k8s.io":         others,
			"clusterrolebindings.rbac.authorization.k8s.io":  others,
		},
	}
}

// rights compares the roles in deploy/, under which the commands run, with what they have asked of the API server.
func (s *everything) rights(t *testing.T, granted map[string][]world.Right) {
	for account, conduct := range s.Conduct(t) {
		for _, request := range conduct.Refused {
			t.Errorf("%s may not %s", account, request)
		}
		reasons, known := spared()[account], map[string]bool{}
		for _, right := range granted[account] {
			reason := ""
			for _, key := range []string{right.String(), right.Verb, right.Kind()} {
				known[key] = true
				reason += reasons[key]
			}
			if conduct.Used[right] == 0 && reason == "" {
				t.Errorf("%s made no use of the right to %s, and no reason says why it has it", account, right)
			}
		}
		for key := range reasons {
			if !known[key] {
				t.Errorf("%s: a reason is given for %q, which no role has", account, key)
			}
		}
	}
}
