package cleanup

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// client stands in for openstack: it answers from files, and writes down what it was told to delete.
const client = `#!/bin/bash
if [ "$2" = delete ]; then
  echo "$1 ${@: -1}" >>"$WORK/deleted"
  if [ "$1" = endpoint ]; then sed -i "/^${@: -1} /d" "$WORK/endpoint"; fi
  exit 0
fi
if [ -e "$WORK/refuses-$1" ]; then exit 1; fi
filter() { # an option and the column of what it chooses
  value=""
  for ((i = 1; i < ${#args[@]}; i++)); do if [ "${args[i-1]}" = "$1" ]; then value=${args[i]}; fi; done
  if [ -z "$value" ]; then cat; else awk -v v="$value" -v c="$2" '$c == v'; fi
}
args=("$@")
column=1
case "$*" in *"-c Region"*) column=3 ;; *"-c Type"*) if [ "${6}" = Type ] || [[ "$*" != *"-c Name"* ]]; then column=1,3; fi ;; esac
case $1 in
endpoint) filter --service 2 <"$WORK/endpoint" | filter --region 3 | cut -d' ' -f$column ;;
service) if [ "$column" = 1,3 ]; then cut -d' ' -f1,3 <"$WORK/service"; else cat "$WORK/service"; fi ;;
domain) if [ "$2" = show ]; then sed -n "s/^${@: -1} [^ ]* //p" "$WORK/domain"; elif [ "$2" = list ]; then cut -d' ' -f1,2 <"$WORK/domain"; else echo "domain $2 ${@: -1}" >>"$WORK/deleted"; fi ;;
user) filter --domain 3 <"$WORK/user" | cut -d' ' -f1,2 ;;
*) cat "$WORK/$1" ;;
esac
`

// admin stands in for rabbitmqadmin of version 1 or, without its first line, of version 2.
const admin = `#!/bin/bash
while [[ "$1" == --* ]]; do shift; done
case "$1 $2" in
"list users"|"users list") cat "$WORK/users" ;;
"list vhosts"|"vhosts list") cat "$WORK/vhosts" ;;
*) echo "$*" >>"$WORK/deleted" ;;
esac
`

// broker is the part of the chart's script that comes before what it does.
const broker = `#!/bin/bash
set -e
RABBITMQ_ADMIN_USERNAME=root
RABBITMQ_USERNAME=$TEST_USER
RABBITMQ_VHOST=$TEST_VHOST
if [ "$(head -c 2 "$(command -v rabbitmqadmin)")" = '#!' ]; then RABBITMQADMIN_MAJOR=1; else RABBITMQADMIN_MAJOR=2; fi
function rabbitmqadmin_cli () { rabbitmqadmin --host=broker "$@"; }
echo "Managing: User: ${RABBITMQ_USERNAME}"
echo declared >>"$WORK/deleted"
`

