package cause_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/cause"
)

// waitingFor returns the finding of a pod whose init container has such an environment.
func waitingFor(t *testing.T, env ...string) *cause.Finding {
	t.Helper()
	var variables []string
	for i := 0; i < len(env); i += 2 {
		variables = append(variables, "{name: "+env[i]+", value: '"+env[i+1]+"'}")
	}
	found := findings(t, "{metadata: {namespace: openstack}, spec: {nodeName: n1, initContainers: [{name: init, env: ["+strings.Join(variables, ", ")+"]}]}, "+
		"status: {initContainerStatuses: [{name: init, state: {running: {}}}]}}")
	if len(found) != 1 {
		t.Fatalf("got %+v", found)
	}
	return &found[0]
}

func TestDependencies(t *testing.T) {
	tests := []struct{ variable, value, want string }{
		{"DEPENDENCY_SERVICE", "openstack:mariadb, ceph:rgw,plain", "Service mariadb, Service ceph/rgw, Service plain"},
		{"DEPENDENCY_JOBS", "keystone-db-sync,other:x", "Job keystone-db-sync, Job other/x"},
		{"DEPENDENCY_JOBS_JSON", `[{"labels":{"b":"2","a":"1"}},{"namespace":"other","labels":{"c":"3"}}]`, "Jobs a=1,b=2, Jobs other/c=3"},
		{"DEPENDENCY_DAEMONSET", "openvswitch-db", "DaemonSet openvswitch-db"},
		{"DEPENDENCY_CONTAINER", "sidecar", "container sidecar"},
		{"DEPENDENCY_POD_JSON", `[{"labels":{"application":"neutron"},"requireSameNode":true}]`, "pods application=neutron"},
		{"DEPENDENCY_CONFIG", "/etc/x.conf", "file /etc/x.conf"},
		{"DEPENDENCY_CUSTOM_RESOURCE", `[{"apiVersion":"a/v1","kind":"Workflow","name":"w","fields":[{"key":"status.phase","value":"Succeeded"}]}]`, "Workflow w"},
		{"DEPENDENCY_POD_JSON", "no JSON", "pods no JSON"},
		{"DEPENDENCY_NEWLY", "something", "newly something"},
	}
	for _, test := range tests {
		t.Run(test.variable, func(t *testing.T) {
			if got, want := waitingFor(t, test.variable, test.value).Text, "init container init waits for "+test.want; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	for _, empty := range []string{"", "[]", "null"} {
		if got := waitingFor(t, "DEPENDENCY_POD_JSON", empty).Text; got != "init container init has not finished" {
			t.Errorf("%q: got %q", empty, got)
		}
	}
	d := waitingFor(t, "DEPENDENCY_POD_JSON", `[{"labels":{"a":"1"},"requireSameNode":true}]`).Waits[0]
	if d.Namespace != "openstack" || d.Labels != "a=1" || !d.SameNode {
		t.Errorf("got %+v", d)
	}
}

func TestWhichDependenciesAreUnmet(t *testing.T) {
	f := waitingFor(t, "DEPENDENCY_SERVICE", "openstack:mariadb", "DEPENDENCY_JOBS", "db-sync,ks-user", "DEPENDENCY_CONFIG", "/etc/x.conf")
	mariadb, sync, user := f.Waits[0], f.Waits[1], f.Waits[2]
	tests := []struct {
		name    string
		reasons map[cause.Dependency]string
		want    string
	}{
		{"some", map[cause.Dependency]string{mariadb: "", sync: "not complete", user: "it is not there"}, "waits for Job db-sync (not complete), Job ks-user (it is not there), and maybe for file /etc/x.conf"},
		{"none that can be seen", map[cause.Dependency]string{mariadb: "", sync: "", user: ""}, "waits for file /etc/x.conf"},
		{"nobody could look", nil, "waits for Service mariadb, Job db-sync, Job ks-user, file /etc/x.conf"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f.Waiting(test.reasons)
			if want := "init container init " + test.want; f.Text != want {
				t.Errorf("got %q, want %q", f.Text, want)
			}
		})
	}
	f = waitingFor(t, "DEPENDENCY_JOBS", "db-sync")
	f.Waiting(map[cause.Dependency]string{f.Waits[0]: ""})
	if want := "init container init has not finished, though all is there that it waits for: Job db-sync"; f.Text != want {
		t.Errorf("got %q", f.Text)
	}
}
