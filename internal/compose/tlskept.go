package compose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// keepTLS warns of what people write in the place of what has APIs speak TLS: it counts, and they may be plain, or nobody
// may reach them, of which who deploys them would hear nothing. It refuses what would have clients send passwords in the
// clear, or to whoever stands between: APIs that are to be plain are left out of tls. What is added to lists stands beside
// what is there.
func (c *composer) keepTLS(s *model.Service, values map[string]any) {
	k := tlsKeeper{composer: c, service: s, told: map[diag.Range]int{}}
	list := tlsValues(s.Name, c.m)
	k.unchecked(list, c.written[s.Name], s.Settings)
	for _, ours := range list {
		switch {
		case !covers(c.written[s.Name], ours.path):
		case strings.HasPrefix(ours.path, "conf."):
			k.option(ours, c.written[s.Name], s.Settings)
		default:
			k.value(ours, values)
		}
		k.administration(ours)
	}
	if speaksTLS(c.m, s.Name) {
		for _, f := range fronts()[s.Name] {
			k.front(f)
		}
	}
	plain := secured(c.m) && len(list) > 0
	if plain {
		k.plainAddresses(c.written[s.Name], s.Settings)
	}
	for _, own := range c.onNodes(s) {
		if plain {
			k.plainAddresses(own.written, own.settings)
		}
		k.unchecked(list, own.written, own.settings)
		for _, ours := range list {
			if strings.HasPrefix(ours.path, "conf.") && covers(own.written, ours.path) {
				k.option(ours, own.written, own.settings)
			}
		}
	}
}

// tlsKeeper looks at what is written for one service.
type tlsKeeper struct {
	*composer
	service *model.Service
	told    map[diag.Range]int // which of the diagnostics: one line may be in the way of several values
}

const inTheWay = "in the way of TLS"

// refuse tells of what does not count. It takes the place of a warning about the same line.
func (k tlsKeeper) refuse(at origin, detail, hint string) {
	if i, told := k.told[at.where]; told {
		if k.diags[i].Severity == diag.Error {
			return
		}
		k.diags[i].Severity, k.diags[i].Code, k.diags[i].Detail, k.diags[i].Hint = diag.Error, codeValue, detail, hint
		return
	}
	k.failAt(codeValue, at, inTheWay, detail, hint)
	k.told[at.where] = len(k.diags) - 1
}

// warn tells of what counts, and of what it has no part in.
func (k tlsKeeper) warn(at origin, detail, hint string) {
	if _, told := k.told[at.where]; told {
		return
	}
	k.failAt(codeUnsafe, at, inTheWay,
		fmt.Sprintf("%s; it counts all the same, while the certificates, what others are told of %s, and what asks whether it works stay made for TLS", detail, k.service.Name), hint)
	k.told[at.where] = len(k.diags) - 1
	k.diags[k.told[at.where]].Severity = diag.Warning
}

const nobodyElse = "take it away; an API that is to be plain is left out of services in tls"

// value is about one of the values of the chart.
func (k tlsKeeper) value(ours setting, values map[string]any) {
	name := k.service.Name
	at, text := k.whereKey(k.service, k.service.Settings, steps(ours.path))
	theirs := get(k.written[name], ours.path)
	list, isList := ours.value.([]any)
	switch {
	case isList:
		if at, replaces := k.replaces(k.service, steps(ours.path)); replaces {
			k.warn(at, fmt.Sprintf("%s of %s takes the place of what tls puts there: its API may be out of reach, or those that it talks to", text, name), "to have more beside it, write append([…]) in place of […]")
			return
		}
		more, _ := theirs.([]any)
		put(values, ours.path, slices.Concat(list, more))
	case strings.HasPrefix(ours.path, "extraObjects.") && !same(theirs, ours.value):
		k.warn(at, fmt.Sprintf("%s of %s takes the place of jobs that tls puts there: its user and its entries of the catalogue are not made", text, name), "write more objects as a map, with keys of your own")
	case same(theirs, ours.value) || k.outside(name, ours.path):
	case switchesClients(ours.path):
		k.refuse(at, fmt.Sprintf("tls sets %s of %s to %v: with anything else its programs and jobs would send passwords in the clear, or to whoever stands between", text, name, ours.value), "take it away, and the server out of backends in tls for one that is to be plain")
	case ours.value == overTLS:
		k.refuse(at, fmt.Sprintf("tls sets %s of %s to %v: with anything else passwords and tokens would be sent in the clear", text, name, ours.value), nobodyElse)
	default:
		k.warn(at, fmt.Sprintf("tls sets %s of %s to %v: with anything else its APIs, or those that it talks to, may be out of reach", text, name, ours.value), nobodyElse)
	}
}

