package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// spare are rights that a run over all services may make no use of: each of the verbs for each of the kinds.
type spare struct{ why, verbs, kinds string }

func (s spare) rights() []world.Right {
	var rights []world.Right
	for _, kind := range strings.Fields(s.kinds) {
		resource, group, _ := strings.Cut(kind, ".")
		for _, verb := range strings.Fields(s.verbs) {
			rights = append(rights, world.Right{Verb: verb, Group: group, Resource: resource})
		}
	}
	return rights
}

// spared are these rights by account, and why the roles have them. Each is named, so that one more has to be given a
// reason as well.
func spared() map[string][]spare {
	const (
		apply  = "an apply of what is not there needs it, and is a patch in the log"
		one    = "asked for where a watch may be behind, and by what looks an object up"
		lists  = "for servers that do not stream a watch's first list, and what looks a kind up"
		others = "the charts of this run have none; others of OpenStack-Helm, or of chart blocks, do"
		absent = "the cluster of this run does not serve the kind"
		whole  = "puts back a list whole where somebody changed what tells its elements apart"
		roles  = "the API server asks for it when roles are written, which no log has"
	)
	return map[string][]spare{
		world.Daemon: {
			{apply, "create", `daemonsets.apps ingresses.networking.k8s.io leases.coordination.k8s.io namespaces secrets
				customresourcedefinitions.apiextensions.k8s.io
				openstackcontrolplanes.kupenstack.io openstacknodes.kupenstack.io openstackservices.kupenstack.io`},
			{one, "get", `cronjobs.batch daemonsets.apps deployments.apps ingresses.networking.k8s.io jobs.batch leases.coordination.k8s.io
				namespaces nodes persistentvolumeclaims poddisruptionbudgets.policy pods secrets serviceaccounts statefulsets.apps
				customresourcedefinitions.apiextensions.k8s.io
				openstackcontrolplanes.kupenstack.io openstacknodes.kupenstack.io openstackservices.kupenstack.io`},
			{lists, "list", `controllerrevisions.apps cronjobs.batch daemonsets.apps deployments.apps endpointslices.discovery.k8s.io events
				ingresses.networking.k8s.io jobs.batch namespaces nodes persistentvolumeclaims poddisruptionbudgets.policy pods secrets
				serviceaccounts statefulsets.apps
				customresourcedefinitions.apiextensions.k8s.io
				openstackcontrolplanes.kupenstack.io openstacknodes.kupenstack.io openstackservices.kupenstack.io`},
			{whole, "update", "daemonsets.apps leases.coordination.k8s.io secrets"},
			{"not everything is taken out of the configuration of this run", "delete", `daemonsets.apps ingresses.networking.k8s.io secrets
				openstackcontrolplanes.kupenstack.io openstacknodes.kupenstack.io openstackservices.kupenstack.io`},
			{"suspensions and requests, and manifest blocks", "create delete get list patch update watch", "configmaps"},
			{"manifest blocks", "create delete get list patch update watch", "services"},
			{others, "watch", "pods"},
			{"with --logs-in-report", "get", "pods/log"},
			{absent, "create delete get list patch watch", `backendtlspolicies.gateway.networking.k8s.io certificates.cert-manager.io
				httproutes.gateway.networking.k8s.io`},
			{"the configuration of this run has no profile", "create delete get list patch watch", "openstackcloudconfigurationprofiles.kupenstack.io"},
			{others, "get list watch", `clusterrolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io
				horizontalpodautoscalers.autoscaling networkpolicies.networking.k8s.io
				rolebindings.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io`},
		},
		world.Charts: {
			{lists, "list", `configmaps cronjobs.batch daemonsets.apps deployments.apps jobs.batch persistentvolumeclaims
				poddisruptionbudgets.policy secrets serviceaccounts services statefulsets.apps`},
			{whole, "update", "cronjobs.batch daemonsets.apps deployments.apps jobs.batch secrets services statefulsets.apps"},
			{"not every kind differs in this run", "patch", `configmaps cronjobs.batch daemonsets.apps deployments.apps jobs.batch
				persistentvolumeclaims poddisruptionbudgets.policy secrets serviceaccounts services statefulsets.apps`},
			{roles, "escalate", "roles.rbac.authorization.k8s.io"},
			{roles, "bind", "clusterroles.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io"},
			{"tests that charts have, and those that a rollout replaces one by one", "create delete get list patch", "pods"},
			{"charts hand it out, and have to have it for that", "get list patch", "nodes"},
			{"no certificates in the backends of this run", "create delete get list patch", "certificates.cert-manager.io"},
			{others, "create get patch", "customresourcedefinitions.apiextensions.k8s.io"},
			{others, "create delete get patch", "clusterrolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io"},
			{others, "create delete get list patch", `horizontalpodautoscalers.autoscaling ingresses.networking.k8s.io
				networkpolicies.networking.k8s.io rolebindings.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io`},
		},
	}
}

