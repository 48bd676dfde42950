package cleanup_test

import (
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
      containers: %s
      volumes: [{name: bin, configMap: {name: heat-bin}}]
`, name, containers)
}

func TestJob(t *testing.T) {
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
			[]string{"name: heat-clean-database\n  namespace: openstack", "/tmp/db-drop.py", "subPath: db-drop.py", "value: a", "value: b", "serviceAccountName: heat-db-init", "backoffLimit: 1000", "application: heat"},
			[]string{"db-init.py", "ttlSeconds", "helm.sh"},
			"",
		},
		{
			"own users only", schema.LeftUsers,
			[]string{initJob("heat-ks-user", `[{name: heat-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh]}, {name: heat-trustee-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh]}, {name: nova-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh]}]`)},
			[]string{"name: heat-ks-user", "name: heat-trustee-ks-user", "openstack user delete"},
			[]string{"nova-ks-user", "- /tmp/ks-user.sh"},
			"",
		},
		{"no Job", schema.LeftMessaging, []string{programs}, nil, nil, "there is no Job heat-rabbit-init"},
		{"the Job of another release", schema.LeftDatabase, []string{programs, initJob("nova-db-init", database)}, nil, nil, "there is no Job heat-db-init"},
		{"users of others only", schema.LeftUsers, []string{initJob("heat-ks-user", `[{name: nova-ks-user, command: [/bin/bash, -c, /tmp/ks-user.sh]}]`)}, nil, nil, "Job heat-ks-user has no container for heat itself"},
		{"another program", schema.LeftCatalogue, []string{initJob("heat-ks-service", `[{name: x, command: [/opt/register]}]`)}, nil, nil, `container "x" of Job heat-ks-service does not run ks-service.sh`},
		{"a program with arguments", schema.LeftCatalogue, []string{initJob("heat-ks-service", `[{name: x, command: [/tmp/ks-service.sh], args: [-x]}]`)}, nil, nil, "does not run ks-service.sh"},
		{"no program that drops", schema.LeftDatabase, []string{strings.ReplaceAll(programs, "db-drop", "other"), initJob("heat-db-init", database)}, nil, nil, `container "a" of Job heat-db-init has no program db-drop.py beside it`},
		{"a program from elsewhere", schema.LeftDatabase, []string{programs, initJob("heat-db-init", `[{name: a, command: [/tmp/db-init.py]}]`)}, nil, nil, "does not mount db-init.py"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := cleanup.Release{Namespace: "openstack", Name: "heat"}
			for _, document := range c.documents {
				r.Objects = append(r.Objects, object(t, document))
			}
			before := text(t, r.Objects[len(r.Objects)-1])
			job, err := cleanup.Job(r, c.left)
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Errorf("got %v, want %s", err, c.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := text(t, job)
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
