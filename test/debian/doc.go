// Package debian installs what the test beds need from the distribution's packages, and starts
// none of the services in them. It does nothing, and says why, on any other machine than a
// Debian or Ubuntu where it is root.
package debian
