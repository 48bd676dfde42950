package openstack

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/utils/v2/openstack/clientconfig"
	"gopkg.in/yaml.v3"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Credentials say which OpenStack is meant and who we are there. Printing them shows no secret.
type Credentials struct {
	Place
	// UserID, or Username with one of the domains, names the user.
	UserID, Username, UserDomainID, UserDomainName string
	Password                                       redact.Secret
	// ProjectID, or ProjectName with one of the domains, names the project that we work in.
	ProjectID, ProjectName, ProjectDomainID, ProjectDomainName string
	// An application credential replaces user and project; it cannot be used in other projects.
	ApplicationCredentialID, ApplicationCredentialName string
	ApplicationCredentialSecret                        redact.Secret

	client *tls.Certificate // for clouds that ask for one
}

// Place says where the APIs are. Empty parts mean the default.
type Place struct {
	AuthURL   string // Keystone, with or without /v3
	Region    string
	Interface string // public, internal or admin
	CA        string // certificates in PEM, in place of those that the system trusts
	Also      string // further ones beside these, or beside the system's
}

// Over returns the place with what other says in place of its own.
func (p Place) Over(other Place) Place {
	for _, part := range []struct{ to, from *string }{
		{&p.AuthURL, &other.AuthURL},
		{&p.Region, &other.Region},
		{&p.Interface, &other.Interface},
		{&p.CA, &other.CA},
	} {
		if *part.from != "" {
			*part.to = *part.from
		}
	}
	return p
}

// cloudsFile reads a clouds.yaml from one place only.
type cloudsFile struct{ content []byte }

func (f cloudsFile) LoadCloudsYAML() (map[string]clientconfig.Cloud, error) {
	var clouds clientconfig.Clouds
	if err := yaml.Unmarshal(f.content, &clouds); err != nil {
		return nil, errors.New("it is no YAML of the right form") // the library's error quotes the file, secrets included
	}
	return clouds.Clouds, nil
}

func (cloudsFile) LoadSecureCloudsYAML() (map[string]clientconfig.Cloud, error) { return nil, nil }
func (cloudsFile) LoadPublicCloudsYAML() (map[string]clientconfig.Cloud, error) { return nil, nil }

// FromCloudsFile reads the credentials of a cloud from a clouds.yaml. With an empty path it looks
// where every OpenStack client does, and also takes secure.yaml and the variables into account.
func FromCloudsFile(path, cloud string) (Credentials, error) {
	if path == "" {
		return fromClouds(nil, cloud)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return Credentials{}, fmt.Errorf("read the credentials of the cloud %q: %w", cloud, err)
	}
	return FromClouds(content, cloud)
}

// FromClouds reads the credentials of a cloud from the content of a clouds.yaml.
func FromClouds(content []byte, cloud string) (Credentials, error) {
	return fromClouds(cloudsFile{content}, cloud)
}

func fromClouds(source clientconfig.YAMLOptsBuilder, cloud string) (Credentials, error) {
	options := &clientconfig.ClientOpts{Cloud: cloud, YAMLOpts: source}
	if source == nil {
		options.YAMLOpts = nil
	}
	entry, err := clientconfig.GetCloudFromYAML(options)
	if err != nil {
		return Credentials{}, fmt.Errorf("the cloud %q of clouds.yaml: %w", cloud, err)
	}
	auth := entry.AuthInfo
	if auth == nil {
		return Credentials{}, fmt.Errorf("the cloud %q of clouds.yaml has no auth section", cloud)
	}
	c := Credentials{
		Place:  Place{AuthURL: auth.AuthURL, Region: entry.RegionName, Interface: first(entry.EndpointType, entry.Interface)},
		UserID: auth.UserID, Username: auth.Username,
		UserDomainID: first(auth.UserDomainID, auth.DomainID), UserDomainName: first(auth.UserDomainName, auth.DomainName, auth.DefaultDomain),
		ProjectID: auth.ProjectID, ProjectName: auth.ProjectName,
		ProjectDomainID: first(auth.ProjectDomainID, auth.DomainID), ProjectDomainName: first(auth.ProjectDomainName, auth.DomainName, auth.DefaultDomain),
		Password:                redact.NewSecret(auth.Password),
		ApplicationCredentialID: auth.ApplicationCredentialID, ApplicationCredentialName: auth.ApplicationCredentialName,
		ApplicationCredentialSecret: redact.NewSecret(auth.ApplicationCredentialSecret),
	}
	if entry.CACertFile != "" {
		pem, err := os.ReadFile(entry.CACertFile)
		if err != nil {
			return Credentials{}, fmt.Errorf("the certificates of the cloud %q: %w", cloud, err)
		}
		c.CA = string(pem)
	}
	if entry.ClientCertFile != "" {
		pair, err := tls.LoadX509KeyPair(entry.ClientCertFile, entry.ClientKeyFile)
		if err != nil {
			return Credentials{}, fmt.Errorf("the client certificate of the cloud %q: %w", cloud, err)
		}
		c.client = &pair
	}
	return c, nil
}

