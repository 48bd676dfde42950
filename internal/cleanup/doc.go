// Package cleanup takes away what a release of OpenStack-Helm's has made in other services: its databases, its
// virtual host in the broker, its users and its entries in the catalogue, its pools in Ceph.
//
// In come the objects of a release that is still installed. Out come Jobs, each made from the Job of the release
// that has made a thing: that has the image, the addresses, the Secrets and the certificates which it takes. So
// what is deleted is what that Job makes, and what it did not make stays. Each Job may run again after it was cut
// off at any point.
//
// It asks nobody, runs nothing, and knows no values of Secrets.
package cleanup
