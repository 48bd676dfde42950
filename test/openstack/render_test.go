package openstack

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/utils/v2/openstack/clientconfig"
	"gopkg.in/yaml.v3"
)

func testRecord(t *testing.T) record {
	t.Helper()
	return record{
		Dir: t.TempDir(), Scratch: filepath.Join(t.TempDir(), scratchPrefix+"test"), Computes: 2,
		Ports: ports{Identity: 1, Image: 2, Placement: 3, Network: 4, Compute: 5, Volume: 6, Memcached: 7, Broker: 8, PortMapper: 9, Distribution: 10},
	}
}

func TestRenderWritesEveryFile(t *testing.T) {
	r := testRecord(t)
	if err := render(r); err != nil {
		t.Fatal(err)
	}
	count := 0
	err := fs.WalkDir(templateFiles, templateRoot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, partialSuffix) {
			return err
		}
		count++
		relative, err := filepath.Rel(templateRoot, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(r.Dir, relative))
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "{{") || strings.Contains(string(text), "<no value>") {
			t.Errorf("%s is not wholly rendered", relative)
		}
		if strings.Contains(string(text), "0.0.0.0") {
			t.Errorf("%s names an address that is not loopback", relative)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 20 {
		t.Errorf("only %d files are embedded", count)
	}
}

// Every option is set once per section: oslo.config takes the last of two without a word.
func TestRenderedOptionsAreUnique(t *testing.T) {
	r := testRecord(t)
	if err := render(r); err != nil {
		t.Fatal(err)
	}
	option := regexp.MustCompile(`^([a-z0-9_.]+)\s*=`)
	for _, name := range []string{"keystone.conf", "glance-api.conf", "placement/placement.conf", "neutron.conf", "nova.conf", "cinder.conf"} {
		text, err := os.ReadFile(r.etc(name))
		if err != nil {
			t.Fatal(err)
		}
		section, seen := "", map[string]bool{}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") {
				section = line
				if seen[section] {
					t.Errorf("%s: section %s occurs twice", name, section)
				}
				seen[section] = true
			}
			if match := option.FindStringSubmatch(line); match != nil {
				if key := section + match[1]; seen[key] {
					t.Errorf("%s: %s %s is set twice", name, section, match[1])
				} else {
					seen[key] = true
				}
			}
		}
	}
}

func TestRenderedAddresses(t *testing.T) {
	r := testRecord(t)
	if err := render(r); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"etc/nova.conf":     {"transport_url = rabbit://guest:guest@127.0.0.1:8/", "osapi_compute_listen_port = 5", "unix_socket=" + r.Scratch + "/mysql.sock", "auth_url = http://127.0.0.1:1/v3", "api_servers = http://127.0.0.1:2\n"},
		"etc/neutron.conf":  {"bind_port = 4", "transport_url = fake://"},
		"etc/cinder.conf":   {"osapi_volume_listen_port = 6"},
		"etc/keystone.conf": {"memcache_servers = 127.0.0.1:7", "/keystone?unix_socket="},
		"etc/my.cnf":        {"skip-networking", "datadir = " + r.Scratch + "/mysql"},
		"etc/rabbitmq.conf": {"listeners.tcp.1 = 127.0.0.1:8"},
	} {
		text, err := os.ReadFile(filepath.Join(r.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s lacks %q", name, part)
			}
		}
	}
}

func TestRenderedCloudsYAML(t *testing.T) {
	r := testRecord(t)
	if err := render(r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.cloudsYAML())
	if err != nil {
		t.Fatal(err)
	}
	var clouds clientconfig.Clouds
	if err := yaml.Unmarshal(text, &clouds); err != nil {
		t.Fatal(err)
	}
	cloud, found := clouds.Clouds[CloudName]
	if !found || cloud.RegionName != region || cloud.AuthInfo == nil || cloud.AuthInfo.AuthURL != r.authURL() || cloud.AuthInfo.Password != password {
		t.Errorf("got %+v", cloud)
	}
}

func TestSnapshotName(t *testing.T) {
	name := func(versions string, computes int) string {
		got, err := snapshotName(versions, computes)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := name("nova 1", 3)
	if again := name("nova 1", 3); again != first {
		t.Errorf("the same packages give %s and %s", first, again)
	}
	if name("nova 2", 3) == first || name("nova 1", 2) == first {
		t.Error("another version or number of computes gives the same name")
	}
}

func TestPruneSnapshots(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"snapshot-new.tar": 0, "snapshot-old.tar": 2 * time.Hour, "other.tar": 2 * time.Hour, "snapshot-old.tar.lock": 2 * time.Hour} {
		path := filepath.Join(cache, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := pruneSnapshots(cache, now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if want := []string{"other.tar", "snapshot-new.tar", "snapshot-old.tar.lock"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}
