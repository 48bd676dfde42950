"""Makes objects of all kinds as people do who have openstacksdk, and says which.

Call: make.py PREFIX SETS. It writes one line of JSON, a list of [kind, id], and waits for the end of its input. Then, and
when it fails, it takes away what it has made.
"""
import json
import sys
import types

import openstack
from keystoneauth1.identity.v3 import Password
from keystoneauth1.session import Session

prefix, sets = sys.argv[1], int(sys.argv[2])
cloud = openstack.connect()
identity, network, compute, image, storage = cloud.identity, cloud.network, cloud.compute, cloud.image, cloud.block_storage
made, undo = [], []


def of_the_system():
    """Keystone shows limits of single projects to a token of the system as a whole only."""
    login = {name: cloud.config.auth[name] for name in ("auth_url", "username", "password", "user_domain_name", "user_domain_id")
             if name in cloud.config.auth}
    return openstack.connection.Connection(session=Session(auth=Password(system_scope="all", **login), verify=cloud.config.verify))


system = of_the_system().identity


def make(kind, create, delete, **attributes):
    """Makes one object."""
    one = create(**attributes)
    made.append([kind, str(one.id)])
    undo.append(lambda: delete(one))
    return one


def shared():
    """What all sets use."""
    disk = make("image", image.create_image, image.delete_image, name=prefix + "-boots", disk_format="raw", container_format="bare",
                data=b"bytes", allow_duplicates=True)
    outside = make("network", network.create_network, network.delete_network, name=prefix + "-outside", is_router_external=True)
    make("subnet", network.create_subnet, network.delete_subnet, name=prefix + "-outside", network_id=outside.id, ip_version=4,
         cidr="203.0.113.0/24")
    size = make("flavor", compute.create_flavor, compute.delete_flavor, name=prefix + ".boots", vcpus=1, ram=64, disk=1)
    return disk, outside, size


def people(name):
    """Projects, who works in them, and the catalogue."""
    project = make("project", identity.create_project, identity.delete_project, name=name, domain_id="default", description="The " + name)
    make("domain", identity.create_domain, identity.delete_domain, name=name, is_enabled=False)
    user = make("user", identity.create_user, identity.delete_user, name=name, domain_id="default", password="of " + name,
                default_project_id=project.id, email=name + "@example.org")
    group = make("group", identity.create_group, identity.delete_group, name=name, domain_id="default", description="All of them")
    role = make("role", identity.create_role, identity.delete_role, name=name)
    identity.assign_project_role_to_user(project, user, role)
    made.append(["role_assignment", user.id])
    identity.assign_project_role_to_group(project, group, role)
    made.append(["role_assignment", group.id])
    region = make("region", identity.create_region, identity.delete_region, id=name, description="Elsewhere")
    service = make("identity_service", identity.create_service, identity.delete_service, name=name, type=name)
    make("identity_endpoint", identity.create_endpoint, identity.delete_endpoint, service_id=service.id, region_id=region.id,
         interface="public", url="http://" + name + ".example.org/v1")

    def limited(**attributes):
        identity.create_registered_limit(**attributes)  # Keystone answers with a list, whose id it does not find
        return next(identity.registered_limits(service_id=service.id))
    make("registered_limit", limited, identity.delete_registered_limit, service_id=service.id, region_id=region.id,
         resource_name="backups", default_limit=10)

    def narrow(**attributes):
        system.create_limit(**attributes)  # as with the registered one
        return next(system.limits(service_id=service.id))
    me = cloud.current_user_id  # Keystone makes these for nobody else
    make("application_credential", identity.create_application_credential, lambda one: identity.delete_application_credential(me, one),
         user=me, name=name, description="For the pipeline of " + name)
    # openstacksdk's own way to delete one does not work
    make("limit", narrow, lambda one: system.delete("/limits/" + one.id), service_id=service.id, region_id=region.id, project_id=project.id,
         resource_name="backups", resource_limit=5)
    bounded(project)
    return project


def bounded(project):
    """Quotas, which the project has wherever it keeps something."""
    cloud.set_compute_quotas(project.id, instances=11, cores=21)
    undo.append(lambda: cloud.delete_compute_quotas(project.id))
    cloud.set_network_quotas(project.id, network=12, port=31)
    undo.append(lambda: cloud.delete_network_quotas(project.id))
    cloud.set_volume_quotas(project.id, volumes=13, gigabytes=41)
    undo.append(lambda: cloud.delete_volume_quotas(project.id))


