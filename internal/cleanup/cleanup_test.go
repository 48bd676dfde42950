package cleanup_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/cleanup"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const programs = `apiVersion: v1
kind: ConfigMap
metadata: {name: heat-bin}
data: {db-init.py: create, db-drop.py: drop}
`

// initJob is a Job as OpenStack-Helm's charts have them.
func initJob(name, containers string) string {
	return fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata:
  name: %s
  labels: {application: heat}
  annotations: {helm.sh/hook: "post-install,post-upgrade"}
spec:
  backoffLimit: 1000
  ttlSecondsAfterFinished: 60
  template:
    metadata: {labels: {application: heat}}
    spec:
      serviceAccountName: %[1]s
      initContainers: [{name: init, env: [{name: DEPENDENCY_SERVICE, value: "o:keystone-api"}, {name: DEPENDENCY_JOBS, value: "old-one"}]}]
      containers: %s
      volumes: [{name: bin, configMap: {name: heat-bin}}]
`, name, containers)
}

// secretOf is a Secret as those charts have it, with the name of a user.
func secretOf(name, user string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: %s}\ndata: {OS_USERNAME: %s}\n", name, base64.StdEncoding.EncodeToString([]byte(user)))
}

func TestJobs(t *testing.T) {
	domain := initJob("heat-domain-ks-user", `[{name: heat-ks-domain-user, command: [/tmp/ks-domain-user.sh]}]`)
	service := initJob("heat-ks-service", `[{name: a, env: [{name: OS_SERVICE_TYPE, value: orchestration}]}, {name: b, env: [{name: OS_SERVICE_TYPE, value: cloudformation}]}, {name: c, env: [{name: OS_SERVICE_TYPE, value: orchestration}]}]`)
	users := initJob("heat-ks-user", `[{name: heat-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh], env: [{name: X, value: a}]}]`)
	pool := func(job, program, name string) string {
		return initJob("heat-"+job, `[{name: x, command: [/tmp/`+program+`], env: [{name: RBD_POOL_NAME, value: `+name+`}]}, {name: y, command: [/tmp/other], env: [{name: STORAGE_BACKEND, value: pvc}]}]`)
	}
	database := `[{name: a, command: [/tmp/db-init.py], env: [{name: X, value: a}], volumeMounts: [{name: tmp, mountPath: /tmp}, {name: bin, mountPath: /tmp/db-init.py, subPath: db-init.py}]},
    {name: b, command: [/tmp/db-init.py], env: [{name: X, value: b}], volumeMounts: [{name: bin, mountPath: /tmp/db-init.py, subPath: db-init.py}]}]`
	for _, c := range []struct {
		name      string
		left      string
		documents []string
		want      []string // in the Job
		not       []string
		problem   string
	}{
		{
			"every database", schema.LeftDatabase,
			[]string{programs, initJob("heat-db-init", database)},
			[]string{"name: heat-clean-database\n  namespace: openstack", "/tmp/db-drop.py", "subPath: db-drop.py", "value: a", "value: b", "serviceAccountName: heat-db-init", "value: o:keystone-api", "backoffLimit: 1000", "application: heat"},
			[]string{"db-init.py", "ttlSeconds", "helm.sh", "old-one"},
			"",
		},
		{
			"own users only", schema.LeftUsers,
			[]string{
				secretOf("own", "heat_nova"), secretOf("other", "cinder"), secretOf("alike", "heater"),
				initJob("heat-ks-user", `[{name: heat-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh]}, {name: heat-trustee-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh]},
    {name: nova-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh], env: [{name: X, value: a}, {name: SERVICE_OS_USERNAME, valueFrom: {secretKeyRef: {name: own, key: OS_USERNAME}}}]},
    {name: cinder-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh], env: [{name: SERVICE_OS_USERNAME, valueFrom: {secretKeyRef: {name: other, key: OS_USERNAME}}}]},
    {name: alike-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh], env: [{name: SERVICE_OS_USERNAME, valueFrom: {secretKeyRef: {name: alike, key: OS_USERNAME}}}]},
    {name: lost-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh], env: [{name: SERVICE_OS_USERNAME, valueFrom: {secretKeyRef: {name: lost, key: OS_USERNAME}}}]}]`),
			},
			[]string{"name: heat-ks-user", "name: heat-trustee-ks-user", "name: nova-ks-user", "openstack user delete"},
			[]string{"cinder-ks-user", "alike-ks-user", "lost-ks-user", "- /tmp/ks-user.sh"},
			"",
		},
		{"no Job", schema.LeftMessaging, []string{programs}, nil, nil, "there is no Job heat-rabbit-init"},
		{"the Job of another release", schema.LeftDatabase, []string{programs, initJob("nova-db-init", database)}, nil, nil, "there is no Job heat-db-init"},
		{"users of others only", schema.LeftUsers, []string{initJob("heat-ks-user", `[{name: nova-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh]}]`)}, nil, nil, "Job heat-ks-user has no container for a user of heat itself"},
		{"another program", schema.LeftCatalogue, []string{initJob("heat-ks-service", `[{name: x, command: [/opt/register]}]`)}, nil, nil, `container "x" of Job heat-ks-service does not run ks-service.sh`},
		{"a program with arguments", schema.LeftCatalogue, []string{initJob("heat-ks-service", `[{name: x, command: [/tmp/ks-service.sh], args: [-x]}]`)}, nil, nil, "does not run ks-service.sh"},
		{
			"no program that drops", schema.LeftDatabase,
			[]string{strings.ReplaceAll(programs, "db-drop", "other"), initJob("heat-db-init", database)},
			[]string{"DROP DATABASE", "mountPath: /tmp/db-init.py", "value: a", "value: b"},
			[]string{"- /tmp/db-init.py"},
			"",
		},
		{
			"a domain of its own", schema.LeftUsers,
			[]string{users, domain, service},
			[]string{"name: heat-clean-users\n", "name: heat-clean-users-domain\n", "openstack user delete", "openstack domain delete", "name: KUPENSTACK_SERVICE_TYPES\n          value: orchestration cloudformation\n"},
			[]string{"- /tmp/ks-domain-user.sh"},
			"",
		},
		{
			"pools", schema.LeftPools,
			[]string{pool("storage-init", "storage-init.sh", "volumes"), pool("backup-storage-init", "backup-storage-init.sh", "backups")},
			[]string{"name: heat-clean-pools\n", "name: heat-clean-pools-backup\n", "value: volumes", "value: backups", "ceph osd pool delete"},
			[]string{"name: y", "/tmp/storage-init.sh", "/tmp/other"},
			"",
		},
		{
			"one pool", schema.LeftPools,
			[]string{initJob("heat-storage-init", `[{name: x, command: [/tmp/storage-init.sh]}]`), pool("backup-storage-init", "backup-storage-init.sh", "backups")},
			[]string{"name: heat-clean-pools-backup\n", "value: backups"},
			[]string{"name: heat-clean-pools\n"},
			"",
		},
		{"no pools", schema.LeftPools, []string{initJob("heat-storage-init", `[{name: x, command: [/tmp/storage-init.sh]}]`)}, nil, nil, "no Job heat-storage-init makes any"},
		{"pools by another program", schema.LeftPools, []string{pool("storage-init", "other.sh", "volumes")}, nil, nil, `container "x" of Job heat-storage-init does not run storage-init.sh`},
		{"a program from elsewhere", schema.LeftDatabase, []string{programs, initJob("heat-db-init", `[{name: a, command: [/tmp/db-init.py]}]`)}, nil, nil, "does not mount db-init.py"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := cleanup.Release{Namespace: "openstack", Name: "heat"}
			for _, document := range c.documents {
				r.Objects = append(r.Objects, object(t, document))
			}
			before := text(t, r.Objects[len(r.Objects)-1])
			jobs, err := cleanup.Jobs(r, c.left)
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Errorf("got %v, want %s", err, c.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got string
			for _, job := range jobs {
				got += text(t, job)
			}
			for _, part := range c.want {
				if !strings.Contains(got, part) {
					t.Errorf("there is no %q in\n%s", part, got)
				}
			}
			for _, part := range c.not {
				if strings.Contains(got, part) {
					t.Errorf("there is %q in\n%s", part, got)
				}
			}
			if after := text(t, r.Objects[len(r.Objects)-1]); after != before {
				t.Errorf("what it is made from became\n%s", after)
			}
		})
	}
}

