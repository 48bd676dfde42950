package e2e_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// Where rights are: in the namespace of the cloud in the run, and in all of the cluster.
const (
	cloud      = "openstack"
	everywhere = ""
)

// spare are rights that a run over all services may make no use of: each of the verbs for each of the kinds, in a
// namespace or everywhere.
type spare struct{ why, namespace, verbs, kinds string }

func (s spare) rights() []world.Right {
	var rights []world.Right
	for _, kind := range strings.Fields(s.kinds) {
		resource, group, _ := strings.Cut(kind, ".")
		for _, verb := range strings.Fields(s.verbs) {
			rights = append(rights, world.Right{Verb: verb, Group: group, Resource: resource, Namespace: s.namespace})
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
		asks   = "asked for where something does not become ready, or is rolled out node by node"
		looks  = "no template of this run looks them up; those of other charts may, in Helm's name"
		others = "the charts of this run have none; others of OpenStack-Helm, or of chart blocks, do"
		absent = "the cluster of this run does not serve the kind"
		whole  = "puts back a list whole where somebody changed what tells its elements apart"
		roles  = "the API server asks for it when roles are written, which no log has"
	)
	return map[string][]spare{
		world.Daemon: {
			{apply, everywhere, "create", `ingresses.networking.k8s.io namespaces secrets
				customresourcedefinitions.apiextensions.k8s.io
				openstackcontrolplanes.kupenstack.io openstacknodes.kupenstack.io openstackservices.kupenstack.io`},
			{apply, cloud, "create", "daemonsets.apps"},
			{"passes of the command tell of nothing; see TestEvents", "default", "create patch", "events"},
			{one, everywhere, "get", `cronjobs.batch daemonsets.apps deployments.apps ingresses.networking.k8s.io jobs.batch
				namespaces nodes persistentvolumeclaims poddisruptionbudgets.policy pods secrets serviceaccounts statefulsets.apps
				customresourcedefinitions.apiextensions.k8s.io
				openstackcontrolplanes.kupenstack.io openstacknodes.kupenstack.io openstackservices.kupenstack.io`},
			{asks, everywhere, "list", "controllerrevisions.apps endpointslices.discovery.k8s.io events pods"},
			{lists, everywhere, "list", `cronjobs.batch daemonsets.apps deployments.apps
				ingresses.networking.k8s.io jobs.batch namespaces nodes persistentvolumeclaims poddisruptionbudgets.policy secrets
				serviceaccounts statefulsets.apps
				customresourcedefinitions.apiextensions.k8s.io
				openstackcontrolplanes.kupenstack.io openstacknodes.kupenstack.io openstackservices.kupenstack.io`},
			{"the inventory is in the daemon's own; elsewhere what was generated gets more beside it, as where a service comes later", everywhere, "update", "secrets"},
			{whole, cloud, "update", "daemonsets.apps"},
			{"not everything is taken out of the configuration of this run", everywhere, "delete", `ingresses.networking.k8s.io secrets
				openstackcontrolplanes.kupenstack.io openstacknodes.kupenstack.io openstackservices.kupenstack.io`},
			{"not everything is taken out of the configuration of this run", cloud, "delete", "daemonsets.apps"},
			{"suspensions and requests, and manifest blocks", everywhere, "create delete get list patch update watch", "configmaps"},
			{"manifest blocks", everywhere, "create delete get list patch update watch", "services"},
			{others, everywhere, "watch", "pods"},
			{"with --logs-in-report", everywhere, "get", "pods/log"},
			{absent, everywhere, "create delete get list patch watch", `backendtlspolicies.gateway.networking.k8s.io certificates.cert-manager.io
				httproutes.gateway.networking.k8s.io`},
			{"the configuration of this run has no profile", everywhere, "create delete get list patch watch", "openstackcloudconfigurationprofiles.kupenstack.io"},
			{"the configuration of this run has no profile", everywhere, "patch", "openstackcloudconfigurationprofiles/status.kupenstack.io"},
			{others, everywhere, "get list watch", `clusterrolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io
				horizontalpodautoscalers.autoscaling networkpolicies.networking.k8s.io
				rolebindings.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io`},
		},
		world.Charts: {
			{looks, cloud, "list", `configmaps cronjobs.batch daemonsets.apps deployments.apps jobs.batch persistentvolumeclaims
				poddisruptionbudgets.policy secrets serviceaccounts services statefulsets.apps`},
			{whole, cloud, "update", "cronjobs.batch daemonsets.apps deployments.apps jobs.batch services statefulsets.apps"},
			{"not every kind differs in this run", cloud, "patch", `configmaps cronjobs.batch daemonsets.apps deployments.apps jobs.batch
				persistentvolumeclaims poddisruptionbudgets.policy secrets serviceaccounts services statefulsets.apps`},
			{roles, cloud, "escalate", "roles.rbac.authorization.k8s.io"},
			{roles, cloud, "bind", "clusterroles.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io"},
			{"tests that charts have, and those that a rollout replaces one by one", cloud, "create delete get patch", "pods"},
			{looks, cloud, "list", "pods"},
			{"charts hand it out, and have to have it for that", everywhere, "get list patch", "nodes"},
			{"no certificates in the backends of this run", cloud, "create delete get list patch", "certificates.cert-manager.io"},
			{others, everywhere, "create get patch", "customresourcedefinitions.apiextensions.k8s.io"},
			{others, everywhere, "create delete get patch", "clusterrolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io"},
			{others, cloud, "create delete get list patch", `horizontalpodautoscalers.autoscaling ingresses.networking.k8s.io
				networkpolicies.networking.k8s.io rolebindings.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io`},
		},
	}
}

// unexplained compares the rights of an account with those that it made use of, and says what has no reason: a right
// that was not used and is not spared, or is one everywhere and was used in the daemon's own namespace alone; and one that is
// spared and that it does not have, or that is spared twice.
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
		if reasons[right] != "" {
			continue
		}
		switch at := places(right, used); {
		case len(at) == 0:
			problems = append(problems, "no use was made of the right to "+right.String()+", and no reason says why it is there")
		case right.Namespace == everywhere && slices.Equal(at, []string{world.System}):
			problems = append(problems, "use was made of the right to "+right.String()+" in "+world.System+" alone, and no reason says why it is one everywhere")
		}
	}
	return problems
}

