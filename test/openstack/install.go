package openstack

import (
	"context"
	"io"

	"github.com/kupenstack/kupenstack-sync/test/debian"
)

// packageNames are libraries and backing servers only. The distribution's service packages
// are left out: their scripts ask questions, make users and start units.
func packageNames() []string {
	return []string{
		"python3-keystone", "python3-glance", "python3-placement", "python3-neutron", "python3-nova", "python3-cinder",
		"python3-openstacksdk", "mariadb-server", "rabbitmq-server", "memcached", "uwsgi-core", "uwsgi-plugin-python3", "qemu-utils",
	}
}

// Install installs the packages that the bed needs, and starts none of their services. It
// returns in milliseconds when all are there. Progress goes to out.
func Install(ctx context.Context, out io.Writer) error {
	return debian.Install(ctx, out, packageNames()...)
}

// Unsupported returns one line that says why this machine cannot run the bed and what to do
// instead, or nothing when it can.
func Unsupported() string {
	if reason := debian.Unsupported(); reason != "" {
		return "the OpenStack test bed cannot run here: " + reason + "; set OS_CLOUD (with a clouds.yaml) to point the tests at any OpenStack instead"
	}
	return ""
}