// administration is about the scheme of the address for administrators: it is that of all others unless somebody writes it.
func (k tlsKeeper) administration(ours setting) {
	at, scheme := strings.CutSuffix(ours.path, ".scheme.default")
	if !scheme {
		return
	}
	path := at + ".scheme.admin"
	theirs := get(k.written[k.service.Name], path)
	if theirs == nil || theirs == "" || same(theirs, ours.value) {
		return
	}
	where, text := k.whereKey(k.service, k.service.Settings, steps(path))
	k.refuse(where, fmt.Sprintf("tls has this API reached by %v, and with another %s of %s passwords and tokens would be sent in the clear", ours.value, text, k.service.Name), nobodyElse)
}

// option is about one of the options of programs. Another file may have the authority as well.
func (k tlsKeeper) option(ours setting, written map[string]any, settings []model.Setting) {
	theirs := get(written, ours.path)
	nothing := theirs == nil || theirs == "" || theirs == false
	switch at, text := k.whereKey(k.service, settings, steps(ours.path)); {
	case toBroker(ours.path) && (nothing || ours.value == true && !isTrue(theirs)):
		k.refuse(at, fmt.Sprintf("tls sets %s of %s to %v: with anything else passwords would be sent to the broker in the clear, or to whoever stands between", text, k.service.Name, ours.value), "take it away, and rabbitmq out of backends for a broker that is to be plain")
	case nothing:
		k.warn(at, fmt.Sprintf("tls sets %s of %s to %v, and it is nothing here: what this is about may be out of reach", text, k.service.Name, ours.value), "take it away")
	}
}

// toBroker tells whether an option has clients of the broker talk TLS, or check with whom: without either they log in all the
// same.
func toBroker(path string) bool {
	return strings.HasSuffix(path, ".oslo_messaging_rabbit.ssl") || strings.HasSuffix(path, ".oslo_messaging_rabbit.ssl_ca_file")
}

// isTrue tells whether a value is what oslo.config takes for true.
func isTrue(value any) bool {
	return slices.Contains([]string{"true", "1", "yes", "on", "t", "y"}, strings.ToLower(plainText(value)))
}

// switchesClients tells whether a value has a chart talk TLS to the database or to the broker: without it neither programs nor
// the jobs that log in as administrators do, nor check with whom they talk.
func switchesClients(path string) bool { return path == "tls.oslo_db" || path == "tls.oslo_messaging" }

// unchecked is about options that have programs trust anybody, beside those that say which authority to trust.
func (k tlsKeeper) unchecked(list []setting, written map[string]any, settings []model.Setting) {
	for _, ours := range list {
		path := besideAuthority(ours.path)
		if path == "" || !isTrue(get(written, path)) {
			continue
		}
		at, text := k.whereKey(k.service, settings, steps(path))
		k.refuse(at, fmt.Sprintf("with %s of %s certificates are not checked, and whoever stands between could read and change what is said", text, k.service.Name), "take it away; a file with another authority beside tls's can be named where the authority is")
	}
}

// besideAuthority is where a program takes that it shall check no certificates, beside where it takes their authority;
// "" for what is no authority.
func besideAuthority(path string) string {
	section, key := path[:strings.LastIndex(path, ".")+1], path[strings.LastIndex(path, ".")+1:]
	if !strings.HasPrefix(path, "conf.") {
		return ""
	}
	switch key {
	case "cafile", "ca_file", "ca_certificates_file":
		return section + "insecure"
	case horizonUnchecked:
		return path
	case "auth_ca_cert":
		return section + "nova_metadata_insecure"
	case "swift_store_cacert":
		return section + "swift_store_auth_insecure"
	case "glance_ca_certificates_file":
		return section + "glance_api_insecure"
	default:
		return ""
	}
}