// places returns the namespaces that a right was used in.
func places(right world.Right, used map[world.Right]int) []string {
	var at []string
	for use, times := range used {
		namespace := use.Namespace
		use.Namespace = right.Namespace
		if times > 0 && use == right && (right.Namespace == everywhere || right.Namespace == namespace) {
			at = append(at, namespace)
		}
	}
	return at
}

// TestSparedRights: every right that is spared is one of a role in deploy/, and a right that somebody adds is not spared,
// though the roles have others of its verb and of its kind.
func TestSparedRights(t *testing.T) {
	const unused, absent, wide = "no use was made of the right to ", "which no role has", "no reason says why it is one everywhere"
	granted := world.Rights(t, cloud)
	for account, added := range map[string][]world.Right{
		world.Daemon: {{Verb: "delete", Resource: "nodes"}, {Verb: "create", Resource: "pods"}, {Verb: "update", Group: "kupenstack.io", Resource: "openstackservices"}, {Verb: "get", Resource: "secrets/token"}, {Verb: "delete", Resource: "secrets", Namespace: "default"}},
		world.Charts: {{Verb: "delete", Resource: "nodes"}, {Verb: "escalate", Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}, {Verb: "list", Resource: "namespaces"}, {Verb: "list", Resource: "secrets"}},
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
			stale := append(slices.Clone(spared()[account]), spare{"it was there once", right.Namespace, right.Verb, right.Kind()})
			if got := unexplained(granted[account], used, stale); len(got) != 1 || !strings.HasSuffix(got[0], absent) {
				t.Errorf("%s may not %s, for which there is a reason: %q", account, right, got)
			}
		}
		leases := world.Right{Verb: "get", Group: "coordination.k8s.io", Resource: "leases"} // the daemon may see its own
		for _, right := range append(slices.Clone(added), leases) {
			if right.Namespace != everywhere {
				continue
			}
			own, other := right, right
			own.Namespace, other.Namespace = world.System, cloud
			more, used := append(slices.Clone(granted[account]), right), maps.Clone(used)
			used[own]++
			if got := unexplained(more, used, spared()[account]); len(got) != 1 || !strings.HasSuffix(got[0], wide) {
				t.Errorf("%s may %s everywhere, and does it in one namespace: %q", account, right, got)
			}
			used[other]++
			if got := unexplained(more, used, spared()[account]); len(got) != 0 {
				t.Errorf("%s may %s everywhere, and does it in two namespaces: %q", account, right, got)
			}
		}
		twice := append(slices.Clone(spared()[account]), spared()[account][0])
		if got := unexplained(granted[account], used, twice); len(got) != len(twice[0].rights()) {
			t.Errorf("with two reasons for the same: %q", got)
		}
	}
}
