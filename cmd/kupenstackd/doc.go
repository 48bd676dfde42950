// Command kupenstackd keeps an OpenStack cloud as a Git repository wants it. See the README.
package main
