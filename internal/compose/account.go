package compose

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// How we log in to an OpenStack that we deploy, and where the administrator's credentials are, by which our user
// is made.
const (
	// AccountName is the name of our user in Keystone, and of its project.
	AccountName = "kupenstack"
	// AccountPassword is the key of its password in [GeneratedSet].
	AccountPassword = "keystone-kupenstack"
	// AdministratorSecret is what Keystone's chart makes for whoever logs in as the administrator.
	AdministratorSecret = "keystone-keystone-admin"
	// CloudsSecret holds a clouds.yaml for people.
	CloudsSecret = "kupenstack-clouds"

	// accountRole is what it takes to list objects of all projects and to make projects and flavors.
	accountRole = "admin"
)

// OwnAccount tells whether we log in to OpenStack with a user that we make ourselves: where Keystone is ours, and
// nobody says with which credentials we come.
func OwnAccount(m *model.Model) bool {
	block := m.Cloud.OpenStack
	return deployed(m, keystoneService) && (block == nil || block.Cloud == "" && block.Secret == "")
}

const keystoneService = "keystone"

func (c *composer) hasAccount() bool { return OwnAccount(c.m) && !c.facts.OpenStackGiven }

// account adds our user, which needs a Keystone that works.
func (c *composer) account() {
	if !c.hasAccount() {
		return
	}
	c.add(unit.Unit{
		Address: systemAddress(accountUnit), Class: unit.ClassSystem, Range: c.m.Cloud.Range,
		Spec: &unit.Account{User: AccountName, Role: accountRole, Region: c.m.Cloud.Region},
		Edges: []unit.Edge{
			{To: systemAddress(credentialsUnit), Until: unit.Installed, Gate: unit.GateStart},
			{To: serviceAddress(keystoneService), Until: unit.Ready, Gate: unit.GateStart},
		},
	})
}

// clouds adds the clouds.yaml for the people who administrate the cloud, with the user that the chart makes for
// them: ours is for us alone.
func (c *composer) clouds() {
	s := c.m.Service(keystoneService)
	if s == nil || !s.Enabled || c.unclear {
		return
	}
	for _, name := range []string{"username", "user_domain_name", "project_name", "project_domain_name", "region_name"} {
		if _, plain := get(c.written[s.Name], administrator+name).(string); covers(c.written[s.Name], administrator+name) && !plain {
			return // nobody may see it, so it cannot be said
		}
	}
	cloud := &c.m.Cloud
	spec := &unit.Filled{
		Namespace: cloud.Namespace, Name: CloudsSecret, Key: "clouds.yaml",
		Source: GeneratedSet, SourceKey: administratorPassword,
	}
	edges := []unit.Edge{{To: systemAddress(namespaceUnit), Until: unit.Installed, Gate: unit.GateStart}}
	if covers(c.written[s.Name], administrator+"password") { // then only the chart's own Secret has it
		spec.Source, spec.SourceKey = AdministratorSecret, "OS_PASSWORD"
		edges = append(edges, unit.Edge{To: s.Address, Until: unit.Installed, Gate: unit.GateStart})
	} else {
		edges = append(edges, unit.Edge{To: systemAddress(credentialsUnit), Until: unit.Installed, Gate: unit.GateStart})
	}
	spec.Before, spec.After = c.cloudsText()
	if source, waits := c.authority(); source != "" {
		spec.Copies = []unit.Copy{{Key: authorityKey, Source: source, SourceKey: authorityKey}}
		edges = append(edges, waits...)
	}
	c.add(unit.Unit{Address: systemAddress(cloudsUnit), Class: unit.ClassSystem, Range: cloud.Range, Spec: spec, Edges: edges})
}

// authorityKey is where cert-manager has the certificate of the authority in its Secrets.
const authorityKey = "ca.crt"

// authority names the Secret with the authority of the address in the clouds.yaml; "" where there is none, or where
// somebody else looks after the certificate. Outside it comes once the Ingress is there, for which nothing waits.
func (c *composer) authority() (string, []unit.Edge) {
	x := c.m.Cloud.Exposure
	switch {
	case x != nil && x.TLS && x.Issuer != nil:
		return publicCertificateOf(identityEndpoint()), nil
	case x == nil && speaksTLS(c.m, keystoneService):
		return trustName, []unit.Edge{{To: systemAddress(trustUnit), Until: unit.Ready, Gate: unit.GateStart}}
	}
	return "", nil
}

const (
	administrator         = "endpoints.identity.auth.admin."
	administratorPassword = "keystone-admin"
)

// cloudsText is the clouds.yaml, before and behind the password.
func (c *composer) cloudsText() (before, after string) {
	cloud := &c.m.Cloud
	written := func(name, otherwise string) string { // as the chart has it where nobody wrote it
		text, _ := get(c.written[keystoneService], administrator+name).(string)
		return cmp.Or(text, otherwise)
	}
	address := addressInside(c.m, keystoneService, identityEndpoint()) + "v3"
	face := "internal"
	if x := cloud.Exposure; x != nil {
		face, address = "public", "http://"+hostOf(identityEndpoint(), x)+"/v3"
		if x.TLS {
			address = "https://" + hostOf(identityEndpoint(), x) + "/v3"
		}
	}
	lines := func(indent string, pairs ...[2]string) string {
		var text strings.Builder
		for _, pair := range pairs {
			text.WriteString(indent + pair[0] + ": " + strconv.Quote(pair[1]) + "\n")
		}
		return text.String()
	}
	const within, deeper = "    ", "      "
	before = "clouds:\n  " + strconv.Quote(cloud.Name) + ":\n" + within + "auth:\n" + lines(deeper,
		[2]string{"auth_url", address},
		[2]string{"username", written("username", "admin")},
		[2]string{"user_domain_name", written("user_domain_name", "default")},
		[2]string{"project_name", written("project_name", "admin")},
		[2]string{"project_domain_name", written("project_domain_name", "default")},
	) + deeper + "password: "
	after = "\n" + lines(within, [2]string{"region_name", written("region_name", cloud.Region)}, [2]string{"interface", face}) + within + "identity_api_version: 3\n"
	return before, after
}
