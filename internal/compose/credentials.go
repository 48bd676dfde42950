package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// GeneratedSet names the Secret that holds every generated credential.
const GeneratedSet = "kupenstack-credentials"

// credential is one generated value and every place that must hold it.
type credential struct {
	key      string
	uuid     bool
	fernet   bool
	apart    bool // each service may have another one
	optional bool // there may be none as well
	when     condition
	places   []place
}

type place struct{ service, path string }

// account says which accounts a chart logs in with.
type account struct {
	databases []string // below endpoints: each with root's password and the service's own
	broker    bool     // oslo_messaging, the broker's administrator and the service's own user
	cache     bool     // the key that tokens in the cache are encrypted with
	identity  []string // users in Keystone besides admin
	borrowed  []string // users in Keystone that are those of the services with their names
}

// accounts is the table of what must agree in OpenStack-Helm's charts. A user of Keystone named
// after another service is this service's own account there: neutron's "nova" is neutron_nova.
func accounts() map[string]account {
	oneDatabase := []string{"oslo_db"}
	return map[string]account{
		"keystone":  {databases: oneDatabase, broker: true, identity: []string{"test"}},
		"glance":    {databases: oneDatabase, broker: true, cache: true, identity: []string{"glance", "test"}},
		"placement": {databases: oneDatabase, cache: true, identity: []string{"placement"}},
		"neutron": {
			databases: oneDatabase, broker: true, cache: true,
			identity: []string{"neutron", "nova", "placement", "designate", "ironic", "test"},
		},
		"nova": {
			databases: []string{"oslo_db", "oslo_db_cell0", "oslo_db_cell1"}, broker: true, cache: true,
			identity: []string{"nova", "service", "neutron", "placement", "cinder", "ironic", "test"},
		},
		"cinder": {
			databases: oneDatabase, broker: true, cache: true,
			identity: []string{"cinder", "glance", "nova", "swift", "service", "test"},
		},
		"manila":    {databases: oneDatabase, broker: true, cache: true, identity: []string{"manila", "test"}},
		"ironic":    {databases: oneDatabase, broker: true, cache: true, identity: []string{"ironic"}, borrowed: []string{"glance"}},
		"designate": {databases: oneDatabase, broker: true, cache: true, identity: []string{"designate", "test"}},
		"heat":      {databases: oneDatabase, broker: true, cache: true, identity: []string{"heat", "heat_trustee", "heat_stack_user", "test"}},
		"barbican":  {databases: oneDatabase, broker: true, cache: true, identity: []string{"barbican"}},
		"magnum":    {databases: oneDatabase, broker: true, cache: true, identity: []string{"magnum", "magnum_stack_user"}},
		"octavia": {
			databases: []string{"oslo_db", "oslo_db_persistence"}, broker: true, cache: true, identity: []string{"octavia", "test"},
		},
		"horizon":                       {databases: oneDatabase, identity: []string{}},
		"skyline":                       {databases: oneDatabase, identity: []string{"skyline"}},
		"mariadb-backup":                {identity: []string{"mariadb"}},
		"prometheus-mysql-exporter":     {identity: []string{"mariadb-server"}},
		"prometheus-openstack-exporter": {identity: []string{"user"}},
	}
}

