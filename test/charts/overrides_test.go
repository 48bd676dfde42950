//go:build beds

package charts_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// terms are the node selector requirements of a DaemonSet, as "key operator values".
func terms(t *testing.T, o object) []string {
	t.Helper()
	affinity := o.typed.(*appsv1.DaemonSet).Spec.Template.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil {
		return nil
	}
	var found []string
	for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			found = append(found, e.Key+" "+string(e.Operator)+" "+strings.Join(e.Values, ","))
		}
	}
	return found
}

func secretOf(t *testing.T, objects []object, name, key string) string {
	t.Helper()
	return string(find(t, objects, "Secret", name).typed.(*corev1.Secret).Data[key])
}

// TestConfOverrides has two groups by label and one host, in the style of nova and neutron.
// The names are those that OpenStack-Helm gives: they hash the node selection.
func TestConfOverrides(t *testing.T) {
	objects := render(t, load(t, "nova"), `
conf:
  overrides:
    nova_compute:
      labels:
        - label: {key: kupenstack-profile, values: [one]}
          conf: {nova: {DEFAULT: {cpu_allocation_ratio: 2}}}
        - label: {key: kupenstack-profile, values: [two]}
          conf: {nova: {DEFAULT: {cpu_allocation_ratio: 3}}}
      hosts:
        - name: node-7
          conf: {nova: {DEFAULT: {cpu_allocation_ratio: 4}}}
`)
	const key = "kupenstack-profile"
	want := map[string][]string{
		"2": {key + " In one", key + " NotIn two", "kubernetes.io/hostname NotIn node-7"},
		"3": {key + " In two", "kubernetes.io/hostname NotIn node-7"},
		"4": {"kubernetes.io/hostname In node-7"},
		"":  {key + " NotIn one", key + " NotIn two", "kubernetes.io/hostname NotIn node-7"},
	}
	groups := names(objects, "DaemonSet")
	if len(groups) != len(want) {
		t.Fatalf("DaemonSets are %v", groups)
	}
	for _, name := range groups {
		set := find(t, objects, "DaemonSet", name)
		ratio := ""
		for line := range strings.Lines(secretOf(t, objects, name, "nova-compute.conf")) {
			if value, found := strings.CutPrefix(line, "cpu_allocation_ratio = "); found {
				ratio = strings.TrimSpace(value)
			}
		}
		if got := terms(t, set); !slices.Equal(got, want[ratio]) {
			t.Errorf("%s with ratio %q selects %q, want %q", name, ratio, got, want[ratio])
		}
		volumes := set.typed.(*appsv1.DaemonSet).Spec.Template.Spec.Volumes
		if !slices.ContainsFunc(volumes, func(v corev1.Volume) bool { return v.Secret != nil && v.Secret.SecretName == name }) {
			t.Errorf("%s does not mount its own Secret", name)
		}
		delete(want, ratio)
	}
	if len(want) > 0 {
		t.Errorf("there is no DaemonSet with %v", want)
	}
	if plain := names(render(t, load(t, "nova"), ""), "DaemonSet"); !slices.Equal(plain, []string{"nova-compute-default"}) {
		t.Errorf("without overrides: %v", plain)
	}
}

// TestRootOverrides is the style of libvirt and ovn, which can override any value.
func TestRootOverrides(t *testing.T) {
	objects := render(t, load(t, "libvirt"), `
overrides:
  libvirt_libvirt:
    labels:
      "profile::gpu":
        values: {images: {tags: {libvirt: other:1}}, conf: {qemu: {user: gpu}}}
`)
	groups := names(objects, "DaemonSet")
	if len(groups) != 2 || !slices.Contains(groups, "libvirt-libvirt-default") {
		t.Fatalf("DaemonSets are %v", groups)
	}
	for _, name := range groups {
		set := find(t, objects, "DaemonSet", name)
		image := set.typed.(*appsv1.DaemonSet).Spec.Template.Spec.Containers[0].Image
		var qemu map[string]string
		if err := json.Unmarshal([]byte(secretOf(t, objects, name+"-etc", "qemu.conf")), &qemu); err != nil {
			t.Fatal(err)
		}
		find(t, objects, "ConfigMap", name+"-bin")
		if name == "libvirt-libvirt-default" {
			if image == "other:1" || qemu["user"] != "nova" || !slices.Equal(terms(t, set), []string{"profile NotIn gpu"}) {
				t.Errorf("default: image %s, %v, %v", image, qemu, terms(t, set))
			}
			continue
		}
		if image != "other:1" || qemu["user"] != "gpu" || !slices.Equal(terms(t, set), []string{"profile In gpu"}) {
			t.Errorf("%s: image %s, %v, %v", name, image, qemu, terms(t, set))
		}
	}
}

// TestRolls checks that a changed configuration rolls pods, and only those of its group.
func TestRolls(t *testing.T) {
	hash := func(values, kind, name string) string {
		t.Helper()
		pod, _ := find(t, render(t, load(t, "nova"), values), kind, name).pods()
		return pod.Annotations["configmap-etc-hash"]
	}
	changed := "{conf: {nova: {DEFAULT: {debug: true}}}, " + pinned[1:]
	if hash(pinned, "Deployment", "nova-scheduler") == hash(changed, "Deployment", "nova-scheduler") {
		t.Error("a changed conf does not roll nova-scheduler")
	}
	group := func(ratio string) string {
		return "{conf: {overrides: {nova_compute: {labels: [{label: {key: p, values: [a]}, conf: {nova: {DEFAULT: {r: " + ratio + "}}}}]}}}, " + pinned[1:]
	}
	sets := names(render(t, load(t, "nova"), group("1")), "DaemonSet")
	rolled := 0
	for _, name := range sets {
		if hash(group("1"), "DaemonSet", name) != hash(group("2"), "DaemonSet", name) {
			rolled++
		}
	}
	if len(sets) != 2 || rolled != 1 {
		t.Errorf("%d of %v roll when one group changes", rolled, sets)
	}
}

// TestBackends checks what the choice of a network backend changes.
func TestBackends(t *testing.T) {
	const ovn = `{network: {backend: [ovn]}, manifests: {daemonset_dhcp_agent: false, daemonset_l3_agent: false,
		daemonset_metadata_agent: false, daemonset_ovs_agent: false, daemonset_ovn_metadata_agent: true, daemonset_netns_cleanup_cron: false}}`
	if got := names(render(t, load(t, "neutron"), ovn), "DaemonSet"); !slices.Equal(got, []string{"neutron-ovn-metadata-agent-default"}) {
		t.Errorf("neutron with OVN has %v", got)
	}
	for values, want := range map[string]string{"": "neutron-ovs-agent", `{network: {backend: [ovn]}}`: "ovn-controller"} {
		pod, _ := find(t, render(t, load(t, "nova"), values), "DaemonSet", "nova-compute-default").pods()
		if got := env(t, pod, "init")["DEPENDENCY_POD_JSON"]; !strings.Contains(got, want) || !strings.Contains(got, "libvirt") {
			t.Errorf("nova-compute waits for %s, want %s", got, want)
		}
	}
}

// TestDisabledJob checks that nobody waits for a job that is switched off.
func TestDisabledJob(t *testing.T) {
	pod, _ := find(t, render(t, load(t, "glance"), "{manifests: {job_storage_init: false}}"), "Deployment", "glance-api").pods()
	if got := env(t, pod, "init")["DEPENDENCY_JOBS"]; got != "glance-db-sync,glance-rabbit-init,glance-ks-user,glance-ks-endpoints" {
		t.Errorf("glance-api waits for %s", got)
	}
}
