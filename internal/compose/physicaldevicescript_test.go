package compose_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// What stands in for the programs of the image. Ports are files in the directory of their bridge, with the network that
// they were marked with and what they have replaced; addresses are lines in the file of their device. As with the real ones, what is between "--" is
// one transaction, a port is in one bridge, and an IPv4 address takes those that are secondary to it with it.
const (
	fakeSwitch = `#!/bin/sh
one() {
	while :; do case "$1" in --timeout=*|--db=*|--bare|--columns=*|--if-exists|--may-exist) shift ;; *) break ;; esac; done
	case "$1" in
	"") ;;
	br-exists) [ -d "bridges/$2" ] || return 2 ;;
	list-ports) [ ! -e "$STATE/deaf" ] && ls "bridges/$2" ;;
	port-to-br) in=$(ls -d bridges/*/"$2") && basename "$(dirname "$in")" ;;
	find)
		case "$3" in
		name=*) name=${3#name=?} && ls -d bridges/*/"${name%?}" 2>/dev/null | sed 's|.*/||' ;;
		*) grep -lxF -- "${3#*=}" bridges/*/* 2>/dev/null | sed 's|.*/||' ;;
		esac ;;
	del-port) rm -f bridges/*/"$2" && echo "del-port $2" >>log ;;
	add-port)
		for in in bridges/*/"$3"; do if [ -e "$in" ] && [ "$in" != "bridges/$2/$3" ]; then echo "$3 is in $in" >&2; return 1; fi; done
		if [ ! -e "bridges/$2/$3" ] || [ -z "$(grep -sxF "add-port $2 $3" log)" ]; then echo "add-port $2 $3" >>log; fi
		touch "bridges/$2/$3" ;;
	set)
		in=$(ls -d bridges/*/"$3") || return 1
		case "$4" in
		external_ids:kupenstack-replaced=*) echo "replaced ${4#*=}" >>"$in" ;;
		*) { echo "${4#*=}" && grep "^replaced " "$in"; } >"$in.new"; mv "$in.new" "$in" ;;
		esac
		sort -u "$in" -o "$in" && echo "set $3" >>log.set ;;
	remove)
		in=$(ls -d bridges/*/"$3") || return 1
		if grep -q "^replaced " "$in"; then sed -i '/^replaced /d' "$in" && echo "set $3" >>log.set; fi ;;
	get)
		case "$2" in
		Port) in=$(ls -d bridges/*/"$3") && sed -n 's/^replaced //p' "$in" ;;
		*) cat "$STATE/error" ;;
		esac ;;
	*) echo "ovs-vsctl $*" >&2; return 1 ;;
	esac
}
work=$(mktemp -d) && cp -r "$STATE/bridges" "$work" && cd "$work" && touch log || exit 1
code=0
while [ "$#" -gt 0 ]; do
	count=0 words=
	for word; do if [ "$word" = -- ]; then break; fi; count=$((count + 1)); words="$words '$word'"; done
	eval "one $words" || { code=$?; break; }
	shift "$count"
	if [ "$#" -gt 0 ]; then shift; fi
done
if [ "$code" = 0 ] && [ -s log -o -s log.set ]; then
	cat log >>"$STATE/log"; rm -r "$STATE/bridges" && cp -r bridges "$STATE"
	# The one that is to be the last is done, and its caller is no more.
	if [ -e "$STATE/cut" ] && [ -s log ]; then rm "$STATE/cut"; kill -KILL "$PPID"; fi
fi
rm -r "$work"
exit "$code"
`
	fakeIP = `#!/bin/sh
on="$STATE/addresses/$5"
did() {
	echo "ip $*" >>"$STATE/log"
	# The one that is to be the last is done, and its caller is no more.
	if [ -e "$STATE/last" ] && [ "$(cat "$STATE/last")" = "$*" ]; then rm "$STATE/last"; kill -KILL "$PPID"; fi
}
case "$*" in
"-4 route show default") cat "$STATE/routes" ;;
"-6 route show default") cat "$STATE/routes6" ;;
"-o address show to 192.0.2.7") cat "$STATE/node" ;;
"-o address show dev eth1 scope global") cat "$STATE/addresses/eth1" ;;
"link set "*) did "$*" ;;
"address replace "*)
	if ! grep -qF " $3 " "$on"; then echo "3: $5    inet $3 scope global $5" >>"$on"; fi
	did "$*" ;;
"address delete "*)
	line=$(grep -F " $3 " "$on") || { echo "RTNETLINK answers: Cannot assign requested address" >&2; exit 2; }
	case "$line" in
	*secondary*|*inet6*) grep -vF " $3 " "$on" >"$on.new" ;;
	*) grep -vF " $3 " "$on" | grep -v "inet ${3%.*}.*secondary" >"$on.new" ;;
	esac
	mv "$on.new" "$on"
	did "$*" ;;
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
		t.Fatal(err)
	}
	script := connectScript(t)
	const connected = "add-port br-public eth1\nip link set eth1 up\nip link set br-public up\n"
	type files map[string]string
	for name, c := range map[string]struct {
		node    files  // what is otherwise than on a node where all is well
		refused string // a part of the reason
		log     string // what was done
	}{
		"spare": {nil, "", connected},
		"with addresses": {
			files{"addresses/eth1": "3: eth1    inet 198.51.100.9/24 scope global eth1\n3: eth1    inet6 2001:db8::9/64 scope global \n"},
			"",
			connected + "ip address replace 198.51.100.9/24 dev br-public\nip address replace 2001:db8::9/64 dev br-public\n" +
				"ip address delete 198.51.100.9/24 dev eth1\nip address delete 2001:db8::9/64 dev eth1\n",
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
		"in another bridge before": {files{"bridges/br-old/eth1": "\"public\"\n"}, "", "del-port eth1\n" + connected},
		"of somebody's bridge": {
			files{"bridges/br-old/eth1": "somebody's\n", "bridges/br-public/eth9": "\"public\"\n"}, "Open vSwitch does not take it into br-public", "",
		},
		"a part of a bond": {
			files{"net/eth1/master": "../bond0", "bridges/br-public/eth9": "\"public\"\n"}, "it is a part of bond0", "",
		},
		"a part of the switch": {files{"net/eth1/master": "../ovs-system", "bridges/br-old/eth1": "\"public\"\n"}, "", "del-port eth1\n" + connected},
		"busy where another was": {
			files{"error": "\"busy\"\n", "bridges/br-public/eth9": "\"public\"\n", "bridges/br-old/eth8": "\"public\"\n"},
			"Open vSwitch does not take it: \"busy\"",
			"del-port eth8\ndel-port eth9\nadd-port br-public eth1\ndel-port eth1\nadd-port br-old eth8\nadd-port br-public eth9\n",
		},
		"another stays where refused": {files{"bridges/br-public/eth9": "\"public\"\n", "routes": "default dev eth1\n"}, "the default route", ""},
		"the bridge comes later":      {files{"late": "x", "bridges/br-public/patch": ""}, "", connected},
		"taken out later":             {files{"leaves": "x"}, "it has left br-public", connected},
		"nobody knows later":          {files{"silent": "x"}, "", connected},
		"no answer":                   {files{"deaf": "x"}, "Open vSwitch does not answer", ""},
		"refused by the switch":       {files{"error": "\"could not open network device eth1 (Device or resource busy)\"\n"}, "Device or resource busy", "add-port br-public eth1\ndel-port eth1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			state := node(t, c.node)
			output, err := run(t, state, script)
			if (err != nil) != (c.refused != "") {
				t.Errorf("%v\n%s", err, output)
			}
			if reason, _ := os.ReadFile(filepath.Join(state, "told")); !strings.Contains(string(reason), c.refused) || c.refused == "" && len(reason) > 0 {
				t.Errorf("it says %q, want %q\n%s", reason, c.refused, output)
			}
			if log, _ := os.ReadFile(filepath.Join(state, "log")); string(log) != c.log {
				t.Errorf("it did\n%s, want\n%s", log, c.log)
			}
		})
	}
}

// TestConnectPutsBack kills the script once it has put its device in the place of others, which Open vSwitch turns out
// not to take, and starts it again.
func TestConnectPutsBack(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Fatal(err)
	}
	script := connectScript(t)
	const busy, public = "\"busy\"\n", "\"public\"\n"
	for name, c := range map[string]struct {
		before map[string]string
		then   map[string]string // what is otherwise at the next start
		remove string            // what is not there any more at the next start
		want   string            // the ports afterwards, with what they are marked
		fails  bool
	}{
		"two others":              {map[string]string{"bridges/br-public/eth9": public, "bridges/br-old/eth8": public}, nil, "", "br-old/eth8 \"public\", br-public/eth9 \"public\"", true},
		"itself elsewhere":        {map[string]string{"bridges/br-old/eth1": public}, nil, "", "br-old/eth1 \"public\"", true},
		"none":                    {nil, nil, "", "", true},
		"it is taken after all":   {map[string]string{"bridges/br-public/eth9": public}, map[string]string{"error": "[]\n"}, "", "br-public/eth1 \"public\"", false},
		"the bridge has gone":     {map[string]string{"bridges/br-public/eth9": public, "bridges/br-old/eth8": public}, nil, "bridges/br-old", "br-public/eth9 \"public\"", true},
		"somebody has taken it":   {map[string]string{"bridges/br-public/eth9": public}, map[string]string{"bridges/br-other/eth9": "somebody's\n"}, "", "br-other/eth9 somebody's", true},
		"the other has come back": {map[string]string{"bridges/br-public/eth9": public}, map[string]string{"bridges/br-public/eth9": public}, "", "br-public/eth9 \"public\"", true},
	} {
		t.Run(name, func(t *testing.T) {
			all := map[string]string{"error": busy, "cut": "x", "bridges/br-old/patch": "of Neutron\n"}
			maps.Copy(all, c.before)
			state := node(t, all)
			if output, err := run(t, state, script); err == nil {
				t.Fatalf("nothing ended it:\n%s", output)
			}
			if c.remove != "" {
				if err := os.RemoveAll(filepath.Join(state, c.remove)); err != nil {
					t.Fatal(err)
				}
			}
			for path, content := range c.then {
				write(t, filepath.Join(state, path), content, 0o644)
			}
			if output, err := run(t, state, script); (err != nil) != c.fails {
				t.Errorf("%v\n%s", err, output)
			}
			if got := portsOf(t, state); got != c.want {
				t.Errorf("the ports are %q, want %q", got, c.want)
			}
		})
	}
}

// TestConnectAnotherAfterwards: what a device has replaced that was never taken comes back also where the configuration
// names another one meanwhile, which is not taken either.
func TestConnectAnotherAfterwards(t *testing.T) {
	script := connectScript(t)
	state := node(t, map[string]string{"error": "\"busy\"\n", "cut": "x", "bridges/br-public/eth9": "\"public\"\n", "net/eth2/address": "x"})
	if output, err := run(t, state, script); err == nil {
		t.Fatalf("nothing ended it:\n%s", output)
	}
	if output, err := run(t, state, script, "DEVICE=eth2"); err == nil {
		t.Errorf("it is taken:\n%s", output)
	}
	if got, want := portsOf(t, state), `br-public/eth9 "public"`; got != want {
		t.Errorf("the ports are %q, want %q", got, want)
	}
}

// portsOf are the ports of devices with what is written beside them, by bridge.
func portsOf(t *testing.T, state string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(state, "bridges/*/eth*"))
	if err != nil {
		t.Fatal(err)
	}
	var ports []string
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, strings.TrimSpace(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)+" "+string(content)))
	}
	return strings.Join(ports, ", ")
}

// TestConnectKeepsAddresses kills the script after each of its commands of ip, and starts it again.
func TestConnectKeepsAddresses(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Fatal(err)
	}
	script := connectScript(t)
	const before = "3: eth1    inet 198.51.100.9/24 scope global eth1\n3: eth1    inet 198.51.100.10/24 scope global secondary eth1\n" +
		"3: eth1    inet 203.0.113.5/24 scope global eth1\n3: eth1    inet6 2001:db8::9/64 scope global \n"
	addresses := []string{"198.51.100.9/24", "198.51.100.10/24", "203.0.113.5/24", "2001:db8::9/64"}
	lasts := []string{"", "link set eth1 up", "link set br-public up"}
	for _, address := range addresses {
		lasts = append(lasts, "address replace "+address+" dev br-public")
		if address != "198.51.100.10/24" { // it goes with the first
			lasts = append(lasts, "address delete "+address+" dev eth1")
		}
	}
	for _, last := range lasts {
		t.Run(last, func(t *testing.T) {
			state := node(t, map[string]string{"addresses/eth1": before, "last": last})
			output, err := run(t, state, script)
			if last != "" {
				if err == nil {
					t.Fatalf("nothing ended it:\n%s", output)
				}
				output, err = run(t, state, script)
			}
			if err != nil {
				t.Errorf("%v\n%s", err, output)
			}
			on, _ := os.ReadFile(filepath.Join(state, "addresses/br-public"))
			for _, address := range addresses {
				if !strings.Contains(string(on), " "+address+" ") {
					t.Errorf("%s is lost; the bridge has\n%s", address, on)
				}
			}
			if left, _ := os.ReadFile(filepath.Join(state, "addresses/eth1")); strings.TrimSpace(string(left)) != "" {
				t.Errorf("the device still has\n%s", left)
			}
		})
	}
}

func connectScript(t *testing.T) string {
	t.Helper()
	_, items := connectors(t, composed.Everything(t, "ovs", "", "", physicalNetworks), "public")
	container := at(items[0], []string{"spec", "template", "spec", "containers"}).([]any)[0].(map[string]any)
	return container["command"].([]any)[2].(string)
}

// node is the directory of a node where all is well but for these files.
func node(t *testing.T, other map[string]string) string {
	t.Helper()
	state := t.TempDir()
	all := map[string]string{
		"routes": "default via 192.0.2.1 dev eth0\n", "routes6": "\n", "node": "2: eth0    inet 192.0.2.7/24 scope global eth0\n", "error": "[]\n",
		"addresses/eth1": "\n", "addresses/br-public": "\n", "net/eth1/address": "x", "bridges/br-public/patch": "of Neutron\n", "if_inet6": "x",
	}
	maps.Copy(all, other)
	for path, content := range all {
		at := filepath.Join(state, path)
		switch {
		case content == "":
		case strings.HasSuffix(path, "/master"):
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(content, at); err != nil {
				t.Fatal(err)
			}
		default:
			write(t, at, content, 0o644)
		}
	}
	for program, text := range map[string]string{"ovs-vsctl": fakeSwitch, "ip": fakeIP, "sleep": fakeSleep} {
		write(t, filepath.Join(state, "bin", program), text, 0o755)
	}
	return state
}

func run(t *testing.T, state, script string, environment ...string) ([]byte, error) {
	t.Helper()
	here := strings.NewReplacer("/sys/class/net", filepath.Join(state, "net"), "/proc/net/if_inet6", filepath.Join(state, "if_inet6"), "/dev/termination-log", filepath.Join(state, "told")).Replace(script)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", here)
	cmd.Env = []string{
		"PATH=" + filepath.Join(state, "bin") + ":" + os.Getenv("PATH"), "STATE=" + state,
		"NETWORK=public", "BRIDGE=br-public", "DEVICE=eth1", "NODE=worker-1", "ADDRESS=192.0.2.7",
	}
	cmd.Env = append(cmd.Env, environment...)
	return cmd.CombinedOutput()
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
