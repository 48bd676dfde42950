package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/gophercloud/utils/v2/openstack/clientconfig"
)

// FromEnvironment returns the cloud that OS_CLOUD names in a clouds.yaml, found where every
// OpenStack client looks for it. What only a bed of our own can do (stop a compute host, add
// agents, stop the cloud) fails on it with ErrNotOurs.
func FromEnvironment(ctx context.Context) (*Cloud, error) {
	name := os.Getenv("OS_CLOUD")
	if name == "" {
		return nil, errors.New("OS_CLOUD is not set")
	}
	options := &clientconfig.ClientOpts{Cloud: name, RegionName: os.Getenv("OS_REGION_NAME")}
	entry, err := clientconfig.GetCloudFromYAML(options)
	if err != nil {
		return nil, fmt.Errorf("cloud %q: %w", name, err)
	}
	auth, err := clientconfig.AuthOptions(options)
	if err != nil {
		return nil, fmt.Errorf("cloud %q: %w", name, err)
	}
	auth.AllowReauth = true
	security, err := clientconfig.PrepareTLSConfig("OS_", entry)
	if err != nil {
		return nil, fmt.Errorf("cloud %q: %w", name, err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = security

	cloud := &Cloud{Name: name, AuthURL: auth.IdentityEndpoint, Region: entry.RegionName, Endpoints: map[string]string{}, auth: *auth, transport: transport}
	provider, err := cloud.Provider(ctx)
	if err != nil {
		return nil, err
	}
	if err := cloud.readCatalogue(provider); err != nil {
		return nil, fmt.Errorf("cloud %q: %w", name, err)
	}
	return cloud, nil
}

// readCatalogue fills Endpoints from the catalogue that came with the client's token.
func (c *Cloud) readCatalogue(provider *gophercloud.ProviderClient) error {
	result, ok := provider.GetAuthResult().(tokens.CreateResult)
	if !ok {
		return errors.New("the identity service gave no catalogue")
	}
	catalogue, err := result.ExtractServiceCatalog()
	if err != nil {
		return err
	}
	project, err := result.ExtractProject()
	if err != nil {
		return err
	}
	for _, service := range catalogue.Entries {
		for _, endpoint := range service.Endpoints {
			if endpoint.Interface != string(gophercloud.AvailabilityPublic) || c.Region != "" && endpoint.RegionID != c.Region {
				continue
			}
			url := strings.TrimSuffix(endpoint.URL, "/")
			if project != nil {
				url = strings.TrimSuffix(url, "/"+project.ID)
			}
			c.Endpoints[service.Type] = url
		}
	}
	return nil
}
