package compose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// What stands in for the programs of the image. Ports are files in the directory of their bridge, with the network that
// they were marked with.
const (
	fakeSwitch = `#!/bin/sh
while :; do case "$1" in --timeout=*|--db=*|--bare|--columns=*|--if-exists|--may-exist) shift ;; *) break ;; esac; done
case "$1" in
br-exists) [ -d "$STATE/bridges/$2" ] ;;
list-ports) [ ! -e "$STATE/deaf" ] && ls "$STATE/bridges/$2" ;;
find) grep -lxF -- "${3#*=}" "$STATE"/bridges/*/* 2>/dev/null | sed 's|.*/||' ;;
del-port) rm -f "$STATE"/bridges/*/"$2" && echo "del-port $2" >>"$STATE/log" ;;
add-port) echo "${8#*=}" >"$STATE/bridges/$2/$3" && echo "add-port $2 $3" >>"$STATE/log" ;;
get) cat "$STATE/error" ;;
*) echo "ovs-vsctl $*" >&2; exit 1 ;;
esac
`
	fakeIP = `#!/bin/sh
case "$*" in
"-4 route show default") cat "$STATE/routes" ;;
"-6 route show default") cat "$STATE/routes6" ;;
"-o address show to 192.0.2.7") cat "$STATE/node" ;;
"-o address show dev eth1 scope global") cat "$STATE/addresses" ;;
"link set "*|"address replace "*|"address delete "*) echo "ip $*" >>"$STATE/log" ;;
*) echo "ip $*" >&2; exit 1 ;;
esac
`
	// What happens meanwhile is done, and then the waiting ends.
	fakeSleep = `#!/bin/sh
cd "$STATE"
if [ -e late ]; then rm late && mkdir -p bridges/br-public && touch bridges/br-public/patch
elif [ -e leaves ]; then rm leaves bridges/br-public/eth1
elif [ -e silent ]; then rm silent && touch deaf
else exit 1
fi
`
)

