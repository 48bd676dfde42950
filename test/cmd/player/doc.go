// Command player plays the containers of a cluster's applications (package test/cluster/player) until it is
// told to end. Tests with a control plane of their own run it as a process beside that, as the kubelets are one: with
// the race detector in it, it would take more of the machine than what is tested.
package main
