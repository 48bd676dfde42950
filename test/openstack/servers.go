package openstack

import (
	"fmt"
	"strconv"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

// server is one long-running process of a bed.
type server struct {
	name string
	args []string
	env  []string // on top of environment
	url  string   // answers when the server is up; empty when it serves no HTTP

	lasting bool // it does not end with the program that starts it
}

// environment is the whole environment of the bed's programs: Debian's own Python, no proxy,
// nothing of the caller's.
func (r record) environment() []string {
	return []string{
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin", r.mark(), "LC_ALL=C.UTF-8",
		"SETUPTOOLS_USE_DISTUTILS=stdlib", // else whoever compares versions imports all of setuptools
		"EVENTLET_NO_GREENDNS=yes",        // no names are looked up here
	}
}

// mark is what every process of the bed has in its environment, and no other.
func (r record) mark() string { return "HOME=" + r.home() }

// python are the arguments that run a program of an OpenStack library: MODULE:FUNCTION, the
// program's name, its arguments.
func (r record) python(entry, name string, args ...string) []string {
	return append([]string{"/usr/bin/python3", "-W", "ignore", r.Dir + "/python/launch.py", entry, name}, args...)
}

func (r record) database() server {
	return server{name: "mariadb", args: []string{"/usr/sbin/mariadbd", "--defaults-file=" + r.etc("my.cnf")}}
}

func (r record) backing() []server {
	portMapper := strconv.Itoa(r.Ports.PortMapper)
	return []server{
		{name: "memcached", args: []string{
			"/usr/bin/memcached", "-u", "root", "-l", "127.0.0.1", "-p", strconv.Itoa(r.Ports.Memcached), "-U", "0", "-m", "64", "-c", "4096",
		}},
		{name: "epmd", args: []string{"/usr/bin/epmd", "-port", portMapper}, env: []string{"ERL_EPMD_ADDRESS=127.0.0.1"}},
		{name: "rabbitmq", args: []string{"/usr/lib/rabbitmq/bin/rabbitmq-server"}, env: []string{
			"ERL_EPMD_PORT=" + portMapper,
			"ERL_EPMD_ADDRESS=127.0.0.1",
			"RABBITMQ_NODENAME=bed@localhost", // unique, because the port mapper is the bed's own
			"RABBITMQ_DIST_PORT=" + strconv.Itoa(r.Ports.Distribution),
			"RABBITMQ_CONFIG_FILE=" + r.etc("rabbitmq.conf"),
			"RABBITMQ_ENABLED_PLUGINS_FILE=" + r.etc("enabled_plugins"),
			"RABBITMQ_CONF_ENV_FILE=/dev/null",
			"RABBITMQ_MNESIA_BASE=" + r.Scratch + "/rabbitmq",
			"RABBITMQ_LOG_BASE=" + r.runDir(),
			"RABBITMQ_PID_FILE=" + r.Scratch + "/rabbitmq.pid",
			// One scheduler that sleeps instead of spinning, and no listener beyond loopback.
			"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}",
		}},
	}
}

// withoutBroker are the services that need only the database.
func (r record) withoutBroker() []server {
	return []server{
		r.keystone(),
		r.placement(),
		{
			name: "neutron", url: loopback(r.Ports.Network),
			args: r.python("neutron.cmd.eventlet.server:main", "neutron-server", "--config-file", r.etc("neutron.conf")),
		},
		{
			name: "glance", url: loopback(r.Ports.Image),
			args: r.python("glance.cmd.api:main", "glance-api", "--config-file", r.etc("glance-api.conf")),
		},
	}
}

func (r record) keystone() server {
	return server{
		name: "keystone", url: r.authURL(),
		args: uwsgi(r.Ports.Identity, r.etc("keystone.wsgi"), 5),
		env:  []string{"OS_KEYSTONE_CONFIG_DIR=" + r.etc(""), "OS_KEYSTONE_CONFIG_FILES=keystone.conf"},
	}
}

func (r record) placement() server {
	return server{
		name: "placement", url: loopback(r.Ports.Placement),
		args: uwsgi(r.Ports.Placement, "/usr/bin/placement-api", 3),
		env:  []string{"OS_PLACEMENT_CONFIG_DIR=" + r.etc("placement")},
	}
}

// uwsgi closes every connection after the response, since it is told to by a header: an idle
// one would occupy a process. It has processes instead of threads, because with threads
// Debian's 2.0.21 now and then answers nothing at all when requests wait already while it
// forks (https://github.com/unbit/uwsgi/issues/2387), and Nova's conductor, which asks
// Placement when it starts, waits forever. A request that takes a minute takes its process
// with it.
func uwsgi(port int, script string, processes int) []string {
	return []string{
		"/usr/bin/uwsgi", "--plugins", "python3", "--http-socket", fmt.Sprintf("127.0.0.1:%d", port), "--wsgi-file", script,
		"--master", "--processes", strconv.Itoa(processes), "--harakiri", "60",
		"--buffer-size", "65535", "--listen", "100", "--die-on-term", "--no-orphans", "--disable-logging", "--thunder-lock",
		"--add-header", "Connection: close",
	}
}

func (r record) conductor() server { return r.nova("conductor", "nova.cmd.conductor:main", "") }

// compute is the n-th compute host, counted from one.
func (r record) compute(n int) server {
	s := r.nova(computeName(n), "kupenstack_bed.nova_compute:main", "")
	s.env = append(s.env, "OS_DEFAULT__HOST="+computeName(n)) // oslo.config's way to set one option of one process
	return s
}

func (r record) computes() []server {
	var all []server
	for n := 1; n <= r.Computes; n++ {
		all = append(all, r.compute(n))
	}
	return all
}

// afterBroker has a program wait for RabbitMQ when it is about to run: one that finds no broker waits
// for seconds before it tries again.
func (r record) afterBroker() []string { return []string{fmt.Sprintf("BED_AWAIT=%d", r.Ports.Broker)} }

// withBroker are the services that talk through RabbitMQ, but for conductor and computes.
func (r record) withBroker() []server {
	return []server{
		r.nova("api", "nova.cmd.api_os_compute:main", loopback(r.Ports.Compute)),
		r.nova("scheduler", "nova.cmd.scheduler:main", ""),
		r.cinder("volume", ""),
		r.cinder("api", loopback(r.Ports.Volume)),
		r.cinder("scheduler", ""),
	}
}

func (r record) nova(name, entry, url string) server {
	return server{
		name: "nova-" + name, url: url, env: r.afterBroker(),
		args: r.python(entry, "nova-"+name, "--config-file", r.etc("nova.conf")),
	}
}

func (r record) cinder(name, url string) server {
	return server{
		name: "cinder-" + name, url: url, env: r.afterBroker(),
		args: r.python("cinder.cmd."+name+":main", "cinder-"+name, "--config-file", r.etc("cinder.conf")),
	}
}

func (r record) start(servers ...server) error {
	for _, s := range servers {
		spec := process.Spec{Name: s.name, Args: s.args, Env: append(r.environment(), s.env...), Dir: r.Dir, Bound: !s.lasting}
		if _, err := process.Start(r.runDir(), spec); err != nil {
			return err
		}
	}
	return nil
}
