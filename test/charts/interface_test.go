package charts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kupenstack/kupenstack-sync/test/charts"
)

// checkoutVariable names a checkout of OpenStack-Helm to compare with.
const checkoutVariable = "KUPENSTACK_OPENSTACK_HELM"

// TestInterface renders OpenStack-Helm's charts and ours with the same values and compares
// everything that the product or the player reads. What differs on purpose is in simplified.
func TestInterface(t *testing.T) {
	dir := os.Getenv(checkoutVariable)
	if dir == "" {
		t.Skipf("set %s to a checkout of OpenStack-Helm to compare the charts with it", checkoutVariable)
	}
	for name, values := range map[string]string{
		"": pinned,
		"ovn": `{network: {backend: [ovn]}, manifests: {daemonset_dhcp_agent: false, daemonset_l3_agent: false, daemonset_metadata_agent: false,
			daemonset_ovs_agent: false, daemonset_ovn_metadata_agent: true, daemonset_ovn_agent: true}, ` + pinned[1:],
		"overrides": `{conf: {overrides: {
			nova_compute: {labels: [{label: {key: p, values: [a]}, conf: {nova: {DEFAULT: {x: 1}}}}, {label: {key: p, values: [b]}, conf: {nova: {DEFAULT: {x: 2}}}}]},
			neutron_l3-agent: {hosts: [{name: node-1, conf: {l3_agent: {DEFAULT: {x: 1}}}}]}}},
			overrides: {libvirt_libvirt: {labels: {"p::a": {values: {}}, "p::b": {values: {}}}}, ovn_controller: {labels: {"p::a": {values: {}}}}}, ` + pinned[1:],
	} {
		for _, chartName := range charts.Names() {
			t.Run(strings.Trim(name+" "+chartName, " "), func(t *testing.T) {
				theirs := read(t, filepath.Join(dir, chartName))
				theirs.SetDependencies(read(t, filepath.Join(dir, "helm-toolkit")))
				compare(t, chartName, facets(t, theirs, values), facets(t, load(t, chartName), values))
			})
		}
	}
}

func read(t *testing.T, dir string) *chart.Chart {
	t.Helper()
	loaded, err := loader.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// simplified are facets of OpenStack-Helm's objects that ours do not have.
func simplified() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`^(Role|RoleBinding|ClusterRole|ClusterRoleBinding|CustomResourceDefinition)/`,
		`^ConfigMap/mariadb-services-tcp `,
		// Preparation of hosts and volumes, of Ceph, and of consoles.
		`init \S*(-perms|keyring-placement\S*|-init-assets|novncproxy-init|vnc-init|get-gw-enabled) `,
		// Variables that only a real process reads.
		` env (RPC_PROBE_\S+|MARIADB_CONTROLLER_\S+|CLUSTER_LEADER_TTL|MYSQL_HISTFILE|STATE_CONFIGMAP|\S*POD_\S+|NAMESPACE|NODE_?NAME|PATH|OVN_\S+|OVS_USER_ID|ENABLE_IPSEC) `,
		` env (RABBITMQ_NODENAME|K8S_HOSTNAME_SUFFIX|PORT_\S+|\S+_USER_UID|CEPH_\S+|LIBVIRT_CEPH_\S+|RBD_\S+|SWIFT_TMPURL_KEY|KEYSTONE_CREDENTIAL_MIGRATE_WAIT) `,
		`^Job/glance-storage-init container glance-storage-init env OS_`,
		`^(Job/cinder-create-internal-tenant|Deployment/cinder-volume) \S+ \S+ env (INTERNAL_\S+|SERVICE_OS_(ROLES|SERVICE_NAME)) `,
		// Configuration without a suffix, and keys that nobody has set.
		`^Secret/\S+ key (auto_bridge_add|\S+_sudoers|local_settings|test_template_\d|update_dpdk_bond_config)`,
		`^Secret/nova-ssh key `,
	}, "|"))
}

