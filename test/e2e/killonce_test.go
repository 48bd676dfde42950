//go:build beds

package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// differs compares what is there with what is wanted, one line for each difference. Two objects where one is wanted fail
// the test.
func (s *kinds) differs(t *testing.T) []string {
	t.Helper()
	want := map[string]string{
		"project dev": "there", "project dev instances": "20", "project guest": "there", "network web mtu": "1400", "network public router:external": "true",
		"subnet web description": "", "subnet public cidr": "203.0.113.0/24", "router edge status": "ACTIVE", "router edge interfaces": "1",
		"flavor small ram": "64", "flavor spare vcpus": "1", "keypair ops": "there", "image cirros status": "active", "image shared status": "active",
		"image shared members": "guest", "instance web status": "ACTIVE", "instance web tier": "web",
		"security_group web ports": "22 8080", "volumes": "data 1 GiB available", "floating_ips": "1 in use", "role_assignments": "1", "roles": "reader", "groups": "readers",
		"notes kept": "0", "notes spare": "0", "settings": "0", "server": "0", "node-1": "labelled", "vswitchd": "0",
	}
	if s.changed {
		for name, value := range map[string]string{
			"project dev instances": "21", "network web mtu": "1300", "subnet web description": "changed", "flavor spare vcpus": "2",
			"image shared members": "dev", "instance web tier": "db", "security_group web ports": "22 8081", "volumes": "data 2 GiB available",
			"notes kept": "1", "settings": "1", "server": "1", "vswitchd": "1",
		} {
			want[name] = value
		}
		delete(want, "notes spare")
	}
	return crash.Diff(want, s.facts(t))
}

// facts are what there is now, as far as it is wanted.
func (s *kinds) facts(t *testing.T) map[string]string {
	t.Helper()
	facts := s.unlisted(t)
	s.inCluster(t, facts)
	ids := map[string]string{}
	for _, one := range [][3]string{
		{"project", "dev", ""},
		{"project", "guest", ""},
		{"network", "web", "mtu"},
		{"network", "public", "router:external"},
		{"subnet", "web", "description"},
		{"subnet", "public", "cidr"},
		{"router", "edge", "status"},
		{"flavor", "small", "ram"},
		{"flavor", "spare", "vcpus"},
		{"keypair", "ops", ""},
		{"image", "cirros", "status"},
		{"image", "shared", "status"},
	} {
		object := s.raw(one[0], one[1])
		if object == nil {
			continue
		}
		name := one[0] + " " + one[1]
		ids[name], _ = object["id"].(string)
		if one[2] == "" {
			facts[name] = "there"
			continue
		}
		value, _, _ := strings.Cut(fmt.Sprint(object[one[2]]), "[kupenstack:") // our mark, in a description
		facts[name+" "+one[2]] = strings.TrimSpace(value)
	}
	if ids["project dev"] != "" {
		s.inProject(t, ids["project dev"], facts)
	}
	if id := ids["router edge"]; id != "" {
		ports, _ := s.Read(t, "network", "ports?device_owner=network:router_interface&device_id="+id)["ports"].([]any)
		facts["router edge interfaces"] = fmt.Sprint(len(ports))
	}
	if id := ids["image shared"]; id != "" {
		members, _ := s.Read(t, "image", "images/"+id+"/members")["members"].([]any)
		var names []string
		for _, member := range members {
			raw, _ := member.(map[string]any)
			for _, project := range []string{"dev", "guest"} {
				if raw["member_id"] == ids["project "+project] {
					names = append(names, project)
				}
			}
		}
		facts["image shared members"] = strings.Join(slices.Sorted(slices.Values(names)), " ")
	}
	return facts
}

// inProject adds what the project has.
func (s *kinds) inProject(t *testing.T, id string, facts map[string]string) {
	t.Helper()
	quota, _ := s.Read(t, "compute", "os-quota-sets/"+id)["quota_set"].(map[string]any)
	facts["project dev instances"] = fmt.Sprint(quota["instances"])
	given, _ := s.Read(t, "identity", "role_assignments?scope.project.id="+id)["role_assignments"].([]any)
	given = slices.DeleteFunc(given, func(element any) bool { // the product's own user has one as well
		assignment, _ := element.(map[string]any)
		return assignment["group"] == nil
	})
	facts["role_assignments"] = fmt.Sprint(len(given))
	ips := s.floatingIPs(t)
	facts["floating_ips"] = fmt.Sprint(len(ips))
	for _, ip := range ips {
		if ip["port_id"] != nil {
			facts["floating_ips"] += " in use"
		}
	}
	for _, server := range s.Servers(t) {
		name := "instance " + strings.TrimPrefix(server.Name, s.Files.Prefix)
		if _, twice := facts[name+" status"]; twice {
			t.Fatalf("%s: there are two servers %s", s.where(), server.Name)
		}
		facts[name+" status"], facts[name+" tier"] = server.Status, server.Metadata["tier"]
	}
	list, _ := s.raw("security_group", "web")["security_group_rules"].([]any)
	var open []string
	for _, element := range list {
		if rule, _ := element.(map[string]any); rule["protocol"] == "tcp" {
			open = append(open, fmt.Sprint(rule["port_range_min"]))
		}
	}
	facts["security_group web ports"] = strings.Join(slices.Sorted(slices.Values(open)), " ")
}