// single are the credentials that accounts do not lead to.
func single() []credential {
	database := func(user string) string { return "endpoints.oslo_db.auth." + user + ".password" }
	const metadata = "DEFAULT.metadata_proxy_shared_secret"
	return []credential{
		{key: "mariadb-root", places: []place{{"mariadb", database("admin")}, {"mariadb-backup", database("admin")}, {"prometheus-mysql-exporter", database("admin")}}},
		{key: "mariadb-sst", places: []place{{"mariadb", database("sst")}, {"mariadb-backup", database("sst")}, {"prometheus-mysql-exporter", database("sst")}}},
		{key: "mariadb-audit", places: []place{{"mariadb", database("audit")}, {"mariadb-backup", database("audit")}, {"prometheus-mysql-exporter", database("audit")}}},
		{key: "mariadb-exporter", places: []place{{"mariadb", database("exporter")}, {"mariadb-backup", database("exporter")}, {"prometheus-mysql-exporter", database("exporter")}}},
		{key: "mariadb-keystone-mariadb", places: []place{{"mariadb", "endpoints.identity.auth.mariadb.password"}}},
		{key: "keystone-admin", places: []place{{"mariadb", "endpoints.identity.auth.admin.password"}}},
		{key: "rabbitmq-admin", places: []place{{"rabbitmq", "endpoints.oslo_messaging.auth.user.password"}}},
		{key: "rabbitmq-guest", places: []place{{"rabbitmq", "endpoints.oslo_messaging.auth.guest.password"}}},
		{key: "rabbitmq-erlang-cookie", places: []place{{"rabbitmq", "endpoints.oslo_messaging.auth.erlang_cookie"}}},
		{key: "nova-db", places: []place{{"placement", database("nova_api")}}}, // where placement's data once was
		// Heat encrypts what it keeps of stacks with it, and has one for everybody where the chart sets none.
		{key: "heat-auth-encryption-key", places: []place{{"heat", "conf.heat.DEFAULT.auth_encryption_key"}}},
		// Without one of its own, Barbican encrypts with a key that everybody knows. The chart rewraps what was
		// encrypted with that.
		{key: "barbican-kek", fernet: true, places: []place{{"barbican", "conf.barbican.simple_crypto_plugin.kek"}}},
		// Skyline signs sessions with it; its own is the same everywhere.
		{key: "skyline-secret-key", places: []place{{"skyline", "conf.skyline.default.secret_key"}}},
		// Manila logs in with it to the instances that serve shares, which come from an image with that password.
		// An SSH key may be in its place.
		{key: "manila-service-instance", optional: true, places: []place{{"manila", "conf.manila.generic.service_instance_password"}}},
		{key: "designate-powerdns-token", places: []place{{"designate", "endpoints.powerdns.auth.service.token"}}},
		// Octavia signs with the first what its instances send, and encrypts their certificates with the last. Both,
		// and what opens the key of the CA, are known to everybody where nothing else is set.
		{key: "octavia-heartbeat-key", places: []place{{"octavia", "conf.octavia.health_manager.heartbeat_key"}}},
		{key: "octavia-ca-passphrase", optional: true, places: []place{{"octavia", "conf.octavia.certificates.ca_private_key_passphrase"}}},
		{key: "octavia-certificates-key", places: []place{{"octavia", "conf.octavia.certificates.server_certs_key_passphrase"}}},
		// Nobody reads what another service has in the cache.
		{key: "memcache-secret-key", apart: true},
		{key: "horizon-secret-key", places: []place{{"horizon", "conf.horizon.local_settings.config.horizon_secret_key"}}},
		{key: "glance-object-store", places: []place{{"glance", "endpoints.ceph_object_store.auth.glance.password"}}},
		{key: "glance-tmpurl-key", places: []place{
			{"glance", "endpoints.ceph_object_store.auth.glance.tmpurlkey"},
			{"glance", "endpoints.object_store.auth.glance.tmpurlkey"},
			{"ironic", "endpoints.object_store.auth.glance.tmpurlkey"},
		}},
		{key: "metadata-secret", places: []place{
			{"nova", "conf.nova.neutron.metadata_proxy_shared_secret"},
			{"neutron", "conf.metadata_agent." + metadata},
			{"neutron", "conf.ovn_agent." + metadata},
			{"neutron", "conf.ovn_metadata_agent." + metadata},
		}},
		{key: "ceph-secret-uuid", uuid: true, when: condition{storage: storageCeph}, places: []place{
			{"nova", "conf.ceph.cinder.secret_uuid"},
			{"nova", "conf.nova.libvirt.rbd_secret_uuid"},
			{"libvirt", "conf.ceph.cinder.secret_uuid"},
			{volumesService, secretOfBackend(chartBackend)},
		}},
	}
}

