package kube

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	discoverycache "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

// Getter gives tools that were written for the command line access to a cluster, without files of the home
// directory. It remembers what kinds the cluster has, and errors of asking for them. Get it from [API.Getter].
type Getter struct {
	config    *rest.Config
	namespace string
	discovery discovery.CachedDiscoveryInterface
	mapper    meta.RESTMapper
}

// Getter returns access for one call into such a tool, which takes a namespace for its own. When ctx has a
// deadline no request goes on after it; a request that is made when ctx is over fails with its cause. It sends
// nothing, so it fails only for options of the cluster that can never work.
func (a *API) Getter(ctx context.Context, namespace string) (*Getter, error) {
	config := rest.CopyConfig(a.config)
	if _, ok := ctx.Deadline(); ok {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return bounded{ctx, next} })
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("a client for discovery: %w", err)
	}
	cached := discoverycache.NewMemCacheClient(client)
	return &Getter{
		config: config, namespace: namespace, discovery: cached,
		mapper: wary{restmapper.NewDeferredDiscoveryRESTMapper(cached), cached},
	}, nil
}

// ToRESTConfig returns how the cluster is reached.
func (g *Getter) ToRESTConfig() (*rest.Config, error) { return rest.CopyConfig(g.config), nil }

// ToDiscoveryClient returns who knows what kinds the cluster has.
func (g *Getter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return g.discovery, nil
}

// Untold are the versions of groups that the cluster has, and did not tell the kinds of, as those of an API server beside it that
// is away: who lists kinds leaves them out.
func (g *Getter) Untold() (map[schema.GroupVersion]error, error) {
	_, _, err := g.discovery.ServerGroupsAndResources()
	if untold, partly := discovery.GroupDiscoveryFailedErrorGroups(err); partly {
		return untold, nil
	}
	return nil, err
}

// ToRESTMapper returns who knows where objects of a kind are found.
func (g *Getter) ToRESTMapper() (meta.RESTMapper, error) { return g.mapper, nil }

// ToRawKubeConfigLoader returns a kubeconfig that says nothing but the namespace.
func (g *Getter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), &clientcmd.ConfigOverrides{
		Context: clientcmdapi.Context{Namespace: g.namespace},
	})
}

// wary tells a kind that the cluster did not tell of from one that it does not have: the mapper by itself leaves out the
// versions that could not be asked for, and says of their kinds that there are none.
type wary struct {
	meta.ResettableRESTMapper
	discovery discovery.CachedDiscoveryInterface
}

// RESTMapping returns where objects of a kind are found.
func (w wary) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	mapping, err := w.ResettableRESTMapper.RESTMapping(kind, versions...)
	if !meta.IsNoMatchError(err) {
		return mapping, err
	}
	for _, version := range versions {
		of := schema.GroupVersion{Group: kind.Group, Version: version}.String()
		list, untold := w.discovery.ServerResourcesForGroupVersion(of)
		if errors.Is(untold, discoverycache.ErrCacheNotFound) {
			continue // the cluster has none of that version
		}
		if untold != nil {
			return nil, fmt.Errorf("the cluster does not tell what kinds %s has: %w", of, untold)
		}
		for i := range list.APIResources {
			if list.APIResources[i].Kind == kind.Kind {
				return nil, fmt.Errorf("the cluster did not tell what kinds %s has when it was asked first", of)
			}
		}
	}
	return nil, err
}

// bounded ends requests when a call has to end.
type bounded struct {
	ctx  context.Context // with a deadline
	next http.RoundTripper
}

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	if b.ctx.Err() != nil {
		return nil, context.Cause(b.ctx)
	}
	deadline, _ := b.ctx.Deadline()
	ctx, cancel := context.WithDeadline(request.Context(), deadline)
	context.AfterFunc(b.ctx, contain.Callback(cancel))
	response, err := b.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	context.AfterFunc(request.Context(), contain.Callback(cancel))
	return response, nil
}
