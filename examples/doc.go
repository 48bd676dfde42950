// Package examples holds configurations to start from: minimal is the least that makes a cloud, ha one that goes
// on when a node is lost,
// ceph one that keeps its data in a Ceph of somebody else, rook in one that it has Rook make,
// tls has all that can speak TLS and is tested as a whole,
// demo has a resource of every kind, external manages objects in an OpenStack of somebody else,
// modules builds several sites from one module, profiles configures nodes in layers.
// Tests load, resolve and compose all of them, so they stay true.
package examples
