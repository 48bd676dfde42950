package cluster

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

// The names of the servers' programs, of their records and of their logs.
const (
	etcdServer        = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	kwokServer        = "kwok"
)

func allServers() []string {
	return []string{etcdServer, apiServer, controllerManager, scheduler, kwokServer}
}

// ports of the servers, all on 127.0.0.1.
type ports struct {
	etcd, etcdPeer, api, controllerManager, scheduler, kwok int
}

const portCount = 6

func newPorts(free []int) ports {
	return ports{etcd: free[0], etcdPeer: free[1], api: free[2], controllerManager: free[3], scheduler: free[4], kwok: free[5]}
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func httpURL(port int) string { return "http://" + address(port) }

func httpsURL(port int) string { return "https://" + address(port) }

// spec completes the arguments of a server with its program.
func (s *starter) spec(name string, args ...string) process.Spec {
	return process.Spec{Name: name, Args: append([]string{filepath.Join(s.options.Bin, name)}, args...), Bound: true}
}

func (s *starter) etcd() process.Spec {
	return s.spec(etcdServer,
		"--name=testbed",
		"--data-dir="+s.path(etcdDir),
		"--unsafe-no-fsync", // the data is not worth anything after a crash
		"--log-level=error",
		"--listen-client-urls="+httpURL(s.ports.etcd),
		"--advertise-client-urls="+httpURL(s.ports.etcd),
		"--listen-peer-urls="+httpURL(s.ports.etcdPeer),
		"--initial-advertise-peer-urls="+httpURL(s.ports.etcdPeer),
		"--initial-cluster=testbed="+httpURL(s.ports.etcdPeer),
	)
}

func (s *starter) apiServer() process.Spec {
	return s.spec(apiServer,
		"--etcd-servers="+httpURL(s.ports.etcd),
		"--bind-address=127.0.0.1",
		"--secure-port="+strconv.Itoa(s.ports.api),
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none", // a loopback address is no valid endpoint
		"--tls-cert-file="+s.pki.path("server.crt"),
		"--tls-private-key-file="+s.pki.path("server.key"),
		"--client-ca-file="+s.pki.path("ca.crt"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+s.pki.path("sa.pub"),
		"--service-account-signing-key-file="+s.pki.path("sa.key"),
		"--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=Node,RBAC",
		"--allow-privileged=true",
		"--kubelet-preferred-address-types=InternalDNS", // see stages/node.yaml
		"--audit-policy-file="+s.path("audit-policy.yaml"),
		"--audit-log-path="+s.path("audit.log"),
		"--audit-log-mode=blocking",   // a request is in the log when its answer is there
		"--audit-log-maxsize=1000000", // in MB: never rotated, so that offsets stay valid
		"--profiling=false",
	)
}

func (s *starter) controllerManager() process.Spec {
	return s.spec(controllerManager, append(s.clientOfAPI(controllerManager, s.ports.controllerManager),
		"--use-service-account-credentials=true",
		"--service-account-private-key-file="+s.pki.path("sa.key"),
		"--root-ca-file="+s.pki.path("ca.crt"),
		"--cluster-signing-cert-file="+s.pki.path("ca.crt"),
		"--cluster-signing-key-file="+s.pki.path("ca.key"),
	)...)
}

func (s *starter) scheduler() process.Spec {
	return s.spec(scheduler, append(
		s.clientOfAPI(scheduler, s.ports.scheduler),
		// A pod whose claim is bound while the scheduler tries it can miss that event, and then rests
		// for five minutes unless told otherwise.
		"--pod-max-in-unschedulable-pods-duration=5s",
	)...)
}

// clientOfAPI returns the arguments that the controller-manager and the scheduler share.
func (s *starter) clientOfAPI(name string, port int) []string {
	return []string{
		"--kubeconfig=" + s.kubeconfig(name),
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + s.pki.path("server.crt"), // making one of its own costs CPU
		"--tls-private-key-file=" + s.pki.path("server.key"),
		"--leader-elect=false",
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		"--profiling=false",
	}
}

func (s *starter) kwok() process.Spec {
	return s.spec(kwokServer,
		"--kubeconfig="+s.kubeconfig(kwokServer),
		"--config="+s.path("kwok.yaml"),
		"--manage-all-nodes=true",
		"--node-lease-duration-seconds=40",
		"--cidr=10.244.0.0/16",
		fmt.Sprintf("--node-port=%d", s.ports.kwok),
		"--server-address="+address(s.ports.kwok),
		"--tls-cert-file="+s.pki.path("server.crt"),
		"--tls-private-key-file="+s.pki.path("server.key"),
		"--enable-crds=Logs",
	)
}
