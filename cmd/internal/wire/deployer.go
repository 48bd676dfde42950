package wire

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
)

// deployer is the service account that what charts bring is written as; empty names for ourselves.
type deployer struct{ namespace, name string }

func (f *Flags) deployer() (deployer, error) {
	if f.ChartAccount == "" {
		return deployer{}, nil
	}
	namespace, name, _ := strings.Cut(f.ChartAccount, "/")
	if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return deployer{}, fmt.Errorf("%w: --chart-account %s: write the namespace and the name of a service account, such as %s/kupenstack-deployer", ErrUsage, f.ChartAccount, kube.DefaultNamespace)
	}
	return deployer{namespace, name}, nil
}

// releasing is the cluster as charts are deployed to it.
func (s *System) releasing() (*kube.Cluster, error) {
	if s.deployer == (deployer{}) {
		return s.cluster, nil
	}
	return s.cluster.As(s.deployer.namespace, s.deployer.name)
}