// TestPrograms runs what takes things away, with clients that stand in for the real ones.
func TestPrograms(t *testing.T) {
	keystone := map[string]string{
		"openstack": client,
		"service":   "s1 glance image\ns2 nova compute\ns3 glance other\n",
		"endpoint":  "e1 s1 One\ne2 s1 One\ne3 s2 One\ne4 s1 Two\n",
		"user":      "u1 glance service\nu2 glance-two service\nu3 glance default\nu4 admin default\nu5 heat-domain d3\n",
		"domain":    "default Default The default domain\nd2 heat Service Domain for heat\nd3 ours Somebody's\n",
	}
	heat := []string{"OS_USERNAME=admin", "OS_USER_DOMAIN_NAME=default", "OS_PROJECT_DOMAIN_NAME=default", "OS_REGION_NAME=One", "SERVICE_OS_USERNAME=heat-domain"}
	users := "name tags\nroot administrator\nglance user\nglance-two user\n"
	for _, c := range []struct {
		name    string
		left    string
		files   map[string]string
		env     []string
		deleted string
		fails   bool
	}{
		{"endpoints, while another region has some", schema.LeftCatalogue, keystone, []string{"OS_SERVICE_NAME=glance", "OS_SERVICE_TYPE=image", "OS_REGION_NAME=One"}, "endpoint e1\nendpoint e2\n", false},
		{"the last endpoints and their service", schema.LeftCatalogue, keystone, []string{"OS_SERVICE_NAME=nova", "OS_SERVICE_TYPE=compute", "OS_REGION_NAME=One"}, "endpoint e3\nservice s2\n", false},
		{"a service that is gone", schema.LeftCatalogue, keystone, []string{"OS_SERVICE_NAME=heat", "OS_SERVICE_TYPE=orchestration", "OS_REGION_NAME=One"}, "", false},
		{"no answer about services", schema.LeftCatalogue, with(keystone, "refuses-service", ""), []string{"OS_SERVICE_NAME=nova", "OS_SERVICE_TYPE=compute", "OS_REGION_NAME=One"}, "", true},
		{"no answer about endpoints", schema.LeftCatalogue, with(keystone, "refuses-endpoint", ""), []string{"OS_SERVICE_NAME=nova", "OS_SERVICE_TYPE=compute", "OS_REGION_NAME=One"}, "", true},
		{"no region", schema.LeftCatalogue, keystone, []string{"OS_SERVICE_NAME=nova", "OS_SERVICE_TYPE=compute"}, "", true},

		{"a user", schema.LeftUsers, keystone, []string{"OS_USERNAME=admin", "SERVICE_OS_USERNAME=glance", "SERVICE_OS_USER_DOMAIN_NAME=service", "OS_REGION_NAME=Two", "KUPENSTACK_SERVICE_TYPES=other"}, "user u1\n", false},
		{"a user that is gone", schema.LeftUsers, keystone, []string{"OS_USERNAME=admin", "SERVICE_OS_USERNAME=heat", "SERVICE_OS_USER_DOMAIN_NAME=service", "OS_REGION_NAME=Two", "KUPENSTACK_SERVICE_TYPES=other"}, "", false},
		{"the administrator", schema.LeftUsers, keystone, []string{"OS_USERNAME=admin", "SERVICE_OS_USERNAME=admin", "SERVICE_OS_USER_DOMAIN_NAME=default", "OS_REGION_NAME=Two", "KUPENSTACK_SERVICE_TYPES=image"}, "", false},
		{"no answer about users", schema.LeftUsers, with(keystone, "refuses-user", ""), []string{"OS_USERNAME=admin", "SERVICE_OS_USERNAME=glance", "SERVICE_OS_USER_DOMAIN_NAME=service", "OS_REGION_NAME=Two", "KUPENSTACK_SERVICE_TYPES=other"}, "", true},
		{"a user that another region may have", schema.LeftUsers, keystone, []string{"OS_USERNAME=admin", "SERVICE_OS_USERNAME=glance", "SERVICE_OS_USER_DOMAIN_NAME=service", "OS_REGION_NAME=Two", "KUPENSTACK_SERVICE_TYPES=other image"}, "", false},
		{"no answer about other regions", schema.LeftUsers, with(keystone, "refuses-endpoint", ""), []string{"OS_USERNAME=admin", "SERVICE_OS_USERNAME=glance", "SERVICE_OS_USER_DOMAIN_NAME=service", "OS_REGION_NAME=Two", "KUPENSTACK_SERVICE_TYPES=other image"}, "", true},
		{"a domain", domainOfUsers, keystone, append(heat, "SERVICE_OS_DOMAIN_NAME=heat", "KUPENSTACK_SERVICE_TYPES=other"), "domain set d2\ndomain d2\n", false},
		{"a domain that another region may have", domainOfUsers, keystone, append(heat, "SERVICE_OS_DOMAIN_NAME=heat", "KUPENSTACK_SERVICE_TYPES=image"), "", false},
		{"a domain that was there before", domainOfUsers, keystone, append(heat, "SERVICE_OS_DOMAIN_NAME=ours", "KUPENSTACK_SERVICE_TYPES="), "user u5\n", false},
		{"the domain of the administrator", domainOfUsers, with(keystone, "domain", "d2 heat Service Domain for heat\n"), append(slices.Clone(heat), "OS_USER_DOMAIN_NAME=heat", "SERVICE_OS_DOMAIN_NAME=heat", "KUPENSTACK_SERVICE_TYPES="), "", false},
		{"a domain that is gone", domainOfUsers, with(keystone, "domain", "default Default The default domain\n"), append(heat, "SERVICE_OS_DOMAIN_NAME=heat", "KUPENSTACK_SERVICE_TYPES="), "", false},
		{"no answer about domains", domainOfUsers, with(keystone, "refuses-domain", ""), append(heat, "SERVICE_OS_DOMAIN_NAME=heat", "KUPENSTACK_SERVICE_TYPES="), "", true},

		{
			"version 1", schema.LeftMessaging,
			map[string]string{"rabbitmqadmin": admin, "users": users, "vhosts": "| name |\n| /    |\n| glance |\n"},
			[]string{"TEST_USER=glance", "TEST_VHOST=glance"},
			"delete user name=glance\ndelete vhost name=glance\n", false,
		},
		{
			"version 2", schema.LeftMessaging,
			map[string]string{"rabbitmqadmin": strings.TrimPrefix(admin, "#!/bin/bash\n"), "users": users, "vhosts": "name\n/\nglance\n"},
			[]string{"TEST_USER=glance", "TEST_VHOST=glance"},
			"users delete --name=glance\nvhosts delete --name=glance\n", false,
		},
		{
			"a part of it is gone", schema.LeftMessaging,
			map[string]string{"rabbitmqadmin": admin, "users": users, "vhosts": "name\n/\nheat-two\n"},
			[]string{"TEST_USER=heat", "TEST_VHOST=heat"},
			"", false,
		},
		{
			"what is everybody's", schema.LeftMessaging,
			map[string]string{"rabbitmqadmin": admin, "users": users, "vhosts": "name\n/\n"},
			[]string{"TEST_USER=root", "TEST_VHOST=/"},
			"", false,
		},
		{
			"no answer about virtual hosts", schema.LeftMessaging,
			map[string]string{"rabbitmqadmin": admin, "users": users},
			[]string{"TEST_USER=glance", "TEST_VHOST=glance"},
			"delete user name=glance\n", true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range with(c.files, "rabbit-init.sh", broker) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			program := strings.NewReplacer("/tmp/", dir+"/", "/dev/termination-log", dir+"/told").Replace(removerOf(c.left))
			command := exec.CommandContext(t.Context(), "/bin/bash", "-c", program)
			command.Env = append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "WORK=" + dir}, c.env...)
			output, err := command.CombinedOutput()
			if (err != nil) != c.fails {
				t.Errorf("it ends with %v: %s", err, output)
			}
			if deleted := read(t, dir, "deleted"); deleted != c.deleted {
				t.Errorf("it deleted\n%s\nand said %s", deleted, output)
			}
			if told := read(t, dir, "told"); (told != "") != strings.Contains(string(output), "stays") {
				t.Errorf("people hear %q, and it said %s", told, output)
			}
		})
	}
}

// domainOfUsers stands for the second Job that takes users away.
const domainOfUsers = schema.LeftUsers + "-domain"

func removerOf(left string) string {
	if left == domainOfUsers {
		return removeDomain
	}
	return makers()[left][0].remover
}

func with(files map[string]string, name, text string) map[string]string {
	all := maps.Clone(files)
	all[name] = text
	return all
}