func object(t *testing.T, document string) *unstructured.Unstructured {
	t.Helper()
	json, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	o := new(unstructured.Unstructured)
	if err := o.UnmarshalJSON(json); err != nil {
		t.Fatal(err)
	}
	return o
}

func text(t *testing.T, o *unstructured.Unstructured) string {
	t.Helper()
	out, err := yaml.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestUses(t *testing.T) {
	job := object(t, initJob("heat-storage-init", `[{name: x, env: [{name: RBD_POOL_NAME, value: volumes}]}]`))
	for _, c := range []struct {
		name, values string
		pool         string
		want         bool
	}{
		{"its own Job", "{}", "volumes", true},
		{"a setting", "conf: {nova: {libvirt: {images_rbd_pool: vms}}}", "vms", true},
		{"one in a list", "stores: [{rbd_store_pool: pictures}]", "pictures", true},
		{"another pool", "conf: {nova: {libvirt: {images_rbd_pool: vms-ssd}}}", "vms", false},
		{"something else of that name", "volumes: [{name: vms}]", "vms", false},
	} {
		var values map[string]any
		if err := yaml.Unmarshal([]byte(c.values), &values); err != nil {
			t.Fatal(err)
		}
		if got := cleanup.Uses(values, []*unstructured.Unstructured{job}, c.pool); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
