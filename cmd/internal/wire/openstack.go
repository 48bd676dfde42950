package wire

import (
	"context"
	"errors"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// connect finds out how OpenStack is reached: --os-cloud counts more than what the configuration
// says.
func (s *System) connect(ctx context.Context) (openstack.Credentials, error) {
	w := s.way()
	s.mutex.Lock()
	s.taken = w
	s.mutex.Unlock()
	block, namespace, region := w.block, w.namespace, w.region
	if s.Flags.OSCloud != "" {
		credentials, err := refuse(openstack.FromCloudsFile("", s.Flags.OSCloud))
		if err != nil {
			return credentials, err
		}
		err = inRegion(&credentials, region)
		return credentials, err
	}
	if w.own {
		return s.ownCredentials(ctx, w)
	}
	if !w.known && s.Model() == nil {
		return openstack.Credentials{}, unit.Blocked("how to reach OpenStack is said by the configuration, which is not at hand, and not on record: give --os-cloud")
	}
	if !w.known {
		return openstack.Credentials{}, unit.Blocked("nobody says how to reach OpenStack: write an openstack block, or give --os-cloud")
	}
	var credentials openstack.Credentials
	var err error
	switch {
	case block.Cloud != "":
		credentials, err = refuse(openstack.FromCloudsFile("", block.Cloud))
	case block.Secret != "":
		credentials, err = s.fromSecret(ctx, namespace, block.Secret)
	default:
		err = unit.Blocked("the openstack block names no credentials: write cloud or secret")
	}
	if err != nil {
		return credentials, err
	}
	credentials.Place = credentials.Over(openstack.Place{AuthURL: block.AuthURL, Interface: block.Interface, CA: block.CA})
	if err := s.trust(ctx, &credentials, w); err != nil {
		return credentials, err
	}
	err = inRegion(&credentials, region)
	return credentials, err
}

// trust adds the authority that signs for the APIs inside. One that somebody wrote is in its place.
func (s *System) trust(ctx context.Context, credentials *openstack.Credentials, w way) error {
	if w.trust == "" || credentials.CA != "" {
		return nil
	}
	authority, found, err := s.cluster.Secret(ctx, w.namespace, w.trust, "ca.crt")
	switch {
	case err != nil:
		return err
	case !found:
		return unit.Blocked(fmt.Sprintf("the Secret %s/%s has no ca.crt, which the certificates of the APIs are checked against: cert-manager has not made it, or its issuer does not tell its authority", w.namespace, w.trust))
	}
	credentials.Also = authority.Reveal()
	return nil
}

// inRegion fills in the region of the cloud block, and fails when the credentials are for another:
// what is wanted of one region must never be looked for in another.
func inRegion(credentials *openstack.Credentials, region string) error {
	switch {
	case region == "" || region == credentials.Region:
		return nil
	case credentials.Region != "":
		return unit.Blocked(fmt.Sprintf("the cloud block names the region %q, but the credentials for OpenStack are for %q", region, credentials.Region))
	}
	credentials.Region = region
	return nil
}

// Agents returns the agents of a service of OpenStack on all hosts, from one list, over the connection that
// the engine's calls have. It fails before the first engine.
func (s *System) Agents(ctx context.Context, service string) ([]report.Agent, error) {
	found, err := s.agents(ctx, service)
	agents := make([]report.Agent, 0, len(found))
	for _, a := range found {
		agents = append(agents, report.Agent{Host: a.Host, Type: a.Type, Binary: a.Binary, Up: a.Up, Enabled: a.Enabled})
	}
	return agents, err
}

// agents are the same with the times of their reports, which change all the time.
func (s *System) agents(ctx context.Context, service string) ([]openstack.Agent, error) {
	s.mutex.Lock()
	driver := s.objects
	s.mutex.Unlock()
	if driver == nil {
		return nil, errors.New("there is no connection to OpenStack yet")
	}
	if service == "neutron" {
		return driver.NetworkAgents(ctx)
	}
	return driver.ComputeAgents(ctx)
}

// refuse makes an error of a file one that only a person can mend.
func refuse(credentials openstack.Credentials, err error) (openstack.Credentials, error) {
	if err != nil {
		err = unit.Blocked(err.Error())
	}
	return credentials, err
}

// osVariables are the keys of a Secret like those that OpenStack-Helm makes.
func osVariables() []string {
	return []string{
		"OS_AUTH_URL", "OS_REGION_NAME", "OS_INTERFACE", "OS_ENDPOINT_TYPE", "OS_USER_ID", "OS_USERNAME", "OS_USER_DOMAIN_ID",
		"OS_USER_DOMAIN_NAME", "OS_DEFAULT_DOMAIN", "OS_PASSWORD", "OS_PROJECT_ID", "OS_PROJECT_NAME", "OS_PROJECT_DOMAIN_ID",
		"OS_PROJECT_DOMAIN_NAME", "OS_APPLICATION_CREDENTIAL_ID", "OS_APPLICATION_CREDENTIAL_NAME", "OS_APPLICATION_CREDENTIAL_SECRET",
	}
}

// fromSecret reads a Secret that holds either a clouds.yaml with one cloud named "kupenstack" or
// "openstack", or OS_ variables.
func (s *System) fromSecret(ctx context.Context, namespace, name string) (openstack.Credentials, error) {
	clouds, found, err := s.cluster.Secret(ctx, namespace, name, "clouds.yaml")
	if err != nil {
		return openstack.Credentials{}, err
	}
	if found {
		for _, entry := range []string{"kupenstack", "openstack"} {
			if credentials, err := openstack.FromClouds([]byte(clouds.Reveal()), entry); err == nil {
				return credentials, nil
			}
		}
		return openstack.Credentials{}, unit.Blocked(fmt.Sprintf("clouds.yaml in the Secret %s/%s has no usable entry kupenstack or openstack", namespace, name))
	}
	variables := map[string]string{}
	for _, key := range osVariables() {
		value, found, err := s.cluster.Secret(ctx, namespace, name, key)
		if err != nil {
			return openstack.Credentials{}, err
		}
		if found {
			variables[key] = value.Reveal()
		}
	}
	if len(variables) == 0 {
		return openstack.Credentials{}, unit.Blocked(fmt.Sprintf("the Secret %s/%s holds neither clouds.yaml nor OS_AUTH_URL and its like", namespace, name))
	}
	return openstack.FromVariables(variables), nil
}
