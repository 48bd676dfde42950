package schema

import "github.com/zclconf/go-cty/cty"

func cephBlock() Nested {
	user := func(pool, user string) cty.Value { // without a Secret, as admin_secret stands beside it in examples
		return cty.ObjectVal(map[string]cty.Value{"pool": cty.StringVal(pool), "user": cty.StringVal(user)})
	}
	secret := func(name string) map[string]string { return map[string]string{"secret": name} }
	fields := map[string]Format{"pool": FormatCephName, "user": FormatCephName, "secret": FormatDNSName}
	return Nested{Max: 1, Block: Block{
		Kind: "ceph", Class: ClassPart,
		Doc:      "A cluster of Ceph, for storage_backend ceph: how it is reached, and which pools and users OpenStack has there. It is one that somebody else looks after, or, with rook_namespace, one of Rook's in the same Kubernetes. The ConfigMap ceph-etc, which the charts read it from, is made of it. Without the block that ConfigMap and the Secret pvc-ceph-client-key have to be there, which the service ceph-adapter-rook makes of what Rook has. Pools are fixed once the services that keep data there are deployed; users, Secrets and monitors can change.",
		NeedsOne: [][]string{{"mon_hosts", "conf", "rook_namespace"}},
		Attributes: []Attribute{
			{
				Name: "mon_hosts", Type: cty.List(cty.String), AtLoad: true, Format: FormatMonitor, Conflicts: "conf",
				Example: cty.ListVal([]cty.Value{cty.StringVal("192.0.2.11"), cty.StringVal("192.0.2.12"), cty.StringVal("192.0.2.13")}),
				Doc:     "The addresses of the monitors. Pods that run keep those that they began with.",
			},
			{
				Name: "conf", Type: cty.String, AtLoad: true, Conflicts: "mon_hosts", Example: cty.StringVal("[global]\nmon_host = 192.0.2.11\n"),
				Doc: "The whole ceph.conf, where it takes more than the monitors, such as file(\"ceph.conf\"). It is shown, so a key in it is refused: keys are in Secrets.",
			},
			{
				Name: "rook_namespace", Type: cty.String, AtLoad: true, Format: FormatDNSLabel, Conflicts: "mon_hosts", Example: cty.StringVal("rook-ceph"),
				Doc: "The namespace of a Ceph that Rook runs in the same Kubernetes. The service ceph-adapter-rook, which has to be there, tells the charts of its monitors. Each user is a CephClient of its name in that namespace: its key, which Rook has in the Secret rook-ceph-client-<user>, is copied into the Secret kupenstack-ceph-<user> in the namespace of the cloud, since pods reach no other. So no Secrets are written for users. That of volumes has the label kupenstack.io/readable=true. A copy follows the key with the next look at the cluster, and stays when the block goes. Where a manifest of the configuration has objects of Rook's in that namespace, what needs Ceph waits until all of that manifest is ready.",
			},
			{
				Name: "admin_secret", Type: cty.String, AtLoad: true, Format: FormatDNSName, Example: cty.StringVal("ceph-admin"),
				Doc: "The name of a Kubernetes Secret in the namespace of the cloud that has the key of client.admin in its key called key. With it the charts make the pools and the users themselves. Without, both are there, and each user's key is in a Secret of its own. The service ceph-adapter-rook makes the Secret with the key of client.admin, under this name.",
			},
			{
				Name: "images", Type: cephUserType(), AtLoad: true, Fields: fields, FieldExamples: secret("ceph-images"), Example: user("images", "glance"),
				Doc: "Where Glance keeps images: the pool, glance.images unless written, the user, glance unless written, and the Secret in the namespace of the cloud that has the user's key in its key called key. The Secret is required without admin_secret, and written neither with that nor with rook_namespace.",
			},
			{
				Name: "volumes", Type: cephUserType(), AtLoad: true, Fields: fields, FieldExamples: secret("ceph-volumes"), Example: user("volumes", "cinder"),
				Doc: "Where Cinder keeps volumes, as for images: the pool is cinder.volumes and the user cinder unless written. Hypervisors reach volumes and disks of instances with this user, whose key the charts put into ConfigMaps and pods of Nova and libvirt as well. So this Secret, without admin_secret, needs the label kupenstack.io/readable=true.",
			},
			{
				Name: "backups", Type: cephUserType(), AtLoad: true, Fields: fields, FieldExamples: secret("ceph-backups"), Example: user("backups", "cinder-backup"),
				Doc: "Where Cinder keeps backups, as for images: the pool is cinder.backups unless written. Without admin_secret, user and Secret are those of volumes where neither is written; else the user is cinderbackup unless written.",
			},
			{
				Name: "instances", Type: cty.Object(map[string]cty.Type{"pool": cty.String}), AtLoad: true, Fields: map[string]Format{"pool": FormatCephName},
				Example: cty.ObjectVal(map[string]cty.Value{"pool": cty.StringVal("vms")}),
				Doc:     "The pool in which Nova keeps the disks of instances that are on no volume: vms unless written.",
			},
		},
	}}
}

func cephUserType() cty.Type {
	return cty.ObjectWithOptionalAttrs(map[string]cty.Type{"pool": cty.String, "user": cty.String, "secret": cty.String}, []string{"pool", "user", "secret"})
}
