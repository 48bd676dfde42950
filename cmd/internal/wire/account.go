package wire

import (
	"context"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// ownCredentials are those of the user that we make ourselves, in the OpenStack that we deploy: where that is, and in
// which domain, the administrator's say.
func (s *System) ownCredentials(ctx context.Context, w way) (openstack.Credentials, error) {
	admin, err := s.chartCredentials(ctx, w)
	if err != nil {
		return openstack.Credentials{}, err
	}
	password, found, err := s.cluster.Secret(ctx, w.namespace, compose.GeneratedSet, compose.AccountPassword)
	if err != nil {
		return openstack.Credentials{}, err
	}
	if !found {
		return openstack.Credentials{}, fmt.Errorf("the Secret %s/%s has no %s yet", w.namespace, compose.GeneratedSet, compose.AccountPassword)
	}
	return asOurUser(admin, password), nil
}

// asOurUser puts our user in the place of the administrator. Its project lies in the domain of the user.
func asOurUser(admin openstack.Credentials, password redact.Secret) openstack.Credentials {
	return openstack.Credentials{
		Place:    admin.Place,
		Username: compose.AccountName, UserDomainName: admin.UserDomainName, Password: password,
		ProjectName: compose.AccountName, ProjectDomainName: admin.UserDomainName,
	}
}

// administrator returns the credentials that our user is made with.
func (s *System) administrator(ctx context.Context) (openstack.Credentials, error) {
	w := s.way()
	if !w.own {
		return openstack.Credentials{}, unit.Blocked("the Keystone of this cloud is not deployed by it, or its openstack block says who logs in")
	}
	return s.chartCredentials(ctx, w)
}

// chartCredentials are the administrator's as Keystone's chart writes them down, at the place that the openstack block
// says where there is one.
func (s *System) chartCredentials(ctx context.Context, w way) (openstack.Credentials, error) {
	_, found, err := s.cluster.Secret(ctx, w.namespace, compose.AdministratorSecret, "OS_PASSWORD")
	if err != nil {
		return openstack.Credentials{}, err
	}
	if !found {
		return openstack.Credentials{}, fmt.Errorf("the Secret %s/%s, which Keystone's chart makes, is not there", w.namespace, compose.AdministratorSecret)
	}
	credentials, err := s.fromSecret(ctx, w.namespace, compose.AdministratorSecret)
	if err != nil {
		return credentials, err
	}
	if w.known {
		credentials.Place = credentials.Over(openstack.Place{AuthURL: w.block.AuthURL, Interface: w.block.Interface, CA: w.block.CA})
	}
	if err := s.trust(ctx, &credentials, w); err != nil {
		return credentials, err
	}
	return credentials, inRegion(&credentials, w.region)
}
