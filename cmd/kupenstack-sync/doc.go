// Command kupenstack-sync brings an OpenStack cloud to what a configuration wants in one pass, and
// tells beforehand what that would change. See the README.
package main