// allCredentials joins both tables, by key.
func allCredentials() []credential {
	all := single()
	at := func(key, service, path string) {
		i := slices.IndexFunc(all, func(c credential) bool { return c.key == key })
		if i < 0 {
			i = len(all)
			all = append(all, credential{key: key})
		}
		all[i].places = append(all[i].places, place{service, path})
	}
	for service, a := range accounts() {
		for _, database := range a.databases {
			at("mariadb-root", service, "endpoints."+database+".auth.admin.password")
			at(service+"-db", service, "endpoints."+database+".auth."+service+".password")
		}
		if a.broker {
			at("rabbitmq-admin", service, "endpoints.oslo_messaging.auth.admin.password")
			at(service+"-rabbitmq", service, "endpoints.oslo_messaging.auth."+service+".password")
		}
		if a.cache {
			at("memcache-secret-key", service, "endpoints.oslo_cache.auth.memcache_secret_key")
		}
		at("keystone-admin", service, "endpoints.identity.auth.admin.password")
		for _, user := range a.identity {
			at(service+"-keystone-"+user, service, "endpoints.identity.auth."+user+".password")
		}
		for _, user := range a.borrowed {
			at(user+"-keystone-"+user, service, "endpoints.identity.auth."+user+".password")
		}
	}
	for i := range all {
		slices.SortFunc(all[i].places, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.service, b.service), cmp.Compare(a.path, b.path))
		})
	}
	slices.SortFunc(all, func(a, b credential) int { return cmp.Compare(a.key, b.key) })
	return all
}

// placesOf returns the credentials that the services of a cloud use, each with its places there.
func placesOf(m *model.Model) []credential {
	var used []credential
	for _, c := range allCredentials() {
		c.places = placesInBackends(m, c.places)
		c.places = slices.DeleteFunc(c.places, func(p place) bool { return !deployed(m, p.service) })
		if len(c.places) > 0 && c.when.holds(&m.Cloud) {
			used = append(used, c)
		}
	}
	return used
}

// keepWritten takes away the places where somebody wrote a value. When that leaves others of the
// same credential with a generated one, they would not agree, and nobody could log in.
func (c *composer) keepWritten() {
	if c.unclear {
		return // what seems not to be written may be
	}
	for i := range c.places {
		var own []place
		rest := slices.DeleteFunc(slices.Clone(c.places[i].places), func(p place) bool {
			written := covers(c.written[p.service], p.path)
			if written {
				own = append(own, p)
			}
			return written
		})
		c.places[i].places = rest
		switch {
		case len(own) == 0:
		case len(rest) > 0 && !c.places[i].apart:
			c.disagree(own[0], rest, "a credential is written in some places only", "write it in all of these places, or in none, where it is generated")
		default:
			c.checkAgree(c.places[i], own)
		}
	}
	c.places = slices.DeleteFunc(c.places, func(c credential) bool { return len(c.places) == 0 })
}

// checkAgree tells of places of one credential that people wrote different values in, or none. Whether what is in Secrets is the same
// nobody knows here.
func (c *composer) checkAgree(of credential, own []place) {
	// Another Ceph than the cloud's has a Secret of its own in libvirt.
	external, _ := comparedText(get(c.written["libvirt"], "conf.ceph.cinder.external_ceph.secret_uuid"))
	firsts, others := map[string]place{}, map[string][]place{} // by the account
	for _, p := range own {
		v := get(c.written[p.service], p.path)
		text, known := comparedText(v)
		account := c.accountAt(p)
		first, has := firsts[account]
		switch {
		case !known || v == nil && !hasKey(c.written[p.service], p.path): // what is around it goes as a whole
		case text == "" && of.optional:
		case text == "":
			s := c.m.Service(p.service)
			c.failAt(codeDisagree, c.placeOf(s, p.path), "a credential that is empty",
				fmt.Sprintf("%s of %s is written and empty, so that none is generated either, and programs go without one, or with what they have for everybody", p.path, s.Name),
				"write one, or take it away, where it is generated")
			return
		case of.apart, of.uuid && text == external:
		case !has:
			firsts[account] = p
		default:
			if is, _ := comparedText(get(c.written[first.service], first.path)); text != is {
				others[account] = append(others[account], p)
			}
		}
	}
	for _, account := range slices.Sorted(maps.Keys(others)) {
		c.disagree(firsts[account], others[account], "a credential is written in different ways", "write the same in all of these places, or nothing in any, where it is generated")
	}
}

