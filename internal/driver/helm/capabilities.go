package helm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chartutil"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// capabilities are what charts may know of the cluster.
type capabilities struct {
	*chartutil.Capabilities
	// untold are the versions of groups that the cluster has, and did not tell the kinds of, as those of an API server beside
	// it that is away. Helm takes them for ones that there are not.
	untold map[schema.GroupVersion]error
}

// capabilities asks for them.
func (d *Driver) capabilities(ctx context.Context) (*capabilities, error) {
	configuration, cancel, err := d.operation(ctx, "", "")
	if err != nil {
		return nil, err
	}
	defer cancel()
	client, err := configuration.RESTClientGetter.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	version, err := client.ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("ask for the version of Kubernetes: %w", err)
	}
	reach, ok := configuration.RESTClientGetter.(Getter)
	if !ok {
		return nil, fmt.Errorf("helm has access of type %T", configuration.RESTClientGetter)
	}
	untold, err := reach.Untold() // before Helm asks, which drops them: what was told once is told again
	if err != nil {
		return nil, fmt.Errorf("ask for the kinds of objects: %w", err)
	}
	kinds, err := action.GetVersionSet(client)
	if err != nil {
		return nil, fmt.Errorf("ask for the kinds of objects: %w", err)
	}
	return &capabilities{untold: untold, Capabilities: &chartutil.Capabilities{
		APIVersions: kinds,
		KubeVersion: chartutil.KubeVersion{Version: version.GitVersion, Major: version.Major, Minor: version.Minor},
		HelmVersion: chartutil.DefaultCapabilities.HelmVersion,
	}}, nil
}

// suffice tells whether what is known is all that a chart asks for. Where it asks for what was not told, what it renders to may
// lack objects, which an upgrade would delete. render renders it with something shown in the place of the capabilities.
func (c *capabilities) suffice(chart string, render func(shown any) error) error {
	if len(c.untold) == 0 {
		return nil
	}
	asks := &asking{of: c}
	failed := render(&struct {
		*chartutil.Capabilities
		APIVersions *asking
	}{c.Capabilities, asks})
	switch {
	case len(asks.untold) > 0:
		return c.lack(chart, asks.untold)
	case asks.whole, failed != nil && render(c.Capabilities) == nil: // it goes through all that there are
		return c.lack(chart, slices.Collect(maps.Keys(c.untold)))
	}
	return nil
}

// lack makes the error of a chart that asks for versions that were not told.
func (c *capabilities) lack(chart string, of []schema.GroupVersion) error {
	first := slices.MinFunc(of, func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) })
	return fmt.Errorf("chart %s asks whether the cluster has %s, and it does not tell now what kinds that has: %w", chart, first, c.untold[first])
}

// asking stands in templates where Helm has a list, and remembers what of it was asked for.
type asking struct {
	of     *capabilities
	untold []schema.GroupVersion // of those that were asked for
	whole  bool                  // it was written as a whole
}

// Has tells whether the cluster has a version, or a kind of one.
func (a *asking) Has(version string) bool {
	for of := range a.of.untold {
		if version == of.String() || strings.HasPrefix(version, of.String()+"/") {
			a.untold = append(a.untold, of)
		}
	}
	return a.of.APIVersions.Has(version)
}

// String remembers that all are asked for.
func (a *asking) String() string {
	a.whole = true
	return ""
}

// MarshalJSON remembers that all are asked for.
func (a *asking) MarshalJSON() ([]byte, error) {
	a.whole = true
	return []byte("[]"), nil
}
