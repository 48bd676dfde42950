package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/test/freeport"
	"github.com/kupenstack/kupenstack-sync/test/process"
)

// Options of Start. Bin and Dir are required.
type Options struct {
	Bin string // directory of the programs, see Build
	// Dir is the directory for everything that the cluster writes. It is made when it does not
	// exist; what an earlier cluster left there is removed.
	Dir string
	// Nodes is how many nodes to create, named node-1 and so on; 0 means 3, a negative number none.
	Nodes int
	// Player says that a player will run: pods with LabelApplication wait for its annotations
	// instead of advancing by themselves.
	Player bool
}

const (
	// Several may start at once on a machine that runs tests beside them.
	startLimit   = 10 * time.Minute
	cleanupLimit = 2 * time.Minute
)

// starter holds what the steps of one start share.
type starter struct {
	options Options
	ports   ports
	pki     *pki
	started []string // the names of the servers that must be alive
	probes  *prober
}

// Start starts a control plane and returns when every server is ready, all nodes are Ready
// and can be scheduled to, and the default ServiceAccount exists. The cluster runs
// until Stop is called or the calling program ends. When it fails or ctx ends, everything it started is stopped;
// the error of a server that died shows the end of its log.
func Start(ctx context.Context, options Options) (_ *Cluster, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if options.Nodes == 0 {
		options.Nodes = 3
	}
	if options.Bin == "" || options.Dir == "" {
		return nil, errors.New("start a cluster: the options need Bin and Dir")
	}
	if options.Bin, err = filepath.Abs(options.Bin); err != nil {
		return nil, err
	}
	if options.Dir, err = filepath.Abs(options.Dir); err != nil {
		return nil, err
	}
	if err := claim(options.Dir); err != nil {
		return nil, fmt.Errorf("start a cluster in %s: %w", options.Dir, err)
	}
	defer func() {
		if err != nil {
			// Not bound by ctx, which may be the reason for the failure.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupLimit)
			defer cancel()
			err = errors.Join(fmt.Errorf("start a cluster in %s: %w", options.Dir, err), Stop(ctx, options.Dir))
		}
	}()
	var allocator freeport.Allocator
	defer allocator.Release() // by then the servers listen
	free, err := allocator.Take(portCount)
	if err != nil {
		return nil, err
	}
	s := &starter{options: options, ports: newPorts(free)}
	return s.run(ctx)
}

// claim empties the directory of what an earlier cluster left. It fails when one runs there.
func claim(dir string) error {
	all, err := process.LoadAll(filepath.Join(dir, processDir))
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.Alive() {
			return fmt.Errorf("%s of an earlier start still runs there with process id %d", p.Name, p.PID)
		}
	}
	for _, name := range []string{stateFile, "audit.log", processDir, etcdDir, pkiDir, podLogDir} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(dir, podLogDir), 0o700)
}

func (s *starter) run(ctx context.Context) (*Cluster, error) {
	if err := s.launch(s.etcd()); err != nil {
		return nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	// Before etcd answers: the API server needs most of its start for itself.
	if err := s.launch(s.apiServer()); err != nil {
		return nil, err
	}
	cluster, err := attach(s.options.Dir, state{Kubelet: address(s.ports.kwok)})
	if err != nil {
		return nil, err
	}
	if s.probes, err = newProber(s.pki.caPEM); err != nil {
		return nil, err
	}
	if err := s.waitFor(ctx, "the API server is ready", apiReady(cluster.Client())); err != nil {
		return nil, err
	}
	// Not earlier: /readyz includes the bootstrap of RBAC. Whoever comes before it is forbidden
	// everything and retries after seconds.
	for _, spec := range []process.Spec{s.controllerManager(), s.scheduler()} {
		if err := s.launch(spec); err != nil {
			return nil, err
		}
	}
	if err := s.writeStages(ctx, cluster); err != nil {
		return nil, err
	}
	if err := s.createObjects(ctx, cluster); err != nil {
		return nil, err
	}
	if err := s.launch(s.kwok()); err != nil {
		return nil, err
	}
	if err := s.waitReady(ctx, cluster.Client()); err != nil {
		return nil, err
	}
	return cluster, s.writeState(cluster)
}

func (s *starter) waitReady(ctx context.Context, client kubernetes.Interface) error {
	// One after the other: all of them get ready at the same time.
	for _, wait := range []struct {
		what  string
		check check
	}{
		{"the controller-manager is healthy", s.probes.get(httpsURL(s.ports.controllerManager) + "/healthz")},
		{"the scheduler is ready", s.probes.get(httpsURL(s.ports.scheduler) + "/readyz")},
		{"kwok is healthy", s.probes.get(httpsURL(s.ports.kwok) + "/healthz")},
		{"the default ServiceAccount exists", defaultServiceAccount(client)},
		{"all nodes are ready", nodesReady(client, s.options.Nodes)},
	} {
		if err := s.waitFor(ctx, wait.what, wait.check); err != nil {
			return err
		}
	}
	return nil
}

func (s *starter) launch(spec process.Spec) error {
	if _, err := process.Start(s.path(processDir), spec); err != nil {
		return err
	}
	s.started = append(s.started, spec.Name)
	return nil
}

// prepare writes every file that the servers read, except kwok's stages.
func (s *starter) prepare() error {
	var err error
	if s.pki, err = newPKI(s.path(pkiDir)); err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	if err := s.pki.server("server"); err != nil {
		return err
	}
	if err := s.writeKubeconfigs(); err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	policy, err := manifests.ReadFile("manifests/audit-policy.yaml")
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path("audit-policy.yaml"), policy, 0o600); err != nil {
		return err
	}
	return os.WriteFile(s.defaultLog(), logLines([]string{"this container does not run: it is played by the test bed"}), 0o600)
}

// writeStages comes late because the nodes report the version that the API server has.
func (s *starter) writeStages(ctx context.Context, cluster *Cluster) error {
	data, err := cluster.Client().Discovery().RESTClient().Get().AbsPath("/version").DoRaw(ctx)
	if err != nil {
		return fmt.Errorf("version of the API server: %w", err)
	}
	var info version.Info
	if err := json.Unmarshal(data, &info); err != nil {
		return fmt.Errorf("version of the API server: %w", err)
	}
	cluster.KubernetesVersion = info.GitVersion
	stages, err := renderStages(stageValues{
		Player:            s.options.Player,
		KubernetesVersion: info.GitVersion,
		DefaultLog:        s.defaultLog(),
	})
	if err != nil {
		return fmt.Errorf("stages: %w", err)
	}
	return os.WriteFile(s.path("kwok.yaml"), stages, 0o600)
}

// writeState tells Open, in one step, that the cluster has started.
func (s *starter) writeState(cluster *Cluster) error {
	data, err := json.Marshal(state{Kubelet: cluster.kubelet, KubernetesVersion: cluster.KubernetesVersion})
	if err != nil {
		return err
	}
	temporary := s.path(stateFile + ".new")
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, s.path(stateFile))
}

func (s *starter) path(name string) string { return filepath.Join(s.options.Dir, name) }

func (s *starter) defaultLog() string { return s.path(filepath.Join(podLogDir, "default.log")) }