// inCluster adds what there is beside the services in Kubernetes.
func (s *kinds) inCluster(t *testing.T, facts map[string]string) {
	t.Helper()
	client := s.Cluster.Client()
	notes, err := client.CoreV1().ConfigMaps("notes").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range notes.Items {
		if o := &notes.Items[i]; o.Annotations["kupenstack.io/unit"] != "" {
			facts["notes "+o.Name] = o.Data["text"]
		}
	}
	if settings, err := client.CoreV1().ConfigMaps(namespace).Get(t.Context(), "settings", metav1.GetOptions{}); err == nil {
		facts["settings"] = settings.Data["text"]
	}
	if server, err := client.AppsV1().Deployments(namespace).Get(t.Context(), "server", metav1.GetOptions{}); err == nil {
		facts["server"] = server.Spec.Template.Annotations["text"]
	}
	if node, err := client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{}); err == nil && node.Labels["openstack-control-plane"] != "" {
		facts["node-1"] = "labelled"
	}
	pods, err := client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "application=openvswitch"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range pods.Items {
		for _, container := range pods.Items[i].Spec.Containers {
			if _, tag, is := strings.Cut(container.Image, "/vswitchd:"); is {
				facts["vswitchd"] += tag // two pods where one is wanted show
			}
		}
	}
}

// unlisted is what there is of the kinds that [world.World.Objects] does not list.
func (s *kinds) unlisted(t *testing.T) map[string]string {
	t.Helper()
	facts := map[string]string{}
	for _, kind := range []struct{ api, path, key string }{
		{"identity", "roles", "roles"}, {"identity", "groups", "groups"}, {"volume", "volumes/detail?all_tenants=True", "volumes"},
	} {
		list, _ := s.Read(t, kind.api, kind.path)[kind.key].([]any)
		var ours []string
		for _, element := range list {
			raw, _ := element.(map[string]any)
			name, _ := raw["name"].(string)
			short, is := strings.CutPrefix(name, s.Files.Prefix)
			if is && kind.key == "volumes" {
				short += fmt.Sprintf(" %v GiB %v", raw["size"], raw["status"])
			}
			if is {
				ours = append(ours, short)
			}
		}
		if len(ours) > 0 {
			facts[kind.key] = strings.Join(ours, ", ")
		}
	}
	return facts
}

// floatingIPs are those of the project.
func (s *kinds) floatingIPs(t *testing.T) []map[string]any {
	t.Helper()
	_, project := s.known(t, "project", "dev")
	list, _ := s.Read(t, "network", "floatingips?project_id="+project)["floatingips"].([]any)
	var ips []map[string]any
	for _, element := range list {
		raw, _ := element.(map[string]any)
		ips = append(ips, raw)
	}
	return ips
}

// releasesOnce looks at Helm's revisions. One that was cut off stays in the history as failed, and the one that took over
// has the next number; nothing else may have a second one, but for those that were upgraded.
func (s *kinds) releasesOnce(t *testing.T) {
	t.Helper()
	list, err := s.Cluster.Client().CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm"})
	if err != nil {
		t.Fatal(err)
	}
	deployed := map[string]int{}
	for i := range list.Items {
		labels := list.Items[i].Labels
		switch labels["status"] {
		case "deployed":
			deployed[labels["name"]]++
		case "failed":
		default:
			if labels["status"] != "superseded" || labels["name"] != "app" && labels["name"] != "openvswitch" || !s.changed {
				t.Errorf("%s: the revision %s of %s is %s", s.where(), labels["version"], labels["name"], labels["status"])
			}
		}
	}
	if want := map[string]int{"mariadb": 1, "rabbitmq": 1, "memcached": 1, "keystone": 1, "openvswitch": 1, "app": 1}; !maps.Equal(deployed, want) {
		t.Errorf("%s: so many revisions are deployed: %v, want %v", s.where(), deployed, want)
	}
}

// hooksOnce counts the creations of Jobs in the audit log: one for each revision that was wanted.
func (s *kinds) hooksOnce(t *testing.T) {
	t.Helper()
	created := s.hooks.of(t, s.Cluster, namespace)
	if len(created) < 7 {
		t.Errorf("%s: only the Jobs %v were created", s.where(), created)
	}
	for name, times := range created {
		want := 1
		if s.changed && (name == "before" || name == "after") {
			want = 2
		}
		if times != want {
			t.Errorf("%s: the Job %s was created %d times, want %d", s.where(), name, times, want)
		}
	}
}

// reportsOnce looks at the history of the status branch.
func (s *kinds) reportsOnce(t *testing.T) {
	t.Helper()
	history := s.Repository.Log(t, world.StatusBranch)
	var younger map[string]string
	for i, commit := range history {
		if wanted := min(1, len(history)-1-i); len(commit.Parents) != wanted {
			t.Errorf("%s: commit %s has %d parents, want %d", s.where(), commit.Hash, len(commit.Parents), wanted)
		}
		tree := s.Repository.Tree(t, commit.Hash)
		if fmt.Sprint(tree) == fmt.Sprint(younger) {
			t.Errorf("%s: commit %s says what the one before it said", s.where(), history[i-1].Hash)
		}
		younger = tree
	}
}