func compare(t *testing.T, name string, theirs, ours map[string]string) {
	t.Helper()
	skip := simplified()
	keys := map[string]bool{}
	for _, facets := range []map[string]string{theirs, ours} {
		for key := range facets {
			keys[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if theirs[key] != ours[key] && !skip.MatchString(key+" ") {
			t.Errorf("%s: %s\n  OpenStack-Helm %q\n  ours           %q", name, key, theirs[key], ours[key])
		}
	}
}

// facets are an object's properties by "KIND/NAME PROPERTY".
func facets(t *testing.T, c *chart.Chart, values string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, o := range loosely(t, c, values) {
		put := func(property string, value any) {
			encoded, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(encoded); text != "null" && text != `""` && text != "{}" && text != "0" {
				found[o.String()+" "+property] = text
			}
		}
		put("exists", true)
		for key, value := range o.meta.GetAnnotations() {
			if strings.HasPrefix(key, "helm.sh/") {
				put("annotation "+key, value)
			}
		}
		objectFacets(o, put)
		if pod, _ := o.pods(); pod != nil {
			put("labels", o.meta.GetLabels())
			podFacets(pod, put)
			if o.kind == "CronJob" {
				delete(found, o.String()+" labels")
			}
		}
	}
	return found
}

// loosely decodes what the API's types know, and nothing else of custom kinds but the name.
func loosely(t *testing.T, c *chart.Chart, values string) []object {
	t.Helper()
	var objects []object
	for _, text := range manifests(t, c, values) {
		if o, ok := decodeLoosely(t, text); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

func objectFacets(o object, put func(string, any)) {
	switch typed := o.typed.(type) {
	case *appsv1.Deployment:
		put("replicas", typed.Spec.Replicas)
		put("selector", typed.Spec.Selector)
		put("strategy", typed.Spec.Strategy)
		put("history", typed.Spec.RevisionHistoryLimit)
	case *appsv1.StatefulSet:
		put("replicas", typed.Spec.Replicas)
		put("selector", typed.Spec.Selector)
		put("service", typed.Spec.ServiceName)
		put("management", typed.Spec.PodManagementPolicy)
		for _, claim := range typed.Spec.VolumeClaimTemplates {
			put("claim "+claim.Name, claim.Spec)
		}
	case *appsv1.DaemonSet:
		put("selector", typed.Spec.Selector)
		put("strategy", typed.Spec.UpdateStrategy)
	case *batchv1.Job:
		put("backoff", typed.Spec.BackoffLimit)
	case *batchv1.CronJob:
		spec := typed.Spec.DeepCopy()
		put("jobs' labels", spec.JobTemplate.Labels)
		spec.JobTemplate = batchv1.JobTemplateSpec{}
		put("schedule", spec)
	case *corev1.Service:
		put("selector", typed.Spec.Selector)
		put("headless", typed.Spec.ClusterIP)
		ports := map[string]int32{}
		for _, port := range typed.Spec.Ports {
			ports[port.Name] = port.Port
		}
		put("ports", ports)
	case *corev1.Secret:
		for key, value := range typed.Data {
			// Not the files of configurations: ours are shorter.
			if !strings.Contains(key, ".") || strings.HasSuffix(o.meta.GetName(), "-ks-etc") {
				put("key "+key, string(value))
			}
		}
	case *policyv1.PodDisruptionBudget:
		put("budget", typed.Spec)
	}
}

func podFacets(pod *corev1.PodTemplateSpec, put func(string, any)) {
	put("pods' labels", pod.Labels)
	put("restart", pod.Spec.RestartPolicy)
	put("nodes", pod.Spec.NodeSelector)
	put("account", pod.Spec.ServiceAccountName)
	put("host network", pod.Spec.HostNetwork)
	put("grace", pod.Spec.TerminationGracePeriodSeconds)
	put("tolerations", pod.Spec.Tolerations)
	put("affinity", pod.Spec.Affinity)
	for kind, containers := range map[string][]corev1.Container{"init": pod.Spec.InitContainers, "container": pod.Spec.Containers} {
		for _, c := range containers {
			put(fmt.Sprintf("%s %s image", kind, c.Name), c.Image)
			put(fmt.Sprintf("%s %s command", kind, c.Name), append(slices.Clone(c.Command), c.Args...))
			for _, variable := range c.Env {
				value := any(variable.Value)
				if variable.ValueFrom != nil {
					value = variable.ValueFrom
				}
				put(fmt.Sprintf("%s %s env %s", kind, c.Name, variable.Name), value)
			}
		}
	}
}
