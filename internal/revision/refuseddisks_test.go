package revision_test

import (
	"fmt"
	"strings"
	"testing"

	all "github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestDisksAndBackupsAreFixed has the plan refuse that Nova would look elsewhere for the disks of instances which are there,
// on all nodes or on some, and Cinder for backups, wherever that is written.
func TestDisksAndBackupsAreFixed(t *testing.T) {
	const disks = `conf = { nova = { libvirt = { %s } } }`
	put := func(text, line, written string) string {
		if !strings.Contains(text, line) {
			t.Fatalf("there is no %s", line)
		}
		return strings.Replace(text, line, line+"\n    "+written+"\n", 1)
	}
	base := strings.Replace(all.WithBackends("ceph", 1, "", "  ceph {\n    mon_hosts = [\"192.0.2.11\"]\n    admin_secret = \"ceph-admin\"\n  }"),
		`service "nova" { replicas`, "service \"nova\" {\n    replicas", 1)
	base = strings.Replace(base, "novncproxy = 2 } }", "novncproxy = 2 }\n  }", 1)
	base = strings.Replace(base, `repository = "charts"`, `repository = "oci://registry.example.org/charts"`, 1)
	nova := func(written string) string { return put(base, "novncproxy = 2 }", written) }
	cinder := func(written string) string {
		return put(base, "replicas = { api = 2, scheduler = 2, volume = 1, backup = 1 }", "conf = { cinder = { DEFAULT = { "+written+" } } }")
	}
	some := func(role, written string) string {
		return base + fmt.Sprintf("\nnode \"w1\" {\n  roles = [%q]\n  profile = profile.p\n}\nprofile \"p\" {\n  slot = 2\n  service \"nova\" { %s }\n}\n", role, fmt.Sprintf(disks, written))
	}
	nobody := strings.Replace(some("compute", `images_rbd_pool = "fast"`), "node \"w1\" {\n  roles = [\"compute\"]\n  profile = profile.p\n}", "", 1)
	const share = `backup_driver = "cinder.backup.drivers.nfs.NFSBackupDriver", backup_share = "nfs.example.org:/%s"`
	group := func(written string) string { // of LVM, beside which there are no backups unless they are written
		return put(strings.Replace(all.WithBackends("lvm", 1, ""), `repository = "charts"`, `repository = "oci://registry.example.org/charts"`, 1), "replicas = { api = 2, scheduler = 2, volume = 1, backup = 1 }", written)
	}
	people := func(pool string) string { // by a label of theirs, whose value looks like the slot
		return strings.Replace(some("compute", `virt_type = "qemu"`), "novncproxy = 2 }", "novncproxy = 2 }\n    values = { conf = { overrides = { nova_compute = { labels = [{ label = { key = \"rack\", values = [\"2\"] }, "+fmt.Sprintf(disks, `images_rbd_pool = "`+pool+`"`)+" }] } } } }", 1)
	}
	for name, c := range map[string]struct{ before, after, want string }{
		"away from Ceph":            {base, nova(fmt.Sprintf(disks, `images_type = "qcow2"`)), `ceph.instances.pool of nova cannot change from "vms" to "files of the nodes"`},
		"away from Ceph in values":  {base, nova("values = { " + fmt.Sprintf(disks, `images_type = "lvm", images_volume_group = "disks"`) + " }"), `ceph.instances.pool of nova cannot change from "vms" to "the volume group disks"`},
		"to Ceph":                   {nova(fmt.Sprintf(disks, `images_type = "raw"`)), base, `ceph.instances.pool of nova cannot change from "files of the nodes" to "vms"`},
		"another form of file":      {nova(fmt.Sprintf(disks, `images_type = "raw"`)), nova(fmt.Sprintf(disks, `images_type = "qcow2"`)), ""},
		"another pool on some":      {some("compute", `images_rbd_pool = "fast"`), some("compute", `images_rbd_pool = "slow"`), `ceph.instances.pool in slot 2 of nova cannot change from "fast" to "slow"`},
		"files on some":             {some("compute", `virt_type = "qemu"`), some("compute", `images_type = "qcow2"`), `ceph.instances.pool in slot 2 of nova cannot change from "vms" to "files of the nodes"`},
		"something else on some":    {some("compute", `virt_type = "qemu"`), some("compute", `virt_type = "kvm"`), ""},
		"another cluster":           {base, nova(fmt.Sprintf(disks, `images_rbd_ceph_conf = "/etc/ceph/b.conf"`)), `images_rbd_ceph_conf of nova cannot change from "/etc/ceph/ceph.conf" to "/etc/ceph/b.conf"`},
		"another cluster on some":   {some("compute", `virt_type = "qemu"`), some("compute", `images_rbd_ceph_conf = "/etc/ceph/b.conf"`), `images_rbd_ceph_conf in slot 2 of nova cannot change from "/etc/ceph/ceph.conf" to "/etc/ceph/b.conf"`},
		"backups in another":        {base, cinder(`backup_ceph_conf = "/etc/ceph/b.conf"`), `backup_ceph_conf of cinder cannot change from "/etc/ceph/ceph.conf" to "/etc/ceph/b.conf"`},
		"the first of such nodes":   {base, some("compute", `images_rbd_pool = "fast"`), ""},
		"no such nodes before":      {nobody, some("compute", `images_rbd_pool = "slow"`), ""},
		"no more such nodes":        {some("compute", `images_rbd_pool = "fast"`), nobody, ""},
		"backups by another driver": {base, cinder(fmt.Sprintf(share, "one")), `ceph.backups.pool of cinder cannot change from "cinder.backups" to "cinder.backup.drivers.nfs.NFSBackupDriver nfs.example.org:/one"`},
		"backups by no driver":      {base, cinder("backup_driver = null"), `ceph.backups.pool of cinder cannot change from "cinder.backups" to "cinder.backup.drivers.swift.SwiftBackupDriver"`},
		"from no driver":            {cinder("backup_driver = null"), cinder(fmt.Sprintf(share, "one")), `ceph.backups.pool of cinder cannot change from "cinder.backup.drivers.swift.SwiftBackupDriver" to "cinder.backup.drivers.nfs.NFSBackupDriver nfs.example.org:/one"`},
		"beside volume groups":      {group("values = { manifests = { deployment_backup = true } }"), group("values = { manifests = { deployment_backup = true }, conf = { cinder = { DEFAULT = { " + fmt.Sprintf(share, "one") + " } } } }"), `ceph.backups.pool of cinder cannot change from "cinder.backup.drivers.swift.SwiftBackupDriver" to "cinder.backup.drivers.nfs.NFSBackupDriver nfs.example.org:/one"`},
		"the first backups":         {group(""), group("values = { manifests = { deployment_backup = true } }"), ""},
		"no driver but the default": {cinder("backup_driver = null"), cinder(`backup_driver = "cinder.backup.drivers.swift.SwiftBackupDriver"`), ""},
		"sensitive":                 {base, nova(fmt.Sprintf(disks, `images_type = var.kind`)) + "variable \"kind\" {\n  default   = \"rbd\"\n  sensitive = true\n}\n", ""},
		"sensitive, away from Ceph": {base, nova(fmt.Sprintf(disks, `images_type = var.kind`)) + "variable \"kind\" {\n  default   = \"qcow2\"\n  sensitive = true\n}\n", `ceph.instances.pool of nova cannot change from "vms" to "files of the nodes"`},
		"groups of people's own":    {people("ssd"), people("hdd"), ""},
		"backups on another share":  {cinder(fmt.Sprintf(share, "one")), cinder(fmt.Sprintf(share, "two")), `ceph.backups.pool of cinder cannot change from "cinder.backup.drivers.nfs.NFSBackupDriver nfs.example.org:/one" to "cinder.backup.drivers.nfs.NFSBackupDriver nfs.example.org:/two"`},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			lines := strings.Split(c.after, "\n")
			for _, d := range follows(composed(t, c.before), composed(t, c.after)).Refused {
				got = append(got, d.Summary)
				if line := lines[d.Subject.Start.Line-1]; strings.Contains(name, "some") && !strings.Contains(line, `profile "p"`) {
					t.Errorf("%s: it points at %s", d.Summary, line)
				}
			}
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

// TestDisksOnRecordFromBefore: what older programs put on record of a pool says nothing of its cluster, or has it behind the pool, and a
// cloud that has had another one all along is not refused.
func TestDisksOnRecordFromBefore(t *testing.T) {
	source := strings.Replace(all.WithBackends("ceph", 1, "", "  ceph {\n    mon_hosts = [\"192.0.2.11\"]\n    admin_secret = \"ceph-admin\"\n  }"), `repository = "charts"`, `repository = "oci://registry.example.org/charts"`, 1)
	const disks = `service "nova" { conf = { nova = { libvirt = { %s } } } }`
	other := fmt.Sprintf(disks, `images_rbd_ceph_conf = "/etc/ceph/b.conf"`)
	for name, profile := range map[string]string{"theirs": other, "of all": fmt.Sprintf(disks, `virt_type = "qemu"`)} {
		text := source + fmt.Sprintf("\nnode \"w1\" {\n  roles = [\"compute\"]\n  profile = profile.p\n}\nprofile \"p\" {\n  slot = 2\n  %s\n}\n", profile)
		if name == "of all" {
			text = strings.Replace(text, `service "nova" { replicas`, "service \"nova\" {\n    conf = { nova = { libvirt = { images_rbd_ceph_conf = \"/etc/ceph/b.conf\" } } }\n    replicas", 1)
			text = strings.Replace(text, "novncproxy = 2 } }", "novncproxy = 2 }\n  }", 1)
		}
		for was, want := range map[string]string{
			"vms":                     "",
			"vms by /etc/ceph/b.conf": "",
			"vms by /etc/ceph/c.conf": `images_rbd_ceph_conf in slot 2 of nova cannot change from "/etc/ceph/c.conf" to "/etc/ceph/b.conf"`,
		} {
			before, after := composed(t, text), composed(t, text)
			found := false
			for i := range before.Units {
				u := &before.Units[i]
				if _, found = u.Fixed["ceph.instances.pool in slot 2"]; found {
					u.Fixed = map[string]string{"ceph.instances.pool": "vms", "ceph.instances.pool in slot 2": was}
					break
				}
			}
			refused := follows(before, after).Refused
			if !found || len(refused) > 0 != (want != "") || want != "" && refused[0].Summary != want {
				t.Errorf("%s, %s: %v", name, was, refused)
			}
		}
	}
}
