// Package openstack runs a real OpenStack for tests: Keystone, Glance, Placement, Neutron,
// Nova and Cinder from the distribution's packages, over MariaDB, RabbitMQ and memcached.
//
// Everything that a client can see is real: the APIs, their databases, scheduling, quotas,
// states. What lies behind them is not: servers run on Nova's fake hypervisor, volumes exist
// only as rows, and every port is bound at once without an agent. Compute hosts are real
// nova-compute processes that can be stopped and started one by one; agents of Neutron, and the
// nova-compute of nodes that are played, are rows that say what a test wants them to say. So
// are the copies of a network of which a benchmark wants thousands.
//
// In go a directory for the bed and one for the cache; out come a clouds.yaml, the
// endpoints, and a client. The first start on a machine migrates the databases and keeps a
// snapshot in the cache; every later one restores it, so that each bed begins pristine.
// Several beds run side by side: ports are free ones, names and directories are their own.
//
// It never listens on anything but the loopback interface, never uses the services of the
// distribution (no unit is started, nothing below /etc or /var is written), and
// never leaves a process behind after Stop. Install is the only function that changes the
// machine.
package openstack