// FromVariables reads credentials from OS_ variables, as a Secret of OpenStack-Helm has them.
func FromVariables(variables map[string]string) Credentials {
	get := func(name string) string { return variables["OS_"+name] }
	return Credentials{
		Place:  Place{AuthURL: get("AUTH_URL"), Region: get("REGION_NAME"), Interface: first(get("INTERFACE"), get("ENDPOINT_TYPE"))},
		UserID: get("USER_ID"), Username: get("USERNAME"), UserDomainID: get("USER_DOMAIN_ID"),
		UserDomainName: first(get("USER_DOMAIN_NAME"), get("DEFAULT_DOMAIN")), Password: redact.NewSecret(get("PASSWORD")),
		ProjectID: get("PROJECT_ID"), ProjectName: get("PROJECT_NAME"), ProjectDomainID: get("PROJECT_DOMAIN_ID"),
		ProjectDomainName:       first(get("PROJECT_DOMAIN_NAME"), get("DEFAULT_DOMAIN")),
		ApplicationCredentialID: get("APPLICATION_CREDENTIAL_ID"), ApplicationCredentialName: get("APPLICATION_CREDENTIAL_NAME"),
		ApplicationCredentialSecret: redact.NewSecret(get("APPLICATION_CREDENTIAL_SECRET")),
	}
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// who names the user in messages.
func (c *Credentials) who() string {
	return "the user " + first(c.Username, c.UserID, c.ApplicationCredentialName, c.ApplicationCredentialID)
}

func (c *Credentials) application() bool {
	return c.ApplicationCredentialID != "" || c.ApplicationCredentialName != ""
}

// wholeSystem stands in the place of a project for the system as a whole; no project has such an id.
const wholeSystem = "system"

// options are what the library needs for a token of our own project, or of another one.
func (c *Credentials) options(project string) gophercloud.AuthOptions {
	options := gophercloud.AuthOptions{
		IdentityEndpoint: c.AuthURL, AllowReauth: true, UserID: c.UserID, Username: c.Username,
	}
	if c.UserID == "" && c.ApplicationCredentialID == "" {
		if options.DomainID = c.UserDomainID; c.UserDomainID == "" {
			options.DomainName = c.UserDomainName
		}
	}
	if c.application() {
		options.ApplicationCredentialID, options.ApplicationCredentialName = c.ApplicationCredentialID, c.ApplicationCredentialName
		options.ApplicationCredentialSecret = c.ApplicationCredentialSecret.Reveal()
		if c.ApplicationCredentialID != "" {
			options.UserID, options.Username = "", ""
		}
		return options
	}
	options.Password = c.Password.Reveal()
	switch {
	case project == wholeSystem:
		options.Scope = &gophercloud.AuthScope{System: true}
	case project != "":
		options.Scope = &gophercloud.AuthScope{ProjectID: project}
	case c.ProjectID != "":
		options.Scope = &gophercloud.AuthScope{ProjectID: c.ProjectID}
	case c.ProjectName != "":
		options.Scope = &gophercloud.AuthScope{ProjectName: c.ProjectName, DomainID: c.ProjectDomainID}
		if c.ProjectDomainID == "" {
			options.Scope.DomainName = c.ProjectDomainName
		}
	}
	return options
}

// security is how the servers' certificates are checked.
func (c *Credentials) security() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(c.CA)) {
			return nil, errors.New("the certificates that the servers are checked against are no PEM")
		}
	}
	if c.Also != "" {
		if config.RootCAs == nil {
			system, err := x509.SystemCertPool()
			if err != nil {
				return nil, fmt.Errorf("the certificates that the system trusts: %w", err)
			}
			config.RootCAs = system
		}
		if !config.RootCAs.AppendCertsFromPEM([]byte(c.Also)) {
			return nil, errors.New("the certificates of the authority inside are no PEM")
		}
	}
	if c.client != nil {
		config.Certificates = []tls.Certificate{*c.client}
	}
	return config, nil
}
