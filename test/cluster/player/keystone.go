package player

import (
	"context"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// identity is Keystone as a client finds it: the database behind it.
type identity struct {
	server *corev1.Pod
	data   database
}

// bootstrap is db-sync. Keystone's sets the administrator's password from its Secret at every
// install and upgrade; the others only need their database, which logIn has tried.
func (p *player) bootstrap(ctx context.Context, c container) error {
	if !c.has("OS_BOOTSTRAP_USERNAME", "OS_BOOTSTRAP_PASSWORD") {
		return nil
	}
	user, err := c.env("OS_BOOTSTRAP_USERNAME")
	if err != nil {
		return refuse("%v", err)
	}
	password, err := c.env("OS_BOOTSTRAP_PASSWORD")
	if err != nil {
		return refuse("%v", err)
	}
	for _, connection := range c.settings("connection") {
		_, server, data, err := p.database(ctx, c, connection)
		if err != nil {
			return err
		}
		return p.setPassword(ctx, identity{server, data}, user, "default", password)
	}
	return refuse("keystone-manage: no [database] connection is configured")
}

// setUser is ks-user and ks-domain-user: the administrator sets a user's password.
func (p *player) setUser(ctx context.Context, c container) error {
	keystone, err := p.authenticate(ctx, c)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, name := range []string{"SERVICE_OS_USERNAME", "SERVICE_OS_PASSWORD", "SERVICE_OS_USER_DOMAIN_NAME", "SERVICE_OS_DOMAIN_NAME"} {
		if values[name], err = c.env(name); err != nil {
			return refuse("%v", err)
		}
	}
	domain := orElse(values["SERVICE_OS_USER_DOMAIN_NAME"], values["SERVICE_OS_DOMAIN_NAME"])
	return p.setPassword(ctx, keystone, values["SERVICE_OS_USERNAME"], domain, values["SERVICE_OS_PASSWORD"])
}

func (p *player) setPassword(ctx context.Context, keystone identity, user, domain, password string) error {
	if keystone.data.Keystone == nil {
		keystone.data.Keystone = map[string]string{}
	}
	if known, exists := keystone.data.Keystone[principal(user, domain)]; exists && known == password {
		return nil
	}
	keystone.data.Keystone[principal(user, domain)] = password
	return p.remember(ctx, keystone.server, databaseAnnotation, keystone.data)
}

// authenticate asks Keystone for a token with the OS_ variables of a container.
func (p *player) authenticate(ctx context.Context, c container) (identity, error) {
	values := map[string]string{}
	for _, name := range []string{"OS_AUTH_URL", "OS_USERNAME", "OS_PASSWORD", "OS_USER_DOMAIN_NAME"} {
		value, err := c.env(name)
		if err != nil {
			return identity{}, refuse("%v", err)
		}
		values[name] = value
	}
	keystone, err := p.identity(ctx, c, values["OS_AUTH_URL"])
	if err != nil {
		return identity{}, err
	}
	password, exists := keystone.data.Keystone[principal(values["OS_USERNAME"], values["OS_USER_DOMAIN_NAME"])]
	if !exists || password != values["OS_PASSWORD"] {
		return identity{}, refuse("The request you have made requires authentication. (HTTP 401) (user %s at %s)", values["OS_USERNAME"], values["OS_AUTH_URL"])
	}
	return keystone, nil
}

// identity follows an authentication URL to a pod that serves it, and its configuration to the
// database.
func (p *player) identity(ctx context.Context, c container, address string) (identity, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return identity{}, refuse("Failed to discover available identity versions when contacting %s", address)
	}
	for _, api := range p.behind(parsed.Hostname(), c.pod.Namespace) {
		for _, spec := range api.Spec.Containers {
			serving := container{world: p.world, pod: api, spec: spec}
			for _, connection := range serving.settings("connection") {
				_, server, data, err := p.database(ctx, serving, connection)
				return identity{server, data}, err
			}
		}
	}
	return identity{}, refuse("Unable to establish connection to %s: Connection refused", address)
}

func principal(user, domain string) string {
	return user + "@" + strings.ToLower(orElse(domain, "default"))
}
