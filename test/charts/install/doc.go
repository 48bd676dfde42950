// Package install installs charts on a cluster as a person does with Helm's command. It is apart
// from package charts because Helm's actions bring all of Kubernetes' clients with them.
package install
