package revision_test

import (
	"fmt"
	"strings"
	"testing"

	all "github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestStorageIsFixed has the plan refuse that data of a service which is deployed would be looked for elsewhere, wherever
// that is written. What moves nothing can change, and more backends can come.
func TestStorageIsFixed(t *testing.T) {
	const (
		fast     = "    backend \"fast\" {\n      type = \"rbd\"\n      pool = \"ssd\"\n    }\n"
		isFirst  = "    backend \"fast\" {\n      type = \"rbd\"\n      pool = \"ssd\"\n      default = true\n    }\n"
		files    = "    backend \"files\" {\n      type = \"nfs\"\n      share = \"nfs.example.org:/one\"\n      default = true\n    }\n"
		isSecond = "    backend \"files\" {\n      type = \"nfs\"\n      share = \"nfs.example.org:/one\"\n    }\n"
		group    = "    backend \"disks\" {\n      type = \"lvm\"\n    }\n"
		own      = "    backend \"rbd1\" {\n      type = \"rbd\"\n    }\n"
		san      = "    backend \"san\" {\n      driver = \"cinder.volume.drivers.san.san.SanISCSIDriver\"\n    }\n"
	)
	with := func(old, replaced string) func(string) string {
		return func(text string) string {
			if !strings.Contains(text, old) {
				t.Fatalf("there is no %s", old)
			}
			return strings.ReplaceAll(text, old, replaced)
		}
	}
	ceph := func(blocks ...string) string { return all.WithBackends("ceph", 1, strings.Join(blocks, "")) }
	pools := func(what string) string {
		return all.WithBackends("ceph", 1, "", "  ceph {\n    mon_hosts = [\"192.0.2.11\"]\n    admin_secret = \"ceph-admin\"\n"+what+"  }")
	}
	const images = "    images = { user = \"i\" }\n"
	imageValues := func(conf string) string {
		return with(`service "glance" {}`, "service \"glance\" {\n    values = { conf = { glance = { "+conf+" } } }\n  }")(pools(images))
	}
	there := with(`repository = "charts"`, `repository = "oci://registry.example.org/charts"`)
	const conf = "    values = { conf = { backends = { fast = { rbd_pool = \"other\" } } } }\n"
	for name, c := range map[string]struct{ before, after, want string }{
		"the same":              {ceph(fast), ceph(fast), ""},
		"one more":              {ceph(fast), ceph(fast, files), ""},
		"another default":       {ceph(fast, files), ceph(isFirst, isSecond), ""},
		"a volume group beside": {ceph(fast), ceph(isFirst, group), ""},
		"options":               {ceph(fast), with(`"ssd"`, "\"ssd\"\n      options = { rados_connect_timeout = 5 }")(ceph(fast)), ""},
		"away":                  {ceph(fast, files), ceph(files), `backend.fast of cinder cannot change from "the pool ssd" to nothing`},
		"renamed":               {ceph(fast), with(`"fast"`, `"quick"`)(ceph(fast)), `backend.fast of cinder cannot change from "the pool ssd" to nothing`},
		"a pool":                {ceph(fast), with(`"ssd"`, `"hdd"`)(ceph(fast)), `backend.fast of cinder cannot change from "the pool ssd" to "the pool hdd"`},
		"a group":               {ceph(group), with(`"lvm"`, "\"lvm\"\n      volume_group = \"vg0\"")(ceph(group)), `backend.disks of cinder cannot change from "the volume group cinder-volumes" to "the volume group vg0"`},
		"a share":               {ceph(files), with("/one", "/two")(ceph(files)), `backend.files of cinder cannot change from "the share nfs.example.org:/one" to "the share nfs.example.org:/two"`},
		"a driver": {
			ceph(san), with("SanISCSIDriver", "OtherDriver")(ceph(san)),
			`backend.san of cinder cannot change from "cinder.volume.drivers.san.san.SanISCSIDriver" to "cinder.volume.drivers.san.san.OtherDriver"`,
		},
		"a type":                   {ceph(fast), with("rbd\"\n      pool = \"ssd", "lvm\"\n      volume_group = \"ssd")(ceph(fast)), `backend.fast of cinder cannot change from "the pool ssd" to "the volume group ssd"`},
		"a host":                   {ceph(fast), with(`"ssd"`, "\"ssd\"\n      options = { backend_host = \"other\" }")(ceph(fast)), `backend.fast of cinder cannot change from "the pool ssd" to "the pool ssd, of the host other"`},
		"in values":                {ceph(fast), ceph(fast, conf), `backend.fast of cinder cannot change from "the pool ssd" to "the pool other"`},
		"none in values":           {ceph(fast), ceph(fast, with("backends = { fast = { rbd_pool = \"other\" } }", "cinder = { DEFAULT = { enabled_backends = \"other, more\" } }")(conf)), `backend.fast of cinder cannot change from "the pool ssd" to nothing`},
		"a list in values":         {ceph(fast), ceph(fast, with("backends = { fast = { rbd_pool = \"other\" } }", "cinder = { DEFAULT = { enabled_backends = [\"fast\", \"more\"] } }")(conf)), ""},
		"the chart's own":          {ceph(), ceph(own), ""},
		"no more the chart's":      {ceph(), ceph(fast), `backend.rbd1 of cinder cannot change from "the pool cinder.volumes" to nothing`},
		"no more of the cloud":     {all.WithBackends("lvm", 1, ""), all.WithBackends("lvm", 1, with("\"disks\"", "\"lvm1\"")(group)), ""},
		"the pool of volumes":      {pools(""), pools("    volumes = { pool = \"v\" }\n"), `backend.rbd1 of cinder cannot change from "the pool cinder.volumes" to "the pool v"`},
		"the pool of images":       {pools(""), pools("    images = { pool = \"i\" }\n"), `ceph.images.pool of glance cannot change from "glance.images" to "i"`},
		"a pool that nobody reads": {pools(""), imageValues("glance_store = { rbd_store_pool = \"i\" }"), ""},
		"its pool in values":       {pools(""), imageValues("rbd = { rbd_store_pool = \"i\" }"), `ceph.images.pool of glance cannot change from "glance.images" to "i"`},
		"another store":            {pools(""), imageValues("glance_store = { default_backend = \"ssd\" }, ssd = { rbd_store_pool = \"i\" }"), `ceph.images.pool of glance cannot change from "glance.images" to "i"`},
		"another kind of store":    {pools(""), imageValues("DEFAULT = { enabled_backends = \"disk:file, rbd:rbd\" }, glance_store = { default_backend = \"disk\" }"), `ceph.images.pool of glance cannot change from "glance.images" to "the store disk:file"`},
		"more stores":              {pools(""), imageValues("DEFAULT = { enabled_backends = \"disk:file, rbd:rbd\" }"), ""},
		"another cluster":          {pools(""), imageValues("rbd = { rbd_store_ceph_conf = \"/etc/ceph/b.conf\" }"), `ceph.images.pool of glance cannot change from "glance.images" to "glance.images by /etc/ceph/b.conf"`},
		"the pool of backups":      {pools("    backups = { pool = \"b\" }\n"), pools(""), `ceph.backups.pool of cinder cannot change from "b" to "cinder.backups"`},
		"the pool of instances":    {pools("    instances = { pool = \"a\" }\n"), pools("    instances = { pool = \"b\" }\n"), `ceph.instances.pool of nova cannot change from "a" to "b"`},
		"as it was unwritten":      {pools(""), pools("    images = { pool = \"glance.images\" }\n    instances = { pool = \"vms\" }\n"), ""},
		"users":                    {pools(""), pools("    images = { user = \"i\" }\n    volumes = { user = \"v\" }\n    backups = { user = \"b\" }\n"), ""},
		"images are elsewhere":     {with(`service "glance" {}`, "service \"glance\" {\n    storage = \"pvc\"\n  }")(pools("")), with(`service "glance" {}`, "service \"glance\" {\n    storage = \"pvc\"\n  }")(pools("    images = { pool = \"i\" }\n")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			lines := strings.Split(c.after, "\n")
			for _, d := range follows(composed(t, there(c.before)), composed(t, there(c.after))).Refused {
				got = append(got, d.Summary)
				said, _, _ := strings.Cut(strings.TrimPrefix(d.Summary, "backend."), " ")
				about := map[string]string{"ceph.images.pool": "images", "ceph.backups.pool": "ceph", "ceph.instances.pool": "instances"}[said]
				if about == "" && strings.Contains(c.after, fmt.Sprintf("backend %q", said)) {
					about = fmt.Sprintf("backend %q", said)
				} else if about == "" {
					about = `service "cinder"`
				}
				if line := lines[d.Subject.Start.Line-1]; !strings.Contains(line, about) {
					t.Errorf("%s: it points at %s", d.Summary, line)
				}
			}
			if want := c.want; strings.Join(got, "; ") != want {
				t.Errorf("got %v, want %s", got, want)
			}
		})
	}
}
