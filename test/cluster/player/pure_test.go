//go:build beds

package player

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestAccounts(t *testing.T) {
	for name, test := range map[string]struct {
		url  string
		want []account
	}{
		"database": {
			"mysql+pymysql://root:p%40ss@mariadb.openstack.svc.cluster.local:3306/glance?charset=utf8",
			[]account{{"root", "p@ss", "mariadb.openstack.svc.cluster.local", "glance"}},
		},
		"broker with members": {
			"rabbit://nova:a@rabbitmq-rabbitmq-0.rabbitmq.os:5672,nova:a@rabbitmq-rabbitmq-1.rabbitmq.os:5672/nova",
			[]account{
				{"nova", "a", "rabbitmq-rabbitmq-0.rabbitmq.os", "nova"},
				{"nova", "a", "rabbitmq-rabbitmq-1.rabbitmq.os", "nova"},
			},
		},
		"no port, no path": {"rabbit://u:p@host", []account{{"u", "p", "host", ""}}},
		"no scheme":        {"root:pass@host", nil},
		"no user":          {"mysql://host/db", nil},
		"empty":            {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := accounts(test.url)
			if !reflect.DeepEqual(got, test.want) || (err != nil) != (test.want == nil) {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestIni(t *testing.T) {
	text := "connection = outside\n[database]\nconnection = mysql://a\n# connection = no\n[api_database]\n  connection=mysql://b=c  \n[other]\nconnections = 3\n"
	want := map[string]string{"": "outside", "database": "mysql://a", "api_database": "mysql://b=c"}
	if got := ini(text, "connection"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestProgram(t *testing.T) {
	for want, spec := range map[string]corev1.Container{
		"db-init.py":            {Command: []string{"/tmp/db-init.py"}},
		"ks-user.sh":            {Command: []string{"/bin/bash", "-c", "/tmp/ks-user.sh"}},
		"fernet-manage.py":      {Command: []string{"python", "/tmp/fernet-manage.py", "fernet_setup"}},
		"openvswitch-db.sh":     {Command: []string{"/tini", "-s", "--"}, Args: []string{"/tmp/openvswitch-db.sh"}},
		"kubernetes-entrypoint": {Command: []string{"kubernetes-entrypoint"}},
		"bash":                  {Command: []string{"/bin/bash", "-c", "kubectl get node > /tmp/gw enabled\n"}},
		"":                      {},
	} {
		if got := (container{spec: spec}).program(); got != want {
			t.Errorf("%v %v is %q, want %q", spec.Command, spec.Args, got, want)
		}
	}
}
