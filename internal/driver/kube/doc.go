// Package kube is the side of us that talks to Kubernetes.
//
// A [Cluster] is one guarded connection: it answers from watches what is there, applies objects
// server-side, compares what is wanted with what is there, tells how a workload fares, and keeps
// the inventory. A [Driver] brings units of Kubernetes objects, credentials, nodes and namespaces of projects to what is
// wanted by means of a Cluster; others, such as the driver of releases, use the Cluster as well, and
// its [API] where they have to ask past the watches or hand a client on to a library.
// A [Lease] says which process may change anything: its own requests ask no guard, as they are what
// the guard goes by. [Load] finds the cluster for both.
//
// In come the words of package unit, and objects as maps. Out come states, differences and errors
// in which no value of a Secret ever appears.
//
// The values of a generated Secret are those that releases were made with: an edit of one that a
// release holds is put back.
//
// For the driver of OpenStack it keeps in Secrets what is made here, each made once and deleted with its mark alone.
//
// It never deletes what does not bear our mark, or what somebody else has marked as a release's or to be kept, never
// writes what a release has, but for labels and annotations of a namespace that we need, never deletes in order to change,
// never makes a generated value anew while a release may still use the old one, and never takes an error for absence. No request that changes something is sent after the guard has refused, nor one that reads after that of reads has.
package kube