// unexplained compares the rights of an account with those that it made use of, and says what has no reason: a right
// that was not used and is not spared, and one that is spared and that it does not have, or that is spared twice.
func unexplained(granted []world.Right, used map[world.Right]int, spares []spare) []string {
	var problems []string
	reasons := map[world.Right]string{}
	for _, s := range spares {
		for _, right := range s.rights() {
			if reasons[right] != "" {
				problems = append(problems, "two reasons are given for the right to "+right.String())
			}
			if reasons[right] = s.why; !slices.Contains(granted, right) {
				problems = append(problems, "a reason is given for the right to "+right.String()+", which no role has")
			}
		}
	}
	for _, right := range granted {
		if used[right] == 0 && reasons[right] == "" {
			problems = append(problems, "no use was made of the right to "+right.String()+", and no reason says why it is there")
		}
	}
	return problems
}

// TestSparedRights: every right that is spared is one of a role in deploy/, and a right that somebody adds is not spared,
// though the roles have others of its verb and of its kind.
func TestSparedRights(t *testing.T) {
	const unused, absent = "no use was made of the right to ", "which no role has"
	granted := world.Rights(t, "openstack")
	for account, added := range map[string][]world.Right{
		world.Daemon: {{Verb: "delete", Resource: "nodes"}, {Verb: "create", Resource: "pods"}, {Verb: "update", Group: "kupenstack.io", Resource: "openstackservices"}, {Verb: "get", Resource: "secrets/token"}},
		world.Charts: {{Verb: "delete", Resource: "nodes"}, {Verb: "escalate", Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}, {Verb: "list", Resource: "namespaces"}},
	} {
		used := map[world.Right]int{} // all but those that are spared
		for _, right := range granted[account] {
			used[right] = 1
		}
		for _, s := range spared()[account] {
			for _, right := range s.rights() {
				delete(used, right)
			}
		}
		if len(used) == 0 {
			t.Errorf("%s: the run is not asked about any right", account)
		}
		for _, problem := range unexplained(granted[account], used, spared()[account]) {
			t.Errorf("%s: %s", account, problem)
		}
		for _, right := range added {
			more := append(slices.Clone(granted[account]), right)
			if got := unexplained(more, used, spared()[account]); len(got) != 1 || !strings.HasPrefix(got[0], unused+right.String()+",") {
				t.Errorf("%s may %s as well, and that is told as %q", account, right, got)
			}
			used[right] = 1
			if got := unexplained(more, used, spared()[account]); len(got) != 0 {
				t.Errorf("%s makes use of the right to %s: %q", account, right, got)
			}
			delete(used, right)
			stale := append(slices.Clone(spared()[account]), spare{"it was there once", right.Verb, right.Kind()})
			if got := unexplained(granted[account], used, stale); len(got) != 1 || !strings.HasSuffix(got[0], absent) {
				t.Errorf("%s may not %s, for which there is a reason: %q", account, right, got)
			}
		}
		twice := append(slices.Clone(spared()[account]), spared()[account][0])
		if got := unexplained(granted[account], used, twice); len(got) != len(twice[0].rights()) {
			t.Errorf("with two reasons for the same: %q", got)
		}
	}
}