def networks(name, project, outside):
    """A network with all that there is around one."""
    of = {"name": name, "project_id": project.id}
    scope = make("address_scope", network.create_address_scope, network.delete_address_scope, ip_version=4, **of)
    pool = make("subnet_pool", network.create_subnet_pool, network.delete_subnet_pool, prefixes=["10.64.0.0/12"],
                default_prefix_length=24, address_scope_id=scope.id, **of)
    quality = make("qos_policy", network.create_qos_policy, network.delete_qos_policy, description="Not too much", **of)
    network.create_qos_bandwidth_limit_rule(quality, max_kbps=1000, max_burst_kbps=100, direction="egress")
    web = make("network", network.create_network, network.delete_network, mtu=1400, description="says \"${x}\"", **of)
    network.set_tags(web, ["shop", "web"])
    subnet = make("subnet", network.create_subnet, network.delete_subnet, network_id=web.id, ip_version=4, cidr="10.9.0.0/24",
                  dns_nameservers=["192.0.2.53"], allocation_pools=[{"start": "10.9.0.10", "end": "10.9.0.99"}], **of)
    inner = make("network", network.create_network, network.delete_network, name=name + "-pool", project_id=project.id, is_shared=True)
    make("subnet", network.create_subnet, network.delete_subnet, network_id=inner.id, ip_version=4, subnetpool_id=pool.id,
         name=name + "-pool", project_id=project.id)
    make("rbac_policy", network.create_rbac_policy, network.delete_rbac_policy, object_type="qos_policy", object_id=quality.id,
         action="access_as_shared", target_project_id=project.id, project_id=project.id)
    group = make("security_group", network.create_security_group, network.delete_security_group, description="Web", **of)
    for low, high in ((80, 81), (443, 443)):
        network.create_security_group_rule(security_group_id=group.id, project_id=project.id, direction="ingress", ether_type="IPv4",
                                           protocol="tcp", port_range_min=low, port_range_max=high, remote_ip_prefix="192.0.2.0/24")
    router = make("router", network.create_router, network.delete_router, external_gateway_info={"network_id": outside.id}, **of)
    network.add_interface_to_router(router, subnet_id=subnet.id)
    undo.append(lambda: network.remove_interface_from_router(router, subnet_id=subnet.id))
    fixed = make("port", network.create_port, network.delete_port, network_id=web.id, security_groups=[group.id],
                 fixed_ips=[{"subnet_id": subnet.id, "ip_address": "10.9.0.11"}], **of)
    below = make("port", network.create_port, network.delete_port, network_id=web.id, name=name + "-below", project_id=project.id,
                 fixed_ips=[{"subnet_id": subnet.id, "ip_address": "10.9.0.12"}])
    make("trunk", network.create_trunk, network.delete_trunk, port_id=fixed.id,
         sub_ports=[{"port_id": below.id, "segmentation_type": "vlan", "segmentation_id": 101}], **of)
    make("floating_ip", network.create_ip, network.delete_ip, floating_network_id=outside.id, project_id=project.id, port_id=fixed.id)
    return web


def machines(name, web, disk, size):
    """An instance with a volume, and what describes them."""
    make("flavor", compute.create_flavor, compute.delete_flavor, name=name, vcpus=1, ram=64, disk=1, swap=32)
    make("image", image.create_image, image.delete_image, name=name, disk_format="raw", container_format="bare", data=b"bytes",
         hw_disk_bus="scsi", allow_duplicates=True)
    make("keypair", compute.create_keypair, compute.delete_keypair, name=name)
    make("server_group", compute.create_server_group, compute.delete_server_group, name=name, policy="soft-anti-affinity")
    make("host_aggregate", compute.create_aggregate, compute.delete_aggregate, name=name, availability_zone=name)

    def limited(name):  # openstacksdk does not know these
        answer = storage.post("/qos-specs", json={"qos_specs": {"name": name, "consumer": "front-end", "total_iops_sec": "2000"}})
        return types.SimpleNamespace(id=answer.json()["qos_specs"]["id"])
    quality = make("volume_qos", limited, lambda one: storage.delete("/qos-specs/" + one.id), name=name)
    kind = make("volume_type", storage.create_type, storage.delete_type, name=name, description="As any",
                extra_specs={"RESKEY:availability_zones": "nova"})
    storage.get("/qos-specs/" + quality.id + "/associate?vol_type_id=" + kind.id)

    def gone(one):
        storage.wait_for_status(one, "available", failures=["error"], interval=0.3, wait=120)
        storage.delete_volume(one)
        storage.wait_for_delete(one, interval=0.3, wait=120)
    volume = make("volume", storage.create_volume, gone, name=name, size=1, volume_type=kind.name, metadata={"of": name})
    storage.wait_for_status(volume, "available", failures=["error"], interval=0.3, wait=120)

    def copied(one):
        storage.delete_snapshot(one)
        storage.wait_for_delete(one, interval=0.3, wait=120)
    snapshot = make("snapshot", storage.create_snapshot, copied, name=name, volume_id=volume.id)
    storage.wait_for_status(snapshot, "available", failures=["error"], interval=0.3, wait=120)

    def stopped(one):
        compute.delete_server(one)
        compute.wait_for_delete(one, interval=0.3, wait=120)
    server = make("instance", compute.create_server, stopped, name=name, image_id=disk.id, flavor_id=size.id, networks=[{"uuid": web.id}],
                  metadata={"of": name})
    compute.wait_for_server(server, interval=0.3, wait=120)
    compute.create_volume_attachment(server, volume_id=volume.id)
    made.append(["volume_attachment", volume.id])  # it goes with the instance
    storage.wait_for_status(volume, "in-use", failures=["error"], interval=0.3, wait=120)


def main():
    """Makes, tells, waits, and takes away."""
    failed = 0
    try:
        disk, outside, size = shared()
        for n in range(sets):
            name = "%s-%d" % (prefix, n)
            machines(name, networks(name, people(name), outside), disk, size)
        print(json.dumps(made), flush=True)
        sys.stdin.read()
    finally:
        for each in reversed(undo):
            try:
                each()
            except Exception as error:  # the rest has to go as well
                print(error, file=sys.stderr)
                failed += 1
    return failed


sys.exit(min(main(), 1))
