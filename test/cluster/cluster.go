package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

// StorageClass is the class whose claims are bound. It is the cluster's default.
const StorageClass = "general"

// Cluster is a control plane that runs, in this process's care or somebody else's.
type Cluster struct {
	Dir        string // everything of the cluster lies below it
	Kubeconfig string // path of the administrator's kubeconfig
	AuditLog   string // path of the audit log; see Events
	LogDir     string // directory of the servers' own logs, NAME.log
	ServerURL  string // https://127.0.0.1:PORT
	// KubernetesVersion is what the API server says it is, such as v1.34.4.
	KubernetesVersion string

	kubelet string // address of kwok's server: host and port
	config  *rest.Config
	client  kubernetes.Interface
}

// The layout of a cluster's directory.
const (
	stateFile  = "cluster.json" // written last: a directory with it holds a cluster that has started
	podLogDir  = "pods"
	processDir = "processes"
	etcdDir    = "etcd"
	pkiDir     = "pki"
)

// state is what Open cannot learn from the kubeconfig.
type state struct {
	Kubelet           string
	KubernetesVersion string
}

// Open returns the cluster that somebody started in dir. It fails when there is none, when it
// has not finished starting, or when one of its servers has died.
func Open(dir string) (*Cluster, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil {
		return nil, fmt.Errorf("no running cluster in %s: %w", dir, err)
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, stateFile), err)
	}
	if err := checkAlive(filepath.Join(dir, processDir), allServers()); err != nil {
		return nil, fmt.Errorf("cluster in %s: %w", dir, err)
	}
	return attach(dir, s)
}

func attach(dir string, s state) (*Cluster, error) {
	c := &Cluster{
		Dir:               dir,
		Kubeconfig:        filepath.Join(dir, "kubeconfig"),
		AuditLog:          filepath.Join(dir, "audit.log"),
		LogDir:            filepath.Join(dir, processDir),
		KubernetesVersion: s.KubernetesVersion,
		kubelet:           s.Kubelet,
	}
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // no limit: tests wait for the server, never for their own client
	c.ServerURL, c.config = config.Host, config
	c.client, err = kubernetes.NewForConfig(config)
	return c, err
}

// RESTConfig returns the administrator's access to the API server, without a client-side
// rate limit. The caller may change it, for example its UserAgent.
func (c *Cluster) RESTConfig() *rest.Config { return rest.CopyConfig(c.config) }

// Client returns the administrator's clientset. It is safe for concurrent use.
func (c *Cluster) Client() kubernetes.Interface { return c.client }

// LeaseHolder returns who has a Lease, "" when nobody has it.
func (c *Cluster) LeaseHolder(ctx context.Context, namespace, name string) (string, error) {
	lease, err := c.client.CoordinationV1().Leases(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity == nil {
		return "", err
	}
	return *lease.Spec.HolderIdentity, nil
}

// Stop ends all servers and removes the cluster's data; logs and the audit log stay.
// It can be called on what another process started, and more than once.
func (c *Cluster) Stop(ctx context.Context) error { return Stop(ctx, c.Dir) }

// Stop ends the servers of the cluster in dir, also of one that is half started.
func Stop(ctx context.Context, dir string) error {
	records := filepath.Join(dir, processDir)
	all, err := process.LoadAll(records)
	if err != nil {
		return fmt.Errorf("stop the cluster in %s: %w", dir, err)
	}
	// First of all, so that nobody opens what is about to end.
	if err := os.Remove(filepath.Join(dir, stateFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("stop the cluster in %s: %w", dir, err)
	}
	// No grace, and all at once: the data is thrown away, and an API server that may drain
	// its connections takes seconds.
	var failures []error
	for _, p := range all {
		failures = append(failures, p.Signal(syscall.SIGKILL))
	}
	failures = append(failures, process.StopAll(ctx, records, time.Second), os.RemoveAll(filepath.Join(dir, etcdDir)))
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("stop the cluster in %s: %w", dir, err)
	}
	return nil
}

// checkAlive fails with the end of its log when one of the servers named does not run.
func checkAlive(records string, names []string) error {
	for _, name := range names {
		p, err := process.Load(records, name)
		if err != nil {
			return fmt.Errorf("%s does not run: %w", name, err)
		}
		if !p.Alive() {
			return fmt.Errorf("%s has died; the end of its log is:\n%s", name, p.LogTail(2000))
		}
	}
	return nil
}
