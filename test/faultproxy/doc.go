// Package faultproxy stands before Kubernetes, OpenStack and Git servers in tests: it counts
// what a client sends and makes things fail on cue.
//
// A Proxy is a reverse proxy for HTTP in the test's own process, on a free loopback port. A
// Fleet is one proxy for each OpenStack endpoint, with the identity catalogue rewritten so
// that a client goes through all of them. A TCP forwards bytes for everything else.
//
// Faults are rules of a Control, which proxies may share: a matcher and an action, added and
// removed while requests flow.
//
//	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
//	lost := proxy.Add(faultproxy.Rule{
//		Match:  faultproxy.Match{Verb: "POST", Path: "/v2.0/networks"},
//		Nth:    2,
//		Action: faultproxy.ResetAfter(), // the server did it, the client does not know
//	})
//	... the client talks to proxy.URL() ...
//	if lost.Fired() != 1 { ... }
//
// Before a Kubernetes API server the transport carries the credentials, and the client needs
// none:
//
//	transport, err := rest.TransportFor(config)
//	proxy := faultproxy.Start(t, faultproxy.Options{
//		Target: config.Host, Transport: transport, Classify: faultproxy.ClassifyKubernetes,
//	})
//	client, err := kubernetes.NewForConfig(&rest.Config{Host: proxy.URL()})
//
// Chance comes from one seed (see Seed). What a rule decides for a request follows from the
// seed, the rule, what the request is about (its proxy, verb and path, the name that it
// creates an object with or that the object behind an id in the path was created with) and
// how many about the same thing came since the rule was added: never from the order in which
// concurrent requests happen to arrive. Bodies are only looked at where Options.Ahead has
// them read, and names that are others in every run have to be told (see Control.Alias).
//
// What goes in: a target, rules, requests. What comes out: the target's answers or faults,
// and the record of every request (Requests, Counts). The package never listens on anything
// but 127.0.0.1, never changes a body except where a Rewrite or a rule asks for it, and never
// answers in the target's place unless a rule says so: when the target cannot be reached the
// client sees a closed connection, as it would without the proxy.
package faultproxy
