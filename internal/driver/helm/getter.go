package helm

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/kube"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// maxHistory is how many revisions of a release are kept. Each holds its secrets.
const maxHistory = 5

// operation makes the configuration of one call into Helm. Helm caches errors of discovery and
// ignores contexts: so every call has a configuration of its own, whose requests fail once the time
// is over. A call is not cut off when ctx is cancelled, as it would leave the release half done,
// but it ends with the deadline of ctx or after the timeout, whichever is first.
func (d *Driver) operation(ctx context.Context, namespace string) (*action.Configuration, context.CancelFunc, error) {
	deadline := time.Now().Add(d.options.Timeout)
	if of, ok := ctx.Deadline(); ok && of.Before(deadline) {
		deadline = of
	}
	bound, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	config := rest.CopyConfig(d.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return bounded{bound, next} })
	reach, err := newGetter(config, namespace)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	configuration := new(action.Configuration)
	if err := configuration.Init(reach, namespace, "secret", func(string, ...any) {}); err != nil {
		cancel()
		return nil, nil, fmt.Errorf("prepare Helm: %w", err)
	}
	client, ok := configuration.KubeClient.(*kube.Client)
	if !ok {
		cancel()
		return nil, nil, fmt.Errorf("helm has a client of type %T", configuration.KubeClient)
	}
	client.Namespace = namespace
	configuration.KubeClient = careful{client}
	configuration.Releases.MaxHistory = maxHistory
	return configuration, cancel, nil
}

// bounded ends requests when a call into Helm has to end.
type bounded struct {
	ctx  context.Context
	next http.RoundTripper
}

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, fmt.Errorf("the call into Helm took too long: %w", err)
	}
	deadline, _ := b.ctx.Deadline()
	ctx, cancel := context.WithDeadline(request.Context(), deadline)
	response, err := b.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	context.AfterFunc(request.Context(), cancel)
	return response, nil
}

// careful never deletes a PersistentVolumeClaim.
type careful struct{ *kube.Client }

func isClaim(info *resource.Info) bool {
	return info.Mapping != nil && info.Mapping.GroupVersionKind.Kind == kindClaim
}

// Update leaves claims alone that are not wanted any more.
func (c careful) Update(original, target kube.ResourceList, force bool) (*kube.Result, error) {
	return c.Client.Update(original.Filter(func(info *resource.Info) bool {
		return !isClaim(info) || target.Contains(info)
	}), target, force)
}

// Delete deletes everything but claims.
func (c careful) Delete(resources kube.ResourceList) (*kube.Result, []error) {
	return c.DeleteWithPropagationPolicy(resources, metav1.DeletePropagationBackground)
}

// DeleteWithPropagationPolicy deletes everything but claims.
func (c careful) DeleteWithPropagationPolicy(resources kube.ResourceList, policy metav1.DeletionPropagation) (*kube.Result, []error) {
	deletable := resources.Filter(func(info *resource.Info) bool { return !isClaim(info) })
	if len(deletable) == 0 {
		return &kube.Result{}, nil // Helm takes an empty list for an error
	}
	return c.Client.DeleteWithPropagationPolicy(deletable, policy)
}

// newGetter gives Helm access to a cluster without files of the home directory.
func newGetter(config *rest.Config, namespace string) (*clusterGetter, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("a client for discovery: %w", err)
	}
	cached := memory.NewMemCacheClient(client)
	return &clusterGetter{
		config: config, namespace: namespace, discovery: cached,
		mapper: restmapper.NewDeferredDiscoveryRESTMapper(cached),
	}, nil
}

type clusterGetter struct {
	config    *rest.Config
	namespace string
	discovery discovery.CachedDiscoveryInterface
	mapper    meta.RESTMapper
}

func (g *clusterGetter) ToRESTConfig() (*rest.Config, error) { return rest.CopyConfig(g.config), nil }

func (g *clusterGetter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return g.discovery, nil
}

func (g *clusterGetter) ToRESTMapper() (meta.RESTMapper, error) { return g.mapper, nil }

func (g *clusterGetter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), &clientcmd.ConfigOverrides{
		Context: clientcmdapi.Context{Namespace: g.namespace},
	})
}

// scopes knows which kinds live in namespaces.
type scopes struct {
	mu     sync.Mutex
	config *rest.Config
	getter *clusterGetter
	known  map[schema.GroupVersionKind]bool
}

func newScopes(config *rest.Config) *scopes {
	return &scopes{config: config, known: map[schema.GroupVersionKind]bool{}}
}

// namespaced tells whether objects of a kind live in namespaces. A kind that the cluster does not
// have yet is taken for one that does.
func (s *scopes) namespaced(kind schema.GroupVersionKind) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.known[kind]; ok {
		return known, nil
	}
	if s.getter == nil {
		reach, err := newGetter(s.config, "")
		if err != nil {
			return false, err
		}
		s.getter = reach
	}
	mapping, err := s.getter.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		s.getter = nil // the kind may be defined later
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up the kind %s: %w", kind.Kind, err)
	}
	s.known[kind] = mapping.Scope.Name() == meta.RESTScopeNameNamespace
	return s.known[kind], nil
}
