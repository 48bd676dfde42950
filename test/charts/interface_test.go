//go:build beds

package charts_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

const (
	// recorded has the sums of what OpenStack-Helm's charts render.
	recorded = "testdata/interface.json"
)

// sums are hashes of a chart's facets: by variant, then by what they are about.
type sums map[string]map[string]string

// TestInterface renders OpenStack-Helm's charts and ours with the same values and compares
// everything that the product or the player reads. What differs on purpose is in simplified.
// Without a checkout it compares with what is recorded, which tells what differs only roughly.
func TestInterface(t *testing.T) {
	dir := os.Getenv(charts.CheckoutVariable)
	if dir == "" {
		slow.Test(t)
	}
	found := map[string]sums{}
	for _, name := range charts.Names() {
		ours, theirs := load(t, name), (*chart.Chart)(nil)
		variants := matrix(t, ours)
		if dir != "" {
			theirs = read(t, filepath.Join(dir, name))
			theirs.SetDependencies(read(t, filepath.Join(dir, "helm-toolkit")))
			variants = append(variants, unread(t, ours, theirs)...)
		}
		found[name] = sums{}
		for _, v := range variants {
			if theirs == nil && !v.recorded {
				continue
			}
			if v.recorded {
				found[name][v.name] = nil
			}
			t.Run(name+" "+v.name, func(t *testing.T) {
				our := facets(t, ours, v.values)
				if theirs != nil {
					their := facets(t, theirs, v.values)
					compare(t, name, their, our)
					our = their // The record is of OpenStack-Helm.
				}
				if v.recorded {
					found[name][v.name] = sum(our)
				}
			})
		}
	}
	if dir != "" && os.Getenv(updateVariable) != "" {
		data, err := json.MarshalIndent(found, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(recorded, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]sums{}
	if err := json.Unmarshal(data, &known); err != nil {
		t.Fatal(err)
	}
	hint := "name a checkout of OpenStack-Helm in " + charts.CheckoutVariable + " to see the difference"
	if dir != "" {
		hint = "when nothing else fails, " + recorded + " is of another version: write it again with " + updateVariable + "=1"
	}
	compareSums(t, known, found, hint)
}

// sum returns a hash for each kind of facets.
func sum(facets map[string]string) map[string]string {
	hashes := map[string]hash.Hash{}
	skip := simplified()
	for _, key := range slices.Sorted(maps.Keys(facets)) {
		if skip.MatchString(key + " ") {
			continue
		}
		kind := "pods"
		_, property, _ := strings.Cut(key, " ")
		switch {
		case property == "exists":
			kind = "objects"
		case strings.HasPrefix(property, "annotation "):
			kind = "hooks"
		case strings.HasSuffix(property, "ports"), property == "service":
			kind = "ports"
		case property == "selector", strings.HasSuffix(property, "labels"):
			kind = "selectors"
		case strings.HasPrefix(property, "init init env "):
			kind = "dependencies"
		case strings.HasPrefix(key, "Secret/"):
			kind = "secrets"
		}
		if hashes[kind] == nil {
			hashes[kind] = sha256.New()
		}
		fmt.Fprintf(hashes[kind], "%s=%s\n", key, facets[key])
	}
	sums := map[string]string{}
	for kind, hash := range hashes {
		sums[kind] = fmt.Sprintf("%x", hash.Sum(nil)[:6])
	}
	return sums
}

// compareSums reports every variant whose sums are not the recorded ones, with a hint at what to
// do then.
func compareSums(t *testing.T, known, found map[string]sums, hint string) {
	t.Helper()
	for _, name := range charts.Names() {
		for _, variant := range slices.Sorted(maps.Keys(found[name])) {
			kinds := found[name][variant]
			if kinds == nil {
				continue // The subtest is not in -run.
			}
			var differ []string
			for kind := range merged(kinds, known[name][variant]) {
				if kinds[kind] != known[name][variant][kind] {
					differ = append(differ, kind)
				}
			}
			if slices.Sort(differ); len(differ) > 0 {
				t.Errorf("%s with %s: not as OpenStack-Helm's chart are its %s; %s", name, variant, strings.Join(differ, ", "), hint)
			}
		}
		for variant := range known[name] {
			if _, is := found[name][variant]; !is {
				t.Errorf("%s with %s is in %s and not in the matrix", name, variant, recorded)
			}
		}
	}
}

// merged are the keys of all maps.
func merged(maps ...map[string]string) map[string]bool {
	all := map[string]bool{}
	for _, one := range maps {
		for key := range one {
			all[key] = true
		}
	}
	return all
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
		`^Deployment/prometheus-openstack-exporter init clouds-yaml-gen command `,
		// A test that has neither an image nor a Secret.
		`^(Pod|ServiceAccount)/manila-test `,
		// Budgets that are for pods with a label that none has.
		`^PodDisruptionBudget/designate-\S+ budget `,
		// Variables that only a real process reads.
		` env (RPC_PROBE_\S+|MARIADB_CONTROLLER_\S+|CLUSTER_LEADER_TTL|MYSQL_HISTFILE|STATE_CONFIGMAP|\S*POD_\S+|(DEPLOYMENT_)?NAMESPACE|NODE_?NAME|HOSTNAME|PATH|OVN_\S+|OVS_USER_ID|ENABLE_IPSEC) `,
		` env (RABBITMQ_NODENAME|K8S_HOSTNAME_SUFFIX|PORT_\S+|\S+_USER_UID|CEPH_\S+|LIBVIRT_CEPH_\S+|RBD_\S+|SWIFT_TMPURL_KEY|KEYSTONE_CREDENTIAL_MIGRATE_WAIT) `,
		`^Job/glance-storage-init container glance-storage-init env OS_`,
		`^(Job/cinder-create-internal-tenant|Deployment/cinder-volume) \S+ \S+ env (INTERNAL_\S+|SERVICE_OS_(ROLES|SERVICE_NAME)) `,
		// Configuration without a suffix, and keys that nobody has set.
		`^Secret/\S+ key (auto_bridge_add|\S+_sudoers|local_settings|test_template_\d|tftp-map-file|update_dpdk_bond_config)`,
		`^Secret/nova-ssh key `,
	}, "|"))
}

func compare(t *testing.T, name string, theirs, ours map[string]string) {
	t.Helper()
	skip := simplified()
	for _, key := range slices.Sorted(maps.Keys(merged(theirs, ours))) {
		if theirs[key] != ours[key] && !skip.MatchString(key+" ") {
			t.Errorf("%s: %s\n  OpenStack-Helm %q\n  ours           %q", name, key, theirs[key], ours[key])
		}
	}
}
