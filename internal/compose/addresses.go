package compose

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// address is something that the chart of a server and those of its clients have to agree on.
type address struct {
	path, client string // where the server's chart takes it, and where those of clients do
	value        string // what they all have
}

// addresses are where others reach what most services need, and as whom their Jobs log in there.
func addresses() map[string][]address {
	same := func(path, value string) address { return address{path, path, value} }
	const keystone, database, broker = "endpoints.identity.", "endpoints.oslo_db.", "endpoints.oslo_messaging."
	return map[string][]address{
		keystoneService: {
			same(keystone+"hosts.internal", keystoneHost),
			{keystone + "port.api.service", keystone + "port.api.internal", fmt.Sprint(keystonePort)},
			same(keystone+"auth.admin.username", "admin"), same(keystone+"auth.admin.project_name", "admin"),
		},
		"mariadb": {same(database+"hosts.default", "mariadb"), same(database+"port.mysql.default", "3306"), same(database+"auth.admin.username", "root")},
		"rabbitmq": {
			same(broker+"hosts.default", "rabbitmq"), same(broker+"port.amqp.default", "5672"), same(broker+"port.http.default", "15672"),
			{broker + "auth.user.username", broker + "auth.admin.username", "rabbitmq"},
		},
		cacheService: {same(cacheEndpoint+"hosts.default", cacheService), same(cacheEndpoint+"port.memcache.default", "11211")},
	}
}

// reaches tells whether a service is a client of one of these.
func (a account) reaches(service, server string) bool {
	switch server {
	case keystoneService:
		return service != keystoneService
	case "mariadb":
		return len(a.databases) > 0
	case "rabbitmq":
		return a.broker
	default:
		return a.cache || cachesItself(service)
	}
}

// tellAddresses warns where people have a server answer elsewhere than its clients look for it. KupenStack looks where these
// do.
func (c *composer) tellAddresses(s *model.Service, values map[string]any) {
	for _, a := range addresses()[s.Name] {
		written := get(values, a.path)
		is, known := comparedText(written)
		if !known || is == "" || is == a.value || !covers(c.written[s.Name], a.path) {
			continue // of what is in a Secret nobody can say that it is another one
		}
		var clients []string
		for service, of := range accounts() {
			looked, known := comparedText(get(c.written[service], a.client))
			if service != s.Name && c.deployed(service) && of.reaches(service, s.Name) && known && looked != is {
				clients = append(clients, service)
			}
		}
		if len(clients) == 0 {
			continue
		}
		slices.Sort(clients)
		at, text := c.whereKey(s, s.Settings, steps(a.path))
		if slices.ContainsFunc(c.diags, func(d diag.Diagnostic) bool { return d.Subject != nil && *d.Subject == at.where }) {
			continue // it is in the way of TLS, which says the same
		}
		c.failAt(codeUnsafe, at, "others look for it elsewhere",
			fmt.Sprintf("%s of %s is %s, and what is looked for by %s is %s: nothing answers there", text, s.Name, plainText(written), several(clients), a.value),
			fmt.Sprintf("take it away, or write %s in values of these as well", a.client))
		c.diags[len(c.diags)-1].Severity = diag.Warning
	}
}

// regionOfJobs is the region in which the Jobs of a service have its endpoints in the catalogue.
const regionOfJobs = "endpoints.identity.auth.admin.region_name"

// tellRegion warns where people have the endpoints of a service in another region than the cloud's, where everybody looks.
func (c *composer) tellRegion(s *model.Service, values map[string]any) {
	is, region := get(values, regionOfJobs), c.m.Cloud.Region
	api := apis()[s.Name]
	if api == "" || api == unit.ServiceDashboard { // the catalogue has no dashboard
		return
	}
	if _, secret := is.(hidden); secret || is == nil || plainText(is) == region || !covers(c.written[s.Name], regionOfJobs) {
		return
	}
	at, text := c.whereKey(s, s.Settings, steps(regionOfJobs))
	c.failAt(codeUnsafe, at, "another region than the cloud's",
		fmt.Sprintf("%s of %s is %s, and the region of the cloud is %s: KupenStack and the services find no endpoint of %s there", text, s.Name, plainText(is), region, s.Name),
		"take it away; before there is a cloud, region in its block says what it is called")
	c.diags[len(c.diags)-1].Severity = diag.Warning
}
