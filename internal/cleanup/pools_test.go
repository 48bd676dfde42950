package cleanup

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ceph stands in for the client of Ceph that deletes pools.
const ceph = `#!/bin/bash
if [ -e "$WORK/silent" ]; then exit 1; fi
case $* in
"osd pool ls") cat "$WORK/pools" ;;
"osd pool application get glance.images -f json") cat "$WORK/marks" ;;
"osd pool delete glance.images glance.images --yes-i-really-really-mean-it")
  if [ -e "$WORK/refusal" ]; then cat "$WORK/refusal" >&2; exit 1; fi
  echo "$4" >>"$WORK/deleted" ;;
*) echo "unexpected: $*" >&2; exit 9 ;;
esac
`

// rbd stands in for the client that looks at images.
const rbd = `#!/bin/bash
case $* in
"ls glance.images") cat "$WORK/images" ;;
"children --all glance.images/"*) if [ -e "$WORK/children-${3#*/}" ]; then cat "$WORK/children-${3#*/}"; fi ;;
"status glance.images/"*) if [ -e "$WORK/open-${2#*/}" ]; then cat "$WORK/open-${2#*/}"; else echo "Watchers: none"; fi ;;
*) echo "unexpected: $*" >&2; exit 9 ;;
esac
`

func TestPools(t *testing.T) {
	images := map[string]string{
		"ceph": ceph, "rbd": rbd, "pools": "vms\nglance.images\n", "marks": `{"glance-image":{}}`, "images": "one\ntwo\n",
	}
	for _, c := range []struct {
		name        string
		files       map[string]string
		application string
		deleted     bool
		told        string
		fails       bool
	}{
		{"a pool of its own", images, "glance-image", true, "", false},
		{"copies inside of it", with(images, "children-one", "glance.images/three\n"), "glance-image", true, "", false},
		{"an empty pool", with(images, "images", ""), "glance-image", true, "", false},
		{"a pool that is gone", with(images, "pools", "vms\nglance.images-ssd\n"), "glance-image", false, "", false},
		{"a pool that others use", with(images, "marks", `{"cinder-volume":{},"glance-image":{"a":"b"}}`), "glance-image", false, "it is used for cinder-volume as well", true},
		{"a pool of somebody else's", with(images, "marks", `{"backups":{}}`), "glance-image", false, "nothing tells that the service has made it", true},
		{"a pool without marks", with(images, "marks", `{}`), "glance-image", false, "nothing tells that the service has made it", true},
		{"a pool of Rook's", with(images, "marks", `{"rbd":{}}`), "rbd", false, "nothing tells that the service has made it", true},
		{"copies elsewhere", with(images, "children-two", "glance.images/three\nglance-images/disk\n"), "glance-image", false, "glance-images/disk is a copy that needs two in it", true},
		{"an image that is open", with(images, "open-two", "Watchers:\n\twatcher=192.0.2.1:0/1 client.4 cookie=1\n"), "glance-image", false, "somebody has two in it open", true},
		{"monitors that refuse", with(images, "refusal", "Error EPERM: pool deletion is disabled; you must first set the mon_allow_pool_delete config option to true before you can destroy a pool"), "glance-image", false, "ceph config set mon mon_allow_pool_delete true", true},
		{"another refusal", with(images, "refusal", "Error EPERM: you must unset nodelete flag for the pool first"), "glance-image", false, "Ceph says: Error EPERM: you must unset nodelete", true},
		{"no answer", with(images, "silent", ""), "glance-image", false, "", true},
		{"no answer about its images", with(images, "rbd", "#!/bin/bash\nexit 1\n"), "glance-image", false, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.CommandContext(t.Context(), "/bin/bash", "-c", strings.ReplaceAll(removePool, "/dev/termination-log", dir+"/told"))
			command.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "WORK=" + dir, "RBD_POOL_NAME=glance.images", "RBD_POOL_APP_NAME=" + c.application}
			output, err := command.CombinedOutput()
			if (err != nil) != c.fails {
				t.Errorf("it ends with %v: %s", err, output)
			}
			if got := read(t, dir, "deleted"); (got == "glance.images\n") != c.deleted || !c.deleted && got != "" {
				t.Errorf("it deleted %q and said %s", got, output)
			}
			if told := read(t, dir, "told"); !strings.Contains(told, c.told) || c.told == "" && told != "" {
				t.Errorf("it tells %q, want %q; it said %s", told, c.told, output)
			}
		})
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}