// accountAt is whose password is in a place, as far as people wrote that: a user of another name, or of another server than the
// cloud's, has one of its own.
func (c *composer) accountAt(p place) string {
	keys := steps(p.path)
	if keys[0] != "endpoints" {
		return ""
	}
	user := slices.Concat(keys[:len(keys)-1], []string{"username"})
	var of []any
	for _, path := range []string{strings.Join(user, "."), "endpoints." + keys[1] + ".hosts", "endpoints." + keys[1] + ".host_fqdn_override"} {
		of = append(of, get(c.written[p.service], path))
	}
	return fmt.Sprint(of...)
}

// disagree tells of a place that would hold another value than others of the same credential.
func (c *composer) disagree(here place, others []place, summary, hint string) {
	var at []string
	for _, p := range others {
		at = append(at, p.service+": "+p.path)
	}
	s := c.m.Service(here.service)
	c.failAt(codeDisagree, c.placeOf(s, here.path), summary, fmt.Sprintf("%s of %s must be the same as\n%s", here.path, s.Name, strings.Join(at, "\n")), hint)
}

// placeOf is where a value of a chart was written: in values, or below those in conf.
func (c *composer) placeOf(s *model.Service, path string) origin {
	keys := steps(path)
	at, ok := c.decides(s, s.Settings, "values", keys, nil)
	if !ok && keys[0] == "conf" {
		at, _ = c.decides(s, s.Settings, "conf", keys[1:], nil)
	}
	return at
}

// secretsOf returns where the values of a service take credentials.
func (c *composer) secretsOf(service string) []unit.ValueSecret {
	var secrets []unit.ValueSecret
	for _, credential := range c.places {
		for _, p := range credential.places {
			if p.service == service {
				secrets = append(secrets, unit.ValueSecret{
					Path: steps(p.path), Namespace: c.m.Cloud.Namespace, Name: GeneratedSet, Key: credential.key,
				})
			}
		}
	}
	return secrets
}

// credentials adds the Secret, after every service said what was written for it.
func (c *composer) credentials() {
	if len(c.places) == 0 && !c.hasAccount() {
		return
	}
	spec := &unit.Credentials{Namespace: c.m.Cloud.Namespace, Name: GeneratedSet}
	if c.hasAccount() { // no release holds it: when it is lost, Keystone gets another one
		spec.Keys = append(spec.Keys, unit.Credential{Key: AccountPassword})
	}
	for _, credential := range c.places {
		key := unit.Credential{Key: credential.key, UUID: credential.uuid, Fernet: credential.fernet}
		for _, p := range credential.places {
			key.Uses = append(key.Uses, unit.CredentialUse{Namespace: c.m.Cloud.Namespace, Release: p.service, Path: steps(p.path)})
		}
		spec.Keys = append(spec.Keys, key)
	}
	slices.SortFunc(spec.Keys, func(a, b unit.Credential) int { return cmp.Compare(a.Key, b.Key) })
	c.add(unit.Unit{
		Address: systemAddress(credentialsUnit), Spec: spec, Class: unit.ClassSystem,
		Edges: []unit.Edge{{To: systemAddress(namespaceUnit), Until: unit.Installed, Gate: unit.GateStart}},
	})
}