// front is about what the nginx before an API and its certificate are made for.
func (k tlsKeeper) front(f front) {
	of, name := "endpoints."+f.api.name+".", k.service.Name
	elsewhere := fmt.Sprintf("tls has nginx hand on to port %d behind %s, and with %%s of %s the program is at another", f.program(), f.api.host, name)
	if path := "network." + f.target + ".port"; covers(k.written[name], path) && !same(get(k.written[name], path), f.program()) {
		at, text := k.whereKey(k.service, k.service.Settings, steps(path))
		k.warn(at, fmt.Sprintf(elsewhere, text), nobodyElse)
	}
	for _, rule := range []struct {
		path   string
		value  any
		detail string
	}{
		{of + "port." + f.api.port, f.program(), elsewhere},
		{of + "hosts", f.api.host, fmt.Sprintf("the certificate of %s is for this name, and %%s of %s is another", f.api.host, name)},
		{of + "host_fqdn_override", nil, fmt.Sprintf("the certificate of %s is for its names inside of the cluster, and %%s of %s is another", f.api.host, name)},
	} {
		for _, path := range otherThan(k.written[name], rule.path, rule.value, "public", "admin") { // of which TLS inside needs none
			at, text := k.whereKey(k.service, k.service.Settings, path)
			k.warn(at, fmt.Sprintf(rule.detail, text), nobodyElse)
		}
	}
}

// onNodes are what holds of a service on nodes with profiles of their own.
func (c *composer) onNodes(s *model.Service) []writtenForNodes {
	var found []writtenForNodes
	for _, own := range c.ownOfNodes(s) {
		if conf, err := withHidden(own.Conf, false, nil); err == nil { // which is told elsewhere
			found = append(found, writtenForNodes{map[string]any{"conf": conf}, own.Settings})
		}
	}
	return found
}

// writtenForNodes is what people wrote for the nodes with a profile, as values.
type writtenForNodes struct {
	written  map[string]any
	settings []model.Setting
}

// replaces finds what was written at the path of a list in its place, and not to be added to it.
func (c *composer) replaces(s *model.Service, path []string) (origin, bool) {
	for i := range s.Settings {
		written := &s.Settings[i]
		if written.Name != "values" {
			continue
		}
		if v, at, ok := written.Part(path...); ok && (len(at) < len(path) || !model.Adds(v)) {
			return c.originOf(s, written, at...), true
		}
	}
	return origin{}, false
}

// outside tells whether a value is about how an API is reached from outside, and people have said where that is.
func (c *composer) outside(service, path string) bool {
	at, public := strings.CutSuffix(path, ".scheme.public")
	if !public {
		return false
	}
	return c.m.Cloud.Exposure != nil || covers(c.written[service], at+".host_fqdn_override.public") || covers(c.written[service], at+".hosts.public")
}

// otherThan returns the paths below one that somebody wrote something else at than a value, but for those with some
// last keys.
func otherThan(written map[string]any, path string, value any, but ...string) [][]string {
	if !covers(written, path) {
		return nil
	}
	below, isTree := get(written, path).(map[string]any)
	if !isTree {
		return [][]string{steps(path)}
	}
	var found [][]string
	for _, key := range slices.Sorted(maps.Keys(below)) {
		if !slices.Contains(but, key) && !same(below[key], value) {
			found = append(found, append(steps(path), key))
		}
	}
	return found
}

// tlsServices tells of services that the tls block names, and that the cloud has not.
func (c *composer) tlsServices() {
	t := c.m.Cloud.TLS
	if t == nil {
		return
	}
	where, written := t.Ranges["services"]
	if !written {
		return
	}
	for _, name := range t.Services {
		s := c.m.Service(name)
		switch {
		case s == nil:
			c.fail(codeMissing, where, noAddress(), "a service is missing", fmt.Sprintf("tls has the APIs of %s speak TLS, and the cloud has no such service", name),
				fmt.Sprintf("take it out of services, or write in the cloud: service %q {}", name))
		case !s.Enabled:
			c.diags.Append(diag.Diagnostic{
				Severity: diag.Warning, Code: codeMissing, Subject: &where, Summary: "a service is missing",
				Detail: fmt.Sprintf("tls has the APIs of %s speak TLS, and it has enabled = false", name), Hint: "nothing has to be done if it will be back: it speaks TLS then",
			})
		}
	}
}