// TestConnect runs what pods of the DaemonSet run, on nodes that have this and that.
func TestConnect(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	_, items := connectors(t, composed.Everything(t, "ovs", "", "", physicalNetworks), "public")
	container := at(items[0], []string{"spec", "template", "spec", "containers"}).([]any)[0].(map[string]any)
	script := container["command"].([]any)[2].(string)
	const connected = "add-port br-public eth1\nip link set eth1 up\nip link set br-public up\n"
	type files map[string]string
	for name, c := range map[string]struct {
		node    files  // what is otherwise than on a node where all is well
		refused string // a part of the reason
		log     string // what was done
	}{
		"spare": {nil, "", connected},
		"with addresses": {
			files{"addresses": "3: eth1    inet 198.51.100.9/24 scope global eth1\n3: eth1    inet6 2001:db8::9/64 scope global \n"},
			"",
			connected + "ip address replace 198.51.100.9/24 dev br-public\nip address delete 198.51.100.9/24 dev eth1\n" +
				"ip address replace 2001:db8::9/64 dev br-public\nip address delete 2001:db8::9/64 dev eth1\n",
		},
		"no such device":        {files{"net/eth1/address": ""}, "eth1 of node worker-1 is not connected to the physical network public: the node has no such device", ""},
		"the default route":     {files{"routes": "default via 192.0.2.1 dev eth1 proto dhcp metric 100\n"}, "the default route is on eth1, and would be lost", ""},
		"without gateway":       {files{"routes": "default dev eth1 scope link\n"}, "the default route is on eth1", ""},
		"one of several routes": {files{"routes": "default proto static\n\tnexthop via 192.0.2.1 dev eth0 weight 1\n\tnexthop via 198.51.100.1 dev eth1 weight 1\n"}, "the default route is on eth1", ""},
		"that of IPv6":          {files{"routes6": "default via fe80::1 dev eth1 proto ra metric 1024 pref medium\n"}, "the default route of IPv6 is on eth1", ""},
		"in a bond": {
			files{"routes": "default via 192.0.2.1 dev bond0.7\n", "net/bond0.7/lower_bond0/x": "x", "net/bond0/lower_eth0/x": "x", "net/bond0/lower_eth1/x": "x"},
			"the default route is on bond0.7", "",
		},
		"of the node's address": {files{"node": "3: eth1    inet 192.0.2.7/24 scope global eth1\n"}, "the address of the node is on eth1", ""},
		"routes unknown":        {files{"routes": ""}, "the default route cannot be read", ""},
		"a name that is longer": {files{"routes": "default via 192.0.2.1 dev eth11\n"}, "", connected},
		"already there": {
			// The route may have come with the address, and nothing is asked again.
			files{"routes": "default via 192.0.2.1 dev br-public\n", "bridges/br-public/eth1": "\"public\"\n"}, "", connected,
		},
		"another before": {
			files{"bridges/br-public/eth9": "\"public\"\n", "bridges/br-tenant/eth8": "\"tenant\"\n", "bridges/br-public/eth7": "somebody's\n"},
			"",
			"del-port eth9\n" + connected,
		},
		"in another bridge before":    {files{"bridges/br-old/eth1": "\"public\"\n"}, "", "del-port eth1\n" + connected},
		"another stays where refused": {files{"bridges/br-public/eth9": "\"public\"\n", "routes": "default dev eth1\n"}, "the default route", ""},
		"the bridge comes later":      {files{"late": "x", "bridges/br-public/patch": ""}, "", connected},
		"taken out later":             {files{"leaves": "x"}, "it has left br-public", connected},
		"nobody knows later":          {files{"silent": "x"}, "", connected},
		"no answer":                   {files{"deaf": "x"}, "Open vSwitch does not answer", ""},
		"refused by the switch":       {files{"error": "\"could not open network device eth1 (Device or resource busy)\"\n"}, "Device or resource busy", "add-port br-public eth1\ndel-port eth1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			all := files{
				"routes": "default via 192.0.2.1 dev eth0\n", "routes6": "\n", "node": "2: eth0    inet 192.0.2.7/24 scope global eth0\n", "addresses": "\n", "error": "[]\n",
				"net/eth1/address": "x", "bridges/br-public/patch": "of Neutron\n", "if_inet6": "x",
			}
			for path, content := range c.node {
				all[path] = content
			}
			for path, content := range all {
				if content != "" {
					write(t, filepath.Join(state, path), content, 0o644)
				}
			}
			for program, text := range map[string]string{"ovs-vsctl": fakeSwitch, "ip": fakeIP, "sleep": fakeSleep} {
				write(t, filepath.Join(state, "bin", program), text, 0o755)
			}
			told := filepath.Join(state, "told")
			here := strings.NewReplacer("/sys/class/net", filepath.Join(state, "net"), "/proc/net/if_inet6", filepath.Join(state, "if_inet6"), "/dev/termination-log", told).Replace(script)
			cmd := exec.CommandContext(t.Context(), "sh", "-c", here)
			cmd.Env = []string{
				"PATH=" + filepath.Join(state, "bin") + ":" + os.Getenv("PATH"), "STATE=" + state,
				"NETWORK=public", "BRIDGE=br-public", "DEVICE=eth1", "NODE=worker-1", "ADDRESS=192.0.2.7",
			}
			output, err := cmd.CombinedOutput()
			if (err != nil) != (c.refused != "") {
				t.Errorf("%v\n%s", err, output)
			}
			if reason, _ := os.ReadFile(told); !strings.Contains(string(reason), c.refused) || c.refused == "" && len(reason) > 0 {
				t.Errorf("it says %q, want %q\n%s", reason, c.refused, output)
			}
			if log, _ := os.ReadFile(filepath.Join(state, "log")); string(log) != c.log {
				t.Errorf("it did\n%s, want\n%s", log, c.log)
			}
		})
	}
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
