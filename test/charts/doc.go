// Package charts holds small Helm charts that have the interface of OpenStack-Helm's: the same
// values, object kinds and names, hooks with their weights and delete policies, plain jobs,
// init-container dependencies, labels, Secrets and per-node overrides. Tests install them where
// a user installs the real ones.
//
// A chart is a description (its _spec.tpl, YAML with values filled in) that the named templates
// of the library chart helm-toolkit turn into objects. Its values.yaml has only the keys that
// the chart reads, with OpenStack-Helm's defaults; testdata/value-paths.json says which keys
// OpenStack-Helm has, and a test fails for any other.
//
// The reference is OpenStack-Helm at commit 0ee5adeffcaefb6f7a78bb23bf845414672e6827 (August
// 2026). TestInterface compares objects, hooks, dependencies, ports and selectors with it, for
// the defaults and for values far from them: every switch of manifests turned over by itself,
// one, three and seven replicas, other names and ports for each interface of each endpoint,
// endpoints exposed under other names, other images, labels, Secrets, credentials and volumes.
// For that it needs a checkout, named in OSH_CHARTS. Without one it renders our
// charts with a part of these values, in which the switches are turned in groups, and compares
// them with what testdata/interface.json recorded of OpenStack-Helm's.
//
// With a checkout TestOpenStackHelm also renders the real charts with what compose makes of whole
// clouds: no key that a chart does not know, no default password, twice the same, and small enough
// for Helm to keep. The player's TestOpenStackHelm installs them by Helm on the control plane bed,
// and the worlds of end-to-end tests have them in the place of these here. All of that is
// `make test-osh`.
//
// TestRightsOfOpenStackHelm writes down in testdata/rights.txt what rights it takes to deploy the real charts.
// TestConfinedCharts needs no checkout: it wants the accounts that deploy/chart makes to have these.
//
// Not among those values are configuration, dependencies, bootstrapping and schemes other than
// those of public endpoints: tests that read them set them.
//
// What the charts never do: run anything. The scripts are empty, containers are acted out by package
// test/cluster/player from their environment and the names of their scripts. Left out against
// the real charts: RBAC rules (service accounts are there), probes, resources, security
// contexts, Ceph's and other init containers that only prepare a host, image_repo_sync, TLS,
// network policies, gateways, exporters, backups, and configuration files that no test reads.
package charts

//go:generate env UPDATE_TESTDATA=1 go test -count=1 -tags beds -run ^(TestFactsCopy|TestOpenStackHelmPaths|TestInterface|TestRightsOfOpenStackHelm)$ .
