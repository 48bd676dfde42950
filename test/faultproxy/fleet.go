package faultproxy

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Fleet is a proxy before each server of an OpenStack cloud. All share one Control, and each
// rewrites the servers' addresses, the catalogue's above all, so that a client that is given
// URL("identity") as its auth URL goes through proxies for every service.
type Fleet struct {
	*Control
	proxies map[string]*Proxy // by service type
	urls    map[string]string // by service type
}

// StartFleet starts the proxies for endpoints, which maps service types, such as identity or
// network, to the URLs that the catalogue has for them; they are closed when the test ends.
// Options apply to every proxy; Target, Name and Rewrite are set here, and Classify is
// ClassifyOpenStack unless it is given. Endpoints on one scheme, host and port share a proxy,
// whose name is the list of their types.
func StartFleet(t testing.TB, endpoints map[string]string, options Options) *Fleet {
	t.Helper()
	if options.Control == nil {
		options.Control = NewControl(Seed(t))
	}
	if options.Classify == nil {
		options.Classify = ClassifyOpenStack
	}
	options.Rewrite = Rewrite{}
	fleet := &Fleet{Control: options.Control, proxies: map[string]*Proxy{}, urls: map[string]string{}}
	types, err := byOrigin(endpoints)
	if err != nil {
		t.Fatal(err)
	}
	var proxies []*Proxy
	for _, origin := range slices.Sorted(maps.Keys(types)) {
		options.Target, options.Name = origin, strings.Join(types[origin], ",")
		p, err := listen(options)
		if err != nil {
			t.Fatalf("proxy before %s: %v", origin, err)
		}
		t.Cleanup(func() { _ = p.listener.Close() }) // in case that a later one fails
		proxies = append(proxies, p)
		options.Rewrite[origin] = p.URL()
		for _, service := range types[origin] {
			fleet.proxies[service] = p
			fleet.urls[service] = p.URL() + strings.TrimPrefix(endpoints[service], origin)
		}
	}
	// No proxy answers before all addresses are known, since they share the map.
	for _, p := range proxies {
		p.serve()
		t.Cleanup(p.Close)
	}
	return fleet
}

// Proxy returns the proxy before a service, for Match.Proxy; nil for a service that the
// fleet was not given.
func (f *Fleet) Proxy(service string) *Proxy { return f.proxies[service] }

// URL returns the address of a service's endpoint through its proxy; empty for a service
// that the fleet was not given.
func (f *Fleet) URL(service string) string { return f.urls[service] }

// byOrigin groups service types, sorted, by scheme, host and port.
func byOrigin(endpoints map[string]string) (map[string][]string, error) {
	types := map[string][]string{}
	for _, service := range slices.Sorted(maps.Keys(endpoints)) {
		parsed, err := url.Parse(endpoints[service])
		if err != nil {
			return nil, fmt.Errorf("endpoint of %s: %w", service, err)
		}
		origin := parsed.Scheme + "://" + parsed.Host
		types[origin] = append(types[origin], service)
	}
	return types, nil
}
