// Command testbed keeps real servers for tests: a Kubernetes control plane and an OpenStack
// on loopback. See the usage text in main.go, and packages supervisor and testbed.
package main
