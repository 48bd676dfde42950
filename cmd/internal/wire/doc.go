// Package wire joins the packages for both commands: flags become options, options become
// connections and drivers, and what one driver offers becomes what another one asks for. What it
// decides is only how OpenStack is reached; test/e2e runs it all.
package wire
