package openstack_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedWhatIsWrittenTwice has lists name one thing twice, as lists do that are put together of others: for the services it is
// there once, and no difference is left.
func TestBedWhatIsWrittenTwice(t *testing.T) {
	t.Parallel()
	d := &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
	b := newBench(t, func(o *openstack.Options) { o.Keeper = d })
	network, subnet := segment(t, b, "10.27.0.0/24", values{})
	first, second := made(t, b, "security_group", values{}), made(t, b, "security_group", values{})

	port := target(t, "port", unique("port"), values{"network": text(network), "security_groups": list(first, second, first)})
	b.converge(t, &port)
	b.settled(t, port, "/v2.0/ports")
	port = with(t, port, values{"security_groups": list(second, second)})
	b.converge(t, &port)
	b.settled(t, port, "/v2.0/ports")

	router := target(t, "router", unique("router"), values{"subnets": list(subnet, subnet)})
	b.converge(t, &router)
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")

	url, checksum := b.disk(t, 1<<10)
	image := made(t, b, "image", values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	server := target(t, "instance", unique("vm"), values{
		"image": text(image), "flavor": sized(t, b, 64), "networks": list(network), "security_groups": list(first, first),
	})
	b.converge(t, &server)
	b.settled(t, server, "/v2.1/servers/detail", "/v2.0/ports")

	role := memberRole(t)
	credential, _ := keptTarget(t, "application_credential", unique("credential"), values{
		"project": text(made(t, b, "project", values{})), "roles": list(role, role),
	})
	b.converge(t, &credential)
	b.settled(t, credential, credentialsPath)
}
